"""The box frame of each Qwen-VL family, and the two conversions between it and the page fractions of the environments."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Family:
    """What differs between the generations of Qwen-VL.

    Attributes:
        name: The name in print.
        model_type: ``model_type`` in ``config.json``.
        frame: Frame of the boxes that the family was trained to write: ``"thousand"`` (integers 0-1000 of the image) or
            ``"resized_pixel"`` (integer pixels of the image after the processor resized it).
        multiple: Side lengths that the processor leaves alone are multiples of this (patch size x merge size), in px.
    """

    name: str
    model_type: str
    frame: str
    multiple: int


FAMILIES = {
    "qwen2_vl": Family("Qwen2-VL", "qwen2_vl", "thousand", 28),
    "qwen2_5_vl": Family("Qwen2.5-VL", "qwen2_5_vl", "resized_pixel", 28),
    "qwen3_vl": Family("Qwen3-VL", "qwen3_vl", "thousand", 32),
}

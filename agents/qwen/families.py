"""The generations of Qwen-VL: what their processors accept and in which frame they write boxes."""

from __future__ import annotations

from dataclasses import dataclass

from designgym.boxes import Frame, Size


@dataclass(frozen=True)
class Family:
    """What differs between the generations of Qwen-VL.

    Attributes:
        name: The name in print.
        model_type: ``model_type`` in ``config.json``.
        frame: Frame of the boxes that the family was trained to write: ``"thousand"`` (integers 0-1000 of the image)
            or ``"resized_pixel"`` (integer pixels of the image after the processor resized it).
        multiple: The processor leaves an image alone only if its sides are multiples of this (patch size x merge
            size), in px.
    """

    name: str
    model_type: str
    frame: Frame
    multiple: int


#: Frames as the families were trained (Qwen2-VL: arXiv 2409.12191; Qwen2.5-VL: arXiv 2502.13923; Qwen3-VL: its model
#: cards).
FAMILIES = {
    "qwen2_vl": Family("Qwen2-VL", "qwen2_vl", "thousand", 28),
    "qwen2_5_vl": Family("Qwen2.5-VL", "qwen2_5_vl", "resized_pixel", 28),
    "qwen3_vl": Family("Qwen3-VL", "qwen3_vl", "thousand", 32),
}


def valid_image_size(family: Family, size: Size) -> bool:
    """Whether both sides are multiples that the family's processor need not round (within its pixel limits)."""
    return all(side > 0 and side % family.multiple == 0 for side in size)


def nearest_sizes(family: Family, side: int) -> tuple[int, int]:
    """The next valid side at or below, and the next above a side, in px."""
    below = max(family.multiple, side // family.multiple * family.multiple)
    return below, below + family.multiple

"""The generations of Qwen's vision models: what their processors accept and in which frame they write boxes."""

from __future__ import annotations

from dataclasses import dataclass

from designgym.boxes import Frame, Size


@dataclass(frozen=True)
class Family:
    """What differs between the generations.

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


# On what the frames stand. Qwen2-VL: arXiv 2409.12191. Qwen2.5-VL: arXiv 2502.13923. Qwen3-VL, dense and with experts:
# its model cards and cookbooks. Qwen3.5 and Qwen4-Exp have no document of theirs that says it; they read images with
# Qwen3-VL's processor, and of Qwen3.8-Flash-Next (a Qwen4-Exp) one of the Qwen team wrote that coordinates "should
# still" be relative to [0, 1000] "in most cases", asked by somebody who had seen larger ones and took Qwen3.5 for
# granted (github.com/QwenLM/Qwen3.8-Flash-Next/issues/4, August 2026). Nothing here was measured on their weights.
FAMILIES = {
    family.model_type: family
    for family in (
        Family("Qwen2-VL", "qwen2_vl", "thousand", 28),
        Family("Qwen2.5-VL", "qwen2_5_vl", "resized_pixel", 28),
        Family("Qwen3-VL", "qwen3_vl", "thousand", 32),
        Family("Qwen3-VL with experts", "qwen3_vl_moe", "thousand", 32),
        Family("Qwen3.5", "qwen3_5", "thousand", 32),
        Family("Qwen3.5 with experts", "qwen3_5_moe", "thousand", 32),
        Family("Qwen4-Exp", "qwen4_exp", "thousand", 32),
    )
}
"""By ``model_type``. Qwen3.6 and Qwen3.8 have no type of their own in transformers 5.24; they come as Qwen3.5."""


def valid_image_size(family: Family, size: Size) -> bool:
    """Whether both sides are multiples that the family's processor need not round (within its pixel limits)."""
    return all(side > 0 and side % family.multiple == 0 for side in size)


def nearest_sizes(family: Family, side: int) -> tuple[int, int]:
    """The next valid side at or below, and the next above a side, in px."""
    below = max(family.multiple, side // family.multiple * family.multiple)
    return below, below + family.multiple

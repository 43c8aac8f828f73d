"""How a model behind an endpoint writes boxes: by its family, which its name tells, or as it is declared.

The prompt says it to the model, and its answer is read so. Families that were trained to write boxes in one way keep to
it whatever a prompt says; all others are asked for fractions of the page, as AesEval-Bench asks every model.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args

from designgym.agents.qwen.frames import page_size, resized
from designgym.boxes import Frame, NumberFrame
from designgym.errors import UserError

FAMILIES: tuple[tuple[str, Frame], ...] = (
    ("qwen25vl", "resized_pixel"),
    ("qwen2vl", "thousand"),
    ("qwen3", "thousand"),
    ("qwen4", "thousand"),
    ("gemini", "thousand"),
)
"""What a model's name holds, without punctuation, and how such models write boxes. Qwen: see
`designgym.agents.qwen.families`; Gemini: Google's documentation of its bounding boxes."""

_FACTOR, _LEAST, _MOST = 28, 3136, 12845056
"""The published preprocessor of Qwen2.5-VL: sides in px are multiples of 28, areas lie between the other two."""


def frame_of(model: str, boxes: str | None = None) -> Frame:
    """How a model writes boxes.

    Args:
        model: Its name at the endpoint, such as ``Qwen/Qwen2.5-VL-7B-Instruct``.
        boxes: A frame that was declared; None goes by the name.

    Raises:
        UserError: For an unknown frame.
    """
    if boxes is not None:
        if boxes not in get_args(Frame):
            raise UserError(f"boxes is {boxes!r}; it is one of {', '.join(get_args(Frame))}, or null.")
        return boxes  # type: ignore[return-value]
    name = re.sub(r"[^a-z0-9]", "", model.lower())
    return next((frame for part, frame in FAMILIES if part in name), "fraction")


def number_frame(frame: Frame, image: Any, options: Mapping[str, Any]) -> NumberFrame:
    """The frame on what a prompt shows of an image.

    Args:
        frame: How the model writes boxes.
        image: H x W x C.
        options: The environment's ``prompt_options()``.
    """
    if frame in ("fraction", "thousand"):
        return NumberFrame(frame)
    size = page_size(image, options)
    if frame == "resized_pixel":
        size = resized(size, _FACTOR, _LEAST, _MOST)
    return NumberFrame(frame, size)

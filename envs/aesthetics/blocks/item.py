"""Items: one design and one question, a pure function of the task id and the settings."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.blocks.design import sample_design
from designgym.envs.aesthetics.blocks.flaws import KINDS, LEAST_ELEMENTS, Flaw, harm
from designgym.graphics.document import Document, Layer
from designgym.graphics.render import render

SPLIT_SIZES = {"train": 1_000_000, "validation": 10_000, "test": 10_000}
"""Number of task ids of each split."""

INDICATORS = {
    "alignment": "Alignment: are the elements placed in order with one another and with the page's edges?",
    "balance": "Balance: is the visual weight spread well, with no element out of scale?",
    "contrast": "Contrast: does every element stand out clearly from the page?",
    "harmony": "Harmony: do the colours of all elements go together?",
    "layering": "Layering: does every element keep its own place, with none covering another?",
}
"""Indicator -> the question asked about it (after AesEval-Bench, section 3, in our words)."""

CLEAN_SHARE = 0.35
"""Default share of designs without a flaw. Always None scores this share under the hurdle reward; one fixed box scores
0.5 to 0.56 of the rest, so that at 0.35 the two tie and neither constant wins."""

FractionBox = tuple[float, float, float, float]


@dataclass(frozen=True)
class Settings:
    """What kind of items an environment deals.

    Attributes:
        flaws: Kinds of flaw, from ``designgym.envs.aesthetics.blocks.flaws.KINDS``.
        clean_share: Probability of a design without flaw, 0 to 1.
        image_size: Side of the square picture, px, 32 to 2048.
        elements: Least and greatest number of elements, 1 to 8.
    """

    flaws: tuple[str, ...] = tuple(KINDS)
    clean_share: float = CLEAN_SHARE
    image_size: int = 448
    elements: tuple[int, int] = (3, 6)

    def __post_init__(self) -> None:
        for name in ("flaws", "elements"):
            value = getattr(self, name)
            if not isinstance(value, list | tuple):
                raise ValueError(f"{name} is {value!r}; it must be a list.")
            object.__setattr__(self, name, tuple(value))
        known = all(isinstance(kind, str) and kind in KINDS for kind in self.flaws)
        if not self.flaws or not known or len(set(self.flaws)) < len(self.flaws):
            raise ValueError(f"flaws is {self.flaws!r}; give one or more distinct kinds out of {list(KINDS)}.")
        share = self.clean_share
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0.0 <= share <= 1.0:
            raise ValueError(f"clean_share is {share!r}; it must be a number from 0 to 1.")
        if not _is_whole(self.image_size) or not 32 <= self.image_size <= 2048:
            raise ValueError(f"image_size is {self.image_size!r}; it must be a whole number from 32 to 2048 px.")
        numbers = len(self.elements) == 2 and all(map(_is_whole, self.elements))
        if not numbers or not 1 <= self.elements[0] <= self.elements[1] <= 8:
            raise ValueError(f"elements is {self.elements!r}; give the least and the greatest number, from 1 to 8.")
        for kind in self.flaws:
            if self.elements[1] < LEAST_ELEMENTS.get(kind, 1):
                raise ValueError(
                    f"A flaw {kind!r} needs {LEAST_ELEMENTS[kind]} elements; elements is {self.elements!r}."
                )


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@dataclass(frozen=True, eq=False)
class Item:
    """A design and a question about it.

    Attributes:
        task: The task id.
        document: The design as shown.
        clean_document: The design before the flaw (the same object where there is none).
        image: uint8 (image_size, image_size, 3), read-only.
        indicator: What the question is about, a key of :data:`INDICATORS`.
        question: The question's text.
        truth: Box of the flawed element, xyxy fractions of the page after clipping to it, or None.
        flaw: What was done, or None.
        boxes: Box of every element, as ``truth``.
    """

    task: str
    document: Document
    clean_document: Document
    image: NDArray[np.uint8]
    indicator: str
    question: str
    truth: FractionBox | None
    flaw: Flaw | None
    boxes: dict[str, FractionBox]


def parse_task(task: str) -> tuple[str, int]:
    """Split and number of a task id; ``ValueError`` with the form of valid ids otherwise."""
    split, _, number = task.partition("-") if isinstance(task, str) else ("", "", "")
    if (
        split not in SPLIT_SIZES
        or len(number) != 6
        or not number.isascii()
        or not number.isdigit()
        or int(number) >= SPLIT_SIZES[split]
    ):
        forms = ", ".join(f"'{name}-000000' to '{name}-{size - 1:06d}'" for name, size in SPLIT_SIZES.items())
        raise ValueError(f"Task {task!r} does not exist; ids are {forms}.")
    return split, int(number)


@lru_cache(maxsize=1024)
def item(task: str, settings: Settings) -> Item:
    """Make the item of a task id. The last 1,024 are kept, since the completions of a group ask for the same one.

    Args:
        task: ``"<split>-<six digits>"``; see :data:`SPLIT_SIZES`.
        settings: What kind of items.

    Returns:
        The same item, to the byte, for the same arguments.
    """
    split, number = parse_task(task)
    rng = np.random.default_rng(_entropy(split, number))
    low, high = settings.elements
    count = int(rng.integers(low, high + 1))
    kind = settings.flaws[int(rng.integers(len(settings.flaws)))]
    count = max(count, LEAST_ELEMENTS.get(kind, 1))
    is_clean = bool(rng.random() < settings.clean_share)
    flaw: Flaw | None = None
    while True:  # a layout in which no element can carry the flaw is drawn again
        clean, palette, _ = sample_design(rng, split, count)
        document = clean
        if is_clean:
            break
        done = harm(rng, clean, palette, kind)
        if done is not None:
            document, flaw = done
            break
    boxes = {layer.id: element_box(layer, document) for layer in document.layers}
    image = render(document, settings.image_size / document.width)
    image.flags.writeable = False
    indicator = KINDS[kind][1]
    truth = boxes[flaw.element] if flaw else None
    return Item(task, document, clean, image, indicator, INDICATORS[indicator], truth, flaw, boxes)


def element_box(layer: Layer, document: Document) -> FractionBox:
    """Axis-aligned hull of the rotated layer, clipped to the page, as xyxy fractions of it."""
    angle = math.radians(layer.rotation_deg)
    cos, sin = abs(math.cos(angle)), abs(math.sin(angle))
    half_w = (layer.width * cos + layer.height * sin) / 2
    half_h = (layer.width * sin + layer.height * cos) / 2
    cx, cy = layer.x + layer.width / 2, layer.y + layer.height / 2
    corners = (cx - half_w, cy - half_h, cx + half_w, cy + half_h)
    sides = (document.width, document.height, document.width, document.height)
    x1, y1, x2, y2 = (min(max(value / side, 0.0), 1.0) for value, side in zip(corners, sides, strict=True))
    return (x1, y1, x2, y2)


def _entropy(split: str, number: int) -> int:
    """Independent streams for every id, without Python's salted hash."""
    return int.from_bytes(hashlib.sha256(f"aesthetics/{split}/{number}".encode()).digest()[:16])

"""Boxes with an explicit frame and order, and how well two of them agree.

The environments speak fractions of the page, xyxy. Everything else (pixels, 0-1000, the pixels of a resized image,
ltwh) is converted at the border, by its declared frame and never by guessing from the values.

Degenerate boxes, everywhere in the project: a box with a non-finite number, with reversed corners or without area has
IoU 0 and GIoU -1 with every box, itself included. Nothing is swapped, repaired or NaN.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

Frame = Literal["fraction", "pixel", "thousand", "resized_pixel"]
"""``fraction`` 0 to 1 of the page; ``pixel`` of the image as it is; ``thousand`` 0 to 1000 of the page;
``resized_pixel`` of the image that the model sees after its processor resized it."""

Order = Literal["xyxy", "ltwh"]
"""Corners (left, top, right, bottom), or left, top, width, height."""

Size = tuple[int, int]
"""Width and height in px."""

FRAMES: tuple[Frame, ...] = get_args(Frame)


@dataclass(frozen=True, slots=True)
class Box:
    """An axis-aligned box by its corners. Finite numbers only; reversed corners are kept (see the module)."""

    x1: float
    y1: float
    x2: float
    y2: float
    frame: Frame = "fraction"

    def __post_init__(self) -> None:
        if self.frame not in FRAMES:
            raise ValueError(f"Frame {self.frame!r} is unknown; use one of {list(FRAMES)}.")
        if not all(math.isfinite(value) for value in self.xyxy):
            raise ValueError(f"A box needs four finite numbers, not {list(self.xyxy)}.")

    @classmethod
    def of(cls, values: Sequence[float], frame: Frame = "fraction", order: Order = "xyxy") -> Box:
        """A box from four numbers in the given frame and order."""
        if len(values) != 4:
            raise ValueError(f"A box needs four numbers, not {len(values)}.")
        a, b, c, d = (float(value) for value in values)
        if order == "ltwh":
            return cls(a, b, a + c, b + d, frame)
        if order != "xyxy":
            raise ValueError(f"Order {order!r} is unknown; use 'xyxy' or 'ltwh'.")
        return cls(a, b, c, d, frame)

    @property
    def xyxy(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return (self.x1, self.y1, self.x2, self.y2)

    @property
    def ltwh(self) -> tuple[float, float, float, float]:
        """Left, top, width, height."""
        return (self.x1, self.y1, self.x2 - self.x1, self.y2 - self.y1)

    @property
    def area(self) -> float:
        """Width times height in units of the frame; 0 for reversed corners."""
        return max(0.0, self.x2 - self.x1) * max(0.0, self.y2 - self.y1)

    def convert(self, frame: Frame, *, size: Size | None = None, resized: Size | None = None) -> Box:
        """The same box in another frame, not rounded.

        Args:
            frame: The frame wanted.
            size: Width and height of the image as it is, px; needed if either frame is ``pixel``.
            resized: Width and height of the image that the model sees, px; needed if either frame is ``resized_pixel``.

        Raises:
            ValueError: If a size that is needed is missing or not positive.
        """
        if frame == self.frame:
            return self
        from_x, from_y = _extent(self.frame, size, resized)
        to_x, to_y = _extent(frame, size, resized)
        x, y = to_x / from_x, to_y / from_y
        return Box(self.x1 * x, self.y1 * y, self.x2 * x, self.y2 * y, frame)

    def clip(self, *, size: Size | None = None, resized: Size | None = None) -> Box:
        """The part on the page; a box that lies wholly beside the page keeps no area. Sizes as for :meth:`convert`."""
        width, height = _extent(self.frame, size, resized)
        x1, x2 = (min(max(value, 0.0), width) for value in (self.x1, self.x2))
        y1, y2 = (min(max(value, 0.0), height) for value in (self.y1, self.y2))
        return Box(x1, y1, x2, y2, self.frame)

    def round(self) -> Box:
        """Whole numbers, halves upwards (so that 0.5 and 1.5 become 1 and 2)."""
        x1, y1, x2, y2 = (float(math.floor(value + 0.5)) for value in self.xyxy)
        return Box(x1, y1, x2, y2, self.frame)


@dataclass(frozen=True, slots=True)
class NumberFrame:
    """How boxes are written where they meet text: a frame, and the image's size if it counts pixels."""

    frame: Frame = "fraction"
    size: Size | None = None
    """Width and height, px, of the image that the numbers refer to; needed for ``pixel`` and ``resized_pixel``."""

    def __post_init__(self) -> None:
        _extent(self.frame, self.size, self.size)

    @property
    def limits(self) -> tuple[float, float]:
        """The largest x and the largest y."""
        return _extent(self.frame, self.size, self.size)

    @property
    def whole(self) -> bool:
        """Whether the numbers are written as integers (all frames but fractions)."""
        return self.frame != "fraction"

    @property
    def words(self) -> str:
        """The frame in as few words as possible, for prompts."""
        if self.frame == "fraction":
            return "fractions of the page"
        if self.frame == "thousand":
            return "0-1000"
        width, height = self.limits
        return f"pixels of a {width:g} x {height:g} image"

    @property
    def sentence(self) -> str:
        """The frame as the end of a sentence that explains boxes."""
        if self.frame == "fraction":
            return "as fractions of the page's width and height (0 to 1)"
        if self.frame == "thousand":
            return "as whole numbers from 0 to 1000 along each side of the page"
        return f"as whole {self.words}"


def hull(boxes: Iterable[Box]) -> Box:
    """The smallest box that holds all of them; they must share one frame and be at least one."""
    held = list(boxes)
    if not held:
        raise ValueError("The hull of no boxes does not exist; give at least one box.")
    if any(box.frame != held[0].frame for box in held):
        raise ValueError(f"Boxes of different frames {sorted({box.frame for box in held})}; convert them first.")
    return Box(
        min(box.x1 for box in held),
        min(box.y1 for box in held),
        max(box.x2 for box in held),
        max(box.y2 for box in held),
        held[0].frame,
    )


def iou(a: Box | Sequence[float], b: Box | Sequence[float]) -> float:
    """Intersection over union, 0 to 1, of two xyxy boxes of one frame.

    Raises:
        ValueError: For two ``Box`` of different frames, or sequences that are not four long.
    """
    overlap, union, _ = _areas(a, b)
    return overlap / union if union > 0 else 0.0


def giou(a: Box | Sequence[float], b: Box | Sequence[float]) -> float:
    """Generalised IoU, -1 to 1: IoU minus the share of the hull that neither box covers (Rezatofighi et al. 2019)."""
    overlap, union, around = _areas(a, b)
    if union <= 0:
        return -1.0
    return overlap / union - (around - union) / around


def _areas(a: Box | Sequence[float], b: Box | Sequence[float]) -> tuple[float, float, float]:
    """Areas of intersection, union and common hull; all 0 if either box is degenerate."""
    if isinstance(a, Box) and isinstance(b, Box) and a.frame != b.frame:
        raise ValueError(f"Boxes of different frames ({a.frame} and {b.frame}); convert one of them first.")
    ax1, ay1, ax2, ay2 = _corners(a)
    bx1, by1, bx2, by2 = _corners(b)
    if not (ax1 < ax2 and ay1 < ay2 and bx1 < bx2 and by1 < by2):  # also catches NaN
        return 0.0, 0.0, 0.0
    largest = max(abs(value) for value in (ax1, ay1, ax2, ay2, bx1, by1, bx2, by2))
    if not math.isfinite(largest):
        return 0.0, 0.0, 0.0
    if largest > 1e100:  # areas would overflow; the ratios do not depend on the unit
        ax1, ay1, ax2, ay2, bx1, by1, bx2, by2 = (v / largest for v in (ax1, ay1, ax2, ay2, bx1, by1, bx2, by2))
    overlap = max(0.0, min(ax2, bx2) - max(ax1, bx1)) * max(0.0, min(ay2, by2) - max(ay1, by1))
    union = (ax2 - ax1) * (ay2 - ay1) + (bx2 - bx1) * (by2 - by1) - overlap
    around = (max(ax2, bx2) - min(ax1, bx1)) * (max(ay2, by2) - min(ay1, by1))
    return overlap, union, around


def _corners(box: Box | Sequence[float]) -> tuple[float, float, float, float]:
    if isinstance(box, Box):
        return box.xyxy
    x1, y1, x2, y2 = box
    return float(x1), float(y1), float(x2), float(y2)


def _extent(frame: Frame, size: Size | None, resized: Size | None) -> tuple[float, float]:
    """Width and height of the page in units of the frame."""
    if frame == "fraction":
        return 1.0, 1.0
    if frame == "thousand":
        return 1000.0, 1000.0
    if frame not in FRAMES:
        raise ValueError(f"Frame {frame!r} is unknown; use one of {list(FRAMES)}.")
    given, keyword = (size, "size") if frame == "pixel" else (resized, "resized")
    if given is None:
        raise ValueError(f"The frame {frame!r} needs the image's width and height: pass {keyword}=(width, height).")
    if given[0] <= 0 or given[1] <= 0:
        raise ValueError(f"{keyword} is {given!r}; width and height must be above 0.")
    return float(given[0]), float(given[1])

"""Where things may lie on a page: thirds, and heights that keep clear of each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from designgym.rewards.judges.meanings import Position

Span = tuple[float, float]

_THIRDS: dict[str, Span] = {
    "top": (0.0, 1 / 3),
    "left": (0.0, 1 / 3),
    "center": (1 / 3, 2 / 3),
    "bottom": (2 / 3, 1.0),
    "right": (2 / 3, 1.0),
}
_INSET = 0.012
"""How far inside its third a centre stays, as a share of the page: ink and box have not quite the same centre."""

ROWS = ("top", "center", "bottom")


def row_and_column(position: Position) -> tuple[str, str]:
    """The row and column of a position; empty where any will do."""
    row, _, column = position.partition(" ")
    if column:
        return row, column
    if row == "center":
        return row, row
    return (row, "") if row in ("top", "bottom") else ("", row)


def third(name: str) -> Span:
    """Where a centre may lie, a share of the page; all of it for an empty name."""
    if not name:
        return 0.0, 1.0
    low, high = _THIRDS[name]
    return low + _INSET, high - _INSET


@dataclass
class Block:
    """A picture, or texts that stand one above the other.

    Attributes:
        row: ``"top"``, ``"center"``, ``"bottom"`` or empty.
        left: Left edge, page px.
        right: Right edge, page px.
        height: Page px.
        least: The highest place of its top edge, page px.
        most: The lowest place of its top edge, page px.
        ideal: Where its top edge would best lie.
        top: Where it lies.
        centres: Of what in it must lie in its row, px below its top.
    """

    row: str
    left: float
    right: float
    height: float
    least: float = 0.0
    most: float = 0.0
    ideal: float = 0.0
    top: float = 0.0
    centres: tuple[float, ...] = field(default=())

    def bound(self, page: float, margin: float) -> None:
        """Find out where it may lie on a page of this height, and where it would best."""
        low, high = third(self.row)
        centres = self.centres or (self.height / 2,)
        self.least = max(margin, low * page - min(centres))
        self.most = min(page - margin - self.height, high * page - max(centres))
        wanted = {"top": margin, "bottom": page - margin - self.height}.get(self.row, (page - self.height) / 2)
        self.ideal = min(max(wanted, self.least), self.most)
        self.top = self.ideal

    def beside(self, other: Block, gap: float) -> bool:
        """Whether the two can stand side by side."""
        return self.right + gap <= other.left or other.right + gap <= self.left


def stacked(blocks: Sequence[Block], page: float, margin: float, gap: float) -> bool:
    """Move blocks up and down, in the order of their rows, until none lies on another.

    Args:
        blocks: In reading order within a row.
        page: Height of the page, px.
        margin: Least distance from its upper and lower edge, px.
        gap: Least distance between blocks, px.

    Returns:
        Whether that was possible.
    """
    for block in blocks:
        block.bound(page, margin)
        if block.least > block.most + 1e-6:
            return False
    order = sorted(blocks, key=lambda block: ROWS.index(block.row or "center"))
    pairs = [
        (first, second)
        for number, first in enumerate(order)
        for second in order[number + 1 :]
        if not first.beside(second, gap)
    ]
    for first, second in pairs:
        second.top = max(second.top, first.top + first.height + gap)
    for first, second in reversed(pairs):
        second.top = min(second.top, second.most)
        first.top = min(first.top, second.top - gap - first.height)
    if any(not block.least - 1e-6 <= block.top <= block.most + 1e-6 for block in blocks):
        return False
    for block in order:
        if block.row in ("center", ""):
            _balance(block, [pair for pair in pairs if block in pair], page)
    return all(second.top - first.top - first.height >= gap - 1e-3 for first, second in pairs)


def _balance(block: Block, pairs: Sequence[tuple[Block, Block]], page: float) -> None:
    """Centre a block between what stands above it and what stands below it."""
    above = max((first.top + first.height for first, second in pairs if second is block), default=None)
    below = min((second.top for first, second in pairs if first is block), default=None)
    if above is None and below is None:
        return
    upper, lower = above if above is not None else 0.0, below if below is not None else page
    wanted = (upper + lower - block.height) / 2
    block.top = min(max(wanted, block.least), block.most)

"""An imperfect scripted demonstrator for flaw localization, with two stated weaknesses.

It stands for the annotator that a user without true labels has: it sees which element is flawed, but

* it marks the *room* of the element, not the element. Each side of its box runs on into the white space until it meets
  a neighbour or the page's edge, at most ``reach`` times the element's own width or height. How much too large the box
  is, and to which side, depends on the page: no single rescaling mends it;
* it does not believe that a sparse page can be flawless. On a clean page of at most ``sparse`` elements it marks the
  (room of the) largest one; only fuller pages get its None.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from designgym.envs.aesthetics.blocks.item import FractionBox, Item, item
from designgym.errors import UserError

REACH = 0.6
"""How far a side may run on, in widths (heights) of the element."""
SPARSE = 4
"""Clean pages of so many elements or fewer are suspected."""


def room(box: FractionBox, others: Iterable[FractionBox], reach: float = REACH) -> FractionBox:
    """The box with every side run on into the white space beside it.

    Args:
        box: The element, xyxy fractions of the page.
        others: The other elements of the page; those that overlap the element do not stop it.
        reach: Most that a side moves, in widths (heights) of the element.

    Returns:
        The room of the element, xyxy fractions within the page.
    """
    x1, y1, x2, y2 = box
    left, top, right, bottom = x1, y1, 1.0 - x2, 1.0 - y2
    for ox1, oy1, ox2, oy2 in others:
        if oy1 < y2 and oy2 > y1:  # beside the element
            left = min(left, x1 - ox2) if ox2 <= x1 else left
            right = min(right, ox1 - x2) if ox1 >= x2 else right
        if ox1 < x2 and ox2 > x1:  # above or below it
            top = min(top, y1 - oy2) if oy2 <= y1 else top
            bottom = min(bottom, oy1 - y2) if oy1 >= y2 else bottom
    dx, dy = reach * (x2 - x1), reach * (y2 - y1)
    return (x1 - min(left, dx), y1 - min(top, dy), x2 + min(right, dx), y2 + min(bottom, dy))


class Demonstrator:
    """Answers with the room of the flawed element, or of the largest one if it suspects a clean page.

    Privileged: it reads the item behind the task id.

    Args:
        reach: See :func:`room`; 0 marks the element exactly.
        sparse: Clean pages of so many elements or fewer are suspected; 0 makes it answer None on every clean page.
    """

    def __init__(self, reach: float = REACH, sparse: int = SPARSE) -> None:
        if not 0.0 <= reach <= 5.0:
            raise ValueError(f"reach is {reach!r}; it must be a number from 0 to 5.")
        if isinstance(sparse, bool) or not isinstance(sparse, int) or sparse < 0:
            raise ValueError(f"sparse is {sparse!r}; it must be a whole number, 0 or more.")
        self.reach = reach
        self.sparse = sparse
        self._item: Item | None = None

    def begin(self, env: Any, info: Mapping[str, Any]) -> None:
        """Look the item of the new episode up; the environment must show simple pages."""
        self._item = item(info["task"], env.unwrapped.settings.block_settings())

    def __call__(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> dict[str, Any]:
        """The call for the episode that ``begin`` announced."""
        if self._item is None:
            raise RuntimeError("The demonstrator was asked before begin(env, info); call that after every reset.")
        return self.answer(self._item)

    def answer(self, shown: Item) -> dict[str, Any]:
        """The demonstrator's ``answer`` call for an item."""
        marked = shown.flaw.element if shown.flaw else None
        if marked is None and len(shown.boxes) <= self.sparse:
            marked = max(shown.boxes, key=lambda element: _area(shown.boxes[element]))
        box: list[float] | None = None
        if marked is not None:
            others = [other for element, other in shown.boxes.items() if element != marked]
            box = list(room(shown.boxes[marked], others, self.reach))
        return {"name": "answer", "arguments": {"bbox": box}}


def build(env: Any, seed: int = 0, reach: float = REACH, sparse: int = SPARSE) -> Demonstrator:
    """The demonstrator for an aesthetics environment; it draws nothing at random.

    Raises:
        UserError: If the environment has no items to look up, or ``reach`` or ``sparse`` is out of range.
    """
    if not hasattr(env.unwrapped, "item"):
        raise UserError(
            f"The agent 'demonstrator' looks the flaw up, which {type(env.unwrapped).__name__} does not offer."
        )
    if env.unwrapped.settings.task != "localization" or env.unwrapped.settings.designs != "blocks":
        raise UserError(
            "The agent 'demonstrator' marks flaws of simple pages; make AestheticLocalization with designs=\"blocks\"."
        )
    try:
        return Demonstrator(reach, sparse)
    except ValueError as error:
        raise UserError(f"The agent 'demonstrator' cannot be made: {error}") from error


def _area(box: FractionBox) -> float:
    x1, y1, x2, y2 = box
    return (x2 - x1) * (y2 - y1)

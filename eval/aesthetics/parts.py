"""What is measured on each task: accuracy, and for localization its two halves apart and together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from designgym.eval.aesthetics.published import Part as PublishedPart
from designgym.eval.aesthetics.scored import Scored, Task


@dataclass(frozen=True)
class Part:
    """One thing that is measured.

    Attributes:
        name: As it stands in titles.
        measure: ``"accuracy"``, ``"IoU"`` or what else the numbers are.
        asked: Which questions count.
        binary: Whether every answer is right or wrong.
        published: The paper's name of it; None where the paper does not report it.
        table: Number of the paper's table.
        note: What is averaged over what.
        broken_down: Whether it is told apart by what was done to the designs; not where other parts say the same.
    """

    name: str
    measure: str
    asked: Callable[[Scored], bool]
    binary: bool
    published: PublishedPart | None
    table: int | None
    note: str
    broken_down: bool = True


PARTS: dict[Task, tuple[Part, ...]] = {
    "judgment": (Part("Judgment", "accuracy", lambda s: True, True, "judgment", 2, "Share of right verdicts."),),
    "selection": (
        Part("Region selection", "accuracy", lambda s: True, True, "selection", 3, "Share of right choices."),
    ),
    "localization": (
        Part(
            "Localization, flawed designs",
            "IoU",
            lambda s: s.flawed,
            False,
            "localization-iou",
            5,
            "Mean IoU where there is a box to find; no box counts 0.",
        ),
        Part(
            "Localization, good designs",
            "accuracy",
            lambda s: not s.flawed,
            True,
            "localization-none",
            4,
            "Share of answers None where nothing is wrong.",
        ),
        Part(
            "Localization, all designs",
            "score",
            lambda s: True,
            False,
            None,
            None,
            "IoU on flawed designs and accuracy on good ones, averaged as they come; it rewards always saying None.",
            broken_down=False,
        ),
    ),
}
"""Task -> its parts, in the order of the report."""

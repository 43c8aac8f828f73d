"""Answers to questions about designs, scored as AesEval-Bench scores them, whatever reward they were paid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from designgym.boxes import iou
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.eval.report.data import Box
from designgym.eval.results import Result

Task = Literal["judgment", "selection", "localization"]
Protocol = Literal["strict", "release"]

TASKS: tuple[Task, ...] = ("judgment", "selection", "localization")
LETTERS = "ABCD"


@dataclass(frozen=True)
class Scored:
    """One question and how well it was answered.

    Attributes:
        question: The task id; questions of one evaluation differ in it.
        task: Which of the three tasks.
        indicator: What was asked about.
        design: What it was asked about; questions about one design are not independent.
        flawed: Whether the design has a flaw in this respect.
        operation: What the flaw is; empty for good designs and where it is not known.
        magnitude: How strong it is, in the operation's own unit; None where it is not known.
        condition: ``"untouched"``, ``"harmless"`` or ``"harmed elsewhere"`` for good designs; empty where not known.
        score: 0 or 1, or IoU where localization has a box to find.
        unreadable: The agent gave no valid answer, and was not stopped by a failure of its own.
    """

    question: str
    task: Task
    indicator: str
    design: str
    flawed: bool
    operation: str
    magnitude: float | None
    condition: str
    score: float
    unreadable: bool


def applies(results: Sequence[Result]) -> bool:
    """Whether these are answers to questions of AesEval-Bench's three tasks about its twelve indicators."""
    return bool(results) and all(
        result.truth.get("task") in TASKS and result.truth.get("indicator") in INDICATORS and "design" in result.truth
        for result in results
    )


def scored(result: Result) -> Scored:
    """Score one answer by the protocol that its question was made by.

    Accuracy for judgment and selection; for localization accuracy where the truth is None and IoU elsewhere (section
    3.3). An answer that is missing or not valid scores 0. Of several acceptable boxes the best matching one counts
    under ``strict``, the first one under ``release``, whose evaluator also gives 1 to a failed answer where the truth
    is None.

    Args:
        result: A result for which :func:`applies` holds.
    """
    truth = result.truth
    task: Task = truth["task"]
    unreadable = result.answer is None and not result.failure
    magnitude = truth.get("magnitude")
    return Scored(
        question=result.name,
        task=task,
        indicator=str(truth["indicator"]),
        design=str(truth["design"]),
        flawed=flawed(result),
        operation=str(truth.get("flaw") or ""),
        magnitude=None if magnitude is None else float(magnitude),
        condition=str(truth.get("condition") or ""),
        score=_SCORES[task](result, truth.get("protocol", "strict")),
        unreadable=unreadable,
    )


def flawed(result: Result) -> bool:
    """Whether the right answer is that there is a flaw."""
    truth = result.truth
    if truth["task"] == "judgment":
        return bool(truth["verdict"] == "yes")
    if truth["task"] == "selection":
        return truth["options"][LETTERS.index(truth["choice"])] is not None
    return bool(true_boxes(result))


def true_boxes(result: Result) -> tuple[Box, ...]:
    """The acceptable boxes of a question of localization, the first one first; none for a good design."""
    boxes = result.truth.get("boxes") or ([result.truth["bbox"]] if result.truth.get("bbox") else [])
    return tuple(as_box(box) for box in boxes)


def as_box(value: Any) -> Box:
    """Four numbers as a box."""
    x1, y1, x2, y2 = (float(side) for side in value)
    return (x1, y1, x2, y2)


def _judgment(result: Result, protocol: Protocol) -> float:
    return float(result.answer is not None and result.answer.get("verdict") == result.truth["verdict"])


def _selection(result: Result, protocol: Protocol) -> float:
    return float(result.answer is not None and result.answer.get("choice") == result.truth["choice"])


def _localization(result: Result, protocol: Protocol) -> float:
    truths = true_boxes(result)
    if not truths:
        if result.answer is None:
            return float(protocol == "release")
        return float(result.answer.get("bbox") is None)
    if result.answer is None or result.answer.get("bbox") is None:
        return 0.0
    found = as_box(result.answer["bbox"])
    return max(iou(found, box) for box in (truths if protocol == "strict" else truths[:1]))


_SCORES = {"judgment": _judgment, "selection": _selection, "localization": _localization}

"""What localization adds to the table of a report: how well flaws are found, and clean pages left alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from designgym.boxes import iou
from designgym.eval.aesthetics.examples import kind, kinds
from designgym.eval.aesthetics.scored import as_box, true_boxes
from designgym.eval.report.data import Box, Cell, Measure, Row, Table
from designgym.eval.results import Result
from designgym.eval.statistics import bootstrap, proportion

MEASURES = (
    Measure("iou", "IoU", "pages with a flaw only; an answer without box counts 0"),
    Measure("none", "None accuracy", "pages without a flaw on which the answer is None", percent=True),
)


def applies(results: Sequence[Result]) -> bool:
    """Whether these are results of localization."""
    return bool(results) and all("bbox" in result.truth for result in results)


def answered_box(result: Result) -> Box | None:
    """The box that was answered; None also where no valid answer was given."""
    given = None if result.answer is None else result.answer.get("bbox")
    return None if given is None else as_box(given)


def page_iou(result: Result) -> float | None:
    """Best IoU with an acceptable box, 0 without an answered box; None for a clean page."""
    truths = true_boxes(result)
    if not truths:
        return None
    answer = answered_box(result)
    return 0.0 if answer is None else max(iou(answer, truth) for truth in truths)


def cells(results: Sequence[Result], seed: int = 0) -> dict[str, Cell]:
    """The cells of :data:`MEASURES`."""
    flawed = [page_iou(result) for result in results if result.truth["bbox"] is not None]
    clean = [result for result in results if result.truth["bbox"] is None]
    right = sum(result.answer is not None and result.answer.get("bbox") is None for result in clean)
    return {"iou": bootstrap(flawed, seed), "none": proportion(right, len(clean))}


def by_kind(policies: Mapping[str, Sequence[Result]], seed: int = 0) -> Table:
    """Mean reward of every policy on each kind of flaw and on clean pages."""
    found = kinds([result for results in policies.values() for result in results])
    counts = {k: max(sum(kind(r) == k for r in results) for results in policies.values()) for k in found}
    measures = tuple(Measure(k, k.replace("_", " ").capitalize()) for k in found)
    rows = []
    for name, results in policies.items():
        split = {k: [r.value for r in results if kind(r) == k] for k in found}
        rows.append(Row(name, {k: bootstrap(values, seed) for k, values in split.items()}))
    pages = ", ".join(f"{counts[k]:,} {k.replace('_', ' ')}" for k in found)
    caption = f"Mean reward with 95 % bootstrap intervals. Pages: {pages}."
    return Table("By kind of flaw", measures, tuple(rows), caption=caption)

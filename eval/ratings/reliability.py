"""How reliable ratings are, question by question, as a table."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from designgym.eval.ratings.answers import Answers, answers_to
from designgym.eval.ratings.icc import Coefficient, batches, icc_a1
from designgym.eval.ratings.intervals import alpha_interval, composite_interval, one_way_interval
from designgym.eval.ratings.rating import QUESTIONS, Exclusion, Rating, counted, first_places
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.statistics import Interval


@dataclass(frozen=True)
class Reliability:
    """How reliable the answers to one question are.

    Attributes:
        question: One of the ``QUESTIONS``.
        drawings: Number of drawings with an answer.
        raters: Number of raters.
        answers: Number of answers.
        batches: Number of sets of drawings that share no rater.
        per_drawing: Harmonic mean of the answers about a drawing; the k of ICC(C,k).
        one_way: ICC(1) of one rating, the rho_1 by which raters are allocated; with its interval, as the next ones.
        agreement: ICC(A,1) of one rating.
        composite: ICC(C,k) of the average.
        alpha: Krippendorff's ordinal alpha.
        excluded: Raters without a z-score, left out of all of this.
    """

    question: str
    drawings: int
    raters: int
    answers: int
    batches: int
    per_drawing: float
    one_way: Interval
    agreement: Coefficient
    composite: Interval
    alpha: Interval
    excluded: tuple[Exclusion, ...] = ()

    @property
    def undefined(self) -> tuple[str, ...]:
        """Why coefficients are missing, each reason once."""
        named = {"ICC(1)": self.one_way, "alpha": self.alpha, "ICC(C,k)": self.composite}
        reasons: dict[str, list[str]] = {}
        if self.agreement.value is None:
            reasons[self.agreement.reason] = ["ICC(A,1)"]
        for name, found in named.items():
            if found.mean is None:
                reasons.setdefault(found.method.removeprefix("none (").removesuffix(")"), []).append(name)
        return tuple(f"{', '.join(names)} of {self.question}: {reason}" for reason, names in reasons.items())


def reliability(ratings: Iterable[Rating]) -> tuple[Reliability, ...]:
    """The reliability of each question that anybody answered."""
    rows = tuple(ratings)
    asked = [question for question in QUESTIONS if any(row.answer(question) is not None for row in rows)]
    return tuple(_of(question, *answers_to(rows, question)) for question in asked)


def reliability_table(found: Iterable[Reliability]) -> Table:
    """A row a question; why a coefficient is missing stands below."""
    rows = tuple(found)
    measures = (
        Measure("drawings", "Drawings"),
        Measure("raters", "Raters"),
        Measure("batches", "Batches"),
        Measure("per_drawing", "Ratings per drawing", digits=1),
        Measure("one_way", "ICC(1)", "one rating, one-way; the raters' severity is error"),
        Measure("agreement", "ICC(A,1)", "one rating, two-way; severity is error"),
        Measure("alpha", "Ordinal alpha", "Krippendorff's, of single ratings"),
        Measure("composite", "ICC(C,k)", "the average of a drawing's ratings, two-way; severity is taken off"),
    )

    def cells(row: Reliability) -> dict[str, Cell]:
        whole = row.per_drawing == round(row.per_drawing)
        return {
            "drawings": row.drawings,
            "raters": row.raters,
            "batches": row.batches,
            "per_drawing": round(row.per_drawing) if whole else row.per_drawing,
            "one_way": row.one_way,
            "agreement": row.agreement.value,
            "alpha": row.alpha,
            "composite": row.composite,
        }

    missing = [reason for row in rows for reason in row.undefined]
    caption = "95 % intervals in brackets."
    if missing:
        caption += f" Undefined: {'; '.join(missing)}."
    named = tuple(Row(row.question, cells(row)) for row in rows)
    return Table("Reliability of ratings", measures, named, row_label="Question", caption=caption)


def exclusion_table(excluded: Iterable[Exclusion]) -> Table | None:
    """What was left out and why; None if nothing was."""
    excluded = tuple(excluded)
    places = first_places(excluded)
    rows = tuple(Row(reason, {"n": n, "first": places[reason]}) for reason, n in counted(excluded).items())
    measures = (Measure("n", "Count"), Measure("first", "First"))
    return Table("Left out", measures, rows, row_label="Reason") if rows else None


def _of(question: str, answers: Answers, excluded: tuple[Exclusion, ...]) -> Reliability:
    return Reliability(
        question=question,
        drawings=len(answers.drawings),
        raters=len(answers.raters),
        answers=len(answers.value),
        batches=len(np.unique(batches(answers))) if len(answers.value) else 0,
        per_drawing=answers.mean_raters,
        one_way=one_way_interval(answers),
        agreement=icc_a1(answers),
        composite=composite_interval(answers),
        alpha=alpha_interval(answers),
        excluded=excluded,
    )

"""Votes of annotators on designs: labels by majority, ties, and how far the annotators agree.

A CSV file with the columns ``design,indicator,annotator,vote``, or JSON lines with these keys. ``vote`` tells whether
the design has an issue in this respect, as the paper asks (section 2): yes, true or 1, or no, false or 0.
"""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from designgym.broken import BrokenRecord, Skipped
from designgym.encoding import decode_utf8
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sources.agreement import fleiss_kappa, krippendorff_alpha, percent_agreement
from designgym.envs.aesthetics.sources.finite import Question
from designgym.envs.aesthetics.sources.indicator_names import indicator_name
from designgym.errors import UserError
from designgym.jsonl import read_jsonl

FIELDS = ("design", "indicator", "annotator", "vote")

_VOTES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True)
class Vote:
    """One annotator's vote: whether a design has an issue in one respect."""

    design: str
    indicator: str
    annotator: str
    has_issue: bool


@dataclass(frozen=True)
class Agreement:
    """How far annotators agree on some designs and indicators.

    Attributes:
        items: Number of pairs of a design and an indicator.
        votes: Number of votes.
        annotators: Number of annotators.
        ties: Number of pairs with as many votes for as against.
        percent: Share of pairs of votes that agree, 0 to 1; see :mod:`~designgym.envs.aesthetics.sources.agreement`.
        kappa: Fleiss' kappa; None if the numbers of votes differ.
        alpha: Krippendorff's alpha.
    """

    items: int
    votes: int
    annotators: int
    ties: int
    percent: float | None
    kappa: float | None
    alpha: float | None


@dataclass(frozen=True)
class Votes:
    """All votes of a file.

    Attributes:
        votes: In the file's order; one for each design, indicator and annotator.
        skipped: The lines that were left out, with reasons.
    """

    votes: tuple[Vote, ...]
    skipped: Skipped = dataclasses.field(default_factory=Skipped)

    @property
    def fingerprint(self) -> str:
        """Names the votes, whatever their order: the beginning of a sha256 over all of them."""
        lines = sorted(f"{v.design}\t{v.indicator}\t{v.annotator}\t{v.has_issue}" for v in self.votes)
        return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:12]

    def labels(self) -> dict[Question, bool | None]:
        """Design and indicator -> whether most votes see an issue; None for a tie."""
        balance: dict[Question, int] = {}
        for vote in self.votes:
            key = (vote.design, vote.indicator)
            balance[key] = balance.get(key, 0) + (1 if vote.has_issue else -1)
        return {key: value > 0 if value else None for key, value in balance.items()}

    def ties(self) -> tuple[Question, ...]:
        """Designs and indicators with as many votes for as against."""
        return tuple(key for key, label in self.labels().items() if label is None)

    def agreement(self, indicator: str | None = None) -> Agreement:
        """How far the annotators agree, on one indicator or on all."""
        chosen = [vote for vote in self.votes if indicator in (None, vote.indicator)]
        rated: dict[Question, list[bool]] = {}
        for vote in chosen:
            rated.setdefault((vote.design, vote.indicator), []).append(vote.has_issue)
        ties = sum(2 * sum(values) == len(values) for values in rated.values())
        annotators = len({vote.annotator for vote in chosen})
        ratings = list(rated.values())
        scores = percent_agreement(ratings), fleiss_kappa(ratings), krippendorff_alpha(ratings)
        return Agreement(len(rated), len(chosen), annotators, ties, *scores)

    def report(self) -> dict[str, Agreement]:
        """``"all"`` and each indicator that was voted on -> agreement."""
        voted = {vote.indicator for vote in self.votes}
        return {"all": self.agreement()} | {name: self.agreement(name) for name in INDICATORS if name in voted}


def read_votes(path: str | Path, *, strict: bool = False) -> Votes:
    """The votes of a CSV or JSON-lines file.

    A line that is broken, or that votes a second time, is skipped, counted and named in the log.

    Raises:
        UserError: If the file cannot be read, lacks a column, or has no vote.
        BrokenRecord: If ``strict``.
    """
    path = Path(path)
    skipped = Skipped(strict)
    votes: dict[tuple[str, str, str], Vote] = {}
    for number, record in _records(path):
        try:
            vote = _vote(record)
            key = (vote.design, vote.indicator, vote.annotator)
            if key in votes:
                raise BrokenRecord(f"{vote.annotator!r} votes a second time on {vote.design!r}, {vote.indicator}.")
            votes[key] = vote
        except BrokenRecord as error:
            skipped.record(f"{path}:{number}", str(error))
    if not votes:
        raise UserError(f"'{path}' has no vote. {skipped.summary}".rstrip())
    return Votes(tuple(votes.values()), skipped)


def _records(path: Path) -> Iterator[tuple[int, Any]]:
    """Line numbers and records."""
    if path.suffix.lower() in (".jsonl", ".ndjson"):
        yield from ((line.number, line.value) for line in read_jsonl(path))
        return
    try:
        text = decode_utf8(path.read_bytes(), name=str(path))
    except OSError as error:
        raise UserError(f"'{path}' cannot be read: {error.strerror}.") from error
    rows = csv.DictReader(io.StringIO(text, newline=""))
    names: Sequence[str] = rows.fieldnames or ()
    if missing := [field for field in FIELDS if field not in names]:
        raise UserError(f"'{path}' has no column {missing[0]!r}; votes have the columns {', '.join(FIELDS)}.")
    try:
        for row in rows:
            yield rows.line_num, row
    except csv.Error as error:
        raise UserError(f"{path}:{rows.line_num}: this is not CSV: {error}.") from error


def _vote(record: Any) -> Vote:
    if not isinstance(record, Mapping):
        raise BrokenRecord(f"A vote is a {type(record).__name__}; it must be an object.")
    design, indicator, annotator, vote = (str(record.get(field, "") or "").strip() for field in FIELDS)
    if record.get("vote") in (0, False) and not isinstance(record.get("vote"), str):
        vote = "no"
    for field, value in (("design", design), ("annotator", annotator)):
        if not value:
            raise BrokenRecord(f"The field {field!r} is empty or missing.")
    name = indicator_name(indicator)
    if name is None:
        raise BrokenRecord(f"{indicator!r} is no indicator; they are {', '.join(INDICATORS)}.")
    if vote.casefold() not in _VOTES:
        raise BrokenRecord(f"The vote is {vote!r}; it must be yes or no.")
    return Vote(design, name, annotator, _VOTES[vote.casefold()])

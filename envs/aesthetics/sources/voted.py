"""A source of stored designs whose labels come from annotators' votes instead of rules."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Mapping
from typing import Any, Protocol

from designgym.envs.aesthetics.sample import Sample
from designgym.envs.aesthetics.sources.finite import FiniteSource, Question
from designgym.envs.aesthetics.sources.votes import Votes
from designgym.errors import UserError
from designgym.tasks import SPLITS, Split

LOGGER = logging.getLogger(__name__)


class Countable(Protocol):
    """What votes can be laid over: a source whose questions are known beforehand."""

    name: str

    def questions(self, split: Split) -> tuple[Question, ...]:
        """All questions of a split."""
        ...

    def sample(self, design: str) -> Sample:
        """The design of an id."""
        ...


class VotedSource(FiniteSource):
    """A source whose labels come from votes where there are any.

    - Most see no issue: the indicator is met, whatever a rule said.
    - Most see an issue: the elements that the rule named stay; if it named none, all perturbed elements harm the
      indicator. On a design without perturbation there is nothing to point at, and the question is dropped.
    - A tie: the question is dropped.

    Args:
        source: Frozen designs, a release folder or drafts.
        votes: The votes; those on other designs are counted in the log.

    Attributes:
        ties: Number of questions that were dropped for a tie.
        without_element: Number of questions that were dropped since nothing was perturbed.
    """

    def __init__(self, source: Any, votes: Votes) -> None:
        if not hasattr(source, "questions") or not hasattr(source, "sample"):
            raise UserError(
                f"Votes are on stored designs, and {source.name!r} makes its own: freeze a benchmark first."
            )
        inner: Countable = source
        labels = votes.labels()
        asked = {split: inner.questions(split) for split in SPLITS}
        known = {question for questions in asked.values() for question in questions}
        self.ties = sum(labels.get(question, True) is None for question in known)
        self.without_element = 0
        kept: dict[Split, list[Question]] = {split: [] for split in SPLITS}
        for split, questions in asked.items():
            for question in questions:
                label = labels.get(question, False)
                if label and question[1] not in (sample := inner.sample(question[0])).harmed and not sample.flaws:
                    self.without_element += 1
                elif label is not None:
                    kept[split].append(question)
        if strangers := len(set(labels) - known):
            LOGGER.warning("%d labels are of questions that %s does not have.", strangers, inner.name)
        told = votes.agreement()
        LOGGER.info(
            "%d votes by %d annotators on %d questions: %d ties, Krippendorff's alpha %s.",
            told.votes,
            told.annotators,
            told.items,
            told.ties,
            "undefined" if told.alpha is None else f"{told.alpha:.3f}",
        )
        super().__init__(
            f"{inner.name}+votes:{votes.fingerprint}", kept, lambda design: voted(inner.sample(design), labels)
        )


def voted(sample: Sample, labels: Mapping[Question, bool | None]) -> Sample:
    """The sample with the labels that were voted; see :class:`VotedSource`."""
    harmed = dict(sample.harmed)
    dropped = set()
    shown = {element.id for element in sample.elements}
    perturbed = tuple(dict.fromkeys(flaw.element for flaw in sample.flaws if flaw.element in shown))
    for indicator in sample.judged:
        label = labels.get((sample.id, indicator), indicator in harmed)
        if label is None or (label and indicator not in harmed and not perturbed):
            dropped.add(indicator)
        if not label:
            harmed.pop(indicator, None)
        elif indicator not in harmed:
            harmed[indicator] = perturbed
    return dataclasses.replace(
        sample,
        harmed={name: ids for name, ids in harmed.items() if name not in dropped},
        judged=tuple(name for name in sample.judged if name not in dropped),
    )

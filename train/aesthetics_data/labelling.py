"""Human-guided labelling by a vision-language model (AesEval-Bench, section 4).

A few designs with the labels of people are shown as demonstrations, the perturbed regions are given, and the model
answers yes or no: whether the design has an issue in the respect asked about. Its votes are written in the form of
annotators' votes, and compared with the label rule and with the people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.boxes import NumberFrame
from designgym.endpoint import ChatClient, EndpointError, RefusedError
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import Sample
from designgym.envs.aesthetics.sources.votes import Votes
from designgym.errors import UserError
from designgym.jsonl import JsonlWriter, read_jsonl
from designgym.prompt import Message, message
from designgym.train.aesthetics_data.at_once import at_once
from designgym.train.aesthetics_data.layers import marked
from designgym.train.aesthetics_data.paths import respect
from designgym.train.aesthetics_data.pen import written

Question = tuple[str, str]
"""Id of a design, and name of an indicator."""

_FRAME = NumberFrame("thousand")

_SYSTEM = """\
You help to label graphic designs. Each design is one that a designer made, in which something may have been changed; \
the changed regions are outlined and their bounding boxes [x1, y1, x2, y2] are given {frame}. A change may harm the \
design or leave it as good as it was. Say whether the design has an issue in the respect that is asked about, as a \
careful human viewer would judge it, and answer with one word: yes or no."""


@dataclass(frozen=True)
class LabelSettings:
    """How labels are asked for.

    Attributes:
        shots: Demonstrations of the same indicator that are shown, as many with an issue as without where there are.
        attempts: Answers that are asked for until one is yes or no.
        concurrency: Requests under way at once.
        image_size: The page's longer side, px.
        seed: Chooses the demonstrations.
    """

    shots: int = 4
    attempts: int = 3
    concurrency: int = 8
    image_size: int = 448
    seed: int = 0

    def __post_init__(self) -> None:
        if self.shots < 1 or self.attempts < 1 or self.concurrency < 1:
            raise UserError(
                f"--shots is {self.shots}, --attempts {self.attempts}, --concurrency {self.concurrency}; each must be "
                "1 or more."
            )


@dataclass(frozen=True)
class Demonstration:
    """A design with the label that people gave it."""

    sample: Sample
    has_issue: bool


class Labeller:
    """Asks a model for labels.

    Args:
        client: Asks the model.
        demonstrations: For each indicator the designs that people labelled.
        settings: How labels are asked for.

    Attributes:
        counts: Answers asked for and turned down, by reason.
    """

    def __init__(
        self, client: ChatClient, demonstrations: Mapping[str, Sequence[Demonstration]], settings: LabelSettings
    ) -> None:
        self.client, self.demonstrations, self.settings = client, demonstrations, settings
        self.counts: Counter[str] = Counter()
        self._lock = Lock()
        self._beginnings: dict[str, list[Message]] = {}

    def label(self, sample: Sample, indicator: str) -> bool | None:
        """Whether the design has an issue in this respect, by the model; None if it would not say."""
        asked = [*self._shown(indicator), self._question(sample, indicator)]
        for _ in range(self.settings.attempts):
            self._count("asked")
            try:
                answer = read_label(self.client.ask(asked))
            except RefusedError:
                self._count("turned down: refused")
                continue
            except EndpointError:
                self._count("turned down: no answer")
                continue
            if answer is not None:
                return answer
            self._count("turned down: neither yes nor no")
        self._count("given up")
        return None

    def _shown(self, indicator: str) -> list[Message]:
        """What every conversation about an indicator begins with: the task and the demonstrations; made once."""
        with self._lock:
            if indicator not in self._beginnings:
                begun = [message("system", _SYSTEM.format(frame=_FRAME.sentence))]
                for shown in self.demonstrations.get(indicator, ()):
                    answer = message("assistant", "yes" if shown.has_issue else "no")
                    begun += [self._question(shown.sample, indicator), answer]
                self._beginnings[indicator] = begun
            return self._beginnings[indicator]

    def _question(self, sample: Sample, indicator: str) -> Message:
        """A design with its perturbed regions, and what is asked about it."""
        page: NDArray[np.uint8] = sample.page(self.settings.image_size)
        changed = dict.fromkeys(flaw.element for flaw in sample.flaws)
        boxes = [element.box for element in sample.elements if element.id in changed]
        regions = "; ".join(str(written(box, _FRAME)) for box in boxes) or "none"
        text = (
            f"{INDICATORS[indicator].explanation}\nChanged regions: {regions}.\n"
            f"Does the design have an issue with its {respect(indicator)}? Answer yes or no."
        )
        return message("user", marked(page, {str(n): box for n, box in enumerate(boxes, start=1)}), text)

    def _count(self, what: str) -> None:
        with self._lock:
            self.counts[what] += 1


def read_label(text: str) -> bool | None:
    """Yes or no as the one word of an answer, whatever its case, quotation marks or full stop; None for all else."""
    word = text.strip().strip("\"'*`.! \n").casefold()
    return {"yes": True, "no": False}.get(word)


def choose_demonstrations(
    votes: Votes, sample_of: Callable[[str], Sample], settings: LabelSettings
) -> tuple[dict[str, list[Demonstration]], set[Question]]:
    """For each indicator some designs that people labelled, with and without an issue in turn, and which were taken.

    Args:
        votes: What people voted; ties are no labels.
        sample_of: Finds a design by its id; ``KeyError`` for one that does not exist.
        settings: How many, and the seed.

    Raises:
        UserError: If a design that is needed does not exist.
    """
    labels = {question: label for question, label in votes.labels().items() if label is not None}
    chosen: dict[str, list[Demonstration]] = {}
    taken: set[Question] = set()
    for at, indicator in enumerate(INDICATORS):
        rng = np.random.default_rng((settings.seed, 0xDE, at))
        asked = sorted(question for question in labels if question[1] == indicator)
        mixed = [asked[int(index)] for index in rng.permutation(len(asked))]
        sides = {label: [question for question in mixed if labels[question] is label] for label in (True, False)}
        turns = [q for pair in zip(sides[True], sides[False], strict=False) for q in pair]
        rest = [question for question in mixed if question not in turns]
        for question in [*turns, *rest][: settings.shots]:
            try:
                sample = sample_of(question[0])
            except KeyError as error:
                raise UserError(f"The demonstrations name the design '{question[0]}', which is not there.") from error
            chosen.setdefault(indicator, []).append(Demonstration(sample, labels[question]))
            taken.add(question)
    return chosen, taken


def label_all(
    labeller: Labeller,
    questions: Sequence[Question],
    sample_of: Callable[[str], Sample],
    out: Path,
    annotator: str,
    done: Callable[[int], object] = lambda n: None,
) -> dict[Question, bool]:
    """Label designs and write the votes to a JSON-lines file as they come; those that it holds are not asked again.

    Args:
        labeller: Asks the model.
        questions: What to label.
        sample_of: Finds a design by its id.
        out: The file of votes.
        annotator: What the model is called there.
        done: Is told how many of the questions are answered.

    Returns:
        The labels of the questions that got one.
    """
    before = _votes_of(out, annotator)
    labels = {question: before[question] for question in questions if question in before}
    missing = [question for question in questions if question not in before]
    lock = Lock()
    answered = len(labels)

    def one(question: Question) -> None:
        nonlocal answered
        label = labeller.label(sample_of(question[0]), question[1])
        with lock:
            if label is not None:
                labels[question] = label
                vote = "yes" if label else "no"
                writer.write({"design": question[0], "indicator": question[1], "annotator": annotator, "vote": vote})
            answered += 1
            done(answered)

    with JsonlWriter(out) as writer:
        at_once(one, missing, labeller.settings.concurrency)
    return labels


def _votes_of(path: Path, annotator: str) -> dict[Question, bool]:
    """The votes of one annotator in a file that may not exist yet."""
    if not path.exists():
        return {}
    found: dict[Question, bool] = {}
    for line in read_jsonl(path):
        value: Any = line.value
        if not isinstance(value, dict) or not {"design", "indicator", "annotator", "vote"} <= set(value):
            raise UserError(f"{path}:{line.number}: this is no vote; choose another --out.")
        if value["annotator"] == annotator:
            found[value["design"], value["indicator"]] = value["vote"] == "yes"
    return found

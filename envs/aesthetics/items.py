"""Items: a design, a question about it, and what answers are right; a pure function of a sample and the question.

What is true (AesEval-Bench, sections 3.1 and 3.2): the elements that harm the design in the respect asked about.
Several may do so, and then each of their boxes is right. Where regions are offered, they are:

* on a flawed design the box of the first harmed element, those of two elements to which nothing was done, and None;
* on a good design the boxes of three elements and None;

in an order that is drawn by the sample's id. Elements of the one kind that can do this harm are offered before others:
texts where type is asked about, pictures where graphics are. Else whoever picks the lone text or picture would be right
without a look at it. Regions that nearly coincide are never offered together. A design that has
too few elements for this, or whose harmed elements all lie beyond the page, makes no item.

Under ``protocol="release"`` three others and no None stand beside a flawed design's box, and only the first harmed
element is right, as in the released evaluation.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from designgym.boxes import iou
from designgym.envs.aesthetics.indicators import INDICATORS, Dimension
from designgym.envs.aesthetics.questions import LETTERS, question
from designgym.envs.aesthetics.sample import ElementKind, Flaw, FractionBox, Sample
from designgym.envs.aesthetics.settings import Protocol, TaskKind

SAME_IOU = 0.8
"""Regions of at least this IoU are not offered together: nobody could say which of them is meant."""

ASKED_KINDS: dict[Dimension, ElementKind] = {"font": "text", "graphic": "picture"}
"""The kind of element that alone harms the indicators of a dimension."""


@dataclass(frozen=True, eq=False)
class Item:
    """A question about a design and its right answers.

    Attributes:
        task: ``"judgment"``, ``"selection"`` or ``"localization"``.
        sample: The design.
        indicator: What the question is about, a key of ``INDICATORS``.
        question: Its text; boxes in it are fractions of the page.
        options: The regions offered, A first; None stands for "no element". Empty unless regions are offered.
        verdict: ``"yes"`` if the design has an issue in this respect, else ``"no"``.
        choice: Letter of the right region; empty unless regions are offered.
        boxes: Boxes of the elements that harm the design, xyxy fractions of the page; empty if none does.
        bbox: The first of them, or None.
        protocol: By which rules this was made.
    """

    task: TaskKind
    sample: Sample
    indicator: str
    question: str
    options: tuple[FractionBox | None, ...]
    verdict: str
    choice: str
    boxes: tuple[FractionBox, ...]
    bbox: FractionBox | None
    protocol: Protocol = "strict"

    @property
    def harmed(self) -> tuple[str, ...]:
        """Ids of the elements whose boxes are right, in the order of ``boxes``."""
        names = self.sample.harmed.get(self.indicator, ())
        return tuple(name for name in names if _area(self.sample.element(name).box) > 0)[: len(self.boxes)]

    @property
    def flaw(self) -> str:
        """The operation that harmed the first of the boxes; empty for a good design or where it is not known."""
        done = self._done()
        return "" if done is None else done.operation

    @property
    def magnitude(self) -> float | None:
        """How strong that is, in the operation's own unit; None where ``flaw`` is empty."""
        done = self._done()
        return None if done is None else float(done.magnitude)

    @property
    def condition(self) -> str:
        """Why a design is good in the respect asked about; empty for a flawed one.

        ``"untouched"``: nothing was done to it; ``"harmless"``: what was done harms nothing; ``"harmed elsewhere"``:
        it is harmed in other respects.
        """
        if self.boxes:
            return ""
        if not self.sample.flaws:
            return "untouched"
        return "harmed elsewhere" if any(flaw.harms for flaw in self.sample.flaws) else "harmless"

    def _done(self) -> Flaw | None:
        """What harmed the first of the boxes."""
        first = self.harmed[:1]
        done = [flaw for flaw in self.sample.flaws if flaw.element in first]
        done.sort(key=lambda flaw: self.indicator not in flaw.harms)  # an element may have been changed twice
        return done[0] if done else None

    def answer(self) -> dict[str, Any]:
        """A right answer, as arguments of the tool ``answer``."""
        if self.task == "judgment":
            return {"verdict": self.verdict}
        if self.task == "selection":
            return {"choice": self.choice}
        return {"bbox": None if self.bbox is None else list(self.bbox)}


def make_item(
    task: TaskKind, sample: Sample, indicator: str, protocol: Protocol = "strict", text: str | None = None
) -> Item | None:
    """The item of a task about a sample; None if the design does not allow it (see the module).

    Args:
        task: What is asked for.
        sample: The design.
        indicator: What is asked about.
        protocol: By which rules.
        text: A question of one's own in place of :func:`designgym.envs.aesthetics.questions.question`.
    """
    all_boxes = [sample.element(name).box for name in sample.harmed.get(indicator, ())]
    boxes = [box for box in all_boxes if _area(box) > 0]
    if all_boxes and not boxes:
        return None
    if protocol == "release":
        boxes = boxes[:1]
    options: tuple[FractionBox | None, ...] = ()
    choice = ""
    if task == "selection":
        drawn = _options(sample, indicator, boxes, protocol)
        if drawn is None:
            return None
        options = drawn
        choice = LETTERS[options.index(boxes[0] if boxes else None)]
    asked = question(task, INDICATORS[indicator], options) if text is None else text
    return Item(
        task=task,
        sample=sample,
        indicator=indicator,
        question=asked,
        options=options,
        verdict="yes" if boxes else "no",
        choice=choice,
        boxes=tuple(boxes),
        bbox=boxes[0] if boxes else None,
        protocol=protocol,
    )


def _options(
    sample: Sample, indicator: str, truths: list[FractionBox], protocol: Protocol
) -> tuple[FractionBox | None, ...] | None:
    """The regions offered, in seeded order; None if there are too few."""
    seed = hashlib.sha256(f"options/{sample.id}/{indicator}".encode()).digest()[:16]
    rng = np.random.default_rng(int.from_bytes(seed))
    harmed = set(sample.harmed.get(indicator, ()))
    changed = {flaw.element for flaw in sample.flaws} if truths and protocol == "strict" else set()
    unharmed = [element for element in sample.elements if element.id not in harmed | changed]
    unharmed = [unharmed[int(index)] for index in rng.permutation(len(unharmed))]
    kind = ASKED_KINDS.get(INDICATORS[indicator].dimension)
    unharmed.sort(key=lambda element: kind is not None and element.kind != kind)
    others = [element.box for element in unharmed]
    whole = [sample.element(name).box for name in harmed]
    offered: list[FractionBox | None] = list(_apart(whole, others))
    if not truths:
        offered = [*offered[:3], None]
    elif protocol == "strict":
        offered = [truths[0], *offered[:2], None]
    else:
        offered = [truths[0], *offered[:3]]
    if len(offered) < len(LETTERS):
        return None
    return tuple(offered[int(index)] for index in rng.permutation(len(offered)))


def _apart(taken: Iterable[FractionBox], boxes: Iterable[FractionBox]) -> list[FractionBox]:
    """Those of the boxes that can be told from the ones taken and from one another."""
    against = list(taken)
    kept: list[FractionBox] = []
    for box in boxes:
        if _area(box) > 0 and all(iou(box, other) < SAME_IOU for other in against):
            kept.append(box)
            against.append(box)
    return kept


def _area(box: FractionBox) -> float:
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])

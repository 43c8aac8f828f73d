"""Questions about a page, each with its polarity twin: what every judge is asked and what the answers count for.

A question is a statement about what can be seen on the page, put as a yes-or-no question. Judges that read words answer
``text``; exact judges evaluate ``kind``, ``target`` and ``arguments`` by the rules of ``meanings.py`` and turn the
result around where the question is ``negated``. The arguments of each kind:

====================  =========================================================================================
kind                  arguments
====================  =========================================================================================
``text-present``      ``text``: the words that can be read on the page
``text-color``        ``text``, ``rgb`` (three whole numbers, 0 to 255): the colour of its visible ink
``text-position``     ``text``, ``position``, ``slack``: where the centre of its visible ink lies
``text-order``        ``larger``, ``smaller``: two texts, the first set in larger type
``text-legible``      ``text``: tall enough, and of enough contrast with what is around it
``background-color``  ``rgb``: the colour of what is neither text nor picture
``image-present``     ``caption``, ``picture`` (id in the pool; a decoy's in the embedded one), ``file`` (name in the
                      sandbox; ``""`` of a decoy, of which there is none)
``image-position``    those of ``image-present``, ``position``, ``slack``
``image-size``        those of ``image-present``, ``size``
``uncut``             ``text``, or those of ``image-present``: all of it is seen, nothing is cut off or covered
``free``              none: a question in words alone, which exact judges leave unanswered
====================  =========================================================================================

Whatever is asked of a text or picture that is not on the page does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, get_args

Kind = Literal[
    "text-present", "text-color", "text-position", "text-order", "text-legible", "background-color", "image-present",
    "image-position", "image-size", "uncut", "free",
]  # fmt: skip

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class Question:
    """A yes-or-no question about a page.

    Attributes:
        text: The question in words; names nothing that cannot be seen, such as layers or files.
        kind: What it is about; decides ``arguments`` as the table at the top of this module says.
        target: Whom it is about: the role of a text (``"title"``), a picture's caption, ``"background"``, or two roles
            apart by ``>``.
        arguments: What an exact judge needs; plain JSON values.
        expected: The right answer about a page that fulfils its brief.
        negated: The words ask for the opposite of what ``kind`` and ``arguments`` say ("Is the title missing?").
    """

    text: str
    kind: Kind
    target: str
    arguments: Mapping[str, Any] = field(default_factory=dict, hash=False)
    expected: bool = True
    negated: bool = False

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise ValueError(f"{self.kind!r} is no kind of question; the kinds are {', '.join(KINDS)}.")

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; :meth:`from_dict` reads them back."""
        return asdict(self) | {"arguments": dict(self.arguments)}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Question:
        """The question of :meth:`to_dict`."""
        return cls(**values)


@dataclass(frozen=True)
class Item:
    """A question and its polarity twin, whose right answers are opposite: one point, for both answered rightly.

    So a judge that always says yes, or always no, gives no points, and neither does a page that shows nothing.
    """

    question: Question
    twin: Question

    def __post_init__(self) -> None:
        if self.question.expected == self.twin.expected:
            raise ValueError(
                f"The twin of {self.question.text!r} expects the same answer; it must expect the opposite."
            )

    def passed(self, answer: bool | None, twin_answer: bool | None) -> bool | None:
        """Whether both answers are right; None if one that could still make it so was not given."""
        pairs = (answer, self.question.expected), (twin_answer, self.twin.expected)
        if any(given is not None and given != expected for given, expected in pairs):
            return False
        return None if answer is None or twin_answer is None else True

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; :meth:`from_dict` reads them back."""
        return {"question": self.question.to_dict(), "twin": self.twin.to_dict()}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Item:
        """The item of :meth:`to_dict`."""
        return cls(Question.from_dict(values["question"]), Question.from_dict(values["twin"]))


def flat(items: Sequence[Item]) -> list[Question]:
    """All questions, each followed by its twin, as judges are asked them: ``2 * len(items)``."""
    return [question for item in items for question in (item.question, item.twin)]


def verdicts(items: Sequence[Item], answers: Sequence[bool | None]) -> list[bool | None]:
    """Which items the answers to :func:`flat` pass.

    Raises:
        ValueError: If there are not two answers an item.
    """
    if len(answers) != 2 * len(items):
        raise ValueError(f"{len(items)} items have {2 * len(items)} questions, but there are {len(answers)} answers.")
    pairs = zip(answers[::2], answers[1::2], strict=True)
    return [item.passed(*pair) for item, pair in zip(items, pairs, strict=True)]

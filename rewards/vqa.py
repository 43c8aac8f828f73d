"""How many of the questions about a page a judge answers as expected, beyond those of a blank page (GraphicBench)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np

from designgym.episode import Episode
from designgym.graphics.document import Document
from designgym.rewards.added_ink import NoImage
from designgym.rewards.base import EpisodeReward, UnsuitableReward
from designgym.rewards.judges.base import Given, Judge, Page
from designgym.rewards.judges.questions import Item, flat, verdicts
from designgym.rewards.judges.table import JudgeSpec, resolve_judge
from designgym.score import Backend, Score

VERSION = "1"


@dataclass(frozen=True)
class Vqa(EpisodeReward):
    """The share of items passed by the page beyond those that a blank page passes.

    An item is a question with its polarity twin and is passed if the judge answers both as expected, so a judge that
    always says yes passes none. A blank page passes some all the same, such as that a white background is white: the
    value is (passed - passed when blank) / (items - passed when blank), which is 0 for a blank page and 1 if everything
    is right. Items with an answer missing are left out; the value is None if none is left, and 0 if there is no page.

    Components: ``items``, the share of items passed; ``blank``, the same of a white page of the same size;
    ``positive_only``, the paper's VQA pass rate (section 4.2), the share of the questions without their twins that are
    answered as expected, which a judge that always says yes brings to 1; ``answered``, the share of items not left
    out.

    Args:
        judge: Who looks at the page: a name of ``designgym.rewards.judges.table.JUDGES``, a dict with ``name`` and its
            arguments, or a judge.
    """

    judge: JudgeSpec = "scene"

    name = "vqa"

    def __post_init__(self) -> None:
        object.__setattr__(self, "judge", resolve_judge(self.judge))

    @property
    def backend(self) -> Backend:  # type: ignore[override]
        """The judge's, with this rule's version."""
        judge = self._judge.backend
        return Backend(judge.name, f"{judge.version}/vqa-{VERSION}", judge.hash)

    @property
    def reads_image(self) -> bool:
        """Whether the judge looks at pages; some go by the document."""
        return getattr(self._judge, "reads_image", True)

    @property
    def _judge(self) -> Judge:
        return cast(Judge, self.judge)  # a judge itself, since it was made

    def check(self, episode: Episode) -> None:
        """Refuse what asks no questions of this kind."""
        if "questions" not in episode.truth:
            raise UnsuitableReward(f"{episode.env_id} has no questions with twins, so it cannot be scored by 'vqa'.")

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def score(self, episode: Episode) -> Score:
        """See the class.

        Raises:
            UnsuitableReward: If the environment asks no questions of this kind.
            NoImage: If there is a page, the judge looks at its image, and that was not kept.
        """
        self.check(episode)
        items = [Item.from_dict(each) for each in episode.truth["questions"]]
        questions = flat(items)
        if episode.document is None:
            return self.scored(0.0, {"items": 0.0, "blank": 0.0, "positive_only": 0.0, "answered": 1.0})
        page, blank = _pages(episode, self.reads_image)
        answers = self._judge.answer(page, questions)
        passed, without = verdicts(items, answers), verdicts(items, self._judge.answer(blank, questions))
        both = [(now, then) for now, then in zip(passed, without, strict=True) if now is not None and then is not None]
        positive = [
            answer == item.question.expected
            for item, answer in zip(items, answers[::2], strict=True)
            if answer is not None
        ]
        share, of_blank = _share([now for now, _ in both]), _share([then for _, then in both])
        parts = {
            "items": share,
            "blank": of_blank,
            "positive_only": _share(positive),
            "answered": len(both) / len(items) if items else None,
        }
        if share is None or of_blank is None:
            return self.scored(None, parts)
        return self.scored((share - of_blank) / (1 - of_blank) if of_blank < 1 else 0.0, parts)


def _pages(episode: Episode, seen: bool) -> tuple[Page, Page]:
    """The episode's page, and a white one of its size; without images where they are not looked at."""
    document = episode.document
    assert document is not None  # the caller looked
    given = _given(episode.truth.get("files", {}))
    empty = Document(document.width, document.height)
    if not seen:
        nothing = np.zeros((0, 0, 3), np.uint8)
        return Page(nothing, document, given), Page(nothing, empty, given)
    if episode.image is None:
        raise NoImage(
            f"The episode of task {episode.task!r} has no image, and judges look at it. Play its trace again in the "
            "environment and score the episode that results."
        )
    image = episode.image if episode.image.ndim == 3 else np.repeat(episode.image[..., None], 3, axis=-1)
    white = np.full_like(image, 255)
    return Page(image, document, given), Page(white, empty, given)


def _given(files: Mapping[str, Mapping[str, str]]) -> dict[str, Given]:
    return {name: Given(known.get("caption", ""), known.get("sha256", "")) for name, known in files.items()}


def _share(passed: Sequence[bool | None]) -> float | None:
    return sum(map(bool, passed)) / len(passed) if passed else None

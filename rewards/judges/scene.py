"""The exact judge: it answers from what can be seen of a page's layers, by the rules of ``meanings``."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from designgym.graphics.document import Document, ImageLayer
from designgym.rewards.judges.base import Given, Page
from designgym.rewards.judges.ink import Scene
from designgym.rewards.judges.meanings import (
    LEAST_SHOWN,
    at_position,
    larger_type,
    legible,
    of_size,
    same_color,
    words_of,
)
from designgym.rewards.judges.questions import Kind, Question
from designgym.rewards.judges.seen_ground import Ground
from designgym.rewards.judges.seen_picture import SeenPicture, seen_picture
from designgym.rewards.judges.seen_text import SeenText, TextOnPage, texts_on_page
from designgym.score import Backend


@dataclass(frozen=True)
class SceneJudge:
    """Answers exactly, from the document: what is hidden, cut off, faint or tiny is not there for it.

    Names and ids of layers and files do not matter: a picture is known by its bytes. A question in words alone
    (``free``) is left unanswered, and so is one about a picture of which nobody says which file it is.
    """

    name = "scene"
    backend = Backend("scene", "1")
    reads_image = False

    def answer(self, page: Page, questions: Sequence[Question]) -> list[bool | None]:
        """See :class:`designgym.rewards.judges.base.Judge`; a page without a document shows nothing."""
        document = page.document
        if document is not None and not document.layers:
            size, known = (document.width, document.height), tuple(page.pictures.items())
            return list(_of_empty(size, document.background, known, tuple(questions)))
        return _answers(page, questions)


def _answers(page: Page, questions: Sequence[Question]) -> list[bool | None]:
    view = _View(page)
    return [_turned(view.holds(question), question.negated) for question in questions]


@lru_cache(maxsize=256)
def _of_empty(
    size: tuple[int, int], background: str, pictures: tuple[tuple[str, Given], ...], questions: tuple[Question, ...]
) -> tuple[bool | None, ...]:
    """The answers about a page without layers, which every page of a brief is compared with."""
    page = Page(np.zeros((0, 0, 3), np.uint8), Document(*size, background), dict(pictures))
    return tuple(_answers(page, questions))


def _turned(holds: bool | None, negated: bool) -> bool | None:
    return holds if holds is None else holds != negated


class _View:
    """A page with what was found out about it for earlier questions."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._scene = Scene(page.document if page.document is not None else Document(1, 1))
        self._ground = Ground(self._scene)
        self._read: list[TextOnPage] | None = None
        self._texts: dict[tuple[str, ...], list[SeenText]] = {}
        self._pictures: dict[str, list[SeenPicture]] = {}
        self._latest: tuple[object, bool] = (None, False)
        """What was asked last and whether it holds: a question's twin, which follows it, asks the same."""
        self._answer: dict[Kind, Callable[[Question], bool]] = {
            "text-present": lambda q: bool(self._text(q.arguments["text"])),
            "text-color": self._text_color,
            "text-position": self._text_position,
            "text-order": self._text_order,
            "text-legible": lambda q: any(
                legible(each.type_share, each.contrast) for each in self._text(q.arguments["text"])
            ),
            "background-color": lambda q: self._ground.has_color(tuple(q.arguments["rgb"])),
            "image-present": lambda q: bool(self._picture(q)),
            "image-position": self._image_position,
            "image-size": lambda q: any(of_size(each.box, q.arguments["size"]) for each in self._picture(q)),
            "uncut": self._uncut,
        }

    def holds(self, question: Question) -> bool | None:
        """Whether what a question's kind and arguments say holds; None if that cannot be told."""
        if question.kind == "free":
            return None
        if self._page.document is None:
            return False
        file = question.arguments.get("file", "")
        if file and not (file in self._page.pictures and self._page.pictures[file].sha256):
            return None
        asked = question.kind, question.arguments
        if asked != self._latest[0]:
            self._latest = asked, self._answer[question.kind](question)
        return self._latest[1]

    def _text(self, wanted: str) -> list[SeenText]:
        words = words_of(wanted)
        if not words:
            return []
        key = tuple(words)
        if key not in self._texts:
            self._texts[key] = [seen for text in self._readable for seen in text.seen(words)]
        return self._texts[key]

    @property
    def _readable(self) -> list[TextOnPage]:
        if self._read is None:
            self._read = texts_on_page(self._scene)
        return self._read

    def _picture(self, question: Question) -> list[SeenPicture]:
        file = question.arguments["file"]
        if not file:  # one that was not handed out cannot be on the page
            return []
        if file not in self._pictures:
            wanted = self._page.pictures[file].sha256
            scene = self._scene
            found = [
                seen_picture(scene, ink, layer)
                for index, layer in enumerate(scene.document.layers)
                if isinstance(layer, ImageLayer)
                and digest(scene.document.assets[layer.asset]) == wanted
                and (ink := scene.ink(index)) is not None
            ]
            self._pictures[file] = [each for each in found if each is not None]
        return self._pictures[file]

    def _text_color(self, question: Question) -> bool:
        asked = question.arguments["rgb"]
        return any(
            same_color([round(part) for part in each.rgb], asked) for each in self._text(question.arguments["text"])
        )

    def _text_position(self, question: Question) -> bool:
        return any(_at(each, question) for each in self._text(question.arguments["text"]))

    def _text_order(self, question: Question) -> bool:
        sizes = [
            max((each.type_share for each in self._text(question.arguments[which])), default=0.0)
            for which in ("larger", "smaller")
        ]
        return larger_type(*sizes)

    def _image_position(self, question: Question) -> bool:
        return any(_at(each, question) for each in self._picture(question))

    def _uncut(self, question: Question) -> bool:
        wanted = question.arguments.get("text")
        seen: Sequence[SeenText | SeenPicture] = self._picture(question) if wanted is None else self._text(wanted)
        return any(each.shown >= LEAST_SHOWN for each in seen)


def _at(seen: SeenText | SeenPicture, question: Question) -> bool:
    x1, y1, x2, y2 = seen.box
    slack = question.arguments.get("slack", 0.0)
    return at_position(((x1 + x2) / 2, (y1 + y2) / 2), question.arguments["position"], slack)


@lru_cache(maxsize=256)
def digest(data: bytes) -> str:
    """SHA-256 of an image file, in hexadecimal, as :class:`designgym.rewards.judges.base.Given` has it."""
    return hashlib.sha256(data).hexdigest()

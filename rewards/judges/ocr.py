"""The judge of pixels alone: text by OCR, pictures by their likeness at all sizes, the rest by pixels."""

from __future__ import annotations

import hashlib
import importlib.util
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.color import contrast_ratio, srgb_to_oklab, to_hex
from designgym.graphics.decode import DecodeError, decode_image
from designgym.rewards.given import pool_pixels
from designgym.rewards.judges.base import Page
from designgym.rewards.judges.border import border_color, fullest
from designgym.rewards.judges.find_picture import Found, find_picture
from designgym.rewards.judges.meanings import (
    BACKGROUND_LEAST,
    BACKGROUND_SHARE,
    COLOR_TOLERANCE,
    LEAST_READ,
    LEAST_SHOWN,
    at_position,
    larger_type,
    legible,
    of_size,
    same_color,
)
from designgym.rewards.judges.questions import Kind, Question
from designgym.rewards.judges.reading import Match, PxBox, Row, around, matches, read_rows
from designgym.score import Backend

UNCUT_LIKENESS = 0.9
"""A picture with less is partly covered, or cut off."""

Box = tuple[float, float, float, float]


class OcrJudge:
    """Answers from pixels, without the page's document: what people who see the page alone could know.

    It reads text with rapidocr (extra ``ocr``), looks for the asked picture's own pixels, and measures the rest by the
    rules of ``meanings``. What it cannot tell is left unanswered, never guessed: questions in words alone (``free``),
    and questions about pictures whose pixels are neither given nor in the pool. Turned text and pictures are not found.

    Args:
        pool: The pool that pictures are from, see ``designgym.pool.resolve``; those that were not handed out are looked
            up in the embedded one too.
    """

    name = "ocr"

    def __init__(self, pool: str = "embedded") -> None:
        self.pool = pool

    @property
    def backend(self) -> Backend:
        """With the hash of the reader's weights."""
        return Backend("rapidocr+pixels", "1", weights_hash())

    def answer(self, page: Page, questions: Sequence[Question]) -> list[bool | None]:
        """See :class:`designgym.rewards.judges.base.Judge`.

        Raises:
            MissingExtra: If rapidocr is not installed.
        """
        view = _View(page, self.pool)
        # Pictures first: what is known of them is left out of the background.
        for question in questions:
            if "file" in question.arguments:
                view.picture(question)
        held = [view.holds(question) for question in questions]
        return [
            holds if holds is None else holds != question.negated
            for holds, question in zip(held, questions, strict=True)
        ]


@cache
def weights_hash() -> str:
    """SHA-256 over the reader's model files, in the order of their names; empty if it is not installed."""
    found = importlib.util.find_spec("rapidocr")
    if found is None or found.origin is None:
        return ""
    whole = hashlib.sha256()
    for path in sorted((Path(found.origin).parent / "models").glob("*.onnx")):
        whole.update(hashlib.sha256(path.read_bytes()).digest())
    return whole.hexdigest()


@dataclass(frozen=True)
class ReadText:
    """A text as it looks: its ink's box (shares of the page), type size (of the longer side), colour, contrast."""

    box: Box
    type_share: float
    rgb: tuple[float, float, float]
    contrast: float


class _View:
    """A page with what was found out about it for earlier questions."""

    def __init__(self, page: Page, pool: str) -> None:
        self._page, self._pool = page, pool
        self._image = page.image
        self._texts: dict[str, list[ReadText]] = {}
        self._pictures: dict[tuple[str, str], Found | None] = {}
        self._unknown: set[tuple[str, str]] = set()
        self._rules: dict[Kind, Callable[[dict[str, Any]], bool]] = {
            "text-present": lambda asked: bool(self._text(asked["text"])),
            "text-color": lambda asked: any(
                same_color([round(part) for part in text.rgb], asked["rgb"]) for text in self._text(asked["text"])
            ),
            "text-position": lambda asked: any(_at(text.box, asked) for text in self._text(asked["text"])),
            "text-order": self._text_order,
            "text-legible": lambda asked: any(
                legible(text.type_share, text.contrast) for text in self._text(asked["text"])
            ),
            "background-color": lambda asked: self._has_ground(asked["rgb"]),
        }
        self._picture_rules: dict[Kind, Callable[[Found, dict[str, Any]], bool]] = {
            "image-present": lambda found, asked: True,
            "image-position": lambda found, asked: _at(found.box, asked),
            "image-size": lambda found, asked: of_size(found.box, asked["size"]),
            "uncut": lambda found, asked: found.likeness >= UNCUT_LIKENESS and found.shown >= LEAST_SHOWN,
        }

    def holds(self, question: Question) -> bool | None:
        """Whether what a question's kind and arguments say holds; None if that cannot be told."""
        asked = dict(question.arguments)
        if question.kind == "free":
            return None
        if "file" in asked:
            found = self.picture(question)
            if found is None:
                return None if _key(question) in self._unknown else False
            return found.is_there and self._picture_rules[question.kind](found, asked)
        if question.kind == "uncut":  # all its letters were read; at the edge they may go on
            return any(min(*text.box[:2], 1 - text.box[2], 1 - text.box[3]) > 0 for text in self._text(asked["text"]))
        return self._rules[question.kind](asked)

    def picture(self, question: Question) -> Found | None:
        """The best place for the asked picture, however unlike; None if its pixels are unknown or it has none."""
        key = _key(question)
        if key not in self._pictures:
            pixels = self._pixels(*key)
            if pixels is None:
                self._unknown.add(key)
            self._pictures[key] = None if pixels is None else find_picture(self._image, pixels, self._border)
        return self._pictures[key]

    def _pixels(self, file: str, id: str) -> NDArray[np.uint8] | None:
        given = self._page.pictures.get(file)
        if given is not None and given.data:
            try:
                return decode_image(given.data).pixels
            except DecodeError:
                return None
        if not id:
            return None
        found = pool_pixels(id, self._pool)
        return pool_pixels(id, "embedded") if found is None else found

    @cached_property
    def _border(self) -> tuple[float, float, float]:
        return border_color(self._image)

    @cached_property
    def _rows(self) -> list[Row]:
        return read_rows(self._image)

    def _text(self, wanted: str) -> list[ReadText]:
        if wanted not in self._texts:
            looks = (look(self._image, match) for match in matches(self._rows, wanted))
            self._texts[wanted] = [text for text in looks if text is not None and text.type_share >= LEAST_READ]
        return self._texts[wanted]

    def _text_order(self, asked: dict[str, Any]) -> bool:
        larger, smaller = (
            max((text.type_share for text in self._text(asked[which])), default=0.0) for which in ("larger", "smaller")
        )
        return larger_type(larger, smaller)

    def _has_ground(self, rgb: Sequence[int]) -> bool:
        free = np.ones(self._image.shape[:2], np.bool_)
        height, width = self._image.shape[:2]
        for row in self._rows:
            x1, y1, x2, y2 = (round(side) for side in row.box)
            free[max(0, y1) : max(0, y2), max(0, x1) : max(0, x2)] = False
        for found in self._pictures.values():
            if found is not None and found.is_there:
                left, top, right, bottom = found.box
                free[round(top * height) : round(bottom * height), round(left * width) : round(right * width)] = False
        labs = srgb_to_oklab(self._image[::2, ::2][free[::2, ::2]])
        if not len(labs):
            return False
        near = np.linalg.norm(labs - srgb_to_oklab(np.array(rgb, np.float64)), axis=-1) <= COLOR_TOLERANCE
        return float(near.mean()) >= BACKGROUND_SHARE and 4 * int(near.sum()) >= BACKGROUND_LEAST * free.size


def look(page: NDArray[np.uint8], match: Match) -> ReadText | None:
    """How a text looks that was read: measured on the pixels in its words' boxes; None if nothing stands out there."""
    height, width = page.shape[:2]
    inks: list[tuple[PxBox, str]] = []
    colors, grounds = [], []
    for boxes, letters in zip(match.rows, match.letters, strict=True):
        for x1, y1, part in _parts(page, around(boxes)):
            pixels = part.astype(np.int64)
            edge = np.concatenate([pixels[0], pixels[-1], pixels[:, 0], pixels[:, -1]])
            ground = np.array(fullest(edge))
            difference = np.abs(pixels - ground).max(axis=-1)
            strongest = float(np.quantile(difference, 0.99))
            if strongest < 20:
                continue
            mask = difference >= max(20.0, 0.4 * strongest)
            rows, across = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
            inks.append(((x1 + across[0], y1 + rows[0], x1 + across[-1] + 1, y1 + rows[-1] + 1), letters))
            colors.append(pixels[difference >= 0.9 * strongest])
            grounds.append(ground)
    if not inks:
        return None
    left, top, right, bottom = around([box for box, _ in inks])
    ems = [(box[3] - box[1]) / _share_of_em(letters) for box, letters in inks]
    red, green, blue = (float(part) for part in np.median(np.concatenate(colors), axis=0))
    ground = np.median(grounds, axis=0)
    return ReadText(
        (left / width, top / height, right / width, bottom / height),
        float(np.median(ems)) / max(height, width),
        (red, green, blue),
        contrast_ratio(to_hex((red, green, blue)), to_hex(ground)),
    )


def _parts(page: NDArray[np.uint8], box: PxBox) -> Iterator[tuple[int, int, NDArray[np.uint8]]]:
    """The part of the page around a box, with a little of what is around it, and where it begins."""
    spare = 1 + 0.12 * (box[3] - box[1])
    x1, y1 = max(0, int(box[0] - spare)), max(0, int(box[1] - spare))
    part = page[y1 : max(0, int(np.ceil(box[3] + spare))), x1 : max(0, int(np.ceil(box[2] + spare)))]
    if min(part.shape[:2]) >= 3:
        yield x1, y1, part


def _share_of_em(letters: str) -> float:
    """Height of the ink of some letters over their type size, of usual text faces."""
    tall = any(char.isupper() or char.isdigit() or char in "bdfhklt!?&/()" for char in letters)
    low = any(char in "gjpqyQ()/" for char in letters)
    return (0.72 if tall else 0.53) + (0.21 if low else 0.0)


def _at(box: Box, asked: dict[str, Any]) -> bool:
    center = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return at_position(center, asked["position"], asked.get("slack", 0.0))


def _key(question: Question) -> tuple[str, str]:
    return question.arguments.get("file", ""), question.arguments.get("picture", "")

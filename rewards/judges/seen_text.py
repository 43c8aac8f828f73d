"""Texts that can be read on a page: which words of which layers, and how they look.

A word is read if its letters come through, differ from what is around them, lie on the page, and are not tiny. That is
measured on cells of half an em, so that no single letter may be hidden. Layers' names never matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from designgym.graphics.document import TextLayer
from designgym.graphics.text import drawn_text, measure_text, missing_characters
from designgym.graphics.words import word_labels
from designgym.rewards.judges.ink import Floats, Ink, Mask, PageBox, Scene
from designgym.rewards.judges.inked import Inked, inked_pixels
from designgym.rewards.judges.jumble import MOST_LIKE, foreign_cells, jumbled_words
from designgym.rewards.judges.meanings import LEAST_OWN, LEAST_READ, LEAST_SHOWN, MOST_BESIDE, words_of

LEAST_DIFFERENCE = 20.0
"""Least difference of letters from what is around them, in levels of 255 of one of red, green and blue."""

_LEAST_WORD = 0.8  # share of a word's ink that must be seen
_LEAST_CELL = 0.5  # the same of every cell with a letter's ink
_CELL_INK = 0.08  # of its area; with less a cell has only the end of a letter
_TIGHTEST_SPACING = -0.25  # em; closer letters lie on each other
_TIGHTEST_LINES = 0.6  # line height, em; closer lines do
_SOLID = 0.9
_SAMPLED = 2048  # pixels of a text of which colours are taken
_FEW = 12  # solid pixels, from which on the colour of letters is theirs alone
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


@dataclass(frozen=True, eq=False)
class SeenText:
    """A text as it is seen.

    Attributes:
        box: Around its visible ink.
        type_share: Its type size (em) over the page's longer side.
        rgb: The colour of its letters, 0 to 255.
        contrast: Theirs with what is around them (WCAG, 1 to 21), which four fifths of their ink reach.
        shown: The share of its ink that is neither cut off nor covered.
    """

    box: PageBox
    type_share: float
    rgb: tuple[float, float, float]
    contrast: float
    shown: float


def texts_on_page(scene: Scene) -> list[TextOnPage]:
    """The text layers of a page that have ink there, back to front."""
    texts = [
        TextOnPage(scene, ink, layer)
        for index, layer in enumerate(scene.document.layers)
        if isinstance(layer, TextLayer) and (ink := scene.ink(index)) is not None
    ]
    for text in texts:
        text.others = [other for other in texts if text.taken_for(other)]
    return texts


class TextOnPage:
    """A text layer of a page, read.

    Attributes:
        others: Texts whose letters can be taken for its own: those of about its size that say something else.
    """

    def __init__(self, scene: Scene, ink: Ink, layer: TextLayer) -> None:
        self._scene, self._ink, self._layer = scene, ink, layer
        self.others: list[TextOnPage] = []
        self.type_share = layer.size_px / max(scene.document.width, scene.document.height)
        text = drawn_text(layer.text)
        self._tokens: list[tuple[str, int, int]] = []  # word as it is compared, number of the word, of the paragraph
        word = 0
        for paragraph, line in enumerate(text.split("\n")):
            for part in line.split():
                self._tokens += [(token, word, paragraph) for token in words_of(part)]
                word += 1
        self._count = word

    def taken_for(self, other: TextOnPage) -> bool:
        """Whether the other one's letters lie within the box of this one's and can be taken for them."""
        like = self.type_share <= MOST_LIKE * other.type_share and other.type_share <= MOST_LIKE * self.type_share
        one, two = self._ink.image.box, other._ink.image.box
        near = one[0] < two[2] and two[0] < one[2] and one[1] < two[3] and two[1] < one[3]
        return near and like and [word for word, _, _ in self._tokens] != [word for word, _, _ in other._tokens]

    def seen(self, wanted: list[str]) -> Iterator[SeenText]:
        """Every place where these words can be read one after the other."""
        if not self._readable_type:
            return
        have = [token for token, _, _ in self._tokens]
        length = len(wanted)
        for start in range(len(have) - length + 1):
            if have[start : start + length] != wanted or not self._makes_up(start, start + length):
                continue
            words = sorted({word for _, word, _ in self._tokens[start : start + length]})
            if all(self._read[word] for word in words):
                found = self._look(words)
                if found is not None:
                    yield found

    def _makes_up(self, start: int, stop: int) -> bool:
        paragraphs = {paragraph for _, _, paragraph in self._tokens[start:stop]}
        around = sum(paragraph in paragraphs for _, _, paragraph in self._tokens)
        return stop - start >= max(LEAST_OWN * around, around - MOST_BESIDE)

    @cached_property
    def _readable_type(self) -> bool:
        layer = self._layer
        if self.type_share < LEAST_READ or layer.letter_spacing_px < _TIGHTEST_SPACING * layer.size_px:
            return False
        return layer.line_height >= _TIGHTEST_LINES or measure_text(layer).lines == 1

    @cached_property
    def _em_px(self) -> float:
        return self._layer.size_px * self._scene.scale

    @cached_property
    def _inked(self) -> Inked:
        return inked_pixels(self._scene.image, self._ink, reach_px=max(2, round(0.35 * self._em_px)))

    @cached_property
    def _seen(self) -> Mask:
        """Of which inked pixels the ink comes through and differs from its ground."""
        inked = self._inked
        difference = np.abs(inked.page - inked.ground).max(axis=-1)
        return inked.through & (difference >= LEAST_DIFFERENCE * inked.coverage)

    @cached_property
    def _on_page(self) -> bool:
        return self._ink.total <= 1.001 * float(self._ink.coverage.sum())

    @cached_property
    def _labels(self) -> NDArray[np.int16]:
        return word_labels(self._layer, self._scene.document, self._scene.scale)

    @cached_property
    def _read(self) -> NDArray[np.bool_]:
        """For each word whether it can be read."""
        drawn = np.array([not set(word) & self._lacking for word in drawn_text(self._layer.text).split()], np.bool_)
        share = self._inked.coverage
        seen = share * self._seen
        cell_px = max(3, round(0.5 * self._em_px))
        least = _CELL_INK * cell_px**2
        across = self._ink.coverage.shape[1] // cell_px + 1
        cells = self._inked.rows // cell_px * across + self._inked.columns // cell_px
        of_cells, of_seen = (np.bincount(cells, each, 1) for each in (share, seen))
        foreign = foreign_cells(self._ink, ((o._ink, o._inked, o._seen) for o in self.others), cell_px, across)
        hidden = bool(((of_cells >= least) & (of_seen < _LEAST_CELL * of_cells)).any())
        if self._on_page and not hidden and foreign is None and of_seen.sum() >= _LEAST_WORD * of_cells.sum():
            return drawn
        labels = self._labels[self._inked.rows, self._inked.columns]
        own = labels >= 0
        words, share, seen = labels[own].astype(np.int64), share[own], seen[own]
        of_words, seen_words = (np.bincount(words, each, self._count) for each in (share, seen))
        keys = words * len(of_cells) + cells[own]
        of_cells_, of_seen_ = (np.bincount(keys, each, 1) for each in (share, seen))
        read = drawn & (of_words > 0) & (seen_words >= _LEAST_WORD * of_words)
        read[np.flatnonzero((of_cells_ >= least) & (of_seen_ < _LEAST_CELL * of_cells_)) // len(of_cells)] = False
        if foreign is not None:
            read &= ~jumbled_words(words, cells[own], share, foreign, least, self._count)
        return read if self._on_page else read & ~self._cut

    @cached_property
    def _cut(self) -> NDArray[np.bool_]:
        """For each word whether some of it lies beyond the page's edge."""
        alone = self._scene.alone(self._layer)
        if alone is None:
            return np.ones(self._count, np.bool_)
        layer, document = alone
        assert isinstance(layer, TextLayer)
        whole, here = (
            np.bincount(labels[labels >= 0], minlength=self._count)
            for labels in (word_labels(layer, document, self._scene.scale), self._labels)
        )
        return here < LEAST_SHOWN * whole

    @cached_property
    def _lacking(self) -> set[str]:
        text = drawn_text(self._layer.text)
        return set() if text.isascii() else set(missing_characters(self._layer))

    def _look(self, words: list[int]) -> SeenText | None:
        inked, ink, seen, shown = self._inked, self._ink, self._seen, self._ink.shown
        if len(words) < self._count:
            labels = np.isin(self._labels[inked.rows, inked.columns], words)
            total = float(inked.coverage[labels].sum())
            shown = float(inked.coverage[labels & inked.through].sum()) / total if total else 0.0
            seen = seen & labels
        where = np.flatnonzero(seen)
        if not len(where):
            return None
        box = self._scene.box(inked.rows[where], inked.columns[where], ink)
        where = where[:: max(1, len(where) // _SAMPLED)]
        page, ground, share = inked.page[where], inked.ground[where], inked.coverage[where, None]
        full = np.clip(ground + (page - ground) / share, 0, 255)
        solid = share[:, 0] >= _SOLID
        if np.count_nonzero(solid) >= _FEW:
            rgb = np.median(full[solid], axis=0)
        else:  # thin letters: what their faint pixels would be if they were full
            rgb = np.median(ground, axis=0) + (share * (page - ground)).sum(axis=0) / (share * share).sum()
        strong = share[:, 0] >= min(0.5, float(share.max()))
        contrasts = _contrasts(full[strong], ground[strong])
        red, green, blue = (float(part) for part in np.clip(rgb, 0, 255))
        return SeenText(box, self.type_share, (red, green, blue), float(np.quantile(contrasts, 0.2)), shown)


def _contrasts(one: Floats, two: Floats) -> NDArray[np.float64]:
    first, second = (_luminance(colors) for colors in (one, two))
    return (np.maximum(first, second) + 0.05) / (np.minimum(first, second) + 0.05)


def _luminance(rgb: Floats) -> NDArray[np.float64]:
    part = rgb.astype(np.float64) / 255
    return np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4) @ _LUMINANCE

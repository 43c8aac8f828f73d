"""Texts that lie on each other: which words cannot be told from another text's letters among theirs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from designgym.rewards.judges.ink import Floats, Ink, Mask
from designgym.rewards.judges.inked import Inked

MOST_LIKE = 2.0
"""Texts up to so many times as large, or as small, are taken for each other; letters far larger are a ground."""
MOST_FOREIGN = 0.5
"""A cell is jumbled where another text has at least this share of the ink that the word itself has there."""
MOST_JUMBLED = 1 / 3
"""A word cannot be read if more of its cells are jumbled; fewer are where lines touch."""

Cells = NDArray[np.int64]


def foreign_cells(ink: Ink, others: Iterable[tuple[Ink, Inked, Mask]], cell_px: int, across: int) -> Floats | None:
    """The visible ink of other texts in the cells of one text's box; None if none of them reaches there.

    Args:
        ink: Of the text.
        others: Of each other text its ink, the pixels of that, and which of them are seen.
        cell_px: Side of a cell.
        across: Cells in a row.
    """
    left, top, right, bottom = ink.image.box
    sums = np.zeros(across * ((bottom - top) // cell_px + 1), np.float32)
    reached = False
    for other, inked, seen in others:
        rows, columns = inked.rows + (other.image.box[1] - top), inked.columns + (other.image.box[0] - left)
        here = seen & (rows >= 0) & (rows < bottom - top) & (columns >= 0) & (columns < right - left)
        if here.any():
            reached = True
            cells = rows[here] // cell_px * across + columns[here] // cell_px
            sums += np.bincount(cells, inked.coverage[here], len(sums)).astype(np.float32)
    return sums if reached else None


def jumbled_words(words: Cells, cells: Cells, share: Floats, foreign: Floats, least: float, count: int) -> Mask:
    """Which words are jumbled: bool (count,).

    Args:
        words: For each pixel with ink the number of its word.
        cells: Its cell.
        share: Its coverage.
        foreign: What :func:`foreign_cells` found.
        least: Least ink of a word in a cell that counts.
        count: How many words there are.
    """
    places, each = np.unique(words * len(foreign) + cells, return_inverse=True)
    own = np.bincount(each, share)
    counted = own >= least
    jumbled = counted & (foreign[places % len(foreign)] >= MOST_FOREIGN * own)
    of_word = places // len(foreign)
    found: Mask = np.bincount(of_word, jumbled, count) > MOST_JUMBLED * np.bincount(of_word, counted, count)
    return found

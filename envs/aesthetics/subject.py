"""How little a picture of a pool has to do with the subject of a design, by captions and keywords."""

from __future__ import annotations

from functools import lru_cache
from typing import Any


@lru_cache(maxsize=512)
def unrelated(pool: Any, fitting: tuple[str, ...]) -> dict[str, float]:
    """Picture id -> how little the picture has to do with a subject.

    Args:
        pool: An image pool; the answer is kept for the last ones.
        fitting: Captions or keywords of pictures that suit the subject.

    Returns:
        0 if a picture's caption or a keyword is one of these; 1 if it shares neither a keyword nor the category with
        any picture that suits by its caption; 0.5 in between.
    """
    captions = frozenset(word.casefold() for word in fitting)
    suits = [picture for picture in pool.pictures if picture.caption.casefold() in captions]
    categories = {picture.category for picture in suits}
    words = {word.casefold() for picture in suits for word in picture.keywords} - categories
    found = {}
    for picture in pool.pictures:
        own = frozenset(word.casefold() for word in (picture.caption, *picture.keywords))
        near = picture.category in categories or not own.isdisjoint(words)
        found[picture.id] = 0.0 if not own.isdisjoint(captions) else (0.5 if near else 1.0)
    return found


REPLACED = "pool:"
"""Assets that take a picture's place are named by this and the picture's id."""

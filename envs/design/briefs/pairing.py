"""Pairing descriptions with pictures of a pool: three candidates by the likeness of words, the best one kept.

GraphicBench (section 2, Image Pairing) compares sentence embeddings; without a model, words have to do. A judge over a
chat endpoint may rank the candidates and rate the components, see ``ranking.py``.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Any

from designgym.envs.design.briefs.naming import described
from designgym.errors import UserError
from designgym.pool.pool import ImagePool, PoolPicture

CANDIDATES = 3


class NoBrief(UserError):
    """A task without a brief: no picture fits, or a judge drops all drawings of it."""


_WORD = re.compile(r"[^\W_]+")
_STOP = frozenset(("a", "an", "and", "at", "by", "for", "in", "of", "on", "over", "the", "with"))


def likeness(description: str, picture: PoolPicture) -> float:
    """How well a picture's words fit a description, 0 to 1; 1 if its caption is the description.

    The share of words that caption and description have in common (Jaccard), and where those are few, half the share of
    the description's words that are among the picture's keywords.
    """
    wanted = _stems(description)
    captions, keywords = _words(picture)
    common = max(len(wanted & caption) / len(wanted | caption) for caption in captions)
    return max(common, 0.5 * len(wanted & keywords) / len(wanted)) if wanted else 0.0


@functools.lru_cache(maxsize=4096)
def fitting(pool: Any, description: str) -> tuple[PoolPicture, ...]:
    """The pictures that fit best, at most :data:`CANDIDATES`, best first; of equals those with the lower id.

    Pictures with one caption, such as one thing in two styles, are all candidates.

    Args:
        pool: An :class:`designgym.pool.pool.ImagePool`.
        description: What the picture should show.

    Returns:
        Pictures that share a word with the description; perhaps none.
    """
    scored = [(-likeness(description, picture), picture.id, picture) for picture in pool.pictures]
    return tuple(picture for *_, picture in sorted(entry for entry in scored if entry[0] < 0)[:CANDIDATES])


def candidates(pool: ImagePool, description: str) -> tuple[PoolPicture, ...]:
    """The pictures of :func:`fitting`, at least one.

    Raises:
        UserError: If the pool has no picture that shares a word with the description.
    """
    hashable: Any = pool  # mypy takes protocols for unhashable
    best = fitting(hashable, description)
    if not best:
        raise NoBrief(
            f"The pool {pool.name!r} has no picture of {description!r}; briefs need a pool of common subjects, "
            "such as 'embedded' or 'openclipart'."
        )
    return best


def file_name(description: str, taken: set[str], suffix: str = ".png") -> str:
    """A plain file name for a picture, such as ``"red-fox.png"``, unlike those that are taken."""
    plain = unicodedata.normalize("NFKD", description.casefold()).encode("ascii", "ignore").decode()
    stem = "-".join(_WORD.findall(plain))[:60].strip("-") or "picture"
    name, number = f"{stem}{suffix}", 2
    while name in taken:
        name, number = f"{stem}-{number}{suffix}", number + 1
    return name


@functools.lru_cache(maxsize=16_384)
def _words(picture: PoolPicture) -> tuple[tuple[frozenset[str], ...], frozenset[str]]:
    """The words of the picture's captions, and its keywords."""
    captions = {_stems(picture.caption), _stems(described(picture.caption))} - {frozenset()}
    return tuple(captions) or (frozenset(("",)),), _stems(" ".join((*picture.keywords, picture.category)))


@functools.lru_cache(maxsize=16_384)
def _stems(text: str) -> frozenset[str]:
    words = set(_WORD.findall(text.casefold())) - _STOP
    return frozenset(
        word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words
    )

"""Finding pictures by words."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from designgym.pool.pool import ImagePool, PoolPicture

CAPTION, KEYWORD, CATEGORY = 3, 2, 1
"""What a word is worth that is found there; the best place counts."""

_WORD = re.compile(r"\w+")


def search(pool: ImagePool, words: str | Iterable[str], k: int) -> list[PoolPicture]:
    """The pictures that fit the words best.

    A picture's score is the sum over the words of what each is worth (:data:`CAPTION` and so on); case and a plural's s
    do not matter. Of equal scores the shorter caption comes first, then the lower id.

    Args:
        pool: Where to look.
        words: A text, or words.
        k: The most pictures to return.

    Returns:
        At most ``k`` pictures with a score above 0.
    """
    wanted = _stems(words if isinstance(words, str) else " ".join(words))
    scored = []
    for picture in pool.pictures:
        worth = _worths(picture)
        score = sum(worth.get(word, 0) for word in wanted)
        if score:
            scored.append((-score, len(picture.caption), picture.id, picture))
    return [picture for *_, picture in sorted(scored, key=lambda entry: entry[:3])[: max(0, k)]]


@functools.lru_cache(maxsize=10_000)  # searches come by the thousand
def _worths(picture: PoolPicture) -> dict[str, int]:
    """What each word is worth in a picture."""
    return (
        dict.fromkeys(_stems(picture.category), CATEGORY)
        | dict.fromkeys(_stems(" ".join(picture.keywords)), KEYWORD)
        | dict.fromkeys(_stems(picture.caption), CAPTION)
    )


def _stems(text: str) -> set[str]:
    words = _WORD.findall(text.casefold())
    return {word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word for word in words}

"""What drawings are called: how often an agent comes back to the same title and to the same word.

Words are compared by Harman's S stemmer (1991), which takes plurals for their singular and nothing more.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.errors import require
from designgym.eval.creativity.distance import mean_pairwise

_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
COMMON = frozenset(
    (
        *("a", "an", "and", "as", "at", "by", "for", "from", "in", "into", "is", "it", "its", "not", "of", "on", "or"),
        *("her", "his", "i", "my", "no", "our", "so", "that", "the", "their", "this", "to", "up", "with", "without"),
    )
)
"""Words that say nothing about what a title is about."""


@dataclass(frozen=True)
class Titles:
    """The titles of one agent's drawings.

    Attributes:
        drawings: How many drawings there are, with a title or without.
        untitled: Those without one.
        distinct: Number of different titles, capitals and punctuation aside.
        top_title: The commonest title; of equals the first in the alphabet. Empty without titles.
        top_title_count: How many drawings bear it.
        top_words: The commonest words with the number of drawings whose title has them, most frequent first.
    """

    drawings: int
    untitled: int
    distinct: int
    top_title: str
    top_title_count: int
    top_words: tuple[tuple[str, int], ...]

    @property
    def top_title_share(self) -> float | None:
        """Share of all drawings that bear the commonest title, 0 to 1; None without drawings."""
        return self.top_title_count / self.drawings if self.drawings else None

    @property
    def top_word_share(self) -> float | None:
        """Share of all drawings whose title has the commonest word, 0 to 1; None without drawings."""
        if not self.drawings:
            return None
        return self.top_words[0][1] / self.drawings if self.top_words else 0.0


def titles(given: Sequence[str], words: int = 5) -> Titles:
    """Count titles and their words; each word counts once a title, as in the paper's counts (section 4.3).

    Args:
        given: A title a drawing; empty where it has none.
        words: Number of commonest words to keep.
    """
    plain = [" ".join(_WORD.findall(title.casefold())) for title in given]
    named = Counter(title for title in plain if title)
    shown = {key: title.strip() for title, key in zip(reversed(given), reversed(plain), strict=True)}
    ranked = sorted(named.items(), key=lambda pair: (-pair[1], pair[0]))
    stems: Counter[str] = Counter()
    for title in plain:
        stems.update({stem(word) for word in title.split() if word not in COMMON})
    top = sorted(stems.items(), key=lambda pair: (-pair[1], pair[0]))[:words]
    first, count = ranked[0] if ranked else ("", 0)
    return Titles(len(given), plain.count(""), len(named), shown.get(first, "") if count else "", count, tuple(top))


def stem(word: str) -> str:
    """A word without its plural's ending, by Harman's S stemmer: stories -> story, birds -> bird, glass -> glass."""
    word = word.replace("’", "'").removesuffix("'s")
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y" if len(word) > 4 else word
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes")):
        return word[:-1] if len(word) > 3 else word
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1] if len(word) > 3 else word
    return word


def embedded(given: Iterable[str]) -> dict[str, NDArray[np.float32]]:
    """Sentence embeddings of titles by all-MiniLM-L6-v2, by title, of length 1; the paper's model is of that family.

    Raises:
        UserError: If the model's package or transformers is not installed.
    """
    from designgym.envs.design.briefs.embedding import embed

    named = list(dict.fromkeys(title for title in given if title.strip()))
    if not named:
        return {}
    require("transformers", extra="train").logging.disable_progress_bar()
    return dict(zip(named, embed(named), strict=True))


def title_similarity(given: Sequence[str], vectors: Mapping[str, NDArray[np.float32]]) -> float | None:
    """Mean cosine of the titles' embeddings over all pairs, about 0 (unrelated) to 1 (the same).

    Args:
        given: A title a drawing; those without one do not count.
        vectors: Of :func:`embedded`.

    Returns:
        None for fewer than two titles.
    """
    named = [vectors[title] for title in given if title.strip()]
    distance = mean_pairwise(np.array(named, np.float64)) if len(named) > 1 else None
    return None if distance is None else 1 - distance

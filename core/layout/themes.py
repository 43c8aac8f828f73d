"""Themes: subjects with fitting texts and pictures, dealt to the splits; briefs are composed from their parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from designgym.layout.brief import Brief
from designgym.layout.dealing import deal
from designgym.layout.formats import Format, FormatKind
from designgym.layout.words import NUMBERS, WORDS
from designgym.tasks import Split

_SLOT = re.compile(r"\{(\w+)\}")
_HELD_EACH = 3  # themes of each kind of format that only validation has, and as many that only test has


@dataclass(frozen=True)
class Theme:
    """A subject and what is said and shown about it.

    Texts may have slots such as ``{town}``, which are filled from ``words`` or from the common ``words.WORDS``; several
    ways of saying the same stand in one string, apart by ``|``.

    Attributes:
        name: The subject.
        kind: The kind of format that it is for.
        mood: A name of ``moods.MOODS``.
        pictures: Captions of pictures that fit.
        titles: One is drawn.
        subtitles: One is drawn, or none.
        sentences: One to three are drawn for the body, or none; may be empty.
        details: Their number is drawn, at most 4; they keep this order.
        calls: One is drawn for a button, or none; may be empty.
        words: Slot -> words, beside the common ones.
    """

    name: str
    kind: FormatKind
    mood: str
    pictures: tuple[str, ...]
    titles: tuple[str, ...]
    subtitles: tuple[str, ...]
    sentences: tuple[str, ...]
    details: tuple[str, ...]
    calls: tuple[str, ...] = ()
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)


@lru_cache(maxsize=1)
def themes() -> dict[str, Theme]:
    """Name -> theme, of all kinds."""
    from designgym.layout.book_themes import BOOKS
    from designgym.layout.card_themes import CARDS
    from designgym.layout.postcard_themes import POSTCARDS
    from designgym.layout.poster_themes import POSTERS
    from designgym.layout.social_themes import SOCIAL

    return {theme.name: theme for theme in (*BOOKS, *CARDS, *POSTCARDS, *POSTERS, *SOCIAL)}


@lru_cache(maxsize=64)
def themes_of(kind: FormatKind, split: Split) -> tuple[Theme, ...]:
    """The themes of a kind of format that belong to a split."""
    known = themes()
    names = [name for name, theme in known.items() if theme.kind == kind]
    return tuple(known[name] for name in deal(names, _HELD_EACH)[split])


def sample_brief(rng: np.random.Generator, theme: Theme, format: Format, pool: Any) -> Brief:
    """Compose the texts of a page about a theme and choose its pictures."""
    filled: dict[str, str] = {}  # a slot has the same words wherever it returns on the page

    def say(text: str) -> str:
        ways = text.split("|")
        return fill(rng, ways[_below(rng, len(ways))], theme.words, filled)

    title = say(_one(rng, theme.titles))
    subtitle = say(_one(rng, theme.subtitles)) if theme.subtitles and rng.random() < 0.75 else ""
    if subtitle.casefold() == title.casefold():
        subtitle = ""
    roomy = format.kind != "business card"
    body = ""
    if theme.sentences and rng.random() < (0.55 if roomy else 0.25):
        count = min(1 + _below(rng, 2), len(theme.sentences))
        order = sorted(rng.permutation(len(theme.sentences))[:count].tolist())
        if any(theme.sentences[index].startswith("“") for index in order):  # one voice is quoted at a time
            order = order[:1]
        body = " ".join(say(theme.sentences[index]) for index in order)
    least, most = {"book cover": (1, 2), "business card": (2, 4), "postcard": (0, 2)}.get(format.kind, (1, 4))
    count = min(least + _below(rng, most - least + 1), len(theme.details))
    chosen = sorted(rng.permutation(len(theme.details))[:count].tolist())
    if 0 not in chosen and chosen:
        chosen[0] = 0
    details = tuple(say(theme.details[index]) for index in chosen)
    shares = _PICTURES[format.kind]
    wanted = shares[_below(rng, len(shares))]
    if wanted > 3:  # a page of many pictures has few words
        body, details = "", details[:2]
    call = say(_one(rng, theme.calls)) if theme.calls and rng.random() < 0.5 else ""
    found = fitting_pictures(pool, theme.name)
    return Brief(
        format, title, subtitle, body, details, _pictures(rng, found, wanted), call, theme.name, theme.mood,
        theme.pictures,
    )  # fmt: skip


_PICTURES: dict[str, tuple[int, ...]] = {
    "book cover": (1, 1, 1, 1, 1, 0, 2, 3, 4),
    "business card": (0, 1, 1, 1, 1, 2),
    "postcard": (1, 1, 1, 1, 2, 3, 4, 6),
    "poster": (1, 1, 1, 1, 1, 0, 2, 3, 4, 6),
    "social": (1, 1, 1, 1, 0, 2, 3, 4, 6),
}


@lru_cache(maxsize=1024)
def fitting_pictures(pool: Any, theme: str) -> tuple[str, ...]:
    """Ids of a pool's pictures that fit a theme: those with its captions, or where there are none, by keywords."""
    from designgym.pool.search import search

    wanted = themes()[theme].pictures
    by_caption = [picture.id for picture in pool.pictures if picture.caption.lower() in wanted]
    if by_caption:
        return tuple(by_caption)
    found = [picture.id for word in wanted for picture in search(pool, (word,), 2)]
    return tuple(dict.fromkeys(found))


def _pictures(rng: np.random.Generator, found: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Different pictures of one hand: of the same set, and none shown twice in two drawings."""
    if not found or not count:
        return ()
    first = found[_below(rng, len(found))]
    family = [picture for picture in found if picture.split("/")[0] == first.split("/")[0]]
    if len(family) < count:
        family = [first]
    order = rng.permutation(len(family))
    chosen = [first, *(family[int(index)] for index in order if family[int(index)] != first)]
    return tuple(chosen[: min(count, len(chosen))])


def fill(rng: np.random.Generator, text: str, words: Mapping[str, tuple[str, ...]], filled: dict[str, str]) -> str:
    """Replace slots such as ``{town}`` by words, drawn from ``words`` or the common ones.

    Args:
        rng: Draws the words of slots that are new.
        text: May have slots.
        words: Slot -> words, beside ``words.WORDS`` and ``words.NUMBERS``; they may have slots themselves.
        filled: Slot -> its words so far; a slot that is in it returns with the same words, and new ones are added.
    """

    def word(match: re.Match[str]) -> str:
        slot = match[1]
        if slot not in filled:
            if slot in NUMBERS:
                filled[slot] = NUMBERS[slot](rng)
            else:
                known = words.get(slot) or WORDS[slot]
                filled[slot] = fill(rng, known[_below(rng, len(known))], words, filled)
        return filled[slot]

    return _SLOT.sub(word, text)


def _one(rng: np.random.Generator, texts: tuple[str, ...]) -> str:
    return texts[_below(rng, len(texts))]


def _below(rng: np.random.Generator, count: int) -> int:
    return int(rng.random() * count)

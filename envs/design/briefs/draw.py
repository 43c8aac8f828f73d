"""Drawing a brief's components: GraphicBench's recipe of required and optional parts, filled from concepts.

The shares are those of the released test set: every book cover has title and tagline, 259 of 260 an author, 15 a
subtitle; of 203 business cards 185 have a company name, 157 contact details, 67 a tagline, 15 a name; nearly every
postcard has a message, 4 of 260 a date; of 336 posters 170 have a title, 158 a tagline, 40 a quote, 20 the name of an
event, 16 a slogan. The rest of the posters' texts there have many rare roles, which ``date_and_place`` stands for here.
Which details of a part (size, colour, position) a query leaves open is drawn, as in the paper (appendix B.2).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from designgym.envs.design.briefs.brief import DesignType, NamedColor, TextPart, TextSize, VisualPart
from designgym.envs.design.briefs.colors import GROUNDS, inks_on
from designgym.envs.design.briefs.concepts import Concept, concepts
from designgym.envs.design.briefs.places import WHOLE_PAGE, Arrangement, arrangements, text_positions
from designgym.envs.design.briefs.words import WORDS
from designgym.layout.themes import fill

T = TypeVar("T")

PICTURES: dict[DesignType, tuple[float, ...]] = {
    "book cover": (0.7, 0.27, 0.03),
    "business card": (1.0,),
    "postcard": (0.74, 0.24, 0.02),
    "poster": (0.96, 0.04),
}
"""Shares of briefs with one, two and three pictures: means of 1.33, 1.00, 1.28 and 1.04 (paper, appendix B.2)."""

OPEN = {"size": 0.08, "color": 0.08, "position": 0.06}
"""How often a text leaves this open."""
OPEN_VISUAL = {"size": 0.06, "position": 0.05}
"""How often a picture leaves this open."""
WHOLE_PAGE_SHARE = 0.04
"""Share of postcards with one picture that fills the page."""

_SIZES: dict[str, tuple[TextSize, ...]] = {
    "title": ("large", "huge"),
    "event_name": ("large", "huge"),
    "slogan": ("large", "huge"),
    "quote": ("medium", "large"),
    "message": ("medium", "large"),
    "company_name": ("large", "large", "huge"),
    "name": ("large",),
    "subtitle": ("small", "medium"),
    "tagline": ("small", "medium"),
    "author": ("small", "medium"),
    "job_title": ("small", "medium"),
    "contact_details": ("small",),
    "date": ("small",),
    "date_and_place": ("small", "medium"),
}


@dataclass(frozen=True)
class Components:
    """A brief before it has words and files.

    Attributes:
        type: What is to be designed.
        about: What it is for, with its article.
        background: The page's colour.
        texts: At least one.
        visuals: At least one.
    """

    type: DesignType
    about: str
    background: NamedColor
    texts: tuple[TextPart, ...]
    visuals: tuple[VisualPart, ...]


def draw_components(rng: np.random.Generator, type: DesignType) -> Components:
    """Draw what a brief of this type asks for."""
    concept = one(rng, concepts(type))
    said = _contents(rng, type, concept)
    shares = PICTURES[type]
    count = min(1 + int(np.searchsorted(np.cumsum(shares)[:-1], rng.random(), side="right")), len(concept.pictures))
    if type == "postcard" and count == 1 and rng.random() < WHOLE_PAGE_SHARE:
        arrangement = WHOLE_PAGE
    else:
        arrangement = _weighted(rng, arrangements(type, count, len(said)))
    positions = text_positions(arrangement.texts, len(said), int(rng.integers(1 << 20)))
    ground = one(rng, GROUNDS)
    inks = _inks(rng, inks_on(ground))
    texts = tuple(
        TextPart(
            role,
            content,
            _given(rng, OPEN["size"], one(rng, _SIZES[role])),
            _given(rng, OPEN["color"], inks[0] if role in _FIRST else inks[1]),
            _given(rng, OPEN["position"], position),
        )
        for (role, content), position in zip(said, positions, strict=True)
    )
    chosen = rng.permutation(len(concept.pictures))[:count]
    size = one(rng, arrangement.pictures[0].sizes)  # pictures side by side have one size
    visuals = tuple(
        VisualPart(
            concept.pictures[int(index)],
            _given(rng, OPEN_VISUAL["size"], size),
            None if place.sizes == ("full",) else _given(rng, OPEN_VISUAL["position"], place.position),
        )
        for index, place in zip(chosen, arrangement.pictures, strict=True)
    )
    return Components(type, concept.about, ground, texts, visuals)


_FIRST = ("title", "event_name", "slogan", "quote", "message", "company_name", "name")


def _contents(rng: np.random.Generator, type: DesignType, concept: Concept) -> list[tuple[str, str]]:
    """Roles and words of the texts, in the order in which they stand on the page; no two texts are the same."""
    filled: dict[str, str] = {}
    words = WORDS | dict(concept.words)

    def say(texts: tuple[str, ...]) -> str:
        return fill(rng, one(rng, one(rng, texts).split("|")), words, filled)

    if type == "book cover":
        title = "title", say(concept.titles)
        lines = [line for line in concept.taglines if line != title[1]]
        tagline = "tagline", say(tuple(lines))
        author = "author", say(("{name}",))
        subtitle = ("subtitle", say(concept.lines)) if concept.lines and rng.random() < 0.08 else None
        texts = [title, *([subtitle] if subtitle and subtitle[1] != tagline[1] else []), tagline, author]
        start = rng.random()
        if start < 0.15:
            texts = [author, *texts[:-1]]
        elif start < 0.3:
            texts = [tagline, *(text for text in texts if text != tagline)]
        return texts
    if type == "business card":
        if rng.random() < 0.91:
            texts = [("company_name", say(concept.titles))]
        else:
            texts = [("name", say(("{name}",)))]
            if concept.job and rng.random() < 0.5:
                texts.append(("job_title", concept.job))
        kind = rng.random()
        if kind < 0.37:
            texts.append(("tagline", say(concept.taglines)))
        if kind < 0.12 or kind >= 0.37:
            texts.append(("contact_details", say(("{contact}",))))
        return texts
    if type == "postcard":
        texts = [("message", _message(say(concept.titles), say(concept.lines)))]
        return [*texts, ("date", say(("{date}",)))] if rng.random() < 0.03 else texts
    head = rng.random()
    if head < 0.15 and concept.lines:
        texts = [("quote", say(concept.lines).rstrip("."))]
    else:
        role = "event_name" if head < 0.21 else "slogan" if head < 0.27 else "title"
        texts = [(role, say(concept.titles))]
    more = rng.random()
    if more < 0.47:
        texts.append(("tagline", say(concept.taglines)))
    if 0.37 <= more < 0.9:
        texts.append(("date_and_place", say(concept.details)))
    return [text for index, text in enumerate(texts) if text[1] not in [other for _, other in texts[:index]]]


def _message(beginning: str, line: str) -> str:
    """A postcard's message: its beginning, and the sentence that follows."""
    return f"{beginning}{'' if beginning[-1] in '.!?' else '!'} {line}"


def _inks(rng: np.random.Generator, inks: tuple[NamedColor, ...]) -> tuple[NamedColor, NamedColor]:
    """The colour of the first text and of the others: the same in half of the designs."""
    first = inks[0] if rng.random() < 0.35 else one(rng, inks)
    return first, first if rng.random() < 0.5 else one(rng, inks)


def _weighted(rng: np.random.Generator, known: tuple[Arrangement, ...]) -> Arrangement:
    weights = np.cumsum([arrangement.weight for arrangement in known])
    return known[int(np.searchsorted(weights, rng.random() * weights[-1], side="right"))]


def _given(rng: np.random.Generator, open_share: float, value: T) -> T | None:
    return None if rng.random() < open_share else value


def one(rng: np.random.Generator, known: tuple[T, ...] | list[T]) -> T:
    """One of several, all as likely."""
    return known[int(rng.random() * len(known))]

"""What briefs are about: subjects with fitting texts and pictures, own ones and those of the layout engine's themes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from designgym.envs.design.briefs.brief import DesignType
from designgym.envs.design.briefs.naming import described
from designgym.layout.themes import Theme, themes


@dataclass(frozen=True)
class Concept:
    """A subject and what is said and shown about it; texts may have slots, see ``words.py``.

    Attributes:
        about: What the design is for, with its article: ``"a jazz concert"``.
        pictures: What fitting pictures show, in a few words.
        titles: Titles, names of firms or, on postcards, the beginning of the message.
        taglines: Shorter lines that go with any of them; none on postcards.
        lines: Quotes (posters), subtitles (book covers) or the second half of a message (postcards).
        details: Date and place (posters).
        job: What the owner of a business card is.
        words: Slot -> words, beside the common ones.
    """

    about: str
    pictures: tuple[str, ...]
    titles: tuple[str, ...]
    taglines: tuple[str, ...] = ()
    lines: tuple[str, ...] = ()
    details: tuple[str, ...] = ("{date}, {hall}", "{weekday} at {time}, {hall}", "{date} in {town}", "{hall}, {time}")
    job: str = ""
    words: Mapping[str, tuple[str, ...]] = field(default_factory=dict, hash=False)


@cache
def concepts(type: DesignType) -> tuple[Concept, ...]:
    """All subjects of a type of design, in a fixed order."""
    from designgym.envs.design.briefs.book_concepts import BOOKS
    from designgym.envs.design.briefs.card_concepts import CARDS
    from designgym.envs.design.briefs.postcard_concepts import POSTCARDS
    from designgym.envs.design.briefs.poster_concepts import POSTERS

    own = {"book cover": BOOKS, "business card": CARDS, "postcard": POSTCARDS, "poster": POSTERS}[type]
    return (*own, *(_of_theme(theme) for theme in themes().values() if theme.kind == type))


def _of_theme(theme: Theme) -> Concept:
    quotes = tuple(line for line in theme.sentences if "“" not in line)
    texts = {
        "book cover": (theme.subtitles, theme.subtitles),
        "business card": (theme.subtitles, ()),
        "postcard": ((), (*(f"{line}." for line in theme.subtitles), *quotes)),
        "poster": (theme.subtitles, quotes),
    }[theme.kind]
    titles = tuple(title for title in theme.titles if title != "{name}")  # a person's name is no company's
    pictures = tuple(dict.fromkeys(map(described, theme.pictures)))
    return Concept(_ABOUT[theme.name], pictures, titles, *texts, words=theme.words)


_ABOUT = {
    "sea novel": "a novel set by the sea",
    "crime novel": "a crime novel",
    "cookery book": "a cookery book",
    "children's animal book": "a children's book about animals",
    "travel guide": "a travel guide",
    "science book": "a popular science book",
    "gardening book": "a gardening book",
    "love story": "a love story",
    "fantasy novel": "a fantasy novel",
    "poems": "a collection of poems",
    "business book": "a business book",
    "music biography": "a music biography",
    "winter stories": "a collection of winter stories",
    "mountain memoir": "a mountaineer's memoir",
    "sports history": "a sports history",
    "bakery": "a bakery",
    "florist": "a florist",
    "photographer": "a photographer",
    "carpenter": "a carpenter",
    "architect": "an architect",
    "café": "a café",
    "doctor": "a doctor",
    "music teacher": "a music teacher",
    "software developer": "a software developer",
    "bike repair shop": "a bike repair shop",
    "vet": "a vet",
    "travel agency": "a travel agency",
    "yoga studio": "a yoga studio",
    "tailor": "a tailor",
    "pizzeria": "a pizzeria",
    "seaside greetings": "a seaside holiday",
    "mountain greetings": "a holiday in the mountains",
    "birthday": "a birthday",
    "thank you": "a thank-you note",
    "wedding invitation": "a wedding invitation",
    "winter greetings": "a winter greeting",
    "new home": "a new home",
    "city greetings": "a city trip",
    "museum shop": "a museum shop",
    "safari park": "a day at the safari park",
    "spring greetings": "a spring greeting",
    "island holiday": "an island holiday",
    "autumn greetings": "an autumn greeting",
    "get well": "a get-well wish",
    "jazz concert": "a jazz concert",
    "farmers market": "a farmers market",
    "film festival": "a film festival",
    "city run": "a city run",
    "science fair": "a science fair",
    "flower show": "a flower show",
    "theatre play": "a theatre play",
    "winter fair": "a winter fair",
    "beach clean-up": "a beach clean-up",
    "circus": "a circus",
    "chess tournament": "a chess tournament",
    "street food night": "a street food night",
    "astronomy night": "an astronomy night",
    "music school concert": "a music school concert",
    "bike week": "a bike week",
    "book fair": "a book fair",
}
"""Theme of the layout engine -> what the query says that the design is for."""

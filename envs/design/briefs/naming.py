"""What pictures are called in a sentence: descriptions of captions, with their articles."""

from __future__ import annotations

import re

_DESCRIBED = {
    "airplane": "aeroplane",
    "alembic": "laboratory flask",
    "automobile": "car",
    "baguette bread": "baguette",
    "beach with umbrella": "beach umbrella",
    "bottle with popping cork": "champagne bottle",
    "broccoli": "head of broccoli",
    "bubble tea": "cup of bubble tea",
    "camping": "camping ground",
    "christmas tree": "Christmas tree",
    "cityscape at dusk": "city at dusk",
    "cooking": "frying pan",
    "coral": "piece of coral",
    "dog face": "dog's face",
    "dolphin leaping": "leaping dolphin",
    "ferris wheel": "Ferris wheel",
    "flag in hole": "golf flag",
    "foggy": "foggy city",
    "game die": "playing die",
    "gem stone": "gemstone",
    "globe showing europe africa": "globe",
    "green salad": "bowl of salad",
    "headphone": "headphones",
    "hot beverage": "cup of coffee",
    "hot pepper": "chili pepper",
    "house with garden": "house with a garden",
    "houses": "row of houses",
    "ice cream": "bowl of ice cream",
    "jack o lantern": "jack-o'-lantern",
    "lady beetle": "ladybird",
    "leaf fluttering in wind": "leaf in the wind",
    "luggage": "suitcase",
    "magnifying glass tilted left": "magnifying glass",
    "man dancing": "dancing man",
    "man running": "running man",
    "milky way": "Milky Way",
    "moon viewing ceremony": "moon festival",
    "mount fuji": "Mount Fuji",
    "night with stars": "starry night",
    "performing arts": "pair of theatre masks",
    "person biking": "cyclist",
    "person juggling": "juggler",
    "person lifting weights": "weight lifter",
    "person mountain biking": "mountain biker",
    "person surfing": "surfer",
    "person swimming": "swimmer",
    "pinata": "piñata",
    "sauropod": "long-necked dinosaur",
    "snow capped mountain": "snow-capped mountain",
    "statue of liberty": "Statue of Liberty",
    "sun behind cloud": "sun behind a cloud",
    "sunrise over mountains": "sunrise over the mountains",
    "t rex": "T-Rex",
    "teacup without handle": "teacup",
    "tennis": "tennis racket",
    "thread": "spool of thread",
    "tokyo tower": "Tokyo Tower",
    "umbrella on ground": "beach umbrella",
    "violin lying down": "violin",
    "water wave": "wave",
    "wedding": "wedding chapel",
    "woman dancing": "dancing woman",
    "woman health worker": "doctor",
    "woman running": "running woman",
    "woman surfing": "surfing woman",
    "woman teacher": "teacher",
}
"""Caption in the embedded pool -> what a client calls it, where that is not the same."""

_PLAIN = ("bread", "Mount Fuji", "popcorn", "skis", "spaghetti", "sushi", "yarn")
"""Descriptions that have no article though they look like no plurals."""

_THE = ("Milky Way", "Statue of Liberty", "Tokyo Tower", "sun")

_AFTER_HEAD = re.compile(r" (?:of|with|in|on|over|at|behind|and) ")
_PLURAL = re.compile(r"[^\W_]*[^\Wsui]s", re.IGNORECASE)


def described(caption: str) -> str:
    """What a client calls a picture with this caption."""
    return _DESCRIBED.get(caption, caption)


def with_article(name: str) -> str:
    """The name with the article that a sentence needs: ``"a lighthouse"``, ``"musical notes"``, ``"the sun"``."""
    if name in _PLAIN:
        return name
    if name in _THE:
        return f"the {name}"
    head = _AFTER_HEAD.split(name)[0].split()
    if head and _PLURAL.fullmatch(head[-1]):
        return name
    return f"{'an' if name[0].lower() in 'aeiou' and name != 'unicorn' else 'a'} {name}"


def without_article(name: str) -> str:
    """The name as :func:`with_article` takes it: ``"owl"`` for ``"an owl"``."""
    first, _, rest = name.strip().partition(" ")
    return rest.strip() if rest and first.casefold() in ("a", "an", "the") else name.strip()

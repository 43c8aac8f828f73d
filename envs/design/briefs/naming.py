"""What pictures are called in a sentence: descriptions of captions, with their articles."""

from __future__ import annotations

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

_PLAIN = (
    "ballet shoes", "blueberries", "books", "bread", "cherries", "clinking beer mugs", "clinking glasses", "fireworks",
    "french fries", "grapes", "headphones", "maracas", "Mount Fuji", "musical notes", "nesting dolls", "pancakes",
    "popcorn", "scissors", "skis", "spaghetti", "sparkles", "sunglasses", "sushi", "yarn",
)  # fmt: skip
"""Descriptions that have no article: several things, stuff, and names."""

_THE = ("Milky Way", "Statue of Liberty", "Tokyo Tower", "sun")


def described(caption: str) -> str:
    """What a client calls a picture with this caption."""
    return _DESCRIBED.get(caption, caption)


def with_article(name: str) -> str:
    """The name with the article that a sentence needs: ``"a lighthouse"``, ``"musical notes"``, ``"the sun"``."""
    if name in _PLAIN:
        return name
    if name in _THE:
        return f"the {name}"
    return f"{'an' if name[0].lower() in 'aeiou' and name != 'unicorn' else 'a'} {name}"

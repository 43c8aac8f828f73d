"""The words of questions about a page: skeletons of each kind, and what places and sizes are called."""

from __future__ import annotations

import numpy as np

from designgym.rewards.judges.meanings import ImageSize, Position

BACKGROUND = (
    "Is the background of the design {color}?",
    "Is the page's background color {color}?",
    "Does the design have a background in {color}?",
    "Is {color} the color of the background?",
)

TEXT_PRESENT = (
    "Does the design show the text “{text}”?",
    "Can the words “{text}” be read on the page?",
    "Is the text “{text}” written in the design?",
    "Does the page say “{text}”?",
)

TEXT_COLOR = (
    "Is {text} written in {color}?",
    "Does {text} appear in {color}?",
    "Is {color} the color of {text}?",
)

TEXT_POSITION = (
    "Is {text} {place}?",
    "Does {text} stand {place}?",
    "Is {text} placed {place}?",
)

TEXT_ORDER = (
    "Is {larger} set in larger type than {smaller}?",
    "Are the letters of {larger} larger than those of {smaller}?",
    "Is {larger} bigger than {smaller} in type size?",
)

TEXT_LEGIBLE = (
    ("Is {text} easy to read?", "Is {text} too small or too faint to read?"),
    ("Is {text} legible?", "Is {text} illegible?"),
    ("Does {text} stand out clearly from what is behind it?", "Is {text} hard to make out?"),
)

TEXT_UNCUT = (
    ("Is {text} fully visible?", "Is a part of {text} cut off or covered?"),
    ("Is {text} shown whole, with no letter cut off?", "Are some letters of {text} cut off or hidden?"),
    ("Does all of {text} fit on the page?", "Does {text} run off the page or behind something?"),
)

IMAGE_PRESENT = (
    "Does the design show {shown}?",
    "Is there a picture of {shown} in the design?",
    "Can {shown} be seen on the page?",
    "Does the page have an image of {shown}?",
)

IMAGE_POSITION = (
    "Is the picture of {shown} {place}?",
    "Is the image of {shown} placed {place}?",
    "Does the picture of {shown} stand {place}?",
)

IMAGE_SIZE = (
    "Is the picture of {shown} {size}?",
    "Is the image of {shown} {size}?",
)

IMAGE_UNCUT = (
    ("Is the picture of {shown} fully visible?", "Is a part of the picture of {shown} cut off or covered?"),
    ("Is the image of {shown} shown whole?", "Is the image of {shown} partly hidden or cut off?"),
    ("Does all of the picture of {shown} fit on the page?",
     "Does the picture of {shown} run off the page or behind something?"),
)  # fmt: skip

PLACES: dict[Position, str] = {
    "top left": "in the top left part of the page",
    "top center": "at the top center of the page",
    "top right": "in the top right part of the page",
    "center left": "at the left of the page, halfway down",
    "center": "in the center of the page",
    "center right": "at the right of the page, halfway down",
    "bottom left": "in the bottom left part of the page",
    "bottom center": "at the bottom center of the page",
    "bottom right": "in the bottom right part of the page",
    "top": "in the top third of the page",
    "bottom": "in the bottom third of the page",
    "left": "in the left third of the page",
    "right": "in the right third of the page",
}

SIZES: dict[ImageSize, str] = {
    "small": "small (up to about a third of the page's width and height)",
    "medium": "medium-sized (about a quarter to a half of the page's width or height)",
    "large": "large (about a half to three quarters of the page's width or height)",
    "huge": "huge (more than about two thirds of the page's width or height)",
    "full": "so large that it fills nearly all of the page's width or height",
}

_NOUNS = {
    "author": "author's name",
    "company_name": "company name",
    "event_name": "event name",
    "name": "owner's name",
    "job_title": "job title",
}

_PLURAL = ("contact_details", "date_and_place")  # "Is the contact details ..." would not do


def referred(rng: np.random.Generator, role: str, content: str) -> str:
    """A text as questions speak of it: by its words, and often by its role."""
    if role in _PLURAL or rng.random() < 0.4:
        return f"the text “{content}”"
    return f"the {_NOUNS.get(role, role.replace('_', ' '))} “{content}”"

"""A brief in a client's words: skeletons of sentences whose placeholders are the components (paper, section 2)."""

from __future__ import annotations

import numpy as np

from designgym.envs.design.briefs.brief import TextPart, VisualPart
from designgym.envs.design.briefs.draw import Components, one
from designgym.envs.design.briefs.naming import with_article

ROLES: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "subtitle": ("subtitle",),
    "tagline": ("tagline",),
    "author": ("author's name", "name of the author"),
    "company_name": ("company name", "name of the company"),
    "contact_details": ("contact details",),
    "name": ("owner's name",),
    "job_title": ("job title",),
    "message": ("message",),
    "date": ("date",),
    "quote": ("quote",),
    "event_name": ("event name", "name of the event"),
    "slogan": ("slogan",),
    "date_and_place": ("date and place",),
}
"""Role of a text -> what clients call it, after "the"."""

_SEVERAL = ("contact_details", "date_and_place")  # of which clients speak in the plural

_HEADERS = (
    "Please help me create {design}.",
    "Could you provide me with {design}?",
    "I need {design}.",
    "I would like {design}.",
    "Can you design {design} for me?",
    "Please design {design}.",
    "We are looking for {design}.",
    "Create {design}.",
    "I'm in need of {design}.",
    "Can you help me with {design}?",
    "Would you make {design} for us?",
    "My client has asked for {design}.",
    "Make {design}.",
    "Hi! I want {design}.",
    "Our team needs {design}.",
    "It is time for {design}.",
    "Let's make {design}.",
    "Could I get {design}, please?",
)

_ADJECTIVES = ("", "", "", "simple ", "clear ", "striking ", "new ", "eye-catching ", "clean ", "modern ", "tidy ")

_BACKGROUNDS = (
    "The background should be {color}.",
    "Use {color} as the background color.",
    "Please make the background {color}.",
    "The background color is {color}.",
    "Set everything on a background of {color}.",
    "I'd like the background in {color}.",
    "For the background, choose {color}.",
    "Fill the page with {color}.",
)

_CLOSINGS = (
    "", "", "", "", "Please make sure that nothing is cut off.", "All text should be easy to read.", "Thank you!",
    "Keep every element fully visible.", "Leave some space between the parts.", "The text must be legible.",
    "Keep the layout balanced.",
)  # fmt: skip

_PLACES: dict[str, tuple[str, ...]] = {
    "top left": ("in the top left corner", "at the top left"),
    "top center": ("at the top center", "centered at the top"),
    "top right": ("in the top right corner", "at the top right"),
    "center left": ("at the center left", "on the left side, halfway down"),
    "center": ("in the center", "in the middle of the page"),
    "center right": ("at the center right", "on the right side, halfway down"),
    "bottom left": ("in the bottom left corner", "at the bottom left"),
    "bottom center": ("at the bottom center", "centered at the bottom"),
    "bottom right": ("in the bottom right corner", "at the bottom right"),
    "top": ("at the top",),
    "bottom": ("at the bottom",),
    "left": ("on the left side", "on the left"),
    "right": ("on the right side", "on the right"),
}


def query(rng: np.random.Generator, components: Components) -> str:
    """Put components into words: a header, the background, the texts and the pictures, in varying order."""
    adjective = one(rng, _ADJECTIVES)
    noun = f"{adjective}{components.type}"
    header = one(rng, _HEADERS).format(design=f"{'an' if noun[0] in 'aeiou' else 'a'} {noun} for {components.about}")
    ground = [one(rng, _BACKGROUNDS).format(color=components.background)]
    texts = [_text(rng, text) for text in components.texts]
    visuals = [_visual(rng, visual) for visual in components.visuals]
    groups = [ground, texts, visuals] if rng.random() < 0.6 else [texts, visuals, ground]
    if rng.random() < 0.35:
        groups = [group for group in groups if group is not visuals]
        groups.insert(groups.index(texts), visuals)
    sentences = [header, *(sentence for group in groups for sentence in group), one(rng, _CLOSINGS)]
    return " ".join(sentence for sentence in sentences if sentence)


def _text(rng: np.random.Generator, text: TextPart) -> str:
    many = text.role in _SEVERAL
    role, content = one(rng, ROLES[text.role]), f"“{text.content}”"
    style = _style(rng, text)
    place = one(rng, _PLACES[text.position]) if text.position else ""
    if not style and not place:
        plain = "The {role} are {content}." if many else "The {role} is {content}."
        return one(rng, (plain, "Include the {role} {content}.", "Add the {role} {content}.")).format(
            role=role, content=content
        )
    details = (
        (f"{place}, {style}" if rng.random() < 0.4 else f"{style}, {place}") if style and place else style or place
    )
    skeleton = one(
        rng,
        (
            "Put the {role} {content} {details}.",
            "Place the {role} {content} {details}.",
            "The {role} {content} should appear {details}.",
            "The {role} read {content}, {details}." if many else "The {role} reads {content}, {details}.",
            "Include the {role} {content} {details}.",
            "I want the {role} {content} {details}.",
            "As the {role}, write {content} {details}.",
            "Set the {role} {content} {details}.",
        ),
    )
    return skeleton.format(role=role, content=content, details=details)


def _style(rng: np.random.Generator, text: TextPart) -> str:
    """Size and colour in words; empty if both are open."""
    size = "medium-sized" if text.size == "medium" else text.size
    noun = one(rng, ("letters", "type"))
    if text.color is None:
        return f"in {size} {noun}" if size else ""
    if rng.random() < 0.5:
        return f"in {size} {noun} colored {text.color}" if size else f"in {text.color}"
    return f"in {size} {text.color.name} {noun}" if size else f"in {text.color.name} {noun}"


def _visual(rng: np.random.Generator, visual: VisualPart) -> str:
    size = {None: "", "medium": "medium-sized ", "full": "full-page "}.get(visual.size, f"{visual.size} ")
    noun = one(rng, ("picture", "image", "illustration"))
    shown = f"{size}{noun} of {with_article(visual.name)}"
    article = "an" if shown[0] in "aeiou" else "a"
    if visual.position is None:
        skeleton = one(
            rng,
            ("Add {shown}.", "Use {shown}.", "I also want {shown}.", "There should be {shown}.", "Include {shown}."),
        )
        return skeleton.format(shown=f"{article} {shown}")
    skeleton = one(
        rng,
        (
            "Place {shown} {place}.",
            "Add {shown} {place}.",
            "Put {shown} {place}.",
            "There should be {shown} {place}.",
            "I'd like to see {shown} {place}.",
            "Include {shown} {place}.",
        ),
    )
    return skeleton.format(shown=f"{article} {shown}", place=one(rng, _PLACES[visual.position]))

"""A page with everything right, its items, and pictures, for tests of judges."""

import dataclasses
import io
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from designgym.episode import Episode
from designgym.graphics.document import Document, ImageLayer, Layer, TextLayer
from designgym.graphics.render import render
from designgym.rewards.judges.base import Given, Page
from designgym.rewards.judges.meanings import SLACK
from designgym.rewards.judges.questions import Item, Kind, Question
from designgym.rewards.judges.scene import SceneJudge, digest

NAVY, WHITE, YELLOW, RED = (20, 33, 90), (255, 255, 255), (250, 210, 40), (200, 30, 30)
TITLE, TAGLINE = "Harbour Light Café", "Fresh coffee by the sea"


def picture(kind: str = "boat") -> bytes:
    """A little drawing, 200 x 160 px: a boat on a transparent ground, or a tree on an opaque one."""
    drawn = Image.new("RGBA", (200, 160), (0, 0, 0, 0))
    pen = ImageDraw.Draw(drawn)
    if kind == "boat":
        pen.polygon([(0, 110), (200, 110), (160, 159), (40, 159)], (170, 60, 30, 255))
        pen.polygon([(95, 0), (95, 100), (20, 100)], (250, 250, 240, 255))
        pen.polygon([(105, 10), (105, 100), (180, 100)], (90, 190, 220, 255))
    else:
        pen.rectangle([0, 0, 200, 160], (190, 150, 120, 255))
        pen.ellipse([20, 0, 180, 159], (60, 160, 70, 255))
        pen.rectangle([60, 40, 140, 120], (240, 220, 30, 255))
    stream = io.BytesIO()
    drawn.save(stream, "PNG")
    return stream.getvalue()


BOAT, TREE = picture("boat"), picture("tree")

TEXTS = {
    "title": TextLayer(
        id="t", x=100, y=70, width=800, height=90, text=TITLE, size_px=72, color="#ffffff", align="center"
    ),
    "tagline": TextLayer(
        id="g", x=100, y=540, width=800, height=50, text=TAGLINE, size_px=36, color="#fad228", align="center"
    ),
}
SHOWN = ImageLayer(id="i", x=375, y=220, width=250, height=200, asset="boat.png")


def right_page(**changes: Layer | None) -> Document:
    """The page that fulfils the brief, with layers exchanged or (None) left out: ``title``, ``tagline``, ``boat``."""
    layers = {**TEXTS, "boat": SHOWN, **changes}
    kept = tuple(layer for layer in layers.values() if layer is not None)
    return Document(1000, 640, "#14215a", kept, {"boat.png": BOAT, "tree.png": TREE})


def title(**fields: Any) -> TextLayer:
    return dataclasses.replace(TEXTS["title"], **fields)


def boat(**fields: Any) -> ImageLayer:
    return dataclasses.replace(SHOWN, **fields)


def ask(kind: Kind, negated: bool = False, **arguments: Any) -> Question:
    return Question(f"{kind}?", kind, "it", arguments, expected=not negated, negated=negated)


def about_boat(**more: Any) -> dict[str, Any]:
    return {"caption": "a boat", "picture": "boat", "file": "boat.png", **more}


def pair(kind: Kind, right: dict[str, Any], wrong: dict[str, Any]) -> Item:
    return Item(ask(kind, **right), dataclasses.replace(ask(kind, **wrong), expected=False))


def opposed(kind: Kind, arguments: dict[str, Any]) -> Item:
    return Item(ask(kind, **arguments), ask(kind, negated=True, **arguments))


def items() -> list[Item]:
    """One of every kind, and two more."""
    said = {"text": TITLE}
    return [
        pair("background-color", {"rgb": list(NAVY)}, {"rgb": list(RED)}),
        pair("text-present", said, {"text": "Night of the Owls"}),
        pair("text-present", {"text": TAGLINE}, {"text": "Repairs of all kinds"}),
        pair("text-color", {**said, "rgb": list(WHITE)}, {**said, "rgb": list(RED)}),
        pair(
            "text-position",
            {**said, "position": "top center", "slack": SLACK},
            {**said, "position": "bottom", "slack": -SLACK},
        ),
        pair("text-order", {"larger": TITLE, "smaller": TAGLINE}, {"larger": TAGLINE, "smaller": TITLE}),
        opposed("text-legible", said),
        opposed("uncut", said),
        pair("image-present", about_boat(), {"caption": "an owl", "picture": "owl", "file": ""}),
        pair(
            "image-position",
            about_boat(position="center", slack=SLACK),
            about_boat(position="left", slack=-SLACK),
        ),
        pair("image-size", about_boat(size="medium"), about_boat(size="huge")),
        opposed("uncut", about_boat()),
    ]


GIVEN = {"boat.png": Given("a boat", digest(BOAT)), "tree.png": Given("a tree", digest(TREE))}


def page_of(document: Document | None) -> Page:
    image = np.zeros((8, 8, 3), np.uint8) if document is None else render(document, 0.25)
    return Page(image, document, GIVEN)


def answer(document: Document, question: Question) -> bool | None:
    return SceneJudge().answer(page_of(document), [question])[0]


def episode(document: Document | None, asked: list[Item] | None = None) -> Episode:
    truth = {
        "questions": [item.to_dict() for item in (items() if asked is None else asked)],
        "files": {name: {"caption": each.caption, "sha256": each.sha256} for name, each in GIVEN.items()},
    }
    image = None if document is None else render(document, 0.25)
    return Episode("designgym/DesignActions-v0", "test", "test-0", image, document=document, truth=truth)

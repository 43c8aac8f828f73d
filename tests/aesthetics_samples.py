"""Small designs by hand for tests of training data: a title, a line of text, a picture and a panel."""

from __future__ import annotations

import numpy as np

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import Element, Flaw, Sample, png_bytes
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer

TITLE, LINE, PICTURE, PANEL = (0.1, 0.1, 0.9, 0.25), (0.1, 0.3, 0.5, 0.35), (0.6, 0.5, 0.9, 0.9), (0.1, 0.5, 0.5, 0.9)


def document() -> Document:
    """200 x 200 px, white."""
    picture = png_bytes(np.full((60, 80, 3), 90, np.uint8))
    return Document(
        200,
        200,
        "#ffffff",
        (
            ShapeLayer(id="panel", x=20, y=100, width=80, height=80, fill="#2040a0"),
            ImageLayer(id="picture", x=120, y=100, width=60, height=80, asset="a"),
            TextLayer(id="title", x=20, y=20, width=160, height=30, text="Summer fair", size_px=24, color="#101010"),
            TextLayer(id="line", x=20, y=60, width=80, height=10, text="On Sunday", size_px=8, color="#dddddd"),
        ),
        {"a": picture},
    )


def elements() -> tuple[Element, ...]:
    return (
        Element("panel", "shape", "panel", PANEL),
        Element("picture", "picture", "picture", PICTURE),
        Element("title", "text", "title", TITLE, "Summer fair"),
        Element("line", "text", "detail", LINE, "On Sunday"),
    )


def sample(*flaws: Flaw, name: str = "hand/train-000000", harmed: dict[str, tuple[str, ...]] | None = None) -> Sample:
    """The design with some flaws; what they harm follows from them unless it is given."""
    if harmed is None:
        harmed = {}
        for flaw in flaws:
            for indicator in flaw.harms:
                harmed[indicator] = (*harmed.get(indicator, ()), flaw.element)
    return Sample(name, 200, 200, elements(), flaws, harmed, document(), document(), judged=tuple(INDICATORS))


def faint_line() -> Flaw:
    """The line of text in light grey."""
    measures = {"contrast": 1.36, "type_px": 17.9}
    return Flaw("low_contrast", "line", "color", "#101010", "#dddddd", 1.36, measures, ("color-contrast",))

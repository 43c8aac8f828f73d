"""The twelve indicators of AesEval-Bench in their four dimensions, each with what it means and how it is asked about.

The names are those of the benchmark; the explanations are ours, after the paper's section 3 and its Table 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Dimension = Literal["layout", "color", "font", "graphic"]


@dataclass(frozen=True)
class Indicator:
    """One respect in which a design is judged.

    Attributes:
        name: ``"layout-balance"``: dimension and short name, as the benchmark writes it.
        dimension: ``"layout"``, ``"color"``, ``"font"`` or ``"graphic"``.
        title: The short name, in print.
        explanation: What the indicator means, a sentence.
        question: Whether a design meets it; the right answer of a good design is yes.
    """

    name: str
    dimension: Dimension
    title: str
    explanation: str
    question: str


_TEXTS: tuple[tuple[Dimension, str, str, str], ...] = (
    (
        "layout",
        "balance",
        "Balance is how visual weight is spread over the page: no side tips over, and no element is out of scale.",
        "Is the visual weight spread well over the page?",
    ),
    (
        "layout",
        "layering",
        "Layering is how size, depth and overlap order the eye's path: what matters lies in front and stays whole.",
        "Does every element keep its place in depth, with none covering what should be seen?",
    ),
    (
        "layout",
        "whitespace",
        "Whitespace is the blank area around elements: enough room to breathe, and none that falls out of use.",
        "Is there well measured blank space around the elements?",
    ),
    (
        "layout",
        "alignment",
        "Alignment is how elements line up with one another, with a grid and with the page's edges.",
        "Do the elements line up with one another and with the page?",
    ),
    (
        "color",
        "harmony",
        "Harmony is how the colours of a page belong together.",
        "Do the colours of all elements go together?",
    ),
    (
        "color",
        "contrast",
        "Contrast is how far the colour of an element differs from what lies behind and beside it.",
        "Does every element stand out clearly from what is behind it?",
    ),
    (
        "color",
        "appeal",
        "Appeal is whether the combination of colours attracts and pleases.",
        "Is the combination of colours attractive?",
    ),
    (
        "color",
        "psychology",
        "Psychology is the feeling that colours raise, and whether it suits what the design is about.",
        "Do the colours raise a feeling that suits the subject?",
    ),
    (
        "font",
        "legibility",
        "Legibility is how easily characters are told apart and read: their size, face, sharpness and ground.",
        "Can all text be read with ease?",
    ),
    (
        "font",
        "hierarchy",
        "Hierarchy is how sizes, weights and faces of type tell what to read first and what belongs together.",
        "Does the type show at a glance what is most important?",
    ),
    (
        "graphic",
        "quality",
        "Quality is whether pictures are sharp and fine enough for the size at which they are shown.",
        "Are all pictures sharp and clean at their size?",
    ),
    (
        "graphic",
        "relevance",
        "Relevance is whether pictures and graphic elements belong to the subject of the design.",
        "Do all pictures belong to the subject of the design?",
    ),
)

INDICATORS: dict[str, Indicator] = {
    f"{dimension}-{short}": Indicator(f"{dimension}-{short}", dimension, short.capitalize(), explanation, question)
    for dimension, short, explanation, question in _TEXTS
}
"""Name -> indicator, in the order of the paper's tables."""

DIMENSIONS: tuple[Dimension, ...] = ("layout", "color", "font", "graphic")


def of_dimension(dimension: Dimension) -> tuple[str, ...]:
    """The names of a dimension's indicators, in order."""
    return tuple(name for name, indicator in INDICATORS.items() if indicator.dimension == dimension)

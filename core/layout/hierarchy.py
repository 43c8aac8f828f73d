"""The hierarchy of type: which sizes and faces the texts of a page have, on a modular scale above the body's size."""

from __future__ import annotations

from functools import lru_cache

from designgym.layout.page import Page
from designgym.layout.typesetting import Type

LEAST_STEP = 1.14
"""Two sizes of one page are the same or at least this factor apart."""
TITLE_TO_BODY = 1.8
"""A title is at least this many times as large as the body."""
TITLE_TO_SUBTITLE = 1.5
"""A title is at least this many times as large as its subtitle."""


def base_px(page: Page) -> float:
    """Size of the body, page px."""
    return float(round(page.parameters["base"] * page.unit * page.pair.scale))


def title_sizes(page: Page, largest: float) -> tuple[float, ...]:
    """The sizes that a title may have, largest first: steps of the page's modular scale, with half steps."""
    base, ratio = base_px(page), page.parameters["ratio"]
    sizes: list[float] = []
    step = 1.0
    while (size := base * ratio**step) <= largest and len(sizes) < 24:
        if size >= TITLE_TO_BODY * base:
            sizes.append(float(round(size)))
        step += 0.5
    return tuple(reversed(sizes))


def subtitle_px(page: Page, title_px: float) -> float:
    """Size of a subtitle beside a title: the largest step of the scale that leaves the title clearly larger."""
    base, ratio = base_px(page), page.parameters["ratio"]
    most = min(title_px / TITLE_TO_SUBTITLE, 1.75 * base) if title_px else 1.5 * base
    fitting = [base * ratio**step for step in (1, 2, 3) if LEAST_STEP * base <= base * ratio**step <= most]
    return float(round(max(fitting, default=base * LEAST_STEP + 1)))


def title_type(page: Page, size_px: float) -> Type:
    """How titles are set on a page."""
    pair = page.pair
    capitals = uses_capitals(page)
    return Type(pair.display, size_px, pair.weight, False, pair.line_height, pair.spacing if capitals else 0.0)


def uses_capitals(page: Page) -> bool:
    """Whether a page's title is set in capitals."""
    return bool(page.pair.capitals and page.parameters["capitals"])


def text_type(page: Page, size_px: float, weight: int = 400, *, italic: bool = False) -> Type:
    """How everything but titles is set on a page."""
    return _text_type(page.pair.text, size_px, weight, italic)


@lru_cache(maxsize=16384)
def _text_type(font: str, size_px: float, weight: int, italic: bool) -> Type:
    return Type(font, size_px, weight, italic, 1.4 if weight == 400 else 1.3)

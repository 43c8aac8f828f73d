"""What an arrangement is: a family of layouts with the parameters that are drawn for one, and which pages it suits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from designgym.layout.brief import Brief
from designgym.layout.outlines import EDGES
from designgym.layout.page import Page
from designgym.layout.pictures import TREATMENTS

Build = Callable[[Page], None]

BASES = (2.5, 2.7, 2.9, 3.1, 3.4, 3.7)
"""Sizes of the body in units; a page whose texts do not fit at the size that was drawn takes a smaller one."""

PATTERNS = ("dots", "confetti", "stripes", "waves")
"""Soft patterns in the ground of a page."""

COMMON: dict[str, tuple[Any, ...]] = {
    "margin": (5.5, 6.0, 6.5, 7.0, 7.5, 8.0),
    "gap": (3.0, 3.6, 4.2, 4.8),
    "base": (2.7, 2.9, 3.1, 3.4, 3.7),
    "ratio": (1.2, 1.25, 1.333, 1.414),
    "align": ("left", "center", "center", "left"),
    "footer": ("stack", "stack", "columns", "ruled", "band"),
    "eyebrow": (False, False, True),
    "rule": ("none", "none", "line", "bar"),
    "colored": ("title", "subtitle", "none"),
    "capitals": (True, False),
    "italic": (False, True),
    "round": (True, False),
    "radius": (0.0, 2.0, 4.0),
    "variant": (0, 1, 2, 3, 4, 5, 6, 7),
    "treatment": TREATMENTS,
    "ornament": ("none", "none", "none", "tone", "quarter", "rays", "corner", *PATTERNS),
}
"""Parameters of every layout: margins, gaps and sizes in units (hundredths of the longer side), styles by name."""

EDGE = {"edge": EDGES, "depth": (0.08, 0.12, 0.16)}
"""Parameters of a ground with an edge of its own."""


@dataclass(frozen=True)
class Arrangement:
    """A family of layouts.

    Attributes:
        name: Unique.
        build: Puts a brief onto a page, or raises ``Misfit``.
        pictures: Least and most pictures.
        aspects: Least and most width over height of the page.
        choices: Parameters of its own, or narrower choices of the common ones: name -> values.
        weight: How often it is drawn, relative to others.
        kinds: The kinds of formats that it suits; all if empty.
        needs: Fields of the brief that must not be empty.
        details: Least and most details.
    """

    name: str
    build: Build
    pictures: tuple[int, int]
    aspects: tuple[float, float] = (0.0, 9.0)
    choices: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    weight: float = 1.0
    kinds: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    details: tuple[int, int] = (0, 9)

    def suits(self, brief: Brief) -> bool:
        """Whether a brief's page and content are of the kind that it is for."""
        return (
            self.pictures[0] <= len(brief.pictures) <= self.pictures[1]
            and self.details[0] <= len(brief.details) <= self.details[1]
            and self.aspects[0] <= brief.format.aspect <= self.aspects[1]
            and (not self.kinds or brief.format.kind in self.kinds)
            and all(getattr(brief, name) for name in self.needs)
        )

"""SVG markup as a tool's parameter: what cannot be read at all is refused, and samples are markup that draws."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from designgym.envs.canvas.svg.read import Svg, SvgError, read_svg
from designgym.parameters import Path, Refused
from designgym.scalars import Text

_FORMS = (
    '<line x1="{}" y1="{}" x2="{}" y2="{}"/>',
    '<path d="M{} {}L{} {}"/>',
    '<path d="M{} {}Q{} {} {} {}"/>',
    '<polygon points="{},{} {},{} {},{}"/>',
    '<rect x="{}" y="{}" width="{}" height="{}"/>',
    '<circle cx="{}" cy="{}" r="{}"/>',
)


@dataclass(frozen=True)
class SvgText(Text):
    """A text that is SVG markup, as far as :func:`designgym.envs.canvas.svg.read.read_svg` says."""

    def check(self, value: Any, path: Path, skipped: list[str]) -> str:
        """The text itself; raises ``Refused`` with what is wrong with the markup."""
        text = super().check(value, path, skipped)
        read = read_once(text)
        if isinstance(read, SvgError):
            raise Refused("", read.message, read.kind)
        return text

    def sample(self, rng: np.random.Generator) -> str:
        """One to four elements on the page."""
        forms = (_FORMS[int(rng.integers(len(_FORMS)))] for _ in range(int(rng.integers(1, 5))))
        return "".join(form.format(*rng.integers(1, 400, form.count("{}"))) for form in forms)

    def example(self) -> str:
        """A line."""
        return '<line x1="0" y1="0" x2="399" y2="399"/>'


@lru_cache(maxsize=4)
def read_once(markup: str) -> Svg | SvgError:
    """:func:`~designgym.envs.canvas.svg.read.read_svg`, kept for a moment: a call is checked first and drawn then."""
    return read_svg(markup)

"""Page formats: sizes in px whose sides, fitted into 448 px, are multiples of 32, as vision models' patches are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

FormatKind = Literal["book cover", "business card", "postcard", "poster", "social"]
"""The four types of GraphicBench, and formats of social media."""


@dataclass(frozen=True)
class Format:
    """A page format.

    Attributes:
        name: Such as ``"business-card"``.
        kind: What it is for.
        width: Page px.
        height: Page px.
    """

    name: str
    kind: FormatKind
    width: int
    height: int

    @property
    def aspect(self) -> float:
        """Width over height."""
        return self.width / self.height

    @property
    def unit_px(self) -> float:
        """The length that sizes of type and gaps are multiples of: a hundredth of the longer side, page px."""
        return max(self.width, self.height) / 100


FORMATS: dict[str, Format] = {
    format.name: format
    for format in (
        Format("book-cover", "book cover", 720, 1120),
        Format("book-cover-wide", "book cover", 800, 1120),
        Format("business-card", "business card", 1120, 640),
        Format("business-card-upright", "business card", 640, 1120),
        Format("postcard", "postcard", 1120, 800),
        Format("postcard-upright", "postcard", 800, 1120),
        Format("poster", "poster", 800, 1120),
        Format("poster-tall", "poster", 720, 1120),
        Format("poster-wide", "poster", 1120, 800),
        Format("square", "social", 1080, 1080),
        Format("story", "social", 640, 1120),
        Format("banner", "social", 1120, 560),
    )
}
"""Name -> format."""

"""The embedded font families and the names that stand for them: plain data, loaded by ``typefaces``.

Every file of a family is a Latin subset out of the npm packages ``@fontsource/*`` 5.3.0, unmodified, with its licence
beside it. A text layer's ``font`` is a family of :data:`FAMILIES` or a name of :data:`ALIASES`; nothing else is
substituted. Hebrew, Arabic and emoji, which no family has, are drawn with the :data:`SUPPLEMENTS`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from designgym.errors import UserError
from designgym.nearest import did_you_mean

FONT_FOLDER = Path(__file__).parent / "fonts"

Category = Literal["serif", "sans", "display", "mono", "script"]
Weight = Literal[400, 700]


class FontError(UserError):
    """An unknown family, or a font file that is missing or damaged; the message names it and the way out."""


@dataclass(frozen=True)
class Family:
    """A font family as it ships: its weights, whether it has real italics, where its files are and their licence."""

    name: str
    category: Category
    licence: Literal["OFL-1.1", "Apache-2.0"] = "OFL-1.1"
    weights: tuple[Weight, ...] = (400, 700)
    italics: bool = False
    """Whether italic files ship; without them italics are slanted by the renderer."""

    @property
    def folder(self) -> str:
        """Folder and file stem, e.g. ``playfair-display``."""
        return self.name.lower().replace(" ", "-")

    def path(self, weight: int = 400, italic: bool = False) -> Path:
        """The file that draws this weight (100 to 900, nearest embedded one) and slant."""
        style = "italic" if italic and self.italics else "normal"
        return FONT_FOLDER / self.folder / f"{self.folder}-latin-{self.nearest(weight)}-{style}.woff"

    def nearest(self, weight: int) -> int:
        """The embedded weight nearest to the one asked for; 550 and above counts as bold."""
        return min(self.weights, key=lambda own: (abs(own - weight), -own))


FAMILIES: dict[str, Family] = {
    family.name: family
    for family in (
        Family("Arimo", "sans", italics=True),
        Family("Carlito", "sans", italics=True),
        Family("Open Sans", "sans", italics=True),
        Family("Lato", "sans", italics=True),
        Family("Montserrat", "sans"),
        Family("Poppins", "sans", italics=True),
        Family("Tinos", "serif", italics=True),
        Family("Gelasio", "serif", italics=True),
        Family("Playfair Display", "serif", italics=True),
        Family("Merriweather", "serif"),
        Family("EB Garamond", "serif"),
        Family("Roboto Slab", "serif", licence="Apache-2.0"),
        Family("Cousine", "mono", italics=True),
        Family("Roboto Mono", "mono"),
        Family("Oswald", "display"),
        Family("Bebas Neue", "display", weights=(400,)),
        Family("Anton", "display", weights=(400,)),
        Family("Abril Fatface", "display", weights=(400,)),
        Family("Comic Neue", "script", italics=True),
        Family("Dancing Script", "script"),
        Family("Lobster", "script", weights=(400,)),
        Family("Pacifico", "script", weights=(400,)),
    )
}


@dataclass(frozen=True)
class Supplement:
    """Glyphs that no family has, drawn with every family; under OFL-1.1."""

    name: str
    subset: str
    weights: tuple[Weight, ...]
    probe: str
    """A character that the files must be able to draw."""

    @property
    def folder(self) -> str:
        """Folder and file stem, e.g. ``noto-sans-hebrew``."""
        return self.name.lower().replace(" ", "-")

    def path(self, weight: int = 400) -> Path:
        """The file of the embedded weight nearest to this one (100 to 900)."""
        return FONT_FOLDER / self.folder / f"{self.folder}-{self.subset}-{self.nearest(weight)}-normal.woff"

    def nearest(self, weight: int) -> int:
        """The embedded weight nearest to the one asked for."""
        return min(self.weights, key=lambda own: (abs(own - weight), -own))


SUPPLEMENTS: tuple[Supplement, ...] = (
    Supplement("Noto Sans Hebrew", "hebrew", (400, 700), "\u05d0"),
    Supplement("Noto Sans Arabic", "arabic", (400, 700), "\u0645"),
    Supplement("Noto Emoji", "emoji", (400,), "\U0001f600"),
)

# Names that people write for fonts that cannot be shipped. The first five have the original's advance widths
# (Gelasio by its publisher's word), so lines break where they would with the original.
ALIASES: dict[str, str] = {
    "Arial": "Arimo",
    "Times New Roman": "Tinos",
    "Georgia": "Gelasio",
    "Courier New": "Cousine",
    "Calibri": "Carlito",
    "Helvetica": "Arimo",
    "Times": "Tinos",
    "Courier": "Cousine",
    "Comic Sans MS": "Comic Neue",
    "Impact": "Anton",
    "Garamond": "EB Garamond",
    "sans-serif": "Arimo",
    "serif": "Tinos",
    "monospace": "Cousine",
}

_BY_FOLDED_NAME = {name.casefold(): family for name, family in FAMILIES.items()} | {
    alias.casefold(): FAMILIES[name] for alias, name in ALIASES.items()
}


def find_family(name: str) -> Family:
    """The family of this name or alias (case does not matter).

    Raises:
        FontError: For an unknown name, with the nearest known one, or all if none is near.
    """
    family = _BY_FOLDED_NAME.get(name.casefold())
    if family is None:
        raise FontError(f"The font family {name!r} is not embedded.{did_you_mean(name, [*FAMILIES, *ALIASES])}")
    return family

"""The embedded font families, the names that stand for them, and their typefaces.

Every file is a Latin subset out of the npm packages ``@fontsource/*`` 5.3.0, unmodified, with its licence beside it. The
text layer's ``font`` is a family of :data:`FAMILIES` or a name of :data:`ALIASES`; nothing else is substituted.
"""

from __future__ import annotations

import difflib
import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from designgym.errors import UserError
from designgym.graphics.skia_library import skia, textlayout

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
        FontError: For an unknown name, with the nearest known ones.
    """
    try:
        return _BY_FOLDED_NAME[name.casefold()]
    except KeyError:
        known = {**dict.fromkeys(FAMILIES), **dict.fromkeys(ALIASES)}
        folded = {candidate.casefold(): candidate for candidate in known}
        near = [folded[hit] for hit in difflib.get_close_matches(name.casefold(), folded, n=3, cutoff=0.5)]
        hint = f"nearest are {near}" if near else f"known are {sorted(FAMILIES)}"
        raise FontError(f"The font family {name!r} is not embedded; {hint}.") from None


@dataclass(frozen=True)
class Overhang:
    """How far ink can reach beyond a glyph's origin and advance, in ems: the most over all glyphs of a face."""

    left: float
    """Left of the origin."""
    right: float
    """Right of the advance."""
    above: float
    """Above the baseline."""
    below: float
    """Below the baseline."""


@dataclass(frozen=True)
class Face:
    """One font file, loaded: the name the shaper knows it by, its skia typeface and its overhang."""

    key: str
    weight: int
    typeface: Any
    overhang: Overhang
    characters: frozenset[int]
    """Code points that the file has glyphs for, of the ranges that Latin subsets cover (below U+3000)."""


def load_typeface(path: Path) -> Any:
    """A skia typeface out of a font file.

    Raises:
        FontError: If the file is missing or is not a readable font.
    """
    if not path.is_file():
        raise FontError(f"The font file {path} is missing; install the package again.")
    typeface = skia.FontMgr.New_Custom_Empty().makeFromFile(str(path))
    if typeface is None or typeface.countGlyphs() == 0:
        raise FontError(f"The font file {path} is damaged or not a font; install the package again.")
    return typeface


@functools.cache
def face(family: Family, weight: int = 400, italic: bool = False) -> Face:
    """The loaded face for a family, weight (100 to 900) and slant; each file is read once a process."""
    return _face(family.path(weight, italic), family.nearest(weight))


@functools.cache
def _face(path: Path, weight: int) -> Face:
    typeface = load_typeface(path)
    _provider().registerTypeface(typeface, path.stem)
    return Face(path.stem, weight, typeface, _overhang(typeface), _characters(typeface))


def _overhang(typeface: Any) -> Overhang:
    size = 1000.0
    font = skia.Font(typeface, size)
    font.setHinting(skia.FontHinting.kNone)
    font.setLinearMetrics(True)
    glyphs = list(range(typeface.countGlyphs()))
    boxes, advances = font.getBounds(glyphs), font.getWidths(glyphs)
    return Overhang(
        left=max(0.0, max(-box.left() for box in boxes)) / size,
        right=max(0.0, max(box.right() - advance for box, advance in zip(boxes, advances))) / size,
        above=max(0.0, max(-box.top() for box in boxes)) / size,
        below=max(0.0, max(box.bottom() for box in boxes)) / size,
    )


def _characters(typeface: Any) -> frozenset[int]:
    points = [point for point in range(0x20, 0x3000) if not 0x7F <= point < 0xA0]
    glyphs = skia.Font(typeface, 10.0).textToGlyphs("".join(map(chr, points)))
    return frozenset(point for point, glyph in zip(points, glyphs, strict=True) if glyph)


@functools.cache
def _provider() -> Any:
    return textlayout.TypefaceFontProvider()


@functools.cache
def font_collection() -> Any:
    """The shaper's font collection of this process; it holds the faces that have been loaded and falls back to nothing."""
    collection = textlayout.FontCollection()
    collection.setDefaultFontManager(_provider())
    return collection

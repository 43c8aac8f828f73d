"""Font files as skia typefaces, loaded when first used and kept for the process."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from designgym.graphics.fonts import Family, FontError, Supplement
from designgym.graphics.skia_library import skia, textlayout

# Letters that every embedded face must be able to draw; a damaged file often opens and then yields empty glyphs.
_PROBE = "Hamburgefonstiv 0123456789"


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


def widest(overhangs: Iterable[Overhang]) -> Overhang:
    """The overhang of text in which any of several faces is used; at least one."""
    lefts, rights, aboves, belows = zip(*((o.left, o.right, o.above, o.below) for o in overhangs), strict=True)
    return Overhang(max(lefts), max(rights), max(aboves), max(belows))


@dataclass(frozen=True, eq=False)
class Face:
    """One font file, loaded."""

    key: str
    """The name that the shaper knows it by."""
    weight: int
    typeface: Any = field(repr=False)
    overhang: Overhang

    @functools.cached_property
    def characters(self) -> frozenset[str]:
        """The characters that the file has glyphs for (those below U+3000; the embedded files have none above)."""
        candidates = [chr(point) for point in range(0x20, 0x3000)]
        glyphs = skia.Font(self.typeface, 10.0).textToGlyphs("".join(candidates))
        return frozenset(c for c, glyph in zip(candidates, glyphs, strict=True) if glyph)

    def draws(self, character: str) -> bool:
        """Whether the file has a glyph for one character, of any script."""
        return bool(self.typeface.unicharToGlyph(ord(character)))


@functools.cache
def face(family: Family, weight: int = 400, italic: bool = False) -> Face:
    """The loaded face for a family, weight (100 to 900, nearest embedded one) and slant.

    Raises:
        FontError: If the file is missing or damaged.
    """
    return _load_face(family.path(weight, italic), family.nearest(weight))


@functools.cache
def supplement_face(supplement: Supplement, weight: int = 400) -> Face:
    """The loaded face of a supplement, in the weight nearest to the one asked for.

    Raises:
        FontError: If the file is missing or damaged.
    """
    return _load_face(
        supplement.path(weight), 700 if "-700-" in supplement.path(weight).name else 400, supplement.probe
    )


@functools.cache
def font_collection() -> Any:
    """The shaper's fonts in this process: the faces loaded so far, without a fallback for missing glyphs."""
    collection = textlayout.FontCollection()
    collection.setDefaultFontManager(_provider())
    return collection


def load_typeface(path: Path, probe: str = _PROBE) -> Any:
    """A skia typeface out of a font file.

    Raises:
        FontError: If the file is missing, is not a font that skia reads, or has no ink for the letters to try.
    """
    if not path.is_file():
        raise FontError(f"The font file {path} is missing; install the package again.")
    typeface = _font_manager().makeFromFile(str(path))
    if typeface is not None:
        font = skia.Font(typeface, 100.0)
        glyphs = font.textToGlyphs(probe.replace(" ", ""))
        if all(glyphs) and not any(box.isEmpty() for box in font.getBounds(glyphs)):
            return typeface
    raise FontError(f"The font file {path} is damaged or not a font; install the package again.")


# Regular and italic of a family without italic files share a file: it is loaded once.
@functools.cache
def _load_face(path: Path, weight: int, probe: str = _PROBE) -> Face:
    typeface = load_typeface(path, probe)
    _provider().registerTypeface(typeface, path.stem)
    return Face(path.stem, weight, typeface, _overhang(typeface))


def _overhang(typeface: Any) -> Overhang:
    size = 1000.0
    font = skia.Font(typeface, size)
    font.setHinting(skia.FontHinting.kNone)
    font.setLinearMetrics(True)
    glyphs = list(range(typeface.countGlyphs()))
    boxes, advances = font.getBounds(glyphs), font.getWidths(glyphs)
    return Overhang(
        left=max(0.0, *(-box.left() for box in boxes)) / size,
        right=max(0.0, *(box.right() - advance for box, advance in zip(boxes, advances, strict=True))) / size,
        above=max(0.0, *(-box.top() for box in boxes)) / size,
        below=max(0.0, *(box.bottom() for box in boxes)) / size,
    )


@functools.cache
def _font_manager() -> Any:
    return skia.FontMgr.New_Custom_Empty()


@functools.cache
def _provider() -> Any:
    return textlayout.TypefaceFontProvider()

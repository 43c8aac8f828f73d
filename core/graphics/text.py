"""Text layers: what is drawn of a string, how it breaks into lines, how much room it takes, and painting it.

Layout is made once at page size, without a scale, so lines break at the same places at every rendering scale.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from designgym.graphics.document import TextLayer
from designgym.graphics.fonts import find_family
from designgym.graphics.paint import MITER_LIMIT, fill_paint
from designgym.graphics.skia_library import skia, textlayout
from designgym.graphics.typefaces import Face, face, font_collection

TAB = "    "
_LINE_BREAK = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_DIRECTION_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_NO_INK = frozenset("\n\u200b")
_FAKE_ITALIC_SLANT = 0.25  # the shear that skia's paragraphs give a face without italics


@dataclass(frozen=True)
class TextMeasure:
    """How a text layer breaks and how much room its lines take, in page px before rotation."""

    lines: int
    width: float
    """Advance width of the longest line."""
    height: float
    """Lines times the line height."""


def drawn_text(text: str) -> str:
    r"""What is drawn of a string: every kind of line break as ``\n``, tabs as four spaces, and no control characters.

    Format characters that have no ink (soft hyphens, joiners, direction marks and overrides) are left out too: the
    embedded fonts are Latin, and an override must not make the picture say something else than the string.
    A zero-width space stays, as a place where the line may break.
    """
    if text.isprintable():  # the usual case: none of those characters
        return text
    text = _LINE_BREAK.sub("\n", text).replace("\t", TAB)
    return "".join(c for c in text if c in _NO_INK or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))


def missing_characters(layer: TextLayer) -> str:
    """The distinct characters of the layer that its font has no glyph for, in order; they are drawn as empty boxes.

    Right-to-left and other non-Latin scripts are all reported here, since the embedded fonts are Latin.
    """
    have = layer_face(layer).characters
    return "".join(dict.fromkeys(c for c in drawn_text(layer.text) if c not in _NO_INK and c not in have))


def text_notes(layer: TextLayer) -> tuple[str, ...]:
    """Sentences on what is drawn otherwise than written: missing glyphs, left out characters, a stand-in font."""
    notes = []
    family = find_family(layer.font)
    if family.name.casefold() != layer.font.casefold():
        notes.append(f"The font {layer.font!r} is drawn with its stand-in {family.name!r}.")
    if missing := missing_characters(layer):
        notes.append(f"The font {family.name!r} has no glyphs for {missing!r}; they are drawn as empty boxes.")
    left_out = set(_LINE_BREAK.sub("\n", layer.text).replace("\t", TAB)) - set(drawn_text(layer.text))
    if turned := left_out & _DIRECTION_CONTROLS:
        notes.append(f"Text direction controls ({_code_points(turned)}) are ignored; text runs left to right.")
    if left_out - turned:
        notes.append(f"Characters without ink ({_code_points(left_out - turned)}) are left out.")
    return tuple(notes)


def layer_face(layer: TextLayer) -> Face:
    """The face that draws the layer; ``FontError`` for a family that is not embedded."""
    return face(find_family(layer.font), layer.weight, layer.italic)


def measure_text(layer: TextLayer) -> TextMeasure:
    """Lines, width and height of the layer's text, wrapped to the layer's width."""
    paragraph = build_paragraph(layer)
    lines = round(paragraph.Height / (layer.line_height * layer.size_px))
    return TextMeasure(lines, max(0.0, paragraph.LongestLine), paragraph.Height)


def ink_box(layer: TextLayer, paragraph: Any) -> tuple[float, float, float, float]:
    """A box that no ink of the text can leave: x1, y1, x2, y2, page px from the layer's corner, before rotation.

    ``paragraph`` is the layer's, laid out. It follows from the lines, the face and the stroke.
    """
    over, size = layer_face(layer).overhang, layer.size_px
    longest = max(0.0, paragraph.LongestLine)
    slack = max(0.0, layer.width - longest)
    left = {"left": 0.0, "center": slack / 2, "right": slack, "justify": 0.0}[layer.align]
    right = left + (max(layer.width, longest) if layer.align == "justify" else longest)
    first = paragraph.AlphabeticBaseline
    last = first + max(0.0, paragraph.Height - layer.line_height * size)
    slant_right = _FAKE_ITALIC_SLANT * over.above * size if layer.italic else 0.0
    slant_left = _FAKE_ITALIC_SLANT * over.below * size if layer.italic else 0.0
    # The shaper may shift marks a little, layout rounds the width down, and negative spacing pulls the last glyph out.
    spare = 0.1 * size + 1.0 + max(0.0, -layer.letter_spacing_px)
    if layer.stroke:
        spare += layer.stroke.width_px / 2 * MITER_LIMIT
    return (
        left - over.left * size - slant_left - spare,
        first - over.above * size - spare,
        right + over.right * size + slant_right + spare,
        last + over.below * size + spare,
    )


def build_paragraph(layer: TextLayer, paint: Any | None = None) -> Any:
    """The layer's text shaped, wrapped and aligned at page size; ``paint`` replaces the fill colour."""
    own = layer_face(layer)
    style = textlayout.TextStyle()
    style.setFontFamilies([own.key])
    slant = skia.FontStyle.kItalic_Slant if layer.italic else skia.FontStyle.kUpright_Slant
    # The weight is the file's own, so skia never thickens a face that has no bold.
    style.setFontStyle(skia.FontStyle(own.weight, skia.FontStyle.kNormal_Width, slant))
    style.setFontSize(layer.size_px)
    style.setHeight(layer.line_height)
    style.setHeightOverride(True)
    style.setHalfLeading(True)
    style.setLetterSpacing(layer.letter_spacing_px)
    style.setForegroundPaint(paint if paint is not None else fill_paint(layer.color))
    paragraph_style = textlayout.ParagraphStyle()
    paragraph_style.setTextStyle(style)
    paragraph_style.setTextAlign(_ALIGN[layer.align])
    builder = textlayout.ParagraphBuilder.make(paragraph_style, font_collection(), _unicode())
    builder.pushStyle(style)
    builder.addText(drawn_text(layer.text))
    paragraph = builder.Build()
    paragraph.layout(layer.width)
    return paragraph


@functools.cache
def _unicode() -> Any:
    return skia.Unicodes.ICU.Make()


_ALIGN = {
    "left": textlayout.TextAlign.kLeft,
    "center": textlayout.TextAlign.kCenter,
    "right": textlayout.TextAlign.kRight,
    "justify": textlayout.TextAlign.kJustify,
}


def _code_points(characters: set[str]) -> str:
    return ", ".join(f"U+{ord(c):04X}" for c in sorted(characters))

"""Text layers: what is drawn of a string, how it breaks into lines, how much room it takes, and painting it.

Layout is made once at page size, without a scale, so lines break at the same places at every rendering scale.
"""

from __future__ import annotations

import functools
import unicodedata
from dataclasses import dataclass
from typing import Any

from designgym.graphics.document import TextLayer
from designgym.graphics.fonts import Face, face, find_family, font_collection
from designgym.graphics.skia_library import skia, textlayout

TAB = "    "
_LINE_BREAKS = {"\r\n": "\n", "\r": "\n", "\v": "\n", "\f": "\n", "\u0085": "\n", "\u2028": "\n", "\u2029": "\n"}
_FAKE_ITALIC_SLANT = 0.25  # the shear that skia's paragraphs give a face without italics


@dataclass(frozen=True)
class TextMeasure:
    """How a text layer breaks and how much room its lines take, in page px before rotation."""

    lines: int
    width: float
    """Advance width of the longest line."""
    height: float
    """Lines times the line height."""


@dataclass(frozen=True)
class InkBox:
    """A box, relative to the layer's top left corner before rotation, outside which no ink of the text can lie (page px)."""

    left: float
    top: float
    right: float
    bottom: float


def drawn_text(text: str) -> str:
    """What is drawn of a string: every kind of line break as ``\\n``, tabs as four spaces, and no control characters.

    Format characters that have no ink (soft hyphens, joiners, direction marks and overrides) are left out too: the
    embedded fonts are Latin, and an override must not make the picture say something else than the string.
    A zero-width space stays, as a place where the line may break.
    """
    for old, new in _LINE_BREAKS.items():
        text = text.replace(old, new)
    text = text.replace("\t", TAB)
    return "".join(c for c in text if c in "\n\u200b" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))


def missing_characters(layer: TextLayer) -> str:
    """The distinct characters of the layer that its font has no glyph for, in order; they are drawn as empty boxes.

    Right-to-left and other non-Latin scripts are all reported here, since the embedded fonts are Latin.
    """
    have = layer_face(layer).characters
    return "".join(dict.fromkeys(c for c in drawn_text(layer.text) if c not in "\n\u200b" and ord(c) not in have))


def layer_face(layer: TextLayer) -> Face:
    """The face that draws the layer; ``FontError`` for a family that is not embedded."""
    return face(find_family(layer.font), layer.weight, layer.italic)


def measure_text(layer: TextLayer) -> TextMeasure:
    """Lines, width and height of the layer's text, wrapped to the layer's width."""
    paragraph = build_paragraph(layer)
    lines = round(paragraph.Height / (layer.line_height * layer.size_px))
    return TextMeasure(lines, max(0.0, paragraph.LongestLine), paragraph.Height)


def ink_box(layer: TextLayer, paragraph: Any) -> InkBox:
    """The room that ink of the laid out text can take, from the face's overhang; stroke included."""
    over, size = layer_face(layer).overhang, layer.size_px
    longest = max(0.0, paragraph.LongestLine)
    slack = max(0.0, layer.width - longest)
    left = {"left": 0.0, "center": slack / 2, "right": slack, "justify": 0.0}[layer.align]
    right = left + (max(layer.width, longest) if layer.align == "justify" else longest)
    pitch = layer.line_height * size
    first = paragraph.AlphabeticBaseline
    last = first + max(0.0, paragraph.Height - pitch)
    slant = _FAKE_ITALIC_SLANT * size if layer.italic else 0.0
    stroke = layer.stroke.width_px / 2 if layer.stroke else 0.0
    # Marks and ligatures may be shifted by the shaper, and negative spacing pulls glyphs out of the measured line.
    spare = 0.1 * size + stroke + max(0.0, -layer.letter_spacing_px)
    return InkBox(
        left - over.left * size - slant - spare,
        first - over.above * size - spare,
        right + over.right * size + slant + spare,
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


def fill_paint(color: str) -> Any:
    """An anti-aliased skia paint of a ``#rrggbb`` or ``#rrggbbaa`` colour."""
    return skia.Paint(AntiAlias=True, Color=skia_color(color))


def stroke_paint(color: str, width_px: float) -> Any:
    """An anti-aliased outline paint, mitred up to skia's limit of 4."""
    return skia.Paint(AntiAlias=True, Color=skia_color(color), Style=skia.Paint.kStroke_Style, StrokeWidth=width_px)


@functools.lru_cache(maxsize=4096)
def skia_color(color: str) -> int:
    """A skia colour integer (0xAARRGGBB) of a ``#rrggbb`` or ``#rrggbbaa`` string."""
    rgb, alpha = color[1:7], color[7:9] or "ff"
    return int(alpha + rgb, 16)


@functools.cache
def _unicode() -> Any:
    return skia.Unicodes.ICU.Make()


_ALIGN = {
    "left": textlayout.TextAlign.kLeft,
    "center": textlayout.TextAlign.kCenter,
    "right": textlayout.TextAlign.kRight,
    "justify": textlayout.TextAlign.kJustify,
}

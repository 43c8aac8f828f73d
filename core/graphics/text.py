"""Text layers: what is drawn of a string, how it breaks into lines, how much room it takes, and painting it.

Layout is made once at page size, without a scale, so lines break at the same places at every rendering scale.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from designgym.graphics.document import Align, Stroke, TextLayer
from designgym.graphics.fonts import find_family
from designgym.graphics.paint import MITER_LIMIT, fill_paint, stroke_paint
from designgym.graphics.scripts import (
    JOINERS,
    MARKS,
    RIGHT_TO_LEFT_EMBEDDING,
    SELECTORS,
    is_shaped,
    runs_right_to_left,
    supplementing_faces,
    with_directions,
)
from designgym.graphics.skia_library import skia, textlayout
from designgym.graphics.typefaces import Face, face, font_collection, widest

TAB = "    "
_LAYOUT_SIZE = 1024.0  # least font size at which text is laid out
_LINE_BREAK = re.compile("\r\n|[\r\v\f\x85\u2028\u2029]")
_SPACES = re.compile(r"(\s+)")
_DIRECTION_CONTROLS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_NO_INK = frozenset("\n\u200b")
_NO_GLYPH = _NO_INK | JOINERS | MARKS | SELECTORS
_FAKE_ITALIC_SLANT = 0.25  # the shear that skia's paragraphs give a face without italics


@dataclass(frozen=True)
class TextMeasure:
    """How a text layer breaks and how much room its lines take, in page px before rotation."""

    lines: int
    width: float
    """Advance width of the longest line, before it is justified."""
    height: float
    """Lines times the line height."""


def drawn_text(text: str) -> str:
    r"""What is drawn of a string: every kind of line break as ``\n``, tabs as four spaces, and no control characters.

    Format characters that have no ink (soft hyphens, direction overrides and others) are left out too: an override must
    not make the picture say something else than the string. Joiners and direction marks stay where there are letters
    that they work on (see ``designgym.graphics.scripts``), a zero-width space everywhere: the line may break there.
    """
    if text.isprintable():  # the usual case: none of those characters
        return text
    text = _LINE_BREAK.sub("\n", text).replace("\t", TAB)
    kept = _NO_INK | JOINERS | MARKS if is_shaped(text) else _NO_INK
    return "".join(c for c in text if c in kept or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))


def missing_characters(layer: TextLayer) -> str:
    """The distinct characters of the layer that no embedded font draws, in order; empty boxes stand for them.

    Hebrew, Arabic and emoji are drawn with any font; the other non-Latin scripts are all reported here.
    """
    text = drawn_text(layer.text)
    lacking = _lacking(layer_face(layer), text)
    faces = supplementing_faces(lacking, layer.weight)
    return "".join(dict.fromkeys(c for c in text if c in lacking and not any(face.draws(c) for face in faces)))


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
        notes.append(f"Text direction controls ({_code_points(turned)}) are ignored.")
    if layer.align == "justify" and _has_right_to_left(drawn_text(layer.text)):
        notes.append("Text that runs right to left is not justified; it is aligned right.")
    if left_out - turned:
        notes.append(f"Characters without ink ({_code_points(left_out - turned)}) are left out.")
    return tuple(notes)


def layer_face(layer: TextLayer) -> Face:
    """The face that draws the layer; ``FontError`` for a family that is not embedded."""
    return face(find_family(layer.font), layer.weight, layer.italic)


@dataclass(frozen=True, eq=False)
class TextLayout:
    """A text layer's lines, laid out. Lengths are page px from the layer's top left corner, before rotation."""

    layer: TextLayer
    measure: TextMeasure
    first_baseline: float
    faces: tuple[Face, ...]
    """The layer's own face, and those that draw what it lacks."""
    align: Align
    _paragraph: Any
    _units: float

    def paint(self, canvas: Any) -> None:
        """Draw the text on a skia canvas with the layer's corner at the origin."""
        canvas.save()
        canvas.scale(1 / self._units, 1 / self._units)
        self._paragraph.paint(canvas, 0, 0)
        canvas.restore()

    @property
    def ink_box(self) -> tuple[float, float, float, float]:
        """A box that no ink of the text can leave, as x1, y1, x2, y2: it follows from lines, face and stroke."""
        layer, longest = self.layer, self.measure.width
        over = widest(face.overhang for face in self.faces)
        slack = max(0.0, layer.width - longest)
        left = {"left": 0.0, "center": slack / 2, "right": slack, "justify": 0.0}[self.align]
        right = left + (max(layer.width, longest) if self.align == "justify" else longest)
        last_baseline = self.first_baseline + self.measure.height * (1 - 1 / self.measure.lines)
        slant = _FAKE_ITALIC_SLANT * layer.size_px if layer.italic else 0.0
        # The shaper may shift marks a little.
        spare = 0.1 * layer.size_px + (layer.stroke.width_px / 2 * MITER_LIMIT if layer.stroke else 0.0)
        # Tight spacing can pull every glyph back over its predecessor, out of the line on either side.
        pulled = spare + max(0.0, -layer.letter_spacing_px) * len(layer.text)
        return (
            left - over.left * layer.size_px - slant * over.below - pulled,
            self.first_baseline - over.above * layer.size_px - spare,
            right + over.right * layer.size_px + slant * over.above + pulled,
            last_baseline + over.below * layer.size_px + spare,
        )


def measure_text(layer: TextLayer) -> TextMeasure:
    """Lines, width and height of the layer's text, wrapped to the layer's width."""
    return lay_out(layer).measure


def lay_out(
    layer: TextLayer, outline: Stroke | None = None, word_color: Callable[[int], str] | None = None
) -> TextLayout:
    """Shape, wrap and align the layer's text; with ``outline`` its glyphs are outlined instead of filled.

    With ``word_color`` each word, counted as in ``drawn_text(layer.text).split()``, has a colour of its own.

    Raises:
        FontError: For a family that is not embedded.
    """
    own = layer_face(layer)
    text = drawn_text(layer.text)
    faces = (own, *supplementing_faces(_lacking(own, text), layer.weight))
    # Skia would set the last line of justified text at the left, whichever way it runs.
    align: Align = "right" if layer.align == "justify" and _has_right_to_left(text) else layer.align
    # The shaper rounds widths and line heights to whole units, so it gets units much finer than a pixel.
    units = 2.0 ** max(0, math.ceil(math.log2(_LAYOUT_SIZE / layer.size_px)))
    style = textlayout.TextStyle()
    style.setFontFamilies([face.key for face in faces])
    slant = skia.FontStyle.kItalic_Slant if layer.italic else skia.FontStyle.kUpright_Slant
    # The weight is the file's own, so skia never thickens a face that has no bold.
    style.setFontStyle(skia.FontStyle(own.weight, skia.FontStyle.kNormal_Width, slant))
    style.setFontSize(layer.size_px * units)
    style.setHeight(layer.line_height)
    style.setHeightOverride(True)
    style.setHalfLeading(True)
    style.setLetterSpacing(layer.letter_spacing_px * units)
    style.setForegroundPaint(_ink(outline.color if outline else layer.color, outline, units))
    paragraph_style = textlayout.ParagraphStyle()
    paragraph_style.setTextStyle(style)
    paragraph_style.setTextAlign(_ALIGN[align])
    if len(faces) > 1:
        paragraph_style.setStrutStyle(_strut(layer, own, units))
    builder = textlayout.ParagraphBuilder.make(paragraph_style, font_collection(), _unicode())
    builder.pushStyle(style)
    if word_color is None:
        builder.addText(with_directions(text))
    else:
        count = 0
        for piece in _SPACES.split(with_directions(text)):
            if piece.strip(RIGHT_TO_LEFT_EMBEDDING).strip():
                style.setForegroundPaint(_ink(word_color(count), outline, units))
                builder.pushStyle(style)
                builder.addText(piece)
                builder.pop()
                count += 1
            else:
                builder.addText(piece)
    paragraph = builder.Build()
    # The width is rounded down; one unit more lets a layer be exactly as wide as its text was measured.
    paragraph.layout(layer.width * units + 1)
    lines = max(1, round(paragraph.Height / round(layer.line_height * layer.size_px * units)))
    measure = TextMeasure(lines, max(0.0, paragraph.LongestLine) / units, lines * layer.line_height * layer.size_px)
    return TextLayout(layer, measure, paragraph.AlphabeticBaseline / units, faces, align, paragraph, units)


def _ink(color: str, outline: Stroke | None, units: float) -> Any:
    return stroke_paint(replace(outline, color=color), units) if outline else fill_paint(color)


def _strut(layer: TextLayer, own: Face, units: float) -> Any:
    """Makes lines as high as the layer's own font makes them, whatever other faces are in them."""
    strut = textlayout.StrutStyle()
    strut.setFontFamilies([own.key])
    strut.setFontSize(layer.size_px * units)
    strut.setHeight(layer.line_height)
    strut.setHeightOverride(True)
    strut.setHalfLeading(True)
    strut.setStrutEnabled(True)
    strut.setForceStrutHeight(True)
    return strut


def _lacking(own: Face, text: str) -> frozenset[str]:
    """The characters of a text that need a glyph and have none in the layer's own face."""
    return frozenset() if text.isascii() else frozenset(text) - own.characters - _NO_GLYPH


def _has_right_to_left(text: str) -> bool:
    return any(map(runs_right_to_left, text.split("\n")))


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

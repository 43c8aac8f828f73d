"""Hebrew, Arabic and emoji in text layers: which face draws them, which way lines run, and what is said of them."""

from __future__ import annotations

import numpy as np
import pytest

from designgym.graphics.document import Align, Document, TextLayer
from designgym.graphics.raster import rasterize
from designgym.graphics.scripts import runs_right_to_left
from designgym.graphics.text import drawn_text, lay_out, measure_text, missing_characters, text_notes

PAGE = (640, 400)


def text(content: str, **fields: object) -> TextLayer:
    defaults = {"id": "t", "width": 600, "height": 100, "text": content, "size_px": 40, "font": "Arimo"}
    return TextLayer(**{**defaults, **fields})  # type: ignore[arg-type]


def ink(layer: TextLayer) -> np.ndarray:
    """The layer's alpha on the page, uint8 (H, W)."""
    alpha = np.zeros(PAGE[::-1], np.uint8)
    image = rasterize(layer, Document(*PAGE))
    assert image.pixels is not None
    x1, y1, x2, y2 = image.box
    alpha[y1:y2, x1:x2] = image.pixels[..., 3]
    return alpha


def columns(alpha: np.ndarray) -> np.ndarray:
    return np.flatnonzero(alpha.any(axis=0))


def width(content: str) -> float:
    return measure_text(text(content)).width


def test_hebrew_runs_from_right_to_left() -> None:
    alpha = ink(text("לוו"))  # the tall letter is the first one
    left, right = columns(alpha)[[0, -1]]
    top = int(np.flatnonzero(alpha.any(axis=1))[0])
    tall = columns(alpha[top : top + 4])
    assert tall.min() > (left + right) / 2


@pytest.mark.parametrize(("content", "end"), [("לו.", "left"), ("abc.", "right"), ("abc לו.", "right")])
def test_the_full_stop_stands_at_the_end_of_the_lines_own_direction(content: str, end: str) -> None:
    alpha = ink(text(content))
    where = columns(alpha)
    bottom = int(np.flatnonzero(alpha.any(axis=1))[-1])
    edge = alpha[:, where[0] : where[0] + 3] if end == "left" else alpha[:, where[-1] - 2 : where[-1] + 1]
    rows = np.flatnonzero(edge.any(axis=1))
    assert rows.min() > bottom - 8  # the outermost ink is a dot on the baseline


def test_numbers_and_latin_words_within_hebrew_stay_left_to_right() -> None:
    # Base direction right to left: the word comes out at the left of the Hebrew letters, itself unturned.
    both, hebrew, latin = ink(text("לו AV")), ink(text("לו")), ink(text("AV"))
    start, end = columns(latin)[[0, -1]]
    shape = latin[:, start : end + 1]
    first = columns(both)[0]
    assert np.array_equal(both[:, first : first + shape.shape[1]] > 128, shape > 128)
    assert columns(both)[-1] - first > columns(hebrew)[-1] - columns(hebrew)[0] + end - start


def test_each_line_has_its_own_direction() -> None:
    assert [runs_right_to_left(line) for line in ("123 שלום", "abc שלום", "مرحبا abc", "123", "")] == [
        True,
        False,
        True,
        False,
        False,
    ]
    alpha = ink(text("abc.\nלו."))
    for rows, side in ((alpha[:48], -1), (alpha[48:96], 0)):
        edge = columns(rows)[side]
        dot = np.flatnonzero(rows[:, edge])
        assert len(dot) < 8 and dot.min() > 25


def test_arabic_letters_join_unless_a_joiner_forbids_it() -> None:
    assert width("ببب") < 0.8 * 3 * width("ب")
    assert width("ب\u200cب") == pytest.approx(2 * width("ب"), rel=0.05)
    joined = columns(ink(text("ببب")))
    assert len(joined) == joined[-1] - joined[0] + 1  # one stroke without a gap


@pytest.mark.parametrize("content", ["שלום עולם", "مرحبا بالعالم"])
def test_alignment_is_physical_for_every_script(content: str) -> None:
    edges = {}
    sides: tuple[Align, ...] = ("left", "center", "right")
    for align in sides:
        where = columns(ink(text(content, align=align)))
        edges[align] = (int(where[0]), 600 - int(where[-1]) - 1)
    assert edges["left"][0] < 6 and edges["right"][1] < 6
    assert abs(edges["center"][0] - edges["center"][1]) <= 6


def test_right_to_left_text_is_not_justified_but_aligned_right_and_that_is_said() -> None:
    words = "שלום עולם מה שלומך היום בבוקר"
    justified = text(words, width=260, align="justify")
    assert np.array_equal(ink(justified), ink(text(words, width=260, align="right")))
    assert text_notes(justified) == ("Text that runs right to left is not justified; it is aligned right.",)


@pytest.mark.parametrize("content", ["שלום", "مرحبا", "🎉", "Party 🎉 שלום"])
@pytest.mark.parametrize("font", ["Arimo", "Bebas Neue", "Pacifico"])
def test_lines_are_as_high_as_the_layers_own_font_makes_them(content: str, font: str) -> None:
    lines = text(f"{content}\n{content}\n{content}", font=font)
    latin = text("Hx\nHx\nHx", font=font)
    assert measure_text(lines).lines == 3
    assert measure_text(lines).height == measure_text(latin).height
    assert lay_out(lines).first_baseline == pytest.approx(lay_out(latin).first_baseline, abs=0.6)


@pytest.mark.parametrize("weight", [400, 700])
@pytest.mark.parametrize("content", ["שָׁלוֹם לך", "السَّلَامُ عَلَيْكُمْ ﷽", "🎉🍕👩🏽‍🚀", "ab 🎉 שלום"])
@pytest.mark.parametrize("italic", [False, True])
def test_no_ink_leaves_the_ink_box(content: str, weight: int, italic: bool) -> None:
    layer = text(content, x=150, y=150, width=400, weight=weight, italic=italic)
    x1, y1, x2, y2 = lay_out(layer).ink_box
    alpha = ink(layer)
    rows, where = np.flatnonzero(alpha.any(axis=1)), columns(alpha)
    # The layer's image is as large as the ink box: ink at its border would have been cut off.
    assert where[0] > 150 + x1 and where[-1] + 1 < 150 + x2
    assert rows[0] > 150 + y1 and rows[-1] + 1 < 150 + y2


def test_bold_hebrew_and_arabic_are_bolder() -> None:
    for content in ("שלום", "مرحبا"):
        assert ink(text(content, weight=700)).sum() > 1.15 * ink(text(content)).sum()


def test_emoji_are_drawn_as_outlines_in_the_colour_of_the_text() -> None:
    image = rasterize(text("🎉🍕", color="#00ff00"), Document(*PAGE))
    assert image.pixels is not None
    solid = image.pixels[image.pixels[..., 3] == 255]
    assert len(solid) > 50 and (solid[:, :3] == (0, 255, 0)).all()


@pytest.mark.parametrize("sequence", ["👩🏽‍🚀", "👨‍👩‍👧", "❤️", "👍🏿", "🏳️‍🌈"])
def test_sequences_of_emoji_are_one_picture(sequence: str) -> None:
    assert width(sequence) == pytest.approx(width("🎉"), rel=0.05)
    assert missing_characters(text(sequence)) == "" and text_notes(text(sequence)) == ()


def test_what_the_layers_own_font_has_is_drawn_with_it() -> None:
    assert [face.key for face in lay_out(text("#1 © 100 % naïve")).faces] == ["arimo-latin-400-normal"]
    assert [face.key for face in lay_out(text("1 🎉 ב")).faces] == [
        "arimo-latin-400-normal",
        "noto-sans-hebrew-hebrew-400-normal",
        "noto-emoji-emoji-400-normal",
    ]


def test_overrides_are_left_out_and_marks_and_joiners_stay_where_they_matter() -> None:
    assert drawn_text("a\u202ebc\u202c\u200f\u200d") == "abc"
    assert drawn_text("\u202eאב\u202c\u200f!\u00ad") == "אב\u200f!"
    assert drawn_text("👩\u200d🚀 می\u200cخواهم") == "👩\u200d🚀 می\u200cخواهم"
    assert "U+202E" in text_notes(text("\u202eאב"))[0]


def test_other_scripts_are_still_reported() -> None:
    assert missing_characters(text("שלום 漢 مرحبا ไ 🎉")) == "漢ไ"

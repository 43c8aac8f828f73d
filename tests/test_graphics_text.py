"""Text: lines, widths, what is drawn of odd characters, and what is reported."""

import dataclasses

import numpy as np
import pytest

from designgym.graphics.document import Document, Stroke, TextLayer
from designgym.graphics.raster import rasterize
from designgym.graphics.render import render
from designgym.graphics.text import drawn_text, lay_out, measure_text, missing_characters, text_notes


def text(content: str, **fields) -> TextLayer:
    return TextLayer(id="t", **{"width": 600, "height": 100, "text": content, "size_px": 20, "font": "Arimo", **fields})


def ink(layer: TextLayer) -> np.ndarray:
    """The layer's alpha on a 640 x 400 page."""
    alpha = np.zeros((400, 640), np.uint8)
    image = rasterize(layer, Document(640, 400))
    x1, y1, x2, y2 = image.box
    alpha[y1:y2, x1:x2] = image.pixels[..., 3]
    return alpha


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("Grand\nOpening", 2),
        ("A\r\nB", 2),
        ("A\rB", 2),
        ("A\u2028B", 2),
        ("A\u0085B", 2),
        ("end\n", 2),
        ("\n\n", 3),
        ("A\tB", 1),
        ("", 1),
    ],
)
def test_every_kind_of_line_break_breaks_the_line(content, lines):
    measure = measure_text(text(content))
    assert measure.lines == lines
    assert measure.height == pytest.approx(lines * 24)


@pytest.mark.parametrize(
    "character", ["\n", "\r", "\t", "\x00", "\x07", "\x7f", "\u200b", "\u00ad", "\u202e", "\ufeff"]
)
def test_characters_without_a_picture_leave_no_ink_and_no_box(character):
    assert ink(text(character + " ")).max() == 0


def test_text_around_removed_characters_is_drawn_as_if_they_were_not_there():
    plain = ink(text("softhyphen"))
    for content in ("soft\u00adhyphen", "soft\x00hyphen", "soft\u200dhyphen", "\u202esofthyphen\u202c"):
        np.testing.assert_array_equal(ink(text(content)), plain)
    assert drawn_text("A\tB") == "A    B"


def test_a_zero_width_space_lets_a_line_break():
    assert measure_text(text("zero\u200bwidth", width=60)).lines == 2
    assert measure_text(text("zero\u200bwidth")).width == pytest.approx(measure_text(text("zerowidth")).width, abs=0.1)


def test_the_second_line_lies_one_line_height_below_the_first():
    alpha = ink(text("H\nH", line_height=1.7))
    rows = np.flatnonzero(alpha.any(axis=1))
    starts = rows[np.flatnonzero(np.diff(rows, prepend=-2) > 1)]
    assert np.diff(starts).tolist() == [34]


def test_a_larger_line_height_adds_half_its_room_above_and_half_below():
    tops = [np.flatnonzero(ink(text("H", size_px=100, line_height=height)).any(axis=1))[0] for height in (1, 2)]
    assert tops[1] - tops[0] == pytest.approx(50, abs=1)


def test_width_is_the_sum_of_the_fonts_advances_with_kerning():
    # Arimo has Arial's advances: A and V are 1366 of 2048 units. The pair AV is kerned by -152 of them (Arial's table).
    assert measure_text(text("A", size_px=100)).width == pytest.approx(100 * 1366 / 2048, abs=0.1)
    kerned = measure_text(text("AV", size_px=100)).width
    assert kerned == pytest.approx(100 * (2 * 1366 - 152) / 2048, abs=0.1)


def test_letter_spacing_adds_its_width_to_every_letter():
    plain, spaced = measure_text(text("HHHH")).width, measure_text(text("HHHH", letter_spacing_px=5)).width
    assert spaced - plain == pytest.approx(20, abs=0.1)


def test_text_wraps_at_the_layers_width_and_fits_the_width_it_was_measured_at():
    content = "Hello, world of typography"
    width = measure_text(text(content)).width
    assert measure_text(text(content, width=width)).lines == 1
    assert measure_text(text(content, width=width - 1)).lines == 2
    assert measure_text(text("Unbreakable", width=30)).lines > 1


@pytest.mark.parametrize("scale", [0.11, 0.5, 1.0, 3.0])
def test_lines_break_at_the_same_places_at_every_scale(scale):
    layer = text("Doors open at seven. Bring a blanket, a friend and good ears.", width=200, size_px=17.3)
    rows = (render(Document(210, 140, layers=(layer,)), scale).min(axis=(1, 2)) < 200).astype(float)
    whole = (render(Document(210, 140, layers=(layer,)), 1.0).min(axis=(1, 2)) < 200).astype(float)
    bottom = np.flatnonzero(rows)[-1] / len(rows)
    assert bottom == pytest.approx(np.flatnonzero(whole)[-1] / len(whole), abs=0.02 + 1.5 / len(rows))  # a line is 0.15


def test_text_twice_as_large_breaks_the_same_way():
    layer = text("The quick brown fox jumps over the lazy dog, again and again", width=171, size_px=13)
    assert measure_text(layer).lines == measure_text(dataclasses.replace(layer, width=342, size_px=26)).lines


def test_alignment_puts_the_line_left_right_or_in_the_middle():
    edges = {}
    for align in ("left", "center", "right"):
        columns = np.flatnonzero(ink(text("HHH", align=align)).any(axis=0))
        edges[align] = (int(columns[0]), 600 - int(columns[-1]) - 1)
    assert edges["left"][0] == edges["right"][1] <= 3
    assert abs(edges["center"][0] - edges["center"][1]) <= 1


def test_justified_lines_end_at_the_right_edge_except_the_last():
    layer = text("Doors open at seven. Bring a blanket and a friend who sings", width=180, align="justify")
    alpha = ink(layer)
    lines = measure_text(layer).lines
    ends = [int(np.flatnonzero(alpha[24 * i : 24 * (i + 1)].any(axis=0))[-1]) for i in range(lines)]
    assert lines >= 3
    assert min(ends[:-1]) >= 176
    assert ends[-1] < 170


def test_bold_is_bolder_only_where_a_bold_file_ships():
    assert ink(text("HHH", weight=700)).sum() > 1.2 * ink(text("HHH")).sum()
    np.testing.assert_array_equal(ink(text("HHH", font="Lobster", weight=700)), ink(text("HHH", font="Lobster")))


@pytest.mark.parametrize("font", ["Arimo", "Oswald"])
def test_italics_lean_whether_their_files_ship_or_not(font):
    alpha = ink(text("l", font=font, italic=True, size_px=100))
    rows = np.flatnonzero(alpha.any(axis=1))
    top, bottom = (np.flatnonzero(alpha[row] > 100).mean() for row in (rows[3], rows[-4]))
    assert top - bottom > 10


def test_a_stroke_makes_the_letters_wider_by_half_its_width_on_each_side():
    plain = np.flatnonzero(ink(text("H", x=50, size_px=100)).any(axis=0))
    outlined = np.flatnonzero(ink(text("H", x=50, size_px=100, stroke=Stroke("#ff0000", 6))).any(axis=0))
    assert abs(plain[0] - outlined[0] - 3) <= 1
    assert abs(outlined[-1] - plain[-1] - 3) <= 1


def test_missing_glyphs_are_reported_once_each_and_line_breaks_are_not():
    assert missing_characters(text("1\n日本 日 \u200b★")) == "日本★"
    assert missing_characters(text("plain")) == ""
    assert missing_characters(text("हिन्दी 123 ไทย")) == "हिन्दीไทย"


def test_notes_tell_stand_ins_missing_glyphs_direction_controls_and_left_out_characters():
    assert text_notes(text("plain\tand\nsimple")) == ()
    assert text_notes(text("x", font="Arial")) == ("The font 'Arial' is drawn with its stand-in 'Arimo'.",)
    notes = text_notes(text("\u202eabc\u202c \x00 日"))
    assert [note.split()[0] for note in notes] == ["The", "Text", "Characters"]
    assert "U+202C, U+202E" in notes[1]
    assert "U+0000" in notes[2]


@pytest.mark.parametrize("size", [1, 1.7, 33.3, 777, 2000])
@pytest.mark.parametrize("lines", [1, 7, 1999])
def test_lines_are_counted_right_at_every_size_and_length(size, lines):
    assert measure_text(text("\n" * (lines - 1), size_px=size, line_height=1.37)).lines == lines


def test_layout_says_where_the_first_baseline_is():
    rows = np.flatnonzero(ink(text("H", size_px=100)).any(axis=1))
    assert lay_out(text("H", size_px=100)).first_baseline == pytest.approx(rows[-1] + 1, abs=1)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_text_and_its_stroke_have_the_colours_that_were_asked_for(scale):
    layer = text("I", size_px=300, height=400, font="Anton", color="#c83214", stroke=Stroke("#1464f0", 20))
    image = render(Document(640, 400, layers=(layer,)), scale).reshape(-1, 3)
    colors, counts = np.unique(image, axis=0, return_counts=True)
    frequent = {tuple(color) for color in colors[np.argsort(counts)[-3:]].tolist()}
    assert frequent == {(255, 255, 255), (200, 50, 20), (20, 100, 240)}

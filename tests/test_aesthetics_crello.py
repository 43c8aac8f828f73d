"""Crello files: what is read out of them, what a document shows of it, and that writing loses nothing."""

from __future__ import annotations

import dataclasses
import logging
import math
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from crello_shape import TYPES, background, design, element, png, v4_fields, v5_fields, write

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sources.crello import CrelloDesign, design_of, read_crello, write_crello
from designgym.envs.aesthetics.sources.crello_columns import read_columns
from designgym.envs.aesthetics.sources.crello_edits import record_of
from designgym.envs.aesthetics.sources.crello_files import RowFile, data_files
from designgym.envs.aesthetics.sources.crello_fonts import stand_in
from designgym.envs.aesthetics.sources.crello_text import read_color, split_lines, write_color
from designgym.envs.aesthetics.sources.text_lines import line_numbers
from designgym.errors import UserError
from designgym.graphics.document import Document, Group, ImageLayer, ShapeLayer, TextLayer
from designgym.graphics.render import render


def only(path: Path, **how: bool) -> CrelloDesign:
    (found,) = read_crello(path, **how)
    return found


def drawn(tmp_path: Path, *elements: dict, **changes: object) -> CrelloDesign:
    return only(write(tmp_path / "test-00000-of-00001.parquet", [design(*elements, **changes)]), strict=True)


HARD = (
    background(),
    element("ImageElement", left=-150.0, top=-20.0, width=800.0, height=10.5, angle=33.3, opacity=0.25),
    element("SvgElement", left=5000.0, color=["rgba(1, 2, 3, 0.5)", "rgba(9, 9, 9, 1)"]),
    element("SvgMaskElement", width=0.0),
    element("SvgElement", height=0.0, image={"bytes": b"not read", "path": None}),
    element(
        "TextElement",
        text="Big\nSummer sale",
        font=3,
        capitalize=True,
        line_height=1.5,
        letter_spacing=2.25,
        text_color=["rgba(255, 0, 0, 1)"] * 4 + ["rgba(0, 0, 255, 0.5)"] * 11,
        font_bold=[True] * 4 + [False] * 11,
        font_italic=[True] * 9,
        text_line=[0] * 4 + [1] * 7 + [2] * 4,
    ),
    element("TextElement", text="שלום עולם", top=200.0),
    element("TextElement", text="odd", font_bold=[], font_italic=[True] * 9, text_color=[], text_line=[0]),
    element("TextElement", text="  \n "),
)


def test_a_design_that_is_read_written_and_read_again_is_equal(tmp_path: Path) -> None:
    first = drawn(tmp_path, *HARD)
    write_crello([first], tmp_path / "again" / "train-00000-of-00001.parquet")
    again = only(tmp_path / "again", strict=True)
    assert again == first
    assert again.record == first.record
    assert again.record["image"][2]["bytes"] == png()


def test_writing_keeps_the_types_of_the_file_that_is_passed(tmp_path: Path) -> None:
    source = write(tmp_path / "test.parquet", [design(*HARD)])
    write_crello([only(source)], tmp_path / "new.parquet", RowFile(source).columns)
    old, new = pq.read_schema(source), pq.read_schema(tmp_path / "new.parquet")
    assert new.remove_metadata() == old.remove_metadata()
    assert read_columns(new, "")["type"].labels == read_columns(old, "")["type"].labels
    assert only(tmp_path / "new.parquet") == only(source)


def test_a_record_of_an_unedited_document_is_the_record(tmp_path: Path) -> None:
    read = drawn(tmp_path, *HARD)
    assert record_of(read.document, read.record) == read.record


def test_element_types_are_read_from_the_files_own_names(tmp_path: Path) -> None:
    turned = list(reversed(TYPES))
    rows = [design(element("TextElement", turned, text="word"), element("ImageElement", turned))]
    read = only(write(tmp_path / "test.parquet", rows, v5_fields(turned)))
    assert [type(layer) for layer in read.document.layers] == [TextLayer, ImageLayer]
    assert read.record["type"] == ["TextElement", "ImageElement"]


def test_canvas_keywords_and_background_are_read(tmp_path: Path) -> None:
    read = drawn(tmp_path, background(), element("ImageElement"))
    assert (read.id, read.title, read.keywords) == ("5bd1c850", "Summer sale", ("summer", "sale", "beach"))
    assert (read.document.width, read.document.height, read.document.background) == (400, 300, "#faf0e6")
    assert [layer.id for layer in read.document.layers] == ["element-1"]


def test_pictures_lie_where_the_record_says_turned_about_their_centre(tmp_path: Path) -> None:
    red = {"bytes": png((255, 0, 0, 255)), "path": None}
    read = drawn(
        tmp_path, element("ImageElement", left=150.0, top=140.0, width=100.0, height=20.0, angle=90.0, image=red)
    )
    page = render(read.document)
    is_red = (page == (255, 0, 0)).all(axis=-1)
    rows, columns = np.nonzero(is_red)
    assert (columns.min(), columns.max(), rows.min(), rows.max()) == (190, 209, 100, 199)


def test_opacity_negative_places_and_elements_across_the_edge_are_drawn(tmp_path: Path) -> None:
    black = {"bytes": png((0, 0, 0, 255)), "path": None}
    read = drawn(
        tmp_path,
        element("ImageElement", left=-50.0, top=-50.0, width=60.0, height=60.0, opacity=0.5, image=black),
        element("ImageElement", left=390.0, top=290.0, width=500.0, height=500.0, image=black),
    )
    page = render(read.document)
    assert abs(int(page[5, 5, 0]) - 128) <= 1
    assert page[295, 395].tolist() == [0, 0, 0]
    assert page[100, 100].tolist() == [255, 255, 255]


def test_what_has_no_area_or_lies_beside_the_page_is_left_out_and_noted(tmp_path: Path) -> None:
    read = drawn(tmp_path, *HARD[:5])
    assert [layer.id for layer in read.document.layers] == ["element-1"]
    assert read.notes == (
        "element 2: it lies beside the page and is left out.",
        "element 3: without area, it is left out.",
        "element 4: without area, it is left out.",
    )


def test_a_text_takes_the_style_of_most_characters_and_the_lines_of_the_record(tmp_path: Path) -> None:
    read = drawn(tmp_path, dict(HARD[5], width=300.0))
    (layer,) = read.document.layers
    assert isinstance(layer, TextLayer)
    assert layer.text == "BIG\nSUMMER\nSALE"
    assert (layer.color, layer.weight, layer.italic) == ("#0000ff80", 400, True)
    assert (layer.line_height, layer.letter_spacing_px, layer.font) == (1.5, 2.25, "Open Sans")
    said = " ".join(read.notes)
    assert "weight and colour of most characters" in said
    assert "'No Such Font' is drawn with 'Open Sans'" in said
    assert "font_italic count other characters" in said


def test_missing_runs_leave_plain_black_text(tmp_path: Path) -> None:
    plain = element("TextElement", text="odd", font_bold=[], font_italic=[], text_color=[], text_line=[])
    (layer,) = drawn(tmp_path, plain).document.layers
    assert isinstance(layer, TextLayer)
    assert (layer.text, layer.color, layer.weight, layer.italic) == ("odd", "#000000", 400, False)


def test_lines_never_wrap_further_than_the_record_says(tmp_path: Path) -> None:
    long = element("TextElement", text="a headline that is far too long", width=90.0, font_size=40.0)
    read = drawn(tmp_path, long)
    (layer,) = read.document.layers
    assert isinstance(layer, TextLayer)
    from designgym.graphics.text import measure_text

    assert measure_text(layer).lines == 1
    assert layer.size_px < 40
    assert "keep to the width" in read.notes[-1]


@pytest.mark.parametrize("text", ["漢字", "สวัสดี", "Grüße हिन्दी"])
def test_a_text_that_no_embedded_font_can_draw_is_drawn_as_its_picture(tmp_path: Path, text: str) -> None:
    read = drawn(tmp_path, element("TextElement", text=text, image={"bytes": png((9, 9, 9, 255)), "path": None}))
    (layer,) = read.document.layers
    assert isinstance(layer, ImageLayer)
    assert read.document.assets[layer.asset] == png((9, 9, 9, 255))
    assert "drawn as its picture" in read.notes[0]


def test_the_first_baseline_lies_the_fonts_ascent_below_the_top(tmp_path: Path) -> None:
    # Montserrat's ascent is 0.968 em (its hhea table); an H stands on the baseline.
    for angle in (0.0, 90.0):
        place = {"left": 100.0, "top": 100.0, "width": 200.0, "height": 100.0, "angle": angle}
        read = drawn(tmp_path, element("TextElement", text="HHH", font_size=50.0, line_height=2.0, **place))
        inked = render(read.document).min(axis=-1) < 128
        if angle == 0.0:
            assert np.nonzero(inked.any(axis=1))[0].max() + 1 == pytest.approx(100 + 0.968 * 50, abs=1.01)
        else:  # a quarter turn clockwise takes down to the left, from the right edge of the box
            assert np.nonzero(inked.any(axis=0))[0].min() == pytest.approx(250 - 0.968 * 50, abs=1.01)


def test_html_escapes_in_a_text_are_resolved(tmp_path: Path) -> None:
    (layer,) = drawn(tmp_path, element("TextElement", text="Salt &amp; Pepper", width=300.0)).document.layers
    assert isinstance(layer, TextLayer)
    assert layer.text == "Salt & Pepper"


def test_a_background_that_is_not_plain_stays_a_layer(tmp_path: Path) -> None:
    stripes = np.zeros((4, 4, 4), np.uint8)
    stripes[..., 3] = 255
    stripes[::2] = 255
    from designgym.envs.aesthetics.sample import png_bytes

    picture = {"bytes": png_bytes(stripes), "path": None}
    read = drawn(tmp_path, background(image=picture), background(top=50.0))
    assert read.document.background == "#ffffff"
    assert [layer.id for layer in read.document.layers] == ["element-0", "element-1"]


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (design(element("ImageElement", image={"bytes": png()[:60], "path": None})), "picture cannot be read"),
        (design(element("ImageElement", image={"bytes": None, "path": "a.png"})), "picture is missing"),
        (design(element("ImageElement", left=math.nan)), "left is nan"),
        (design(element("ImageElement", width=math.inf)), "width is inf"),
        (design(element("ImageElement"), canvas_width=0), "at least 1 px"),
        (design(element("ImageElement"), canvas_width=9000), "from 1 to 4096"),
        (design(element("ImageElement"), left=[]), "1 elements and 0 entries in 'left'"),
        (design(element("ImageElement"), type=[77]), "type is 77"),
        (design(element("TextElement", text="x", text_color=["red"])), "'red' is not a colour"),
        (design(*[element("ImageElement")] * 201), "at most 200"),
    ],
)
def test_a_broken_record_is_skipped_counted_and_named_and_strict_stops_at_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, row: dict, reason: str
) -> None:
    good = design(element("ImageElement"), id="good")
    file = write(tmp_path / "test.parquet", [row, good])
    with caplog.at_level(logging.WARNING, "designgym.broken"):
        assert [read.id for read in read_crello(file)] == ["good"]
    assert len(caplog.records) == 1
    assert reason in caplog.text
    assert "row 0" in caplog.text
    with pytest.raises(BrokenRecord, match="row 0"):
        list(read_crello(file, strict=True))


def test_releases_before_5_are_recognised_and_converted(tmp_path: Path) -> None:
    parts = [
        element("ImageElement", left=0.5, top=0.25, width=0.25, height=0.1, angle=math.pi / 2, capitalize=0),
        element("TextElement", text="one\n\ntwo", left=0.0, top=0.0, width=0.9, height=0.3, capitalize=1),
    ]
    for part, color in zip(parts, ([0.0, 0.0, 0.0], [10.0, 20.0, 30.0]), strict=True):
        part["color"] = color
    rows = [{name: [part.get(name) for part in parts] for name in v4_fields() if name in parts[0]}]
    rows[0] |= {
        "id": "old",
        "length": 2,
        "canvas_width": 1,
        "canvas_height": 0,
        "title": "t",
        "keywords": ["k"],
    }
    file = write(tmp_path / "test.parquet", rows, v4_fields())
    assert RowFile(file).form == "older"
    read = only(file, strict=True)
    picture, text = read.document.layers
    assert (read.document.width, read.document.height) == (400, 300)
    assert (picture.x, picture.y, picture.width) == (200, 75, 100)
    assert picture.rotation_deg == pytest.approx(90)
    assert isinstance(text, TextLayer)
    assert (text.text, text.color) == ("ONE\nTWO", "#0a141e")
    write_crello([read], tmp_path / "new" / "test.parquet")
    assert only(tmp_path / "new") == read


def test_files_that_are_not_crello_are_refused_with_a_sentence(tmp_path: Path) -> None:
    fields = v5_fields()
    with pytest.raises(UserError, match=r"no column 'left'"):
        few = {name: field for name, field in fields.items() if name != "left"}
        RowFile(write(tmp_path / "few.parquet", [], few))
    with pytest.raises(UserError, match="old release of Crello without texts"):
        few = {name: field for name, field in fields.items() if name != "font"}
        RowFile(write(tmp_path / "old.parquet", [], few))
    with pytest.raises(UserError, match="does not name them"):
        RowFile(write(tmp_path / "bare.parquet", [], described=False))
    (tmp_path / "broken.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(UserError, match="cannot be read"):
        RowFile(tmp_path / "broken.parquet")
    (tmp_path / "none").mkdir()
    with pytest.raises(UserError, match="no Parquet or Arrow files"):
        data_files(tmp_path / "none")


def test_splits_come_from_the_names_of_files_and_folders(tmp_path: Path) -> None:
    row = design(element("ImageElement"))
    write(tmp_path / "data" / "train-00000-of-00002.parquet", [dict(row, id="a")])
    write(tmp_path / "data" / "validation-00000-of-00001.parquet", [dict(row, id="b")])
    write(tmp_path / "test" / "data-00000-of-00001.arrow", [dict(row, id="c")])
    assert [read.id for read in read_crello(tmp_path, "train")] == ["a"]
    assert [read.id for read in read_crello(tmp_path, "validation")] == ["b"]
    assert [read.id for read in read_crello(tmp_path, "test")] == ["c"]


def test_rows_are_read_in_any_order_across_groups_and_formats(tmp_path: Path) -> None:
    rows = [design(element("ImageElement"), id=str(index)) for index in range(7)]
    for file in (
        write(tmp_path / "a.parquet", rows, row_group_size=2),
        write(tmp_path / "a.arrow", rows),
    ):
        opened = RowFile(file)
        assert len(opened) == 7
        assert [opened.record(index)["id"] for index in (6, 0, 3, 2, 5)] == ["6", "0", "3", "2", "5"]


def test_an_edit_changes_only_the_fields_that_it_touched(tmp_path: Path) -> None:
    read = drawn(tmp_path, *HARD)
    text = read.document.layer("element-5")
    moved = read.with_document(read.document.replace_layer(dataclasses.replace(text, x=text.x + 67.0)))
    assert moved.record["left"][5] == 77.0
    assert {name for name in read.record if read.record[name] != moved.record[name]} == {"left"}
    larger = read.with_document(read.document.replace_layer(dataclasses.replace(text, size_px=text.size_px * 0.5)))
    assert larger.record["font_size"][5] == pytest.approx(read.record["font_size"][5] * 0.5)
    assert larger.record["text_color"][5] == read.record["text_color"][5]
    assert larger.record["image"][5] != read.record["image"][5]
    red = read.with_document(read.document.replace_layer(dataclasses.replace(text, color="#ff0000")))
    assert red.record["text_color"][5] == ["rgba(255, 0, 0, 1)"] * 15
    assert red.document.layer("element-5").color == "#ff0000"  # type: ignore[attr-defined]


def test_an_edited_design_that_is_written_and_read_shows_the_same(tmp_path: Path) -> None:
    read = drawn(tmp_path, *HARD)
    layers = list(read.document.layers)
    layers[1], layers[2] = layers[2], dataclasses.replace(layers[1], text="New words", x=30.0)
    document = dataclasses.replace(read.document, layers=tuple(layers[:3]), background="#336699")
    edited = read.with_document(document)
    write_crello([edited], tmp_path / "edited" / "test.parquet")
    again = only(tmp_path / "edited", strict=True)
    assert again.record == edited.record
    assert np.abs(render(again.document).astype(int) - render(document).astype(int)).max() <= 1


def test_a_document_from_elsewhere_becomes_a_record_that_shows_the_same(tmp_path: Path) -> None:
    document = Document(
        200,
        120,
        "#eeddcc",
        (
            ShapeLayer(id="panel", x=20, y=20, width=80, height=40, fill="#204060", rotation_deg=10.0),
            TextLayer(id="title", x=10, y=70, width=180, height=30, text="Hello\nworld", font="Lato", size_px=16.0),
            ImageLayer(id="photo", x=120, y=10, width=60, height=40, asset="p"),
        ),
        {"p": png()},
    )
    record = record_of(document)
    assert record["type"] == ["ColoredBackground", "SvgElement", "TextElement", "ImageElement"]
    made = CrelloDesign("new", "", (), document, {**record, "id": "new"})
    write_crello([made], tmp_path / "test.parquet")
    page = render(only(tmp_path / "test.parquet", strict=True).document)
    assert np.abs(page.astype(int) - render(document).astype(int)).mean() < 1.0


def test_wrapped_lines_are_written_as_they_are_shown() -> None:
    layer = TextLayer(id="t", width=60.0, height=90.0, text="one two three\nfour", font="Cousine", size_px=12.0)
    # Cousine is 0.6 em wide: 7.2 px a character, eight characters a line.
    assert line_numbers(layer) == [0] * 8 + [1] * 6 + [2] * 4
    assert line_numbers(dataclasses.replace(layer, text="ninecharsx")) == [0] * 8 + [1] * 2
    assert line_numbers(dataclasses.replace(layer, text="")) == []


def test_lines_colours_and_fonts_by_hand() -> None:
    assert split_lines("a b\nc", []) == ["a b", "c"]
    assert split_lines("abc", [0, 0, 5]) == ["ab", "c"]
    assert split_lines("", [0]) == []
    assert read_color("rgba(52, 103, 151, 1)") == "#346797"
    assert read_color("RGB(300,-5,0)") == "#ff0000"
    assert read_color("rgba(0, 0, 0, 0.5)") == "#00000080"
    assert read_color("#AABBCC") == "#aabbcc"
    assert read_color(write_color("#01020380")) == "#01020380"
    for bad in ("", "rgba()", "rgba(nan, 0, 0, 1)", "rgba(1,2)", None):
        with pytest.raises(BrokenRecord):
            read_color(bad)
    assert stand_in("Montserrat") == "Montserrat"
    assert stand_in("Josefin Slab") == "Roboto Slab"
    assert stand_in("Open Sans Condensed") == "Oswald"
    assert stand_in("") == "Open Sans"


@pytest.mark.slow
def test_datasets_reads_what_is_written_and_what_it_writes_is_read(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    decodable = [part for part in HARD if part["image"]["bytes"] != b"not read"]  # `datasets` opens every picture
    read = drawn(tmp_path, *decodable)
    write_crello([read], tmp_path / "ours.parquet")
    loaded = datasets.Dataset.from_parquet(str(tmp_path / "ours.parquet"), cache_dir=str(tmp_path / "cache"))
    types = loaded.features["type"].feature
    assert [types.int2str(kind) for kind in loaded[0]["type"]] == read.record["type"]
    assert loaded[0]["image"][1].size == (24, 16)
    loaded.save_to_disk(str(tmp_path / "saved" / "test"))
    loaded.to_parquet(str(tmp_path / "theirs" / "test.parquet"))
    assert only(tmp_path / "saved", strict=True) == read
    assert only(tmp_path / "theirs", strict=True) == read


def test_a_missing_package_is_named_with_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write(tmp_path / "test.parquet", [design()])
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UserError, match=r"'pyarrow'.*designgym\[train\]"):
        RowFile(file)


def test_a_record_of_other_types_than_crellos_is_broken(tmp_path: Path) -> None:
    record = drawn(tmp_path, *HARD).record
    for name, value in (("keywords", 7), ("color", [3] * 9), ("text_color", [[{}]] * 9), ("canvas_width", "wide")):
        with pytest.raises(BrokenRecord):
            design_of({**record, name: value})


def test_texts_without_line_height_or_spacing_take_those_of_plain_text(tmp_path: Path) -> None:
    bare = element("TextElement", text="bare", line_height=None, letter_spacing=None, width=300.0)
    (layer,) = drawn(tmp_path, bare).document.layers
    assert isinstance(layer, TextLayer)
    assert (layer.line_height, layer.letter_spacing_px) == (1.0, 0.0)


def test_groups_that_crello_cannot_have_are_refused() -> None:
    shape = ShapeLayer(id="a", width=10.0, height=10.0, group="g")
    plain = Group(id="g", x=0.0, y=0.0, width=10.0, height=10.0)
    record = record_of(Document(20, 20, layers=(shape,), groups=(plain,)))
    assert record["type"] == ["SvgElement"]
    for group in (dataclasses.replace(plain, opacity=0.5), dataclasses.replace(plain, rotation_deg=9.0)):
        with pytest.raises(UserError, match="Crello has no groups"):
            record_of(Document(20, 20, layers=(shape,), groups=(group,)))

"""Reports: one self-contained page in which every string is shown literally, and the same table as text."""

from __future__ import annotations

import base64
import csv
import io
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console

from designgym.errors import UserError
from designgym.eval.compare import compare, comparison_table
from designgym.eval.report import cells, chart, html, pictures
from designgym.eval.report.data import Curve, Drawing, Example, Measure, Report, Row, Scatter, Series, Sheet, Table
from designgym.eval.report.terminal import terminal
from designgym.eval.report.text import as_csv, markdown
from designgym.eval.statistics import Interval, bootstrap

HOSTILE = [
    "Draw </script><script>document.title='x'</script> a cat",
    "<img src=x onerror=alert(1)>",
    '" onmouseover="x',
    "{{7*7}}",
    "javascript:alert(1)",
    "<!-- ",
    "a\u2028b",
]
WHITE = np.full((40, 60, 3), 255, np.uint8)


def report_of(text: str) -> Report:
    """A report with ``text`` in every place that takes a string."""
    interval = Interval(0.5, 0.4, 0.6, 10, text)
    measure = Measure("m", text, text, plot=(0.0, 1.0), group=text)
    row = Row(text, {"m": interval, "w": text}, group=text, note=text)
    table = Table(text, (measure, Measure("w", text)), (row,), row_label=text, caption=text)
    folded = Table(text, (measure,), (row,), folded=True)
    curve = Curve(text, (Series(text, (0.0, 1.0), (0.0, 1.0)),), x_label=text, caption=text)
    example = Example(WHITE, None, (0.1, 0.1, 0.5, 0.5), text, text, text, 0.5, text, text)
    words = Example(WHITE, None, None, options=(None,) * 4, right=text, said=text)
    return Report(
        text,
        text,
        ((text, text),),
        (table, folded),
        (curve,),
        (example, words),
        text,
        (text,),
        text,
        data={"more": text, text: [text]},
        sheets=(Sheet(text, (Drawing(WHITE[..., 0], None, text, text, 0.5, text),), text),),
        scatters=(Scatter(text, ((text, ((0.0, 1.0),)),), text, text, text),),
        sheets_note=text,
    )


class Reader(HTMLParser):
    """Collects what a browser would see: elements with their attributes, visible text, the embedded data."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.comments: list[str] = []
        self.text: list[str] = []
        self.data: dict[str, str] = {}
        self._open: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)

    def handle_data(self, data: str) -> None:
        if "script" in self._open or "style" in self._open:
            self.data[self._open[-1]] = self.data.get(self._open[-1], "") + data
        else:
            self.text.append(data)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_strings_are_shown_literally_in_every_place(text: str) -> None:
    harmless, hostile = Reader(html.render(report_of("word"))), Reader(html.render(report_of(text)))
    assert hostile.tags == harmless.tags  # no element was added or swallowed
    assert [a[:2] for a in hostile.attributes] == [a[:2] for a in harmless.attributes]  # and no attribute
    assert hostile.comments == []
    visible = "".join(hostile.text)
    assert visible.count(text) == "".join(harmless.text).count("word") > 15
    assert json.loads(hostile.data["script"])["more"] == text
    for _, name, value in hostile.attributes:
        assert not name.startswith("on")
        assert name not in ("href", "action") and (name != "src" or (value or "").startswith("data:image/png;base64,"))


def test_embedded_json_has_no_raw_angle_bracket_and_no_line_separator() -> None:
    text = html.embedded_json({"a": "</script><!--", "b": "x\u2028y\u2029&"})
    assert "<" not in text and ">" not in text and "\u2028" not in text and "\\u003c" in text and "\\u2028" in text
    assert json.loads(text) == {"a": "</script><!--", "b": "x\u2028y\u2029&"}


def test_page_loads_nothing_from_elsewhere_and_runs_no_script() -> None:
    page = html.render(report_of("word"))
    assert not re.search(r"https?://|@import|url\(", page)
    assert re.findall(r"<script[^>]*>", page) == ['<script type="application/json" id="data">']
    assert "default-src 'none'" in page


def test_page_with_control_characters_and_lone_surrogates_is_written_as_utf8(tmp_path: Path) -> None:
    path = html.write(report_of("nul \x00 and \ud800"), tmp_path / "new" / "report.html")
    written = path.read_bytes().decode("utf-8")
    assert "\x00" not in written and "nul" in written
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]  # no temporary file is left


def test_a_folder_that_cannot_be_written_is_named_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        html.write(report_of("word"), tmp_path / "file" / "report.html")


def test_an_empty_report_is_a_page_with_its_title() -> None:
    reader = Reader(html.render(Report("Nothing yet")))
    assert "Nothing yet" in "".join(reader.text) and "table" not in reader.tags and "figure" not in reader.tags


def small_table() -> Table:
    measures = (Measure("m", "Mean"), Measure("s", "Share", percent=True), Measure("n", "Items", "all of them"))
    rows = (
        Row("a|b", {"m": Interval(0.51236, 0.4, 0.6, 12, "BCa"), "s": 0.25, "n": 1200}, group="First"),
        Row(
            "[red]x[/red]",
            {"m": Interval(0.5, None, None, 1, "none"), "s": None, "n": 3},
            group="Second",
            emphasis=True,
        ),
    )
    return Table("Results", measures, rows, caption="Held out.")


def test_markdown_table_has_intervals_and_escapes_what_would_break_it() -> None:
    lines = markdown(small_table()).splitlines()
    assert lines[:4] == [
        "| Policy | Mean | Share | Items |",
        "| --- | ---: | ---: | ---: |",
        "| **First** |  |  |  |",
        "| a\\|b | 0.512 [0.400, 0.600] | 25.0 % | 1,200 |",
    ]
    assert lines[5] == "| **\\[red\\]x\\[/red\\]** | 0.500 | – | 3 |"
    assert lines[-2:] == ["Held out.", "Items: all of them"]


def test_csv_table_has_full_precision_and_separate_columns_for_the_limits() -> None:
    header, first, second = csv.reader(io.StringIO(as_csv(small_table())))
    assert header == ["group", "policy", "m", "m_low", "m_high", "m_n", "s", "n"]
    assert first == ["First", "a|b", "0.51236", "0.4", "0.6", "12", "0.25", "1200"]
    assert second == ["Second", "[red]x[/red]", "0.5", "", "", "1", "", "3"]


@pytest.mark.parametrize("stacked", [False, True])
def test_terminal_table_shows_names_literally(stacked: bool) -> None:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(terminal(small_table(), stacked=stacked))
    shown = console.export_text()
    assert "[red]x[/red]" in shown and "[0.400, 0.600]" in shown and "1,200" in shown
    assert ("0.512 [0.400, 0.600]" in shown) is not stacked


@pytest.mark.parametrize(
    "value, measure, text",
    [
        (0.1234, Measure("m", "m"), "0.123"),
        (-0.1234, Measure("m", "m", signed=True), "−0.123"),
        (0.1234, Measure("m", "m", signed=True, digits=2), "+0.12"),
        (0.1234, Measure("m", "m", percent=True), "12.3 %"),
        (math.nan, Measure("m", "m"), "–"),
        (None, Measure("m", "m"), "–"),
        (12345, Measure("m", "m"), "12,345"),
        ("words", Measure("m", "m"), "words"),
    ],
)
def test_how_values_are_written(value: float | str | None, measure: Measure, text: str) -> None:
    assert cells.main(value, measure) == text


def test_how_p_values_are_written() -> None:
    assert [cells.p_value(p) for p in (0.0002, 0.05, 1.0, None)] == ["< .001", ".050", "1.000", "–"]


def test_comparison_of_the_same_tasks_is_first_minus_second() -> None:
    comparison = compare("new", {"t1": 0.9, "t2": 0.6, "t3": 0.5}, "old", {"t2": 0.5, "t1": 0.5, "t3": 0.5})
    assert comparison.result.difference.mean == pytest.approx(0.5 / 3)
    table = comparison_table([comparison])
    row = table.rows[0]
    assert row.name == "new − old" and (row.cells["wins"], row.cells["losses"], row.cells["ties"]) == (2, 0, 1)
    assert "+0.167" in markdown(table)


def test_comparison_of_different_tasks_is_refused() -> None:
    with pytest.raises(UserError, match="'t3', were played by only one"):
        compare("new", {"t1": 1.0, "t3": 1.0}, "old", {"t1": 1.0})


def test_chart_maps_the_ends_of_the_axes_to_the_ends_of_the_plot() -> None:
    drawn = chart.draw(Curve("c", (Series("s", (0.0, 10.0), (0.0, 1.0)),), y_range=(0.0, 1.0)))
    assert drawn.lines[0].path == f"M{chart.LEFT} {chart.BOTTOM}L{chart.RIGHT} {chart.TOP}"
    assert [t.label for t in drawn.x_ticks] == ["0", "2", "4", "6", "8", "10"]
    assert [t.label for t in drawn.y_ticks] == ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]


def test_chart_breaks_the_line_at_missing_values_and_survives_having_none() -> None:
    drawn = chart.draw(Curve("c", (Series("s", (0.0, 1.0, 2.0, 3.0), (1.0, None, math.nan, 2.0)),)))
    assert drawn.lines[0].path.count("M") == 2 and "L" not in drawn.lines[0].path
    assert chart.draw(Curve("c", (Series("s", (0.0,), (math.nan,)),))).lines == ()
    single = chart.draw(Curve("c", (Series("s", (5.0,), (3.0,)),)))
    assert len(single.lines[0].dots) == 1


def test_series_of_one_name_share_a_tone_and_a_legend_entry() -> None:
    x = (0.0, 1.0)
    curve = Curve("c", (Series("loss", x, x, faint=True), Series("loss", x, x), Series("other", x, x)))
    assert [line.tone for line in chart.draw(curve).lines] == [0, 0, 1]
    assert Reader(html.render(Report("t", curves=(curve,)))).text.count("loss") == 1


def test_long_series_are_averaged_down_and_short_ones_kept() -> None:
    n = chart.MAX_POINTS * 3
    long = chart.thinned(Series("s", tuple(map(float, range(n))), tuple(float(i % 3) for i in range(n))))
    assert len(long.x) == chart.MAX_POINTS and set(long.y) == {1.0}
    short = Series("s", (0.0, 1.0), (0.0, 1.0))
    assert chart.thinned(short) is short


def test_dots_lie_between_round_ends_and_groups_have_tones_of_their_own() -> None:
    plot = Scatter("t", (("one", ((0.0, 0.0), (1000.0, 1.0))), ("two", ((500.0, 0.5), (1.0, math.nan)))), "x", "y")
    drawn = chart.scatter(plot)
    assert [(cloud.label, cloud.tone) for cloud in drawn.clouds] == [("one", 0), ("two", 1)]
    assert drawn.clouds[0].dots == ((chart.LEFT, chart.BOTTOM), (chart.RIGHT, chart.TOP))
    assert drawn.clouds[1].dots == (((chart.LEFT + chart.RIGHT) / 2, (chart.TOP + chart.BOTTOM) / 2),)
    assert [tick.label for tick in drawn.x_ticks] == ["0", "200", "400", "600", "800", "1000"]
    assert chart.scatter(Scatter("t", (("one", ()),), "x", "y")) == chart.Clouds((), (), ())


def test_dots_over_magnitudes_stand_on_powers_of_ten_and_zero_at_the_left_end() -> None:
    plot = Scatter("t", (("one", ((0.0, 0.0), (100.0, 0.5), (1000.0, 1.0), (10_000.0, 1.0))),), "x", "y", x_log=True)
    drawn = chart.scatter(plot)
    assert [tick.label for tick in drawn.x_ticks] == ["100", "1,000", "10,000"]
    middle = (chart.LEFT + chart.RIGHT) / 2
    assert [x for x, _ in drawn.clouds[0].dots] == [chart.LEFT, chart.LEFT, middle, chart.RIGHT]


def test_of_very_many_dots_every_so_many_th_is_drawn() -> None:
    dots = tuple((float(i), float(i)) for i in range(1000))
    (cloud,) = chart.scatter(Scatter("t", (("one", dots),), "x", "y")).clouds
    assert len(cloud.dots) == 334 <= chart.MAX_DOTS and cloud.dots[0] == (chart.LEFT, chart.BOTTOM)


def test_running_mean_uses_the_last_values_that_are_present() -> None:
    assert chart.running_mean((1.0, 3.0, None, 5.0), 2) == (1.0, 2.0, 2.0, 4.0)
    assert chart.running_mean((None, 2.0), 3) == (None, 2.0)


@pytest.mark.parametrize(
    "low, high, ticks",
    [(0, 1, (0, 0.2, 0.4, 0.6, 0.8, 1)), (0, 1399, (0, 500, 1000, 1500)), (-0.3, 0.3, (-0.4, -0.2, 0, 0.2, 0.4))],
)
def test_ticks_are_round_numbers_that_cover_the_range(low: float, high: float, ticks: tuple[float, ...]) -> None:
    assert chart.nice_ticks(low, high) == pytest.approx(ticks)


def test_picture_draws_the_true_box_solid_and_the_answer_dashed() -> None:
    page = np.full((100, 100, 3), 200, np.uint8)
    picture = np.asarray(pictures.annotated(Example(page, (0.1, 0.1, 0.4, 0.4), (0.5, 0.5, 0.9, 0.9)), 200))
    truth, answer = (picture == pictures.TRUTH).all(-1), (picture == pictures.ANSWER).all(-1)
    assert truth[18, 20:80].all()  # the whole upper side, drawn around the box
    assert 0.4 < answer[98, 100:180].mean() < 0.8  # dashes and gaps
    assert not truth[90:, 90:].any() and not answer[:90, :90].any()


def test_picture_draws_no_box_for_none_or_for_an_answer_that_is_not_valid() -> None:
    page = np.full((50, 80, 3), 200, np.uint8)
    for example in (Example(page, None, None), Example(page, None, (0.1, 0.1, 0.9, 0.9), error="format")):
        assert (np.asarray(pictures.annotated(example, 160)) == 200).all()


@pytest.mark.parametrize(
    "box", [(0.0, 0.0, 1.0, 1.0), (0.5, 0.5, 0.5, 0.5), (-3.0, 0.2, 7.0, 0.3), (0.999, 0.999, 1.0, 1.0)]
)
def test_picture_of_a_box_at_or_beyond_the_edge_keeps_its_lines_inside(box: tuple[float, ...]) -> None:
    page = np.full((64, 64, 3), 200, np.uint8)
    picture = np.asarray(pictures.annotated(Example(page, box, box), 128))  # type: ignore[arg-type]
    assert picture.shape == (128, 128, 3) and (picture == pictures.ANSWER).all(-1).any()


def test_picture_of_a_grey_page_has_colours_for_its_boxes() -> None:
    picture = np.asarray(
        pictures.annotated(Example(np.full((50, 80, 1), 200, np.uint8), (0.2, 0.2, 0.8, 0.8), None), 160)
    )
    assert picture.shape == (100, 160, 3) and (picture == pictures.TRUTH).all(-1).any()


def test_sheet_places_examples_row_by_row_and_refuses_to_be_empty() -> None:
    colours = [(250, 0, 0), (0, 250, 0), (0, 0, 250)]
    examples = [Example(np.full((10, 10, 3), c, np.uint8), None, None) for c in colours]
    sheet = pictures.sheet(examples, columns=2, long_side_px=20, gap_px=4)
    assert sheet.size == (2 * 24 + 4, 2 * 24 + 4)
    assert [sheet.getpixel(at) for at in ((14, 14), (38, 14), (14, 38), (38, 38))] == [*colours, (255, 255, 255)]
    with pytest.raises(ValueError, match="at least one example"):
        pictures.sheet([])


def test_data_uri_is_a_png_of_the_picture() -> None:
    uri = pictures.data_uri(Image.new("RGB", (7, 5), (1, 2, 3)))
    decoded = Image.open(io.BytesIO(base64.b64decode(uri.removeprefix("data:image/png;base64,"))))
    assert decoded.size == (7, 5) and decoded.convert("RGB").getpixel((0, 0)) == (1, 2, 3)


@pytest.mark.parametrize(
    "example, words",
    [
        (Example(WHITE, None, None), "Rightly left alone"),
        (Example(WHITE, None, (0, 0, 1, 1)), "Clean, but a flaw was answered"),
        (Example(WHITE, (0, 0, 1, 1), None), "Flaw missed"),
        (Example(WHITE, (0, 0, 1, 1), (0, 0, 0.5, 0.5)), "IoU 0.25"),
        (
            Example(WHITE, (0, 0, 1, 1), (0, 0, 0.5, 0.5), error="invalid_parameters"),
            "Answer not valid: invalid parameters",
        ),
    ],
)
def test_verdict_says_how_the_answer_did(example: Example, words: str) -> None:
    assert html.verdict(example) == words


def test_numbers_of_the_table_are_embedded_for_programs() -> None:
    table = Table("Results", (Measure("m", "Mean"),), (Row("p", {"m": bootstrap([0.0, 1.0, 1.0]), "x": math.nan}),))
    data = json.loads(Reader(html.render(Report("t", tables=(table,)))).data["script"])
    row = data["tables"][0]["rows"][0]
    assert row["name"] == "p" and row["cells"]["m"]["n"] == 3 and row["cells"]["x"] is None


def test_columns_of_a_group_stand_under_its_name() -> None:
    measures = (Measure("n", "N"), Measure("a", "A", group="G", plot=(0.0, 1.0)), Measure("b", "B", group="G"))
    assert html.column_groups(Table("t", measures, ())) == [("", 1), ("G", 3)]
    assert html.column_groups(Table("t", measures[:1], ())) == []


def test_a_table_of_many_columns_is_wide_on_the_page_and_bare_on_a_terminal() -> None:
    measures = tuple(Measure(str(n), f"m{n}") for n in range(9))
    table = Table("t", measures, (Row("p", {str(n): Interval(0.5, 0.4, 0.6, 10, "m") for n in range(9)}),))
    assert html.wide(table) and not html.wide(Table("t", measures[:3], ()))
    console = Console(record=True, width=200)
    console.print(terminal(table))
    assert "[0.400" not in console.export_text()


def test_intervals_may_have_fewer_decimals_than_their_values() -> None:
    assert cells.whole(Interval(0.5, 0.4, 0.6, 10, "m"), Measure("a", "A", bound_digits=2)) == "0.500 [0.40, 0.60]"


def test_columns_of_long_texts_are_set_from_the_left_with_their_heading() -> None:
    measures = (Measure("n", "Number"), Measure("w", "Words"))
    rows = (Row("one", {"n": 0.5, "w": "short"}), Row("two", {"n": "constant", "w": "Create → Reposition → Save"}))
    table = Table("t", measures, rows)
    assert [html.wordy(table, measure) for measure in measures] == [False, True]
    page = html.render(Report("t", tables=(table,)))
    assert page.count('class="value words"') == 3  # the heading and both cells, however short


def test_folded_tables_show_their_title_until_opened() -> None:
    page = html.render(Report("r", tables=(Table("Long", (), (), folded=True),)))
    assert "<details><summary><h2>Long</h2></summary>" in page


def test_rows_that_are_measured_print_in_their_own_form() -> None:
    share = Measure("share", "Share", percent=True)
    table = Table(
        "Turned",
        (Measure("a", "Agent a", digits=2), Measure("b", "Agent b", digits=2)),
        (Row("Share", {"a": 0.25, "b": 0.5}, form=share), Row("Calls", {"a": 2.5, "b": 3.0})),
    )
    assert "| Share | 25.0 % | 50.0 % |" in markdown(table)
    assert "| Calls | 2.50 | 3.00 |" in markdown(table)
    page = html.render(Report("Title", tables=(table,)))
    assert '<span class="number">25.0 %</span>' in page and '<span class="number">2.50</span>' in page
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(terminal(table))
    assert "50.0 %" in console.export_text()

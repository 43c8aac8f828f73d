"""The drawing tools: names and fields of PainterBench's Table 5, and how operations are read."""

import json
import math

import numpy as np
import pytest

from designgym.envs.canvas.tools import MAX_POINTS_TOGETHER, OPERATIONS, tool_table
from designgym.tools import Accepted, Declined

# PainterBench, Table 5: tool -> arguments; fields of one operation. A question mark marks what may be left out.
TABLE_5 = {
    "draw_dots": ("dots, erase?", "x, y"),
    "draw_lines": ("lines, erase?", "x1, y1, x2, y2"),
    "draw_polylines": ("polylines, erase?", "points, closed?"),
    "draw_polygons": ("polygons, erase?", "points"),
    "draw_regular_polygons": ("polygons, erase?", "x, y, radius, n_sides, rotation?"),
    "draw_rectangles": ("rects, erase?", "x1, y1, x2, y2"),
    "draw_rounded_rectangles": ("rects, erase?", "x1, y1, x2, y2, radius"),
    "draw_circles": ("circles, erase?", "x, y, radius"),
    "draw_ellipses": ("ellipses, erase?", "x1, y1, x2, y2"),
    "draw_arcs": ("arcs, erase?", "x1, y1, x2, y2, start_angle, end_angle"),
    "draw_pieslices": ("pieslices, erase?", "x1, y1, x2, y2, start_angle, end_angle"),
    "draw_chords": ("chords, erase?", "x1, y1, x2, y2, start_angle, end_angle"),
    "undo_last_action": ("", ""),
    "drawing_finished": ("label", ""),
}

FULL = tool_table()


def fields(properties, required):
    return ", ".join(name if name in required else f"{name}?" for name in properties)


def read(tool, operations, **more):
    return FULL.read({"name": tool, "arguments": {OPERATIONS[tool]: operations, **more}})


def lines(**changes):
    return [{"x1": 1, "y1": 2, "x2": 3, "y2": 4} | changes]


def test_names_arguments_and_fields_are_those_of_table_5():
    assert FULL.names == tuple(TABLE_5)
    for schema in FULL.schemas():
        function = schema["function"]
        parameters = function["parameters"]
        arguments, operation = TABLE_5[function["name"]]
        assert fields(parameters["properties"], parameters["required"]) == arguments
        if operation:
            items = parameters["properties"][OPERATIONS[function["name"]]]["items"]
            assert fields(items["properties"], items["required"]) == operation
        json.dumps(schema)


def test_conditions_leave_out_tools():
    assert tool_table("tools", "dots").names == ("draw_dots", "undo_last_action", "drawing_finished")
    assert tool_table("svg").names == ("draw_svg", "undo_last_action", "drawing_finished")
    parameters = tool_table("svg")["draw_svg"].schema()["function"]["parameters"]
    assert fields(parameters["properties"], parameters["required"]) == "svg, erase?"


@pytest.mark.parametrize(
    ("given", "read_as"),
    [(10, 10), (10.4, 10), (10.5, 11), (-0.5, 0), (-0.6, -1), ("10", 10), ("-2.5", -2), (np.int64(7), 7),
     (0.49999999999999994, 0), (2.5e3, 2399), (-1e300, -2000), (10**400, 2399), (-2000, -2000), (2399, 2399)],
)  # fmt: skip
def test_coordinates_are_rounded_half_up_and_clamped(given, read_as):
    call = read("draw_lines", lines(x1=given))
    assert isinstance(call, Accepted) and call.skipped == ()
    value = call.arguments["lines"][0]["x1"]
    assert value == read_as and type(value) is int


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        False,
        math.nan,
        math.inf,
        -math.inf,
        "",
        "ten",
        "10px",
        "1e3",
        "1_0",
        "NaN",
        "１２",
        [],
        [1],
        {},
        "0x10",
    ],
)
def test_anything_else_is_malformed_and_the_other_operations_are_kept(value):
    call = read("draw_lines", lines(x1=value) + lines())
    assert isinstance(call, Accepted)
    assert call.arguments["lines"] == lines() and len(call.skipped) == 1
    assert call.skipped[0].startswith("lines[0].x1 must be")


@pytest.mark.parametrize(
    "operation",
    [
        {},
        {"x1": 1, "y1": 2, "x2": 3},
        {"x1": 1, "y1": 2, "x2": 3, "y2": 4, "width": 9},
        [1, 2, 3, 4],
        "1,2,3,4",
        None,
        5,
    ],
)
def test_missing_and_unknown_fields_and_other_forms_are_malformed(operation):
    call = read("draw_lines", [operation, *lines()])
    assert isinstance(call, Accepted) and call.arguments["lines"] == lines() and len(call.skipped) == 1


@pytest.mark.parametrize("erase", [True, "true", "True"])
def test_erase_is_read(erase):
    assert read("draw_lines", lines(), erase=erase).arguments["erase"] is True
    assert read("draw_lines", lines()).arguments["erase"] is False
    assert read("draw_lines", lines(), erase=None).arguments["erase"] is False


def test_one_operation_may_stand_alone():
    assert read("draw_lines", lines()[0]).arguments["lines"] == lines()


@pytest.mark.parametrize("operations", [None, "", "[]", [], 5, lines, "draw", True])
def test_operations_that_are_no_list_are_refused_as_a_whole(operations):
    call = read("draw_lines", operations)
    assert isinstance(call, Declined) and call.kind == "invalid_parameters"


def test_the_example_in_an_error_can_be_copied_into_a_call():
    told = read("draw_polylines", "10 20 30 40").message
    example = told.partition(", such as ")[2].rpartition("; got ")[0]
    assert isinstance(read("draw_polylines", json.loads(example)), Accepted)


def test_arguments_may_be_json():
    call = FULL.read({"name": "draw_dots", "arguments": '{"dots": [{"x": 5, "y": 6}]}'})
    assert call.arguments == {"dots": [{"x": 5, "y": 6}], "erase": False}


def test_too_many_operations_or_points_are_past_a_limit():
    assert isinstance(read("draw_lines", lines() * 1000), Accepted)
    assert read("draw_lines", lines() * 1001).kind == "limit"
    fifth = {"points": [[1, 2]] * (MAX_POINTS_TOGETHER // 5)}
    assert isinstance(read("draw_polylines", [fifth] * 5), Accepted)
    call = read("draw_polylines", [*[fifth] * 5, {"points": [[1, 2], [3, 4]]}])
    assert call.kind == "limit" and str(MAX_POINTS_TOGETHER) in call.message


@pytest.mark.parametrize("count", [2001, MAX_POINTS_TOGETHER + 1])
@pytest.mark.parametrize("form", [list, np.array])
def test_an_operation_of_too_many_points_is_malformed_however_many_they_are(count, form):
    call = read("draw_polylines", [{"points": form([[1, 2]] * count)}, {"points": form([[1, 2], [3, 4]])}])
    assert call.arguments["polylines"] == [{"points": [[1, 2], [3, 4]], "closed": False}]
    assert str(count) in call.skipped[0]


def test_a_thousand_polylines_of_ten_points_are_one_call():
    assert isinstance(read("draw_polylines", [{"points": [[k, 2 * k] for k in range(10)]}] * 1000), Accepted)


@pytest.mark.parametrize(
    "points", [[], [[1, 2]], [[1, 2], [3]], [[1, 2], [3, 4, 5]], [1, 2, 3, 4], "1,2 3,4", [[1, 2], None]]
)
def test_points_that_make_no_line_are_malformed(points):
    call = read("draw_polygons", [{"points": points}])
    assert isinstance(call, Accepted) and call.arguments["polygons"] == [] and len(call.skipped) == 1


@pytest.mark.parametrize(
    ("tool", "field", "bad", "good"),
    [
        ("draw_circles", "radius", [0, -5, 0.4], {1: 1, 0.5: 1, 200: 200, 5000: 2000}),
        ("draw_regular_polygons", "n_sides", [0, 2, 2.4, -3], {3: 3, 2.5: 3, 360: 360, 10**6: 360}),
        ("draw_rounded_rectangles", "radius", [-1, -0.6], {0: 0, -0.5: 0, 5000: 2000}),
    ],
)
def test_sizes(tool, field, bad, good):
    [example] = FULL[tool].example()[OPERATIONS[tool]]
    for value in bad:
        assert read(tool, [example | {field: value}]).arguments[OPERATIONS[tool]] == []
    for value, read_as in good.items():
        assert read(tool, [example | {field: value}]).arguments[OPERATIONS[tool]][0][field] == read_as


@pytest.mark.parametrize("interface", ["tools", "svg"])
def test_samples_are_valid_and_within_the_page(interface):
    rng = np.random.default_rng(0)
    table = tool_table(interface)
    for tool in table:
        for _ in range(50):
            call = table.read({"name": tool.name, "arguments": tool.sample(rng)})
            assert isinstance(call, Accepted) and call.skipped == ()
            for operation in call.arguments.get(OPERATIONS.get(tool.name), []):
                for name in ("x", "y", "x1", "y1", "x2", "y2"):
                    assert 0 <= operation.get(name, 0) < 400

import json
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from designgym.boxes import NumberFrame
from designgym.tools import (
    Accepted,
    Array,
    Boolean,
    BoundingBox,
    Choice,
    Declined,
    Invalid,
    Number,
    Parameter,
    Record,
    Text,
    Tool,
    ToolTable,
    Valid,
)

CIRCLE = Record(
    (
        Parameter("x", Number(0, 400, unit="px"), "Centre."),
        Parameter("y", Number(0, 400, unit="px")),
        Parameter("radius", Number(1, 50, integer=True, unit="px")),
    )
)
POINTS = Array(Array(Number(0, 400), 4, 4), 1, 1000)
TABLE = ToolTable(
    (
        Tool("answer", "Answer.", (Parameter("bbox", BoundingBox(nullable=True), "The flaw."),)),
        Tool(
            "draw_circles",
            "Draw circles.",
            (
                Parameter("circles", Array(CIRCLE, 1, 1000)),
                Parameter("fill", Text(20), "Colour.", required=False),
                Parameter("blend", Choice(("normal", "none")), required=False, default="normal"),
            ),
        ),
        Tool(
            "draw_lines", "Draw lines.", (Parameter("lines", POINTS), Parameter("width", Number(1, 20), required=False))
        ),
        Tool("add_text", "Add text.", (Parameter("text", Text(100, min_length=1)), Parameter("bold", Boolean()))),
        Tool("undo", "Undo."),
    )
)


def call(name, arguments):
    return TABLE.read({"name": name, "arguments": arguments})


def circles(**changes):
    return {"circles": [{"x": 50, "y": 50, "radius": 10}], **changes}


# ---------------------------------------------------------------- numbers


@pytest.mark.parametrize(
    ("given_value", "expected"),
    [
        (3, 3.0),
        (3.5, 3.5),
        ("3", 3.0),
        ("2.", 2.0),
        (".5", 0.5),
        ("+4", 4.0),
        (np.float32(0.5), 0.5),
        (np.int64(7), 7.0),
    ],
)
def test_numbers_and_plain_decimal_strings_are_numbers(given_value, expected):
    result = call("draw_lines", {"lines": [[0, 0, 1, given_value]]})
    assert result.arguments["lines"][0][3] == expected
    assert type(result.arguments["lines"][0][3]) is float


@pytest.mark.parametrize(
    "bad",
    [
        True, False, np.True_, None, math.nan, math.inf, -math.inf, 10**400, -(10**5000), "10px", "1_0", "１２", "nan",
        "inf", "1e3", "0x10", " 5", "5 ", "", "1,5", "٣", [1], {"x": 1}, -1, 400.0001, b"5", "9" * 100_000,
    ],
    ids=range(27),
)  # fmt: skip
def test_anything_else_is_refused_with_its_path(bad):
    result = call("draw_lines", {"lines": [[0, 0, 1, 1], [0, bad, 1, 1]]})
    assert isinstance(result, Declined)
    assert result.kind == "invalid_parameters"
    assert result.message.startswith("lines[1][1] must be a number from 0 to 400; got ")
    assert len(result.message) < 200


@pytest.mark.parametrize(
    ("whole", "ok"), [(3, True), (3.0, True), ("3", True), ("3.0", True), (3.5, False), ("3.5", False)]
)
def test_whole_numbers_are_not_rounded(whole, ok):
    result = call("draw_circles", {"circles": [{"x": 0, "y": 0, "radius": whole}]})
    if ok:
        radius = result.arguments["circles"][0]["radius"]
        assert radius == 3 and type(radius) is int
    else:
        assert result.message.startswith("circles[0].radius must be a whole number from 1 to 50 px")


# ---------------------------------------------------------------- no value


@pytest.mark.parametrize("nothing", [None, "null", "None", "none", "", [], "undefined"])
def test_every_spelling_of_no_value_means_an_optional_parameter_is_not_given(nothing):
    assert call("draw_circles", circles(fill=nothing)) == call("draw_circles", circles())
    assert call("draw_circles", circles(fill=nothing)).arguments["fill"] is None


def test_an_option_that_is_called_none_is_an_option():
    assert call("draw_circles", circles(blend="none")).arguments["blend"] == "none"
    assert call("draw_circles", circles(blend="null")).arguments["blend"] == "normal"


def test_required_text_none_is_content_but_null_and_empty_are_refused():
    assert call("add_text", {"text": "None", "bold": False}).arguments["text"] == "None"
    for bad in (None, "", 5, ["a"]):
        assert call("add_text", {"text": bad, "bold": False}).message.startswith("text must be text of 1 to 100")


@pytest.mark.parametrize("nothing", [None, "null", "None", "none", "", "undefined"])
def test_a_nullable_box_may_be_none_but_must_be_there(nothing):
    assert call("answer", {"bbox": nothing}).arguments == {"bbox": None}
    missing = call("answer", {})
    assert missing.kind == "invalid_parameters"
    assert missing.message == "bbox is missing; it must be [x1, y1, x2, y2] (fractions of the page) or null."


# ---------------------------------------------------------------- boxes, booleans, lists


def test_a_box_is_four_ordered_fractions():
    assert call("answer", {"bbox": (0, "0.5", 1, 0.75)}).arguments == {"bbox": [0.0, 0.5, 1.0, 0.75]}
    assert call("answer", {"bbox": np.array([0.0, 0.5, 1.0, 0.75])}).arguments == {"bbox": [0.0, 0.5, 1.0, 0.75]}


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([0.5, 0.1, 0.5, 0.9], "bbox must have x1 < x2 and y1 < y2; got [0.5, 0.1, 0.5, 0.9]."),
        ([0.9, 0.1, 0.5, 0.9], "bbox must have x1 < x2"),
        ([0.1, 0.9, 0.5, 0.2], "bbox must have x1 < x2"),
        ([0.1, 0.2, 0.5, 0.2], "bbox must have x1 < x2"),
        ([0, 0, 1, 1.01], "bbox[3] must be a number from 0 to 1; got 1.01."),
        ([0, 0, 1, math.nan], "bbox[3] must be a number from 0 to 1; got nan."),
        ([0, 0, True, 1], "bbox[2] must be"),
        ([0, 0, 1], "bbox must be [x1, y1, x2, y2]"),
        ([], "bbox must be [x1, y1, x2, y2]"),
        ([[0, 0], [1, 1]], "bbox must be [x1, y1, x2, y2]"),
        ("[0, 0, 1, 1]", "bbox must be [x1, y1, x2, y2] (fractions of the page) or null, such as [0.1, 0.2, 0.3, 0.4]"),
        ({"x1": 0}, "bbox must be [x1, y1, x2, y2]"),
        (0.5, "bbox must be [x1, y1, x2, y2]"),
        (np.float64(0.5), "bbox must be [x1, y1, x2, y2]"),
        (np.array(0.5), "bbox must be [x1, y1, x2, y2]"),
    ],
)
def test_other_boxes_are_refused_and_the_right_shape_is_shown(bad, words):
    result = call("answer", {"bbox": bad})
    assert result.kind == "invalid_parameters"
    assert result.message.startswith(words)


@pytest.mark.parametrize(("value", "expected"), [(True, True), ("false", False), ("True", True), (np.False_, False)])
def test_booleans_and_their_words(value, expected):
    assert call("add_text", {"text": "a", "bold": value}).arguments["bold"] is expected


@pytest.mark.parametrize("bad", [0, 1, "yes", None, "TRUE", 1.0])
def test_other_values_are_no_booleans(bad):
    assert call("add_text", {"text": "a", "bold": bad}).message.startswith("bold must be true or false; got ")


@pytest.mark.parametrize(
    "bad", ["[[10,20,30,40]]", [10, 20, 30, 40], {"0": [1, 2, 3, 4]}, None, 7, [[1, 2, 3]], [[1, 2, 3, 4, 5]]]
)
def test_a_list_of_the_wrong_shape_is_refused_with_an_example(bad):
    result = call("draw_lines", {"lines": bad})
    assert result.kind == "invalid_parameters"
    assert result.message.startswith("lines") and "such as [" in result.message


def test_text_with_half_a_surrogate_pair_is_refused():
    assert "surrogate" in call("add_text", {"text": "a\ud800", "bold": True}).message
    assert call("add_text", {"text": "café 😀", "bold": True}).arguments["text"] == "café 😀"


# ---------------------------------------------------------------- keys, names, forms


def test_unknown_keys_name_the_nearest_known_one():
    assert call("answer", {"bbox": None, "bboxx": 1}).message == (
        "The arguments have the unknown key 'bboxx'. Did you mean 'bbox'?"
    )
    nested = call("draw_circles", {"circles": [{"x": 0, "y": 0, "radious": 3}]})
    assert nested.message == "circles[0] has the unknown key 'radious'. Did you mean 'radius'?"
    assert call("undo", {"steps": 2}).message == "The arguments have the unknown key 'steps'. There should be none."


def test_unknown_tools_name_the_nearest_known_one():
    result = TABLE.read({"name": "DrawLine", "arguments": {}})
    assert result == Declined("invalid_action", "There is no tool 'DrawLine'. Did you mean 'draw_lines'?")
    assert "answer" in TABLE.read({"name": "zzz", "arguments": {}}).message


@pytest.mark.parametrize(
    "action",
    [
        None, "answer", 3, [], {}, {"arguments": {}}, {"name": None}, {"name": ["answer"], "arguments": {}},
        ("answer", {}), {"name": "undo", "arguments": {}, "id": "c1"}, {"tool": "undo"}, np.zeros(3), b"x", object(),
        {1: 2},
    ],
)  # fmt: skip
def test_what_is_no_call_is_a_format_error(action):
    result = TABLE.read(action)
    assert isinstance(result, Declined) and result.kind == "format"
    assert '{"name": "...", "arguments": {...}}' in result.message


@pytest.mark.parametrize("nothing", [{}, None, "", "{}"])
def test_arguments_may_be_left_out_where_none_are_needed(nothing):
    assert call("undo", nothing) == TABLE.read({"name": "undo"}) == Accepted("undo", {})


def test_arguments_may_be_a_json_string():
    assert call("answer", '{"bbox": [0, 0, 1, 1]}') == call("answer", {"bbox": [0, 0, 1, 1]})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "not valid JSON"),
        ('{"bbox": null, "bbox": [0,0,1,1]}', "the key 'bbox' stands twice"),
        ('{"bbox": [0, 0, NaN, 1]}', r"bbox\[2\] must be a number"),
        ('{"bbox": [0, 0, 1e999, 1]}', r"bbox\[2\] must be a number"),
        ('{"bbox": [0, 0, ' + "9" * 5000 + ", 1]}", "too many digits"),
        ("[1]", "must be an object"),
        ("null", "must be an object"),
        ('{"bbox": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested deeper"),
        ('{"bbox": ' + "[" * 70 + "]" * 70 + "}", "nested deeper"),
    ],
)
def test_a_json_string_that_holds_no_arguments_is_refused(text, words):
    result = call("answer", text)
    assert result.kind == "invalid_parameters"
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(result.message)


# ---------------------------------------------------------------- limits


def test_past_a_limit_is_its_own_kind():
    assert call("draw_lines", {"lines": [[0, 0, 1, 1]] * 1001}) == Declined(
        "limit", "lines has 1001 items; at most 1000 are allowed.", "draw_lines"
    )
    assert call("add_text", {"text": "a" * 101, "bold": True}).kind == "limit"
    assert call("answer", '{"bbox": "' + "a" * 1_000_000 + '"}').kind == "limit"


def endless():
    loop: list = []
    loop.append(loop)
    return loop


@pytest.mark.parametrize(
    "arguments",
    [
        {"lines": [[0, 0, 1, 1]] * 1_000_000},
        {"lines": [[0] * 1_000_000]},
        {"lines": endless()},
        {"lines": "x" * 5_000_000},
        {f"key{i}": i for i in range(300_000)},
        {"k" * 1_000_000: 1},
        {"lines": [[0, 0, 1, "9" * 1_000_000]]},
        {"lines": [[0, 0, 1, 10**100_000]]},
        {"lines": [{f"key{i}": i for i in range(300_000)}]},
        '{"lines": [' + "[0,0,1,1]," * 90_000 + "[0,0,1,1]]}",
    ],
    ids=range(10),
)
def test_huge_input_is_refused_quickly_with_a_short_message(arguments):
    seconds = []
    for _ in range(3):
        start = time.process_time()
        result = call("draw_lines", arguments)
        seconds.append(time.process_time() - start)
    assert min(seconds) < 0.5
    assert isinstance(result, Declined)
    assert len(result.message) < 400


# ---------------------------------------------------------------- skipping malformed items


def test_malformed_items_can_be_skipped_and_are_reported():
    draw = Tool("draw", "", (Parameter("lines", Array(Array(Number(0, 9), 4, 4), 1, 5, skip_malformed=True)),))
    good, bad = [0, 0, 1, 1], [0, 0, "x", 1]
    assert draw.validate({"lines": [good, bad, 7, good]}) == Valid(
        {"lines": [[0.0, 0.0, 1.0, 1.0]] * 2},
        (
            "lines[1][2] must be a number from 0 to 9; got 'x'.",
            "lines[2] must be a list of 4: number from 0 to 9, such as [0.0, 0.0, 0.0, 0.0]; got 7.",
        ),
    )
    assert draw.validate({"lines": [bad]}).arguments == {"lines": []}
    assert isinstance(draw.validate({"lines": []}), Invalid)  # nothing was given
    assert draw.validate({"lines": [bad] * 6}).kind == "limit"


# ---------------------------------------------------------------- what is derived


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_samples_are_valid_json_and_seeded(seed):
    for tool in TABLE:
        arguments = tool.sample(np.random.default_rng(seed))
        checked = tool.validate(arguments)
        assert isinstance(checked, Valid), checked
        assert tool.validate(json.loads(json.dumps(arguments))) == checked
        assert tool.validate(checked.arguments) == checked  # canonical arguments stay as they are
        assert tool.sample(np.random.default_rng(seed)) == arguments


def test_samples_reach_every_kind_of_value():
    rng = np.random.default_rng(0)
    boxes = [TABLE["answer"].sample(rng)["bbox"] for _ in range(200)]
    assert 20 < sum(box is None for box in boxes) < 80
    drawn = [TABLE["draw_circles"].sample(rng) for _ in range(200)]
    assert {len(d["circles"]) for d in drawn} == {1, 2, 3, 4, 5}
    assert 50 < sum("fill" in d for d in drawn) < 150
    assert {d.get("blend") for d in drawn} == {None, "normal", "none"}
    radii = {circle["radius"] for d in drawn for circle in d["circles"]}
    assert min(radii) == 1 and max(radii) == 50


def test_examples_are_valid():
    for tool in TABLE:
        assert isinstance(tool.validate(tool.example()), Valid)


def test_schema_is_an_openai_function():
    assert TABLE["answer"].schema() == {
        "type": "function",
        "function": {
            "name": "answer",
            "description": "Answer.",
            "parameters": {
                "type": "object",
                "properties": {
                    "bbox": {
                        "anyOf": [
                            {
                                "type": "array",
                                "items": {"type": "number", "minimum": 0, "maximum": 1},
                                "minItems": 4,
                                "maxItems": 4,
                            },
                            {"type": "null"},
                        ],
                        "description": "The flaw. [x1, y1, x2, y2] (fractions of the page) or null.",
                    }
                },
                "required": ["bbox"],
                "additionalProperties": False,
            },
        },
    }
    parameters = TABLE["draw_circles"].schema()["function"]["parameters"]
    assert parameters["required"] == ["circles"]
    assert parameters["properties"]["blend"] == {"type": "string", "enum": ["normal", "none"], "default": "normal"}
    assert parameters["properties"]["circles"]["items"]["properties"]["radius"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 50,
        "description": "In px.",
    }
    json.dumps(TABLE.schemas(), allow_nan=False)
    boxes = Parameter("boxes", Array(BoundingBox(), 1, 3))
    described = Tool("mark", "", (boxes,)).schema(NumberFrame("thousand"))["function"]["parameters"]["properties"]
    assert described["boxes"]["description"] == "[x1, y1, x2, y2] (0-1000)."


def test_schema_speaks_the_frame_of_the_model():
    def number(frame):
        properties = TABLE["answer"].schema(frame)["function"]["parameters"]["properties"]
        return properties["bbox"]["anyOf"][0]["items"], properties["bbox"]["description"]

    assert number(NumberFrame("thousand")) == (
        {"type": "integer", "minimum": 0, "maximum": 1000},
        "The flaw. [x1, y1, x2, y2] (0-1000) or null.",
    )
    assert number(NumberFrame("resized_pixel", (448, 336))) == (
        {"type": "integer", "minimum": 0},
        "The flaw. [x1, y1, x2, y2] (pixels of a 448 x 336 image) or null.",
    )


def test_markdown_names_every_argument_with_range_and_unit():
    rows = TABLE.markdown().splitlines()
    assert rows[0] == "| tool | argument | value | meaning |"
    assert "| `draw_circles` | | | Draw circles. |" in rows
    assert (
        "| | `circles` | list of 1 to 1000: {x, y: number from 0 to 400 px; "
        "radius: whole number from 1 to 50 px} |  |" in rows
    )
    assert "| | `fill` (optional) | text of at most 20 characters | Colour. Default: null. |" in rows
    assert all(row.count("|") == 5 for row in rows)


def test_a_default_is_not_shared_between_calls():
    tool = Tool("t", "", (Parameter("points", Array(Number(0, 9), 0, 9), required=False, default=[1.0]),))
    tool.validate({}).arguments["points"].append(5.0)
    assert tool.validate({}).arguments["points"] == [1.0]


@pytest.mark.parametrize(
    "declare",
    [
        lambda: Number(1, 0),
        lambda: Number(0, math.inf),
        lambda: Number(math.nan, 1),
        lambda: Number(0.5, 3, integer=True),
        lambda: Choice(()),
        lambda: Choice(("a", "a")),
        lambda: Array(Boolean(), 3, 2),
        lambda: Parameter("two words", Boolean()),
        lambda: Parameter("a", Boolean(), required=True, default=True),
        lambda: Record((Parameter("a", Boolean()), Parameter("a", Boolean()))),
        lambda: Tool("a b", ""),
        lambda: Tool("a", "", (Parameter("a", Boolean()), Parameter("a", Boolean()))),
        lambda: ToolTable(()),
        lambda: ToolTable((Tool("a", ""), Tool("a", ""))),
    ],
)
def test_declarations_that_contradict_themselves_are_refused(declare):
    with pytest.raises(ValueError):
        declare()


def test_a_default_must_be_valid_itself():
    with pytest.raises(Exception, match="a must be a number from 0 to 1"):
        Parameter("a", Number(0, 1), required=False, default=2)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text() | st.sampled_from(["bbox", "lines", "text"]), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(st.sampled_from(TABLE.names) | st.text(), json_values)
@settings(max_examples=200)
def test_no_json_makes_reading_raise(name, arguments):
    result = TABLE.read({"name": name, "arguments": arguments})
    if isinstance(result, Accepted):
        json.dumps(result.arguments, allow_nan=False)
        assert set(result.arguments) == set(TABLE[name].record.names)
    else:
        assert result.message
        result.message.encode("utf-8")


@given(json_values)
def test_no_action_makes_reading_raise(action):
    assert isinstance(TABLE.read(action), Declined)

"""Calls in the tags of Qwen3.5's templates: what these templates write is read back, and broken tags say why."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designgym.parameters import Array, Boolean, BoundingBox, Choice, Number, Parameter, Record, Text
from designgym.parse import RawCall, parse_calls, single_call
from designgym.tools import Tool, ToolTable

DOT = Record((Parameter("x", Number(0, 400)), Parameter("y", Number(0, 400))))
TABLE = ToolTable(
    (
        Tool("answer", "Answer.", (Parameter("bbox", BoundingBox(nullable=True), "The box."),)),
        Tool(
            "write",
            "Write.",
            (
                Parameter("text", Text(1000), "What."),
                Parameter("align", Choice(("left", "1")), "How."),
                Parameter("size", Number(1, 100), "Size."),
                Parameter("bold", Boolean(), "Bold."),
                Parameter("dots", Array(DOT, 0, 9), "Dots."),
            ),
        ),
        Tool("finish", "End.", ()),
    )
)


def parse(text):
    return parse_calls(text, TABLE)


def tagged(body):
    return f"<tool_call>\n{body}\n</tool_call>"


@pytest.mark.parametrize("name", ["qwen3_5_think", "qwen3_5_nothink", "qwen3_6", "qwen3_8"])
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("answer", {"bbox": [100, 200, 300, 400]}),
        ("answer", {"bbox": None}),
        (
            "write",
            {"text": ' {"a": 1}\n"two" <b> ', "align": "1", "size": 12, "bold": True, "dots": [{"x": 1, "y": 2.5}]},
        ),
        ("write", {"text": "", "align": "left", "size": 1.5, "bold": False, "dots": []}),
        ("finish", {}),
    ],
)
def test_what_the_published_templates_write_is_read_back(name, tool, arguments):
    pytest.importorskip("trl")
    import jinja2

    from designgym.agents.qwen.tokenizer import trl_template

    messages = [
        {"role": "user", "content": "?"},
        {"role": "assistant", "content": "", "tool_calls": [{"function": {"name": tool, "arguments": arguments}}]},
    ]
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    written = environment.from_string(trl_template(name)).render(messages=messages)
    turn = written.split("<|im_start|>assistant\n")[1].removesuffix("<|im_end|>\n")
    assert "<function=" in turn
    call, problem = single_call(parse(turn))
    assert problem == ""
    assert call == RawCall(tool, arguments)
    assert not any(type(call.arguments[key]) is not type(value) for key, value in arguments.items())


def test_several_calls_and_both_forms_come_in_order():
    text = (
        tagged("<function=finish>\n</function>")
        + tagged('{"name": "finish"}')
        + "<tool_call><function=answer></function>"
    )
    parsed = parse(text)
    assert parsed.calls == (RawCall("finish", {}), RawCall("finish", {}), RawCall("answer", {}))
    assert parsed.error == "" and "missing" in parsed.note  # the last </tool_call>


def test_reasoning_before_the_call_is_no_answer():
    call = tagged("<function=answer>\n<parameter=bbox>\nnull\n</parameter>\n</function>")
    other = tagged("<function=finish>\n</function>")
    assert parse(f"{other} perhaps</think>\n\n{call}").calls == (RawCall("answer", {"bbox": None}),)


def test_a_value_that_is_no_json_stays_for_the_environment_to_refuse():
    text = tagged(
        "<function=write>\n<parameter=size>\nlarge\n</parameter>\n<parameter=dots>\n[1,\n</parameter>\n</function>"
    )
    assert parse(text).calls == (RawCall("write", {"size": "large", "dots": "[1,"}),)


def test_parameters_of_unknown_tools_stay_text():
    text = tagged("<function=fly>\n<parameter=height>\n12\n</parameter>\n</function>")
    assert parse(text).calls == (RawCall("fly", {"height": "12"}),)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("<function=answer", "<function=...> tag does not end"),
        ("<function=answer\n<parameter=bbox>", "<function=...> tag does not end"),
        ("<function=answer>", "another <parameter=...> or </function> must follow"),
        ("<function=answer>none</function>", "another <parameter=...> or </function> must follow"),
        ("<function=answer><parameter=bbox>null", "'bbox' is cut off"),
        ("<function=answer><parameter=bbox>null</parameter>", "another <parameter=...> or </function>"),
        ("<function=answer><parameter=bbox>1</parameter><parameter=bbox>2</parameter></function>", "given twice"),
        ("<function=finish></function> done", "must follow"),
    ],
)
def test_broken_tags_say_why(body, words):
    parsed = parse(f"<tool_call>{body}")
    assert parsed.calls == () and words in parsed.error


@given(st.text(alphabet="<>=/\n {}\"'an", max_size=60))
def test_no_text_raises(rest):
    parse(f"<tool_call><function=answer>{rest}")
    parse(f"<tool_call><function={rest}")

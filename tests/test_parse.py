import json
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from designgym.parse import Parsed, RawCall, parse_calls, single_call
from designgym.prompt import render_call
from designgym.strict_json import JsonError, loads
from designgym.tools import Array, BoundingBox, Number, Parameter, Text, Tool, ToolTable

TABLE = ToolTable(
    (
        Tool("answer", "", (Parameter("bbox", BoundingBox(nullable=True)),)),
        Tool("draw_circles", "", (Parameter("circles", Array(Array(Number(0, 400), 3, 3), 1, 9)),)),
        Tool("draw_dots", "", (Parameter("dots", Array(Array(Number(0, 400), 2, 2), 1, 9)),)),
        Tool("add_text", "", (Parameter("text", Text(200)), Parameter("x", Number(0, 9)))),
        Tool("rename", "", (Parameter("name", Text(20)),)),
        Tool("open", "", (Parameter("file", Text(20)),)),
        Tool("close", "", (Parameter("file", Text(20)),)),
        Tool("finish", ""),
    )
)
BOX = [0.1, 0.2, 0.3, 0.4]
ANSWER = RawCall("answer", {"bbox": BOX})
CALL = '{"name": "answer", "arguments": {"bbox": [0.1, 0.2, 0.3, 0.4]}}'
OTHER = '{"name": "answer", "arguments": {"bbox": [0.0, 0.0, 1.0, 1.0]}}'


def parse(text):
    return parse_calls(text, TABLE)


@pytest.mark.parametrize(
    "text",
    [
        f"<tool_call>\n{CALL}\n</tool_call>",
        f"I see it.\n<tool_call>{CALL}</tool_call>\nDone.",
        CALL,
        f"```json\n{CALL}\n```",
        f"```\n{CALL}\n```",
        f"The flaw is the title: {CALL}.",
        f"<answer>{CALL}</answer>",
        '{"bbox": [0.1, 0.2, 0.3, 0.4]}',
        'Sure! ```json\n{"bbox": [0.1, 0.2, 0.3, 0.4]}\n``` is my answer.',
        '<tool_call>{"bbox": [0.1, 0.2, 0.3, 0.4]}</tool_call>',
        '{"name": "answer", "parameters": {"bbox": [0.1, 0.2, 0.3, 0.4]}}',
        '{"name": "answer", "arguments": "{\\"bbox\\": [0.1, 0.2, 0.3, 0.4]}"}',
        '{"type": "function", "function": ' + CALL + "}",
        '{"id": "c1", "type": "function", "name": "answer", "arguments": {"bbox": [0.1, 0.2, 0.3, 0.4]}}',
        f"[{CALL}]",
        f"I weigh {{this}} and {{ that }} (x > 0), so: {CALL}",
        f"Let S = {{x : x > 0. Then {CALL}",
        f"  \n\t{CALL}\r\n",
    ],
)
def test_one_call_is_read_in_every_usual_wrapping(text):
    parsed = parse(text)
    assert parsed.calls == (ANSWER,)
    assert parsed.error == "" and parsed.markup
    assert single_call(parsed) == (ANSWER, "")
    assert ANSWER.action == {"name": "answer", "arguments": {"bbox": BOX}}


# ---------------------------------------------------------------- reasoning


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        (f"<think>maybe {OTHER}?</think>{CALL}", f"maybe {OTHER}?"),
        (f"</think>{CALL}", ""),
        (f"perhaps {OTHER}</think>{CALL}", f"perhaps {OTHER}"),
        (f"<think>a</think> {OTHER} </think> {CALL}", f"a {OTHER}"),
        (f"<think>a <think> b</think>{CALL}", "a  b"),
        (f"<think></think>\n\n<tool_call>{CALL}</tool_call>", ""),
    ],
)
def test_calls_in_the_reasoning_are_not_the_answer(text, reasoning):
    parsed = parse(text)
    assert parsed.calls == (ANSWER,)
    assert parsed.reasoning == reasoning


@pytest.mark.parametrize(
    "text", [f"<think>maybe {OTHER} no… {CALL}", f"{CALL}<think>but then", f"<think>a</think>{CALL}<think>"]
)
def test_reasoning_that_never_ends_leaves_no_answer(text):
    parsed = parse(text)
    assert parsed.calls == ()
    assert "never ends" in parsed.error


def test_null_after_a_lone_closing_tag_is_the_answer():
    assert parse('None</think> {"bbox": null}').calls == (RawCall("answer", {"bbox": None}),)


# ---------------------------------------------------------------- several calls


def test_several_calls_come_in_order_tagged_or_not():
    circles = '{"name": "draw_circles", "arguments": {"circles": [[100,100,20]]}}'
    dots = '{"name": "draw_dots", "arguments": {"dots": [[5,5]]}}'
    expected = (
        RawCall("draw_circles", {"circles": [[100, 100, 20]]}),
        RawCall("DrawLine", {}),
        RawCall("finish", {}),
        RawCall("draw_dots", {"dots": [[5, 5]]}),
    )
    calls = [circles, '{"name": "DrawLine", "arguments": "{}"}', '{"name": "finish"}', dots]
    assert parse("\n".join(f"<tool_call>{call}</tool_call>" for call in calls)).calls == expected
    assert parse("[" + ", ".join(calls) + "]").calls == expected
    assert parse(" then ".join(calls)).calls == expected


@pytest.mark.parametrize("text", [f"{OTHER} wait {CALL}", f"<tool_call>{CALL}</tool_call>" * 2, f"{CALL}{CALL}"])
def test_where_one_answer_is_asked_for_two_are_none(text):
    parsed = parse(text)
    assert len(parsed.calls) == 2 and parsed.error == ""
    assert single_call(parsed) == (None, "The reply holds 2 tool calls; exactly one is wanted.")


def test_tags_win_over_json_in_the_prose_around_them():
    parsed = parse(f"As in {OTHER}: <tool_call>{CALL}</tool_call> and not {OTHER}")
    assert parsed.calls == (ANSWER,)


# ---------------------------------------------------------------- unreadable


def test_a_key_that_stands_twice_is_refused_and_never_the_last_one_taken():
    parsed = parse('{"bbox":[10,20,110,60],"bbox":[200,20,260,80]}')
    assert parsed.calls == () and "'bbox' stands twice" in parsed.error
    nested = parse('{"name": "answer", "arguments": {"bbox": null, "bbox": [0,0,1,1]}}')
    assert nested.calls == () and "'bbox' stands twice" in nested.error


def test_calls_before_a_cut_are_kept_and_the_cut_is_flagged():
    parsed = parse('[{"bbox":[0.1,0.2,0.3,0.4]},{"bbox":[0.2,0.2,0.3,0.4]},{"bbox":[0.3,0.3')
    assert [call.arguments["bbox"][0] for call in parsed.calls] == [0.1, 0.2]
    assert "cut off" in parsed.error
    assert single_call(parsed)[0] is None


@pytest.mark.parametrize("length", range(1, len(CALL)))
def test_no_beginning_of_a_call_is_a_call(length):
    for text in (CALL[:length], f"<tool_call>\n{CALL[:length]}"):
        parsed = parse(text)
        assert parsed.calls == () and parsed.error


def test_only_the_last_closing_tag_may_be_missing():
    parsed = parse(f"<tool_call>\n{CALL}\n")
    assert parsed.calls == (ANSWER,) and "missing" in parsed.note and parsed.error == ""
    middle = parse(f"<tool_call>{CALL}<tool_call>{OTHER}</tool_call>")
    assert middle.calls == () and "must follow" in middle.error


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("  \n ", "empty"),
        ("None", "no tool call"),
        ("0.1,0.2,0.3,0.4", "no tool call"),
        ("answer(bbox=[0.1, 0.2, 0.3, 0.4])", "no tool call"),
        ("{'name': 'answer', 'arguments': {'bbox': None}}", "no tool call"),
        ('{"box": [0.1, 0.2, 0.3, 0.4]}', "holds JSON, but no tool call"),
        ('{"bbox": [0.1, 0.2, 0.3, 0.4], "reason": "ugly"}', "holds JSON, but no tool call"),
        ('{"object": "title"}', "holds JSON, but no tool call"),
        ('{"file": "a.png"}', "fits several tools (open, close)"),
        ('{"name": "answer", "bbox": null}', "unknown key 'bbox'"),
        ('{"name": "answer", "arguments": {}, "parameters": {}}', "not both"),
        ('{"name": 5, "arguments": {}}', "must be a string; got 5"),
        ('{"name": "answer", "arguments": [1]}', "must be an object; got [1]"),
        ('{"name": "answer", "arguments": "bbox"}', "cannot be read"),
        ('{"name": "answer", "arguments": {"bbox": nul}}', "not valid JSON"),
        ("<tool_call></tool_call>", "must hold one JSON object"),
        ("<tool_call>null</tool_call>", "must hold one JSON object"),
        (f"<tool_call>[{CALL}]</tool_call>", "must hold one JSON object"),
        (f"<tool_call>{CALL}{OTHER}</tool_call>", "must follow"),
        ('<tool_call>{"a": 1}</tool_call>', "is no call"),
        (f"<tool_call>call: {CALL}</tool_call>", "must hold one JSON object"),
        ("<tool_call>", "must hold one JSON object"),
    ],
)
def test_what_cannot_be_read_says_why(text, words):
    parsed = parse(text)
    assert parsed.calls == ()
    assert words in parsed.error
    assert single_call(parsed) == (None, parsed.error)


def test_markup_tells_a_broken_call_from_plain_words():
    assert parse('{"name": "answer", "argum').markup
    assert parse("<tool_call>oops").markup
    assert not parse("The title is too faint.").markup
    assert not parse("<think>{}</think>no").markup


def test_objects_that_are_no_call_are_ignored_with_a_note_beside_one_that_is():
    parsed = parse('{"seen": 3} {"contrast": 1.2} ' + CALL)
    assert parsed.calls == (ANSWER,) and parsed.note == "2 JSON objects that are no call ignored."
    wrapped = parse('{"plan": [' + CALL + "]}")
    assert wrapped.calls == ()  # what a wrapper means is not guessed


def test_a_parameter_called_name_is_no_tool_name():
    assert parse('{"name": "logo"}').calls == (RawCall("rename", {"name": "logo"}),)
    assert parse('{"name": "finish"}').calls == (RawCall("finish", {}),)


def test_line_breaks_and_tags_inside_strings_are_content():
    assert parse('{"text": "two\nlines", "x": 1}').calls[0].arguments["text"] == "two\nlines"
    inside = '{"name": "add_text", "arguments": {"text": "</tool_call><tool_call>{\\"", "x": 1}}'
    assert parse(f"<tool_call>{inside}</tool_call>").calls[0].arguments["text"] == '</tool_call><tool_call>{"'


# ---------------------------------------------------------------- properties


@given(st.integers(0, 2**32 - 1), st.sampled_from(TABLE.names))
def test_what_is_rendered_is_read_back(seed, name):
    arguments = TABLE[name].sample(np.random.default_rng(seed))
    assert parse(render_call(name, arguments)) == Parsed((RawCall(name, arguments),), markup=True)


TAGS = ["<think>", "</think>", "<tool_call>", "</tool_call>", '"', "\\", "{", "}", "a"]


@given(st.lists(st.sampled_from(TAGS), max_size=30).map("".join))
def test_tags_in_arguments_survive_rendering(text):
    assert parse(render_call("add_text", {"text": text, "x": 1})).calls == (
        RawCall("add_text", {"text": text, "x": 1}),
    )


pieces = st.sampled_from(
    [*TAGS, "[", "]", ":", ",", "name", "arguments", "bbox", "null", "1", " ", "\n", "```json", "\ud800", "\x00", CALL,
     '{"', '"name": "answer"'],
)  # fmt: skip


@given(st.lists(pieces, max_size=40).map("".join) | st.text(max_size=200))
@settings(max_examples=400)
def test_no_text_makes_parsing_raise_and_no_call_comes_without_its_json(text):
    parsed = parse(text)
    assert parsed.calls or parsed.error
    for call in parsed.calls:
        assert isinstance(call.name, str) and isinstance(call.arguments, dict)


@pytest.mark.parametrize(
    "unit",
    [
        "a", "{", "}", '"', "\\", '{"', '"\\', '{"a":', "[", '{"a":[', "<tool_call>", '<tool_call>{"', "<think>",
        "</think>", "<think></think>", "{ ", "{\n", '{"a":1}', CALL, f"<tool_call>{CALL}</tool_call>", "{}", '{"a', "9",
        "```json\n{", '{"a":"<tool_call>{', "<tool_call> ",
        '{"function":', "\u2028", "{\\", '{"name":"finish","arguments":"',
    ],
)  # fmt: skip
def test_a_hundred_thousand_characters_are_read_quickly(unit):
    text = unit * (100_000 // len(unit))
    start = time.process_time()
    for variant in (text, '{"bbox": ' + text, f"<tool_call>{text}", f"{text}</think>{CALL}", f'{{"bbox": "{text}"}}'):
        parse(variant)
    assert time.process_time() - start < 2.5  # five readings; a quadratic reader takes minutes


def test_time_grows_with_the_text_and_not_with_its_square():
    def seconds(count):
        text = "".join('{"a": "<tool_call>{' for _ in range(count))
        start = time.process_time()
        parse(text)
        return time.process_time() - start

    seconds(1000)
    assert seconds(200_000) < 40 * max(seconds(20_000), 1e-3)


# ---------------------------------------------------------------- strict JSON


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
    )
)
def test_strict_json_reads_what_json_writes(value):
    assert loads(json.dumps(value)) == value


@pytest.mark.parametrize(
    "text", ["", "{", "{'a': 1}", '{"a": 1,}', '{"a": {"b": 1, "b": 1}}', "1 2", "[" * 65 + "]" * 65, "nul"]
)
def test_strict_json_refuses_the_rest(text):
    with pytest.raises(JsonError):
        loads(text)


def test_nesting_up_to_the_limit_is_read():
    assert loads("[" * 64 + "]" * 64)

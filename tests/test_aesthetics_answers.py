"""What models write is read as the answer it states: never guessed, never the best of several, never slowly."""

import json
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from designgym.answers import ARGUMENT, read_answer, write_answer
from designgym.boxes import Box, NumberFrame
from designgym.tools import FRACTIONS

THOUSAND = NumberFrame("thousand")
PIXEL = NumberFrame("pixel", (640, 320))
RESIZED = NumberFrame("resized_pixel", (448, 224))
FRAMES = (FRACTIONS, THOUSAND, PIXEL, RESIZED)
BOX = [0.1, 0.2, 0.3, 0.4]


def verdict(text):
    answer = read_answer(text, "judgment")
    return answer and answer["verdict"]


def choice(text):
    answer = read_answer(text, "selection")
    return answer and answer["choice"]


def box(text, frame=FRACTIONS, order="xyxy"):
    """The box, "none" for an answer of None, or None for no answer."""
    answer = read_answer(text, "localization", frame, order)
    if answer is None:
        return None
    return "none" if answer["bbox"] is None else [round(side, 6) for side in answer["bbox"]]


# ---------------------------------------------------------------- judgment


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yes", "yes"),
        ("No.", "no"),
        ("**Yes**", "yes"),
        ("'no'", "no"),
        ("Answer: No.", "no"),
        ("Final answer: **yes**", "yes"),
        ("The answer is yes.", "yes"),
        ("The answer is: 'No'", "no"),
        ("No, the title lines up with the text.", "no"),
        ("Yes, there is no contrast between the title and the page.", "yes"),
        ("I would say no, because everything lines up.", "no"),
        ('```json\n{"verdict": "yes"}\n```', "yes"),
        ('{"answer": "No."}', "no"),
        ('<tool_call>\n{"name": "answer", "arguments": {"verdict": "no"}}\n</tool_call>', "no"),
        ('{"name": "answer", "arguments": "{\\"verdict\\": \\"yes\\"}"}', "yes"),
        ("<think>yes? no? yes!</think>no", "no"),
        ("It could be yes or no.</think>\n\nYes", "yes"),
        ("1. Title: no problem.\n2. Text: yes, faint.\n\nAnswer: yes", "yes"),
        ("Some would say yes, some no.\n\nNo", "no"),
        ("\\boxed{No}", "no"),
        ("<answer>yes</answer>", "yes"),
        ("yes\nyes", "yes"),
    ],
)
def test_a_verdict_is_read_from_words_sentences_and_json(text, said):
    assert verdict(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "maybe",
        "Yes and no",
        "yes/no",
        "Yes, no.",
        "yes\nno",
        "Answer: yes. Answer: no.",
        "The answer is yes or no",
        'Yes\n{"verdict": "no"}',
        '{"verdict": "yes"} {"verdict": "no"}',
        '{"verdict": "perhaps"}',
        '{"verdict": true}',
        '{"verdict": ["yes", "no"]}',
        '{"verdict": "yes"',
        "<think>The answer is yes",
        "There is no contrast",  # says that there is a problem, with the word no
        "now, yesterday, know, eyes, no-frills",
    ],
)
def test_no_verdict_is_guessed(text):
    assert verdict(text) is None


# ---------------------------------------------------------------- selection


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("A", "A"),
        ("b", "B"),
        ("(B)", "B"),
        ("[C]", "C"),
        ("D.", "D"),
        ("**C**", "C"),
        ("Option D", "D"),
        ("The answer is B.", "B"),
        ("The answer is (a)", "A"),
        ("The answer is A because it leans.", "A"),
        ("answer: c", "C"),
        ("B. [12, 30, 40, 52]", "B"),
        ("D: None", "D"),
        ("Region A is out of line with the others.", "A"),
        ("A title that is too large is in region C.", "C"),
        ("A: fine\nB: fine\nC: too faint\nD: None\n\nThe answer is C.", "C"),
        ("A: fine\nB: too large\n\nB", "B"),
        ("The answer is B, not A.", "B"),
        ('{"choice": "B"}', "B"),
        ('{"answer": "Option C"}', "C"),
        ('```json\n{"answer": "(d)"}\n```', "D"),
        ('{"name": "answer", "arguments": {"choice": "A"}}', "A"),
        ("<think>A or B?</think>C", "C"),
        ("\\boxed{B}", "B"),
        ("The answer is B.\nB", "B"),
    ],
)
def test_a_choice_is_read_from_letters_sentences_and_json(text, said):
    assert choice(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "",
        "E",
        "A and B",
        "A or B or C",
        "A, B",
        "A/B/C/D",
        "(A)(B)",
        "A\nB",
        "The answer is A or B.",
        "The answer is A, B and C",
        "The answer is A.\nThe answer is B.",
        'A\n{"choice": "B"}',
        '{"choice": ["A", "B"]}',
        '{"choice": "A or B"}',
        '{"choice": 1}',
        "A: fine\nB: fine\nC: fine\nD: fine",
        "A title is too large.",
        "a small picture of a bird",
        "None",
        "ABCD",
        "<think>B",
    ],
)
def test_several_letters_and_none_are_no_choice(text):
    assert choice(text) is None


# ---------------------------------------------------------------- localization


@pytest.mark.parametrize(
    "text",
    [
        "[0.1, 0.2, 0.3, 0.4]",
        "(0.1,0.2,0.3,0.4)",
        "0.1, 0.2, 0.3, 0.4",
        "0.1,0.2,0.3,0.4.",
        "[.1, .2, .3, .4]",
        "[1e-1, 2e-1, 3E-1, 4e-1]",
        "Answer: [0.1, 0.2, 0.3, 0.4]",
        "The title is at [0.5, 0.5, 0.9, 0.9]. It is fine.\nThe text is not. Answer: [0.1, 0.2, 0.3, 0.4]",
        "The bounding box of the faint text is [0.1, 0.2, 0.3, 0.4].",
        '{"bbox_2d": [0.1, 0.2, 0.3, 0.4]}',
        '```json\n[\n\t{"bbox_2d": [0.1, 0.2, 0.3, 0.4], "label": "title"}\n]\n```',
        '{"bbox": ["0.1", "0.2", "0.3", "0.4"]}',
        '{"bbox": [[0.1, 0.2], [0.3, 0.4]]}',
        '{"bbox": [[0.1, 0.2, 0.3, 0.4]]}',
        '{"x1": 0.1, "y1": 0.2, "x2": 0.3, "y2": 0.4}',
        '{"bbox": {"left": 0.1, "top": 0.2, "width": 0.2, "height": 0.2}}',
        '{"answer": "[0.1, 0.2, 0.3, 0.4]"}',
        "{'bbox_2d': [0.1, 0.2, 0.3, 0.4]}",
        '{"name": "answer", "arguments": {"bbox": [0.1, 0.2, 0.3, 0.4]}}',
        "```\n[\n  0.1,\n  0.2,\n  0.3,\n  0.4\n]\n```",
        "<|box_start|>(0.1,0.2),(0.3,0.4)<|box_end|>",
        "[0.1, 0.2] to [0.3, 0.4]",
        "[[0.1, 0.2], [0.3, 0.4]]",
        "left: 0.1, top: 0.2, width: 0.2, height: 0.2",
        "x1 = 0.1, y1 = 0.2, x2 = 0.3, y2 = 0.4",
        "<think>Is it [0, 0, 1, 1]?</think>[0.1, 0.2, 0.3, 0.4]",
        "[0.1, 0.2, 0.3, 0.4]\n[0.10, 0.20, 0.30, 0.40]",
    ],
)
def test_a_box_is_read_in_every_form(text):
    assert box(text) == BOX


@pytest.mark.parametrize(
    "text",
    ["None", "none.", "null", "'None'", "**None**", "Answer: None", '{"bbox": null}', '{"bbox_2d": "None"}',
     "{'bbox': None}", '{"bbox": None}', "```json\n{\"bbox\": null}\n```", "<think>[0, 0, 1, 1]</think>\nNone",
     '{"name": "answer", "arguments": {"bbox": null}}', "The picture [0, 0, 1, 1] is fine.\n\nNone"],
)  # fmt: skip
def test_none_is_an_answer_of_its_own(text):
    assert box(text) == "none"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "the title",
        "[0.1, 0.2, 0.3]",
        "[0.1, 0.2, 0.3, 0.4, 0.5]",
        "10,20,30,40,50%",
        "[10%, 20%, 30%, 40%]",
        "[0.1, 0.2, 0.3, 0.4] [0.5, 0.5, 0.6, 0.6]",
        "[0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.6, 0.6]",
        "[[0.1, 0.2, 0.3, 0.4], [0.5, 0.5, 0.6, 0.6]]",
        "[0.1, 0.2, 0.3, 0.4] or None",
        "[0.1, 0.2, 0.3, 0.4]\nNone",
        '[{"bbox_2d": [0, 0, 1, 1]}, {"bbox_2d": [0.1, 0.2, 0.3, 0.4]}]',
        '{"bbox": [[0, 0, 1, 1], [0.1, 0.2, 0.3, 0.4]]}',
        '{"bbox": [0, 0, 1, 1], "bbox_2d": [0.1, 0.2, 0.3, 0.4]}',
        "Answer: [0.1, 0.2, 0.3, 0.4] and [0, 0, 1, 1]",
        "[0.1, 0.2, 0.3, 0.4",  # cut off: it might have gone on
        "<|box_start|>(0.1,0.2),(0.3,0.4",
        '{"bbox": [0.1, 0.2, 0.3, 0.4]',
        '{"bbox": [NaN, 0.2, 0.3, 0.4]}',
        '{"bbox": [Infinity, 0.2, 0.3, 0.4]}',
        '{"bbox": [1e400, 0.2, 0.3, 0.4]}',
        '{"bbox": [true, false, true, true]}',
        '{"bbox": []}',
        "NaN, NaN, NaN, NaN",
        "1.2.3.4, 5, 6, 7",
        "[10px, 20px, 30px, 40px]",  # fractions were asked for
        "<think>[0.1, 0.2, 0.3, 0.4]",
    ],
)
def test_no_box_is_guessed_and_several_are_none(text):
    assert box(text) is None


def test_reversed_empty_and_outlying_boxes_are_left_for_the_environment_to_refuse():
    assert box("[0.3, 0.4, 0.1, 0.2]") == [0.3, 0.4, 0.1, 0.2]
    assert box("[0.1, 0.1, 0.1, 0.1]") == [0.1, 0.1, 0.1, 0.1]
    assert box("[-10, 20, 3000, 40]", THOUSAND) == [-0.01, 0.02, 3.0, 0.04]


def test_frame_and_order_are_as_declared_and_never_by_the_look_of_the_numbers():
    assert box("[64, 64, 192, 128]", PIXEL) == BOX
    assert box("[64px, 64 px, 192px, 128px]", PIXEL) == BOX
    assert box("[44.8, 44.8, 134.4, 89.6]", RESIZED) == BOX
    assert box("[100, 200, 300, 400]", THOUSAND) == BOX
    assert box("0.1,0.2,0.2,0.2", order="ltwh") == BOX
    assert box("[100, 200, 200, 200]", THOUSAND, "ltwh") == BOX
    assert box("[0.1, 0.2, 0.3, 0.4]", THOUSAND) == [0.0001, 0.0002, 0.0003, 0.0004]
    # Names of sides and two points tell their order themselves.
    assert box('{"x1": 100, "y1": 200, "x2": 300, "y2": 400}', THOUSAND, "ltwh") == BOX
    assert box("<|box_start|>(100,200),(300,400)<|box_end|>", THOUSAND, "ltwh") == BOX


def test_a_side_that_rounding_moves_off_the_page_is_put_back():
    assert read_answer("0.35, 0.1, 0.65, 0.9", "localization", order="ltwh") == {"bbox": [0.35, 0.1, 1.0, 1.0]}
    beyond = [k / 1000 for k in range(1001) if k / 1000 + (1000 - k) / 1000 > 1]
    for left in beyond:
        answer = read_answer(f"[{left}, 0, {(1000 - round(left * 1000)) / 1000}, 1]", "localization", order="ltwh")
        assert answer["bbox"][2] == 1.0


# ---------------------------------------------------------------- the released evaluator


@pytest.mark.parametrize(("text", "said"), [("The answer is B.", "A"), ("B", "B"), ("Option: D", "D"), ("no", None)])
def test_release_takes_the_first_letter_a_to_d_of_any_word(text, said):
    expected = None if said is None else {"choice": said}
    assert read_answer(text, "selection", protocol="release") == expected


def test_release_takes_the_first_four_numbers_wherever_they_stand():
    def released(text, frame=FRACTIONS, order="xyxy"):
        return read_answer(text, "localization", frame, order, "release")["bbox"]

    assert released('{"bbox_2d": [105, 200, 301, 232]}', THOUSAND) == pytest.approx([0.002, 0.105, 0.2, 0.301])
    assert released("0.1 0.2 then 0.2 and 0.2, also 0.9", order="ltwh") == pytest.approx(BOX)
    assert released("[0.1, 0.2, 0.3, 0.4] [0, 0, 1, 1]") == pytest.approx(BOX)
    assert released("[-0.5, 0, 2, 1]") == [0, 0, 1, 1]
    assert released("") is None and released("1, 2, 3") is None  # a model that fails scores on clean designs


def test_release_reads_verdicts_as_strict_does():
    assert read_answer("The answer is no.", "judgment", protocol="release") == {"verdict": "no"}


# ---------------------------------------------------------------- round trips, bad input, time

sides = st.integers(0, 1000)


@given(sides, sides, sides, sides, st.sampled_from(FRAMES), st.sampled_from(["xyxy", "ltwh"]))
def test_boxes_survive_writing_and_reading_in_every_frame_and_order(a, b, c, d, frame, order):
    corners = [min(a, c) / 1000, min(b, d) / 1000, max(a, c) / 1000, max(b, d) / 1000]
    text = write_answer({"bbox": corners}, "localization", frame, order)
    read = read_answer(text, "localization", frame, order)["bbox"]
    width, height = (1000, 1000) if frame.frame == "fraction" else frame.limits
    for got, wanted, side in zip(read, corners, (width, height) * 2, strict=True):
        assert abs(got - wanted) <= 0.5 / side + 1e-9
        assert 0 <= got <= 1


@given(
    st.tuples(*[st.floats(0, 1, allow_nan=False)] * 4),
    st.sampled_from(FRAMES),
    st.sampled_from(["xyxy", "ltwh"]),
    st.sampled_from(["[%s]", "(%s)", "%s", '{"bbox_2d": [%s]}', "Answer: [%s].", "```json\n[%s]\n```"]),
)
def test_exact_numbers_give_the_exact_box_in_every_frame_order_and_form(corners, frame, order, form):
    converted = Box(*corners).convert(frame.frame, size=frame.size, resized=frame.size)
    numbers = converted.xyxy if order == "xyxy" else converted.ltwh
    text = form % ", ".join(f"{number:.12f}" for number in numbers)
    assert read_answer(text, "localization", frame, order)["bbox"] == pytest.approx(list(corners), abs=1e-9)


@pytest.mark.parametrize(
    ("task", "arguments"),
    [("judgment", {"verdict": "yes"}), ("judgment", {"verdict": "no"}), ("selection", {"choice": "A"}),
     ("selection", {"choice": "D"}), ("localization", {"bbox": None})],
)  # fmt: skip
def test_written_answers_are_read_back(task, arguments):
    assert read_answer(write_answer(arguments, task), task) == arguments


@given(st.text() | st.text(alphabet="yesnoABCD 0123456789.,[](){}\"'<|>\n:*`-"), st.sampled_from(sorted(ARGUMENT)))
@example("{" * 5000, "localization")
@settings(max_examples=300)
def test_nothing_raises_whatever_the_text(text, task):
    for protocol in ("strict", "release"):
        answer = read_answer(text, task, THOUSAND, "ltwh", protocol)
        assert answer is None or list(answer) == [ARGUMENT[task]]


PATHOLOGICAL = [
    "yes ", "no ", "no no ", "A ", "A, ", "box a ", "answer is ", "answer: A\n", "answer is A or ",
    "1,", "1, ", "1px,", "0.1,0.2,0.3,0.4 ", "[", "]", "[[", "(1,2),", "(1,2)(", "9", "-", ".", "1.", ".1", "e", "1e",
    "{", '{"', '{"a":', '{"bbox":[1,2,3,4]}', '{"bbox": null} ', '"', "\\", "'", "*", "```\n", " ", "\n", "\t", "é",
    "<think>", "</think>", "<tool_call>", "<answer>", "\\boxed{", "None ", "null\n", "\u2028",
    "x1: 1, y1: 2, x2: ", "left: 0.1, top: ", "left: 1, ",
]  # fmt: skip


@pytest.mark.parametrize("piece", PATHOLOGICAL)
def test_a_hundred_thousand_characters_are_read_in_linear_time(piece):
    # A quadratic rule takes minutes on these texts; ten seconds a reading leave room for a busy machine.
    text = piece * (100_000 // len(piece))
    for whole, protocol in ((text, "strict"), (f"Answer: {text}", "strict"), (text, "release")):
        for task in ARGUMENT:
            began = time.process_time()
            read_answer(whole, task, THOUSAND, protocol=protocol)
            assert time.process_time() - began < 10


def test_a_long_reply_keeps_its_answer():
    padding = "The title is large and the picture below it is sharp. " * 2000
    assert verdict(padding + "\nAnswer: no") == "no"
    assert choice(padding + "\nThe answer is C.") == "C"
    assert box(padding + '\n```json\n{"bbox_2d": [0.1, 0.2, 0.3, 0.4]}\n```') == BOX
    assert box(json.dumps({"note": padding, "bbox": BOX})) == BOX


def test_unknown_tasks_orders_and_protocols_are_refused():
    for wrong in ({"task": "drawing"}, {"task": "selection", "order": "yxyx"}, {"task": "judgment", "protocol": "lax"}):
        with pytest.raises(ValueError, match="is unknown; use one of"):
            read_answer("yes", **wrong)

"""The canvas prompt: every point in every condition, conditions that differ exactly where they should, and the context
of a round, part by part and pixel by pixel."""

import base64
import difflib
import io
import itertools
import json
import re

import numpy as np
import pytest
from PIL import Image

from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.envs.canvas.prompt import Context, PromptSettings, build_prompt, strip
from designgym.envs.canvas.svg.read import SUPPORTED_COMMANDS, SUPPORTED_ELEMENTS
from designgym.envs.canvas.tools import tool_table
from designgym.envs.canvas.wording import instruction
from designgym.errors import UserError
from designgym.history import Turn
from designgym.parse import parse_calls
from designgym.prompt import ImagePart, to_openai, to_transformers

TABLES = {"tools": tool_table(), "dots": tool_table("tools", "dots"), "svg": tool_table("svg")}
FRAMINGS = ("canonical", "depictive", "example")
CONTEXTS = [Context(*shown) for shown in itertools.product((True, False), repeat=3)]
ALL = Context(True, True, True)


def canvas(level, channels=1):
    """A small image that tells itself from the others; 2 x 3 px."""
    return np.full((2, 3, channels), level, np.uint8)


def call(number):
    return {"name": "draw_dots", "arguments": {"dots": [{"x": number, "y": 0}], "erase": False}}


def played(calls, table=None):
    """The turns of so many calls, which leave canvases of grey 0 (the reset), 1, 2, ..."""
    turns = [Turn(None, "Calls left: 300.", image=canvas(0))]
    for number in range(1, calls + 1):
        turns.append(Turn(call(number), f"OK\nCalls left: {300 - number}.", image=canvas(number), round=number - 1))
    return turns


def ask(history=None, table="tools", *, stimulus=True, subject=None, text=None, **options):
    history = played(0) if history is None else history
    last = history[-1]
    observation = {
        "image": last.image,
        "task": instruction(stimulus, subject),
        "text": last.text if text is None else text,
    }
    return build_prompt(observation, TABLES[table], history=history, stimulus=stimulus, subject=subject, **options)


def system(*args, **options):
    return ask(*args, **options)[0].text


def pictures(messages):
    return [part.image for message in messages for part in message.parts if isinstance(part, ImagePart)]


def changed_lines(before, after):
    """What stands only in one of two texts, line by line."""
    lines = list(difflib.ndiff(before.split("\n"), after.split("\n")))
    return [line[2:] for line in lines if line[0] == "-"], [line[2:] for line in lines if line[0] == "+"]


# ---------------------------------------------------------------- the system prompt, point by point

POINTS = {
    "size": r"white canvas of 400 x 400 pixels",
    "goal": r"the most original drawing",
    "only tool calls": r"Communicate by tool calls only",
    "one a response": r"exactly one tool call in each response",
    "batch": r"into one call",
    "snapshots": r"snapshot of the canvas is saved.* after each drawing call",
    "end and title": r"call drawing_finished\(label\) with a short title",
    "no questions": r"Never ask questions",
    "black on white": r"Strokes are black on white",
    "erase": r"erase=true, a call lays white along the very paths that it would otherwise have drawn",
    "width": r"always 5 pixels wide, in drawing and in erasing",
    "outlines": r"outlines and are never filled; to make an area solid, cover it with strokes",
    "no layers": r"There are no layers",
    "undo": r"undo_last_action\(\) takes back the last call that drew",
}
SHAPE_POINTS = {
    "there": r"A black shape is already on it: the starting shape",
    "incorporate": r"It has to be incorporated",
    "not erased": r"it cannot be erased",
    "reappears": r"the starting shape reappears",
}
SVG_POINTS = {**POINTS, "batch": r"draw_svg\(svg, erase\)\. It takes SVG markup with any number of elements"}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("framing", FRAMINGS)
@pytest.mark.parametrize("subject", [None, "a snail"])
def test_every_point_is_made_in_every_condition(table, framing, subject):
    points = SVG_POINTS if table == "svg" else POINTS
    for context, stimulus in itertools.product(CONTEXTS, (True, False)):
        text = system(table=table, framing=framing, subject=subject, context=context, stimulus=stimulus)
        missing = [name for name, words in points.items() if not re.search(words, text)]
        assert missing == []
        made = [name for name, words in SHAPE_POINTS.items() if re.search(words, text)]
        assert made == (list(SHAPE_POINTS) if stimulus else [])


@pytest.mark.parametrize("table", TABLES)
def test_a_blank_canvas_goes_without_any_mention_of_a_starting_shape(table):
    for framing, context, subject in itertools.product(FRAMINGS, CONTEXTS, (None, "a snail")):
        for message in ask(
            played(2), table, stimulus=False, framing=framing, context=context, subject=subject, axes="outside"
        ):
            assert not re.search(r"starting|incorporat|stimulus|reappear|cannot be erased|given shape", message.text)


def test_the_first_user_message_names_the_starting_shape_and_asks_for_the_most_original_drawing():
    assert "canvas shows the starting shape" in instruction(True, None)
    for stimulus, subject in itertools.product((True, False), (None, "a snail")):
        text = instruction(stimulus, subject)
        assert "the most original drawing" in text
        assert ("a snail" in text) == (subject is not None)
        assert ("starting shape" in text) == stimulus
        assert ask(stimulus=stimulus, subject=subject)[1].text.startswith(text)


# ---------------------------------------------------------------- the beginning of a growing conversation


@pytest.mark.parametrize("context", [Context(), Context(history=False, strip=False)])
def test_a_growing_conversation_begins_with_task_canvas_and_calls_left(context):
    told, user = ask(played(0), growing=True, context=context)
    assert user.text == f"{instruction(True, None)}\n\nThe current canvas:\n\n\n\nCalls left: 300."
    (picture,) = pictures([told, user])
    assert (picture == 0).all()
    (brief,) = ask(played(0), growing=True, context=context, wording="brief")
    assert len(pictures([brief])) == 1


def test_a_growing_conversation_is_told_what_stays_in_it_and_nothing_else_changes():
    lost, gained = changed_lines(system(axes="over"), system(growing=True, axes="over"))
    assert gained[0] == "What you are shown after each of your calls:"
    assert gained[1:3] == [
        "- an image of the canvas as it is then",
        "- the result of the call, and how many calls are left",
    ]
    assert gained[3].startswith("All of this stays in the conversation, and its latest image is the current canvas. In")
    assert len(gained) == 4
    assert lost[0].startswith("What you are shown in each round") and "record of the drawing" in lost[-1]


def test_a_growing_conversation_without_canvases_is_refused():
    with pytest.raises(UserError, match="keep 'canvas' in the context"):
        ask(growing=True, context=Context(canvas=False))


# ---------------------------------------------------------------- conditions differ where they should and nowhere else


@pytest.mark.parametrize(("stimulus", "subject"), [*itertools.product((True, False), (None, "a snail"))])
def test_framings_add_to_the_goal_and_change_nothing_else(stimulus, subject):
    canonical, depictive, example = (system(stimulus=stimulus, subject=subject, framing=name) for name in FRAMINGS)
    (goal,), (longer,) = changed_lines(canonical, depictive)
    assert longer.startswith(goal)
    assert longer.removeprefix(goal) == (
        " Whoever looks at it must be able to say what it shows without being told the title."
    )
    (goal,), (longest,) = changed_lines(depictive, example)
    assert longest.startswith(goal)
    worked = longest.removeprefix(goal)
    assert re.search(r"circle.* turned into the face of a clock.*more circles beside it would not do", worked)
    users = [ask(stimulus=stimulus, subject=subject, framing=name)[1].text for name in FRAMINGS]
    assert len(set(users)) == 1


def test_a_given_subject_takes_the_place_of_the_choice_and_changes_nothing_else():
    (free,), (given,) = changed_lines(system(), system(subject="a snail"))
    assert free == "Your goal is the most original drawing that you can make, incorporating the starting shape."
    assert given.startswith("Draw a snail, incorporating the starting shape.")
    assert "Draw a snail." in system(subject="a snail", stimulus=False)


def test_the_smallest_vocabulary_names_its_one_tool_in_the_batching_rule_and_changes_nothing_else():
    (rule,), (dots,) = changed_lines(system(), system(table="dots"))
    assert "another type needs another call" in rule
    assert dots.startswith("- The only tool that draws is draw_dots.")


def test_svg_replaces_the_batching_rule_by_draw_svg_and_what_it_supports():
    (rule,), added = changed_lines(system(), system(table="svg"))
    assert "another type needs another call" in rule
    draw, supported = added
    assert "draw_svg" in draw
    elements = re.search(r"draws the elements (.*), nested in g or not, and honours their transform", supported)[1]
    assert re.split(r", | and ", elements) == list(SUPPORTED_ELEMENTS)
    commands = re.search(r"commands (.*) and their lower-case forms", supported)[1]
    assert re.split(r", | and ", commands) == list(SUPPORTED_COMMANDS)
    assert "any other element is skipped" in supported


def test_a_blank_canvas_changes_only_the_lines_about_the_starting_shape():
    before, after = changed_lines(system(), system(stimulus=False))
    assert len(before) == len(after) == 3  # canvas, goal, erasing
    assert all("starting shape" in line for line in before)


def test_conditions_leave_the_context_of_a_round_as_it_is():
    messages = [ask(played(3), table="tools", **o) for o in ({}, {"framing": "example"}, {"axes": "over"})]
    assert len({user.text for _, user in messages}) == 1


@pytest.mark.parametrize("axes", ["outside", "over"])
def test_axes_are_explained_where_an_image_shows_them(axes):
    words = {"outside": "ruler above and left of", "over": "ruler along the top and the left of"}[axes]
    for context in CONTEXTS:
        text = system(context=context, axes=axes)
        assert (words in text) == (context.canvas or context.strip)
        assert "ruler" not in system(context=context)


# ---------------------------------------------------------------- the context of a round

HISTORY, CANVAS, STRIP = "Your most recent calls", "The current canvas:", "The latest snapshots"


@pytest.mark.parametrize("context", CONTEXTS, ids=str)
def test_each_context_shows_exactly_its_components_and_says_so(context):
    told, user = ask(played(4), context=context)
    expected = ([canvas(4)] if context.canvas else []) + (
        [strip([canvas(2), canvas(3), canvas(4)])] if context.strip else []
    )
    assert [image.tolist() for image in pictures([user])] == [image.tolist() for image in expected]
    for component, title, announced in (
        (context.canvas, CANVAS, "- an image of the current canvas"),
        (context.history, HISTORY, "- your ten most recent calls with their results"),
        (context.strip, STRIP, "- an image of the three latest snapshots side by side, the oldest on the left"),
    ):
        assert (title in user.text) == component
        assert (announced in told.text) == component
    assert ("draw_dots" in user.text) == context.history
    assert "Result of your last call: OK\nCalls left: 296." in user.text


@pytest.mark.parametrize(
    ("context", "words"),
    [
        ((True, True, True), "Only the ten most recent rounds of calls are shown, so the images of the canvas are"),
        ((True, True, False), "Only the ten most recent rounds of calls are shown, so the image of the canvas is"),
        ((True, False, True), "Only the ten most recent rounds of calls are shown, so the snapshots are"),
        ((True, False, False), "calls are shown, and the canvas is not, so these calls are your record"),
        ((False, True, True), "Your earlier calls are not shown, so the images of the canvas are your record"),
        ((False, True, False), "Your earlier calls are not shown, so the image of the canvas is your record"),
        ((False, False, True), "Your earlier calls are not shown, so the snapshots are your record"),
        ((False, False, False), "Neither the canvas nor your earlier calls are shown."),
    ],
)
def test_the_prompt_says_what_is_the_record_of_the_drawing(context, words):
    assert words in system(context=Context(*context))


def test_parts_come_in_the_order_of_the_benchmark():
    _, user = ask(played(2))
    kinds = [type(part).__name__ for part in user.parts]
    assert kinds == ["TextPart", "ImagePart", "TextPart", "ImagePart", "TextPart"]
    text = user.text
    places = [text.index(words) for words in ("The canvas shows", CANVAS, HISTORY, STRIP, "Result of your last call")]
    assert places == sorted(places)
    joined = "".join("<image>" if isinstance(part, ImagePart) else part.text for part in user.parts)
    assert f"{CANVAS}\n<image>\n\n{HISTORY}" in joined  # as chat templates join them
    assert "oldest on the left:\n<image>\n\nResult" in joined


def test_the_first_round_has_the_canvas_alone():
    _, user = ask()
    assert "You have made no calls yet." in user.text
    assert "Result of" not in user.text
    assert user.text.endswith("Calls left: 300.")
    assert [image.shape for image in pictures([user])] == [(2, 3, 1), (2, 3, 1)]


# ---------------------------------------------------------------- the strip


def test_a_strip_is_its_canvases_with_four_grey_columns_between_them():
    made = strip([canvas(10), canvas(20), canvas(30)])
    row = [10] * 3 + [128] * 4 + [20] * 3 + [128] * 4 + [30] * 3
    assert made.dtype == np.uint8
    assert made[:, :, 0].tolist() == [row, row]
    assert strip([canvas(10), canvas(20)])[:, :, 0].tolist() == [row[:10]] * 2
    assert strip([canvas(10)])[:, :, 0].tolist() == [row[:3]] * 2
    assert strip([canvas(10, 3), canvas(20, 3)]).tolist() == [[[level] * 3 for level in row[:10]]] * 2
    whole = strip([np.full((400, 400, 1), 255, np.uint8)] * 3)
    assert whole.shape == (400, 1208, 1)


def levels(history):
    """The canvases of a strip, by their grey."""
    _, user = ask(history, context=Context(history=False, canvas=False, strip=True))
    (image,) = pictures([user])
    return image[0, ::7, 0].tolist()


def test_the_strip_holds_the_three_latest_canvases_and_the_reset_counts():
    assert levels(played(0)) == [0]
    assert levels(played(1)) == [0, 1]
    assert levels(played(2)) == [0, 1, 2]
    assert levels(played(3)) == [1, 2, 3]
    assert levels(played(30)) == [28, 29, 30]


def test_refused_calls_take_no_place_in_the_strip():
    refused = [Turn("no call", "Error (format): No.\nCalls left: 1.", "format", canvas(2))] * 5
    assert levels([*played(2), *refused]) == [0, 1, 2]
    later = Turn(call(9), "OK\nCalls left: 1.", image=canvas(9))
    assert levels([*played(2), *refused, later]) == [1, 2, 9]
    assert levels([*played(0), *[Turn(1, "Error (format): No.", "format", canvas(0))] * 2]) == [0]


def test_images_that_no_strip_shows_may_be_missing():
    turns = played(5)
    for old in range(3):
        turns[old] = Turn(turns[old].action, turns[old].text)
    assert levels(turns) == [3, 4, 5]
    turns[3] = Turn(turns[3].action, turns[3].text)
    with pytest.raises(UserError, match="the history lacks the image of one of them"):
        ask(turns)
    assert ask(turns, context=Context(strip=False))


# ---------------------------------------------------------------- the history


def history_lines(history, **options):
    _, user = ask(history, **options)
    return user.text.split(f"{HISTORY} and their results, oldest first:\n")[1].split("\n\n")[0].strip().split("\n")


def test_the_history_is_the_ten_latest_calls_in_order_with_their_results():
    called = '{"name":"draw_dots","arguments":{"dots":[{"x":N,"y":0}],"erase":false}} -> OK'
    assert history_lines(played(3)) == [called.replace("N", number) for number in "123"]
    shown = [re.search(r'"x":(\d+)', line)[1] for line in history_lines(played(25))]
    assert shown == [str(number) for number in range(16, 26)]


def test_refused_calls_and_unreadable_replies_stand_in_the_history_with_their_errors():
    turns = [
        *played(0),
        Turn(
            {"name": "draw_dots", "arguments": {"dots": [3]}}, "Error (invalid_parameters): Bad.\nCalls left: 9.", "x"
        ),
        Turn("What shall I\ndraw?", "Error (format): This is no tool call.\nCalls left: 8.", "format"),
    ]
    turns[-1] = Turn(turns[-1].action, turns[-1].text, "format", canvas(0))
    assert history_lines(turns) == [
        '{"name":"draw_dots","arguments":{"dots":[3]}} -> Error (invalid_parameters): Bad.',
        '"What shall I\\ndraw?" -> Error (format): This is no tool call.',
    ]


def test_calls_of_the_history_are_written_so_that_an_imitation_of_them_would_be_read():
    line = history_lines(played(1))[0]
    (read,) = parse_calls(line, TABLES["tools"]).calls
    assert read.action == call(1)


def test_a_long_call_loses_its_middle_and_a_usual_one_nothing():
    def batch(count):
        dots = [{"x": number % 400, "y": 100} for number in range(count)]
        action = {"name": "draw_dots", "arguments": {"dots": dots, "erase": True}}
        return action, history_lines([*played(0), Turn(action, "OK\nCalls left: 1.", image=canvas(1))])[0]

    action, line = batch(50)
    assert json.loads(line.removesuffix(" -> OK")) == action
    action, line = batch(1000)
    whole = json.dumps(action, separators=(",", ":"))
    left_out = len(whole) - 2000
    assert line == f"{whole[:1500]} ... ({left_out} characters left out) ... {whole[-500:]} -> OK"


@pytest.mark.parametrize("text", ["<|image_pad|>", "<|im_end|>", "<tool_call>", "</think>", "\ud800"])
def test_what_an_agent_wrote_cannot_pass_for_special_tokens_or_break_the_encoding(text):
    action = {"name": "drawing_finished", "arguments": {"label": f"a < b {text}"}}
    said = f"Error (invalid_action): There is no tool '{text}'.\nCalls left: 1."
    messages = ask([*played(0), Turn(action, said, "invalid_action", canvas(0))])
    _, brief = ask([*played(0), Turn(action, said, "x", canvas(0))]), *ask(wording="brief", text=said)
    for message in (*messages, brief):
        assert text not in message.text
        message.text.encode()
    (line,) = history_lines([*played(0), Turn(action, "OK", image=canvas(0))])
    assert json.loads(line.removesuffix(" -> OK")) == action


# ---------------------------------------------------------------- one function of its arguments


def test_chats_reach_transformers_and_openai_with_every_part():
    messages = ask(played(3), context=ALL)
    for converted in (to_transformers(messages), to_openai(messages)):
        assert [message["role"] for message in converted] == ["system", "user"]
        kinds = [block["type"].removesuffix("_url") for block in converted[1]["content"]]
        assert kinds == ["text", "image", "text", "image", "text"]
    blocks = to_transformers(messages)[1]["content"]
    assert np.array(blocks[1]["image"])[:, :, 0].tolist() == canvas(3)[:, :, 0].tolist()
    url = to_openai(messages)[1]["content"][3]["image_url"]["url"]
    decoded = np.array(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("L"))
    assert decoded.tolist() == strip([canvas(1), canvas(2), canvas(3)])[:, :, 0].tolist()
    assert to_openai(messages)[0]["content"] == messages[0].text


def test_equal_arguments_give_equal_messages_and_stay_as_they_were():
    def data(messages):
        return [
            (m.role, [p.image.tobytes() if isinstance(p, ImagePart) else p.text for p in m.parts]) for m in messages
        ]

    history = played(12)
    for turn in history:
        turn.image.flags.writeable = False  # a builder that wrote into one would raise
    first = data(ask(history))
    ask(played(3), framing="example", stimulus=False)
    assert data(ask(history)) == first == data(ask(played(12)))
    assert [turn.action for turn in history] == [None, *(call(number) for number in range(1, 13))]


def test_the_brief_wording_is_images_and_lines_without_a_system_message():
    for context in CONTEXTS:
        (user,) = ask(played(2), wording="brief", context=context)
        assert len(pictures([user])) == context.canvas + context.strip
        *calls, last = user.text.split("\n")
        assert len(calls) == 2 * context.history
        assert last.startswith(f"{instruction(True, None)} OK Calls left: 298. Tools: draw_dots, draw_lines, ")
    (first,) = ask(wording="brief", table="dots", context=Context(strip=False))
    task = instruction(True, None)
    assert first.text == f"{task} Calls left: 300. Tools: draw_dots, undo_last_action, drawing_finished."
    with pytest.raises(UserError, match="brief wording has no framing 'depictive'"):
        ask(wording="brief", framing="depictive")


def test_tools_are_told_in_words_where_asked_for():
    assert "- draw_dots: " not in system()
    assert "- draw_dots: " in system(tools_in_text=True)


# ---------------------------------------------------------------- settings


def test_settings_become_the_builders_keywords():
    assert PromptSettings().keywords() == {"framing": "canonical", "context": ALL}
    chosen = PromptSettings("example", ["strip", "history"])
    assert chosen == PromptSettings("example", ("history", "strip"))
    assert chosen.keywords() == {"framing": "example", "context": Context(True, False, True)}
    assert PromptSettings(context=[]).keywords()["context"] == Context(False, False, False)
    assert system(**chosen.keywords()) == system(framing="example", context=Context(True, False, True))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"framing": "depictve"}, "There is no framing 'depictve'. Did you mean 'depictive'?"),
        ({"framing": "x"}, "There is no framing 'x'. Known are: canonical, depictive, example."),
        ({"context": ["histroy"]}, "context has no component 'histroy'. Did you mean 'history'?"),
        ({"context": "canvas"}, "context is 'canvas'; it must be a list of some of history, canvas, strip, or []."),
        ({"context": ["strip", "strip"]}, "context is ['strip', 'strip']; name each component once."),
    ],
)
def test_wrong_settings_are_refused_by_name(settings, message):
    with pytest.raises(UserError, match=f"^{re.escape(message)}$"):
        PromptSettings(**settings)


def test_an_unknown_framing_is_refused_by_the_builder_too():
    with pytest.raises(UserError, match="Did you mean 'example'"):
        ask(framing="exmaple")


def test_agents_find_builder_and_settings_by_the_environments_id():
    canvas_id, other = "designgym/CanvasDrawing-v0", "designgym/AestheticLocalization-v0"
    assert prompt_builder(canvas_id) is build_prompt
    assert prompt_settings(canvas_id) == prompt_settings(other, framing=None, context=None) == {}
    assert prompt_settings(canvas_id, context=["canvas"], framing=None)["context"] == Context(False, True, False)
    with pytest.raises(UserError, match="There is no framing 'canonical'"):
        prompt_settings(other, framing="canonical")
    with pytest.raises(UserError, match="The prompt of 'a/B-v0' has no setting 'framing'"):
        prompt_settings("a/B-v0", framing="canonical")
    with pytest.raises(UserError, match=r"has no setting 'contxt'\. Did you mean 'context'"):
        prompt_settings(canvas_id, contxt=[])


def test_the_aesthetics_prompt_is_the_same_with_a_history():
    build = prompt_builder("designgym/AestheticLocalization-v0")
    from designgym.envs.aesthetics.localization import LOCALIZATION_TOOLS

    observation = {"image": canvas(0, 3), "task": "Is it?", "text": "Calls left: 1."}
    for wording in ("full", "brief"):
        without = build(observation, LOCALIZATION_TOOLS, wording=wording)
        with_one = build(observation, LOCALIZATION_TOOLS, wording=wording, history=played(3))
        assert [message.text for message in without] == [message.text for message in with_one]

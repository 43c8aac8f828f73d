"""The tiny tokenizer's words for design actions: every call of the setting ``placement`` in few tokens, and back."""

import pytest

from designgym.agents.placer import Placer
from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.agents.qwen.vocabulary import VOCABULARIES, vocabulary
from designgym.boxes import NumberFrame
from designgym.envs.design.asking import PLACES
from designgym.envs.design.placement import HEADS, PICTURE_LINES, PICTURES, TEXT_LINES, TEXTS, file_of
from designgym.eval.runner import make
from designgym.parse import parse_calls, single_call
from designgym.prompt import render_call

pytest.importorskip("transformers")
pytest.importorskip("trl")

from designgym.agents.qwen import tiny
from designgym.agents.qwen.grid import on_grid

DESIGN = "designgym/DesignActions-v0"
KWARGS = {"briefs": "placement", "image_size": 64, "max_calls": 6}
STEP = 20
TOKENS = {
    "CreateDocument": 1, "ImportObject": 3, "RepositionObject": 5, "CreateText": 3, "RepositionText": 5, "finish": 1,
    "execute_plan": 13,
}  # fmt: skip
"""Call -> its tokens: a name, a text and each number one, and the fixed parts between them."""


@pytest.fixture(scope="module")
def tokenizer():
    return tiny.vocabulary_tokenizer(tiny.TinyConfig(env=DESIGN, number_step=STEP))


@pytest.mark.parametrize("mode", ["interactive", "plan"])
def test_every_call_of_a_hand_is_few_tokens_and_reads_back_as_itself(tokenizer, mode):
    env = make(DESIGN, KWARGS | {"mode": mode, "max_calls": 6 if mode == "interactive" else 1})
    tools = env.unwrapped.tool_table
    for task in env.unwrapped.task_ids()[100:116]:
        observation, info = env.reset(options={"task": task})
        hand = Placer(mode, wobble=0.2)
        hand.begin(env, info)
        ended = False
        while not ended:
            call = on_grid(hand(observation, info), tools, STEP)
            text = render_call(call["name"], call["arguments"])
            ids = tokenizer(text)["input_ids"]
            assert len(ids) == TOKENS[call["name"]]
            assert tokenizer.decode(ids) == text
            read, problem = single_call(parse_calls(text, tools))
            assert problem == "" and read.action == call
            observation, _, ended, _, info = env.step(call)
            assert not info["error"]


def test_every_part_of_a_brief_is_one_token(tokenizer):
    lines = (line.format(text="\n", shown="\n", place="") for line in (*TEXT_LINES, *PICTURE_LINES))
    pieces = [piece.rstrip(" .") for line in lines for piece in line.split("\n")]
    starts = [f" {piece} " if not piece.endswith("“") else f" {piece}" for piece in pieces if piece.strip("” ")]
    for text in (*HEADS, *TEXTS, *starts, *(file_of(name).name for name in PICTURES)):
        assert len(tokenizer(text)["input_ids"]) == 1, text
    for place in PLACES.values():
        if "third" not in place:
            assert len(tokenizer(f" {place}.")["input_ids"]) == 1


@pytest.mark.parametrize("mode", ["interactive", "plan"])
def test_the_brief_prompt_is_some_tens_of_tokens(tokenizer, mode):
    env = make(DESIGN, KWARGS | {"mode": mode})
    build = prompt_builder(DESIGN)
    settings = prompt_settings(DESIGN, context=["image"])
    for task in env.unwrapped.task_ids()[:12]:
        observation, _ = env.reset(options={"task": task})
        options = {**env.unwrapped.prompt_options(), **settings}
        table = env.unwrapped.tool_table
        (asked,) = build(observation, table, wording="brief", frame=NumberFrame("thousand"), **options)
        assert len(tokenizer(asked.text)["input_ids"]) == 14


def test_numbers_are_px_of_the_page():
    texts = vocabulary(DESIGN)
    assert DESIGN in VOCABULARIES and texts.number_limit == 1000
    assert len(set(texts.phrases)) == len(texts.phrases)


def test_px_within_plans_are_rounded_to_the_grid_and_nothing_else_is():
    tools = make(DESIGN, KWARGS | {"mode": "plan", "max_calls": 1}).unwrapped.tool_table

    def step(action, **parameters):
        return {"expert": "layout_designer", "action": action, "parameters": parameters, "description": "at 7"}

    steps = [
        step("RepositionText", layerName="7", posX=433, posY=27.5),
        step("RotateText", layerName="t", angle=13),
        step("NoSuchAction", posX=433),
        "a text",
    ]
    call = on_grid({"name": "execute_plan", "arguments": {"steps": steps}}, tools, STEP)
    assert call["arguments"]["steps"] == [step("RepositionText", layerName="7", posX=440, posY=20), *steps[1:]]

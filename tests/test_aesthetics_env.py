"""Aesthetic localization on top of the contract: truth, answers, metadata and prompts."""

import json

import gymnasium as gym
import numpy as np
import pytest

from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.blocks.flaws import KINDS
from designgym.envs.aesthetics.blocks.item import Settings, item
from designgym.envs.aesthetics.prompt import build_prompt
from designgym.parse import parse_calls, single_call
from designgym.prompt import ImagePart, render_call

ID = "designgym/AestheticLocalization-v0"


def make(**kwargs):
    return gym.make(ID, **{"designs": "blocks", "image_size": 64, **kwargs}).unwrapped


def answer(bbox):
    return {"name": "answer", "arguments": {"bbox": bbox}}


@pytest.mark.parametrize("reward", ["hurdle", "iou"])
@pytest.mark.parametrize("split", ["train", "validation", "test"])
def test_the_true_answer_scores_full_on_every_task(reward, split):
    env = make(reward=reward, split=split)
    kinds = set()
    for k in range(40):
        env.reset(options={"task": env.task_ids()[k]})
        truth = env.episode().truth["bbox"]
        _, value, terminated, _, info = env.step(answer(truth))
        assert (value, terminated, info["end"]) == (1.0, True, "submit")
        assert info["truth"] == info["answer"] == (truth or [])
        assert (info["flaw"] == "") is (truth is None)
        kinds.add(info["flaw"])
    assert len(kinds) >= 5


def test_the_answer_is_scored_as_given():
    env = make(clean_share=0.0)
    env.reset(seed=0)
    x1, y1, x2, y2 = env.episode().truth["bbox"]
    _, reward, _, _, info = env.step(answer([x1, y1, x2, (y1 + y2) / 2]))
    assert reward == info["reward/hurdle"] == pytest.approx(0.75)
    env.reset(seed=0)
    assert env.step(answer(None))[1] == 0.0


def test_answers_may_carry_numbers_as_strings_and_the_episode_holds_plain_ones():
    env = make()
    env.reset(seed=1)
    _, _, _, _, info = env.step({"name": "answer", "arguments": '{"bbox": ["0.1", 0.2, 0.3, 1]}'})
    assert info["answer"] == [0.1, 0.2, 0.3, 1.0]
    assert env.episode().calls[0].arguments == {"bbox": [0.1, 0.2, 0.3, 1.0]}


@pytest.mark.parametrize("bad", [{}, {"bbox": [0.5, 0.5, 0.5, 0.9]}, {"bbox": [0, 0, 1, float("nan")]}, {"box": None}])
def test_an_invalid_answer_uses_up_the_only_call_and_scores_nothing_even_on_a_clean_page(bad):
    env = make(clean_share=1.0)
    env.reset(seed=0)
    _, reward, terminated, _, info = env.step({"name": "answer", "arguments": bad})
    assert (reward, terminated, info["end"], info["error"]) == (0.0, True, "budget", "invalid_parameters")
    assert info["answer"] == [] == info["truth"]


def test_with_calls_left_an_invalid_answer_may_be_mended():
    env = make(max_calls=2)
    env.reset(seed=0)
    observation, reward, terminated, _, _ = env.step(answer([0.9, 0, 0.1, 1]))
    assert not terminated and reward == 0.0
    assert observation["text"] == (
        "Error (invalid_parameters): bbox must have x1 < x2 and y1 < y2; got [0.9, 0.0, 0.1, 1.0].\nCalls left: 1."
    )
    assert env.step(answer(env.episode().truth["bbox"]))[1] == 1.0


def test_the_observation_is_the_item_and_nothing_more():
    env = make()
    observation, info = env.reset(options={"task": "train-000042"})
    asked = item("train-000042", Settings(image_size=64))
    assert np.array_equal(observation["image"], asked.image)
    assert observation["task"] == asked.question
    assert observation["text"] == "Calls left: 1."
    assert info == {"error": "", "calls_left": 1.0, "task": "train-000042", "page": [64.0, 64.0]}


def test_metadata_is_the_shown_design_in_the_released_field_names():
    env = make(metadata=True, clean_share=0.0)
    for k in range(20):
        observation, _ = env.reset(options={"task": env.task_ids()[k]})
        line = observation["text"].split("\n")[-1]
        data = json.loads(line.removeprefix("Elements: "))
        document = env.item(env.episode().task).sample.document
        assert (data["canvas_width"], data["canvas_height"]) == (document.width, document.height)
        page, *elements = data["elements"]
        assert page["type"] == "ColoredBackground" and page["color"] == [document.background]
        assert len(elements) == len(document.layers)
        for index, (element, layer) in enumerate(zip(elements, document.layers, strict=True), start=1):
            assert element["element_index"] == index
            assert element["left"] == pytest.approx(layer.x, abs=0.05) and element["width"] == pytest.approx(
                layer.width, abs=0.05
            )
            assert element["angle"] == layer.rotation_deg and element["opacity"] == layer.opacity
            assert {"text": "TextElement", "image": "ImageElement", "shape": "SvgElement"}[layer.type] == element[
                "type"
            ]
            if layer.type == "text":
                assert (element["text"], element["font"], element["text_color"]) == (
                    layer.text,
                    layer.font,
                    layer.color,
                )
                assert {"font_size", "text_align"} <= element.keys()
        # The flawed element is described like any other: nothing in its entry marks it.
        assert not set(KINDS) & set(json.dumps(list(data["elements"][0])).split('"'))
        assert {key for element in elements for key in element} <= {
            "element_index", "type", "left", "top", "width", "height", "angle", "opacity", "color", "shape",
            "text", "font", "font_size", "text_color", "text_align",
        }  # fmt: skip


def test_metadata_of_the_largest_designs_is_never_cut():
    env = make(metadata=True, elements=(8, 8))
    for k in range(10):
        observation, _ = env.reset(options={"task": env.task_ids()[k]})
        json.loads(observation["text"].split("\n")[-1].removeprefix("Elements: "))


@pytest.mark.parametrize(
    ("kwargs", "words"),
    [
        ({"flaws": ["blurr"]}, "flaws is"),
        ({"flaws": []}, "flaws is"),
        ({"clean_share": 1.5}, "clean_share is 1.5"),
        ({"clean_share": "half"}, "clean_share is 'half'"),
        ({"image_size": 10}, "image_size is 10"),
        ({"image_size": 64.5}, "image_size is 64.5"),
        ({"elements": [6, 3]}, "elements is"),
        ({"elements": 5}, "elements is 5; it must be a list"),
        ({"metadata": "yes"}, "metadata is 'yes'"),
        ({"imge_size": 64}, "Did you mean 'image_size'"),
    ],
)
def test_wrong_settings_are_named(kwargs, words):
    with pytest.raises((ValueError, TypeError), match=words):
        make(**kwargs)


def test_a_snapshot_does_not_fit_other_designs():
    env = make()
    env.reset(seed=0)
    for other in (make(image_size=96), make(flaws=["clash"]), make(metadata=True)):
        with pytest.raises(ValueError, match="This state is of"):
            other.set_state(env.get_state())


# ---------------------------------------------------------------- prompts


FRAMES = [NumberFrame(), NumberFrame("thousand"), NumberFrame("resized_pixel", (448, 448))]


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.frame)
def test_the_brief_prompt_is_one_message_of_few_words(frame):
    env = make()
    for k in range(20):
        observation, _ = env.reset(options={"task": env.task_ids()[k]})
        (only,) = build_prompt(observation, env.tool_table, wording="brief", frame=frame)
        assert only.role == "user" and isinstance(only.parts[0], ImagePart)
        assert only.text == f"{observation['task']} Call answer with bbox [x1, y1, x2, y2] ({frame.words}) or null."
        assert len(only.text.split()) <= (26 if frame.frame == "thousand" else 32)


@pytest.mark.parametrize("frame", FRAMES, ids=lambda frame: frame.frame)
def test_the_full_prompt_says_what_is_asked_and_how_to_answer(frame):
    env = make()
    observation, _ = env.reset(seed=0)
    system, user = build_prompt(observation, env.tool_table, wording="full", frame=frame)
    assert (system.role, user.role) == ("system", "user")
    assert user.text == observation["task"]
    for words in ("[x1, y1, x2, y2]", frame.sentence, "null", "`answer`"):
        assert words in system.text
    assert "<tool_call>" not in system.text
    told, _ = build_prompt(observation, env.tool_table, wording="full", frame=frame, tools_in_text=True)
    assert told.text.startswith(system.text) and "<tool_call>" in told.text


@pytest.mark.parametrize("wording", ["brief", "full"])
def test_metadata_reaches_the_model_but_the_episodes_own_lines_do_not(wording):
    env = make(metadata=True, max_calls=3)
    observation, _ = env.reset(seed=0)
    observation = env.step(None)[0]
    messages = build_prompt(observation, env.tool_table, wording=wording)
    text = messages[-1].text
    assert ("pixels of the page" in messages[0].text) is (wording == "full")
    assert "canvas_width" in text and "Calls left" not in text and "Error" not in text


def test_what_the_prompt_asks_for_can_be_rendered_parsed_and_played():
    env = make(clean_share=0.0)
    env.reset(seed=3)
    truth = env.episode().truth["bbox"]
    call, error = single_call(parse_calls("<think>hm</think>" + render_call("answer", {"bbox": truth}), env.tool_table))
    assert error == ""
    assert env.step(call.action)[1] == 1.0

"""A perfect answer scores 1 on pages that the processor resizes: through prompt, target, tokens, parser and reward.

Frames are whole numbers, so an arbitrary true box is met within rounding. Of a box whose sides are 100 units or more,
rounding by half a unit at each side leaves an IoU of at least (99/100)^2 = 0.98; quarters of a page need no rounding in
any frame, for the sides of resized images are multiples of 28 or 32 px.
"""

import dataclasses
import functools

import pytest

from designgym.eval.config import AgentSection
from designgym.eval.runner import make, run

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from designgym.agents.prompts import prompt_builder  # noqa: E402
from designgym.agents.qwen.agent import QwenAgent  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.frames import number_frame, seen_size  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.agents.qwen.processor import load_processor  # noqa: E402
from designgym.agents.qwen.tokens import reply_tokens  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.environment_reward import EnvironmentReward  # noqa: E402
from designgym.train.teachers import make_teacher  # noqa: E402

ENV = "designgym/AestheticLocalization-v0"
EXACT = (0.25, 0.5, 0.75, 1.0)
SIDE = 0.25
"""Shortest side of a true box, as a fraction of the page's: 100 units at least on pages of 400 px and more."""

CASES = {
    "a square that is no multiple": ({"designs": "blocks", "image_size": 690}, None),
    "a square over the bound on pixels": ({"designs": "blocks", "image_size": 690}, 500 * 500),
    "a square under the fewest pixels": ({"designs": "blocks", "image_size": 50}, None),
    "pages of several formats": ({"designs": "layouts", "image_size": 690}, None),
}


@functools.cache
def split_environment(designs, image_size):
    kwargs = {"designs": designs, "image_size": image_size, "reward": "iou", "clean_share": 0.2}
    return make(ENV, {**kwargs, "split": "train"})


@pytest.fixture(params=sorted(FAMILIES))
def family(request):
    return FAMILIES[request.param]


@pytest.fixture
def asked(family, stock_folder, case):
    """The environment and its pages as the family is shown them."""
    kwargs, max_pixels = CASES[case]
    processor = load_processor(stock_folder(family.model_type), max_pixels=max_pixels)
    env = split_environment(**kwargs)
    local = LocalModel(None, processor, family, "twin")
    teacher = make_teacher(AgentSection(name="truth"), env, 0)
    return Pages(env, ENV, local, wording="full", teacher=teacher)


def paid(pages, text, task):
    """What the environment pays for a text, by the reward of training and by an episode of a dialogue."""
    processor = pages.local.processor
    ids = reply_tokens(processor, text)
    trained = EnvironmentReward(pages.env, pages)(completion_ids=[ids], task=[task], log_metric=lambda *_: None)
    observation, info = pages.env.reset(options={"task": task})
    dialogue = pages.asker("windowed").dialogue(pages.env.unwrapped.prompt_options)
    dialogue.saw(observation, info)
    dialogue.prompt()
    reply = dialogue.wrote(ids)
    _, reward, *_ = pages.env.step(reply.calls[0])
    assert trained == [pytest.approx(reward, abs=1e-4)]
    return reward


@functools.cache
def chosen(env):
    """Two flawed tasks whose box rounding cannot harm much, and a clean one; the same for all families."""
    flawed, clean = [], []
    for index in range(400):
        task = f"train-{index:06d}"
        truth = env.unwrapped.item(task).bbox
        if truth is None:
            clean.append(task)
        elif min(truth[2] - truth[0], truth[3] - truth[1]) >= SIDE:
            flawed.append(task)
        if len(flawed) >= 2 and clean:
            break
    return flawed[:2], clean[:1]


@pytest.mark.parametrize("case", ["a square that is no multiple", "pages of several formats"])
def test_a_perfect_answer_scores_one_within_rounding(asked, case):
    flawed, clean = chosen(asked.env)
    assert len(flawed) == 2
    for task in flawed:
        text = asked.row(task)["completion"][0]["content"][0]["text"]
        assert 0.98 <= paid(asked, text, task) <= 1
    assert paid(asked, asked.row(clean[0])["completion"][0]["content"][0]["text"], clean[0]) == 1


@pytest.mark.parametrize("case", sorted(CASES))
def test_a_box_that_needs_no_rounding_scores_exactly_one_and_the_prompt_says_how_boxes_are_written(
    asked, case, monkeypatch
):
    task = next(f"train-{i:06d}" for i in range(99) if asked.env.unwrapped.item(f"train-{i:06d}").boxes)
    item = dataclasses.replace(asked.env.unwrapped.item(task), boxes=(EXACT,), bbox=EXACT)
    monkeypatch.setattr(asked.env.unwrapped, "item", lambda task: item, raising=False)
    row = asked.row(task)
    (picture,) = row["images"]
    asked.env.reset(options={"task": task})
    shown = asked.env.unwrapped.prompt_options()["page"]
    limits = asked.local.processor.image_processor
    assert picture.size == seen_size(limits, shown) == seen_size(limits, picture.size)
    if case != "pages of several formats":
        assert picture.size != shown
    words = " ".join(block["text"] for message in row["prompt"] for block in message["content"] if "text" in block)
    if asked.local.family.frame == "resized_pixel":
        width, height = picture.size
        assert f"pixels of a {width} x {height} image" in words
        expected = [width // 4, height // 2, width * 3 // 4, height]
    else:
        assert "whole numbers from 0 to 1000" in words
        expected = [250, 500, 750, 1000]
    text = row["completion"][0]["content"][0]["text"]
    assert f'"bbox": {expected}' in text
    assert paid(asked, text, task) == 1.0


@pytest.mark.parametrize("case", ["a square that is no multiple"])
def test_an_agent_that_writes_the_truth_in_its_frame_is_paid_in_full_by_the_runner(asked, case, monkeypatch):
    """The runner makes an environment of its own; the agent sees pages and writes tokens, as in an evaluation."""
    tasks = chosen(asked.env)[0]
    texts = iter([asked.row(task)["completion"][0]["content"][0]["text"] for task in tasks])
    agent = QwenAgent(asked.local, prompt_builder(ENV), asked.tools)
    write = lambda prompts: [reply_tokens(asked.local.processor, next(texts)) for _ in prompts]  # noqa: E731
    monkeypatch.setattr(agent, "complete", write)
    kwargs = dict(asked.env.spec.kwargs)
    results = run(agent, ENV, kwargs, tasks)
    assert [result.failure for result in results] == ["", ""]
    assert min(result.reward for result in results) >= 0.98


def test_reading_pixels_of_the_resized_page_as_those_of_the_page_would_cost_the_reward(stock_folder):
    """What the conversion is for: the same numbers, read in the wrong frame."""
    family = FAMILIES["qwen2_5_vl"]
    processor = load_processor(stock_folder("qwen2_5_vl"), max_pixels=500 * 500)
    width, height = number_frame(family, processor.image_processor, (690, 690)).limits
    env = split_environment("blocks", 690)
    (task, _), _ = chosen(env)
    env.reset(options={"task": task})
    truth = env.unwrapped.item(task).answer()["bbox"]
    wrong = [truth[0] * width / 690, truth[1] * height / 690, truth[2] * width / 690, truth[3] * height / 690]
    _, reward, *_ = env.step({"name": "answer", "arguments": {"bbox": wrong}})
    assert reward < 0.6

"""Design actions train through the same adapter as everything else: call by call in both histories, and as plans."""

import math
from io import StringIO

import pytest
from rich.console import Console

from designgym.agents.placer import Placer
from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.config import load_config
from designgym.eval.runner import make, run
from designgym.jsonl import read_jsonl
from designgym.prompt import render_call
from designgym.train.config import TrainConfig

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.agent import QwenAgent  # noqa: E402
from designgym.agents.qwen.dialogue import Asker, reply_tokens  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.grid import on_grid  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.eval.config import AgentSection  # noqa: E402
from designgym.train.run import run as train  # noqa: E402
from designgym.train.teachers import make_turn_teacher  # noqa: E402
from designgym.train.turns.demonstrations import Demonstrations  # noqa: E402
from designgym.train.turns.rollout import Slots, play  # noqa: E402

DESIGN = "designgym/DesignActions-v0"
KWARGS = {"briefs": "placement", "image_size": 64, "max_calls": 6}
STEP = 40
CONTEXT = {"windowed": ["history", "image"], "growing": ["image"]}
SHAPE = {
    "image_size": 64, "vision_width": 32, "colour_filters": 12, "vision_depth": 1,
    "text_width": 32, "text_heads": 2, "text_layers": 1,
}  # fmt: skip

CONFIG = """
model: tiny
fast_vision: true
allow_resize: true
threads: 1
tiny: {{image_size: 64, vision_width: 32, colour_filters: 12, vision_depth: 1, text_width: 32, text_heads: 2,
  text_layers: 1, number_step: 40}}
env: {{id: designgym/DesignActions-v0, kwargs: {{briefs: placement, image_size: 64, {kwargs}}}}}
prompt: {{wording: brief, context: [image]}}
stages:
{stages}
evaluation: {{count: 2, batch_size: 2, max_new_tokens: 8, agents: [blank], untrained: false, sampled: false}}
tracking: {{wandb: "off"}}
"""
STAGES = """
  - {{name: sft-{name}, kind: sft, start: init, teacher: {{name: placer, options: {{wobble: 0.1}}}}, history: {history},
     tasks: {{first: 0, count: 4}}, steps: 2, batch_size: 2, learning_rate: 1e-3, log_every: 1, evaluate: false}}
  - {{name: grpo-{name}, kind: grpo, history: {history}, tasks: {{first: 10, count: 4}}, steps: 2, batch_size: 4,
     num_generations: 2, learning_rate: 1e-3, max_completion_length: {longest}, log_every: 1}}
"""


@pytest.fixture(scope="module")
def local():
    model, processor = tiny.build(tiny.TinyConfig(env=DESIGN, number_step=STEP, **SHAPE))
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


@pytest.fixture(scope="module")
def env():
    return make(DESIGN, KWARGS)


def asker(local, env, history="windowed"):
    settings = prompt_settings(DESIGN, context=CONTEXT[history])
    return Asker(DESIGN, env.unwrapped.tool_table, local, "brief", settings, history)


# ------------------------------------------------------------ whole runs


def ran(folder, kwargs, names):
    """Train two steps in each stage; the figures of each stage's last step, and what was printed."""
    stages = "".join(STAGES.format(name=n, history=h, longest=longest) for n, h, longest in names)
    path = folder / "design.yaml"
    path.write_text(CONFIG.format(kwargs=kwargs, stages=stages), encoding="utf-8")
    printed = StringIO()
    report = train(load_config(path, TrainConfig), folder / "run", Console(file=printed, width=160))
    assert report is not None and report.is_file()
    lines = [line.value for line in read_jsonl(folder / "run" / "metrics.jsonl")]
    return {line["stage"]: line["figures"] for line in lines if line["step"] == 2}, printed.getvalue()


def test_calls_are_imitated_and_reinforced_in_both_histories(tmp_path):
    curves, printed = ran(tmp_path, "max_calls: 6", [("w", "windowed", 8), ("g", "growing", 8)])
    for name in ("sft-w", "sft-g"):
        assert math.isfinite(curves[name]["loss"])
    for name in ("grpo-w", "grpo-g"):
        assert {"reward", "reward_std", "seconds/environment"} <= set(curves[name])
        assert 1 <= curves[name]["episodes/turns"] <= 6
    assert "grpo-w" in printed and "grpo-g" in printed


def test_plans_are_imitated_and_reinforced_as_single_answers(tmp_path):
    curves, printed = ran(tmp_path, "mode: plan, max_calls: 1", [("plan", "windowed", 20)])
    assert math.isfinite(curves["sft-plan"]["loss"])
    assert {"reward", "reward_std"} <= set(curves["grpo-plan"])
    assert "episodes/turns" not in curves["grpo-plan"]
    assert "grpo-plan" in printed


# ------------------------------------------------------------ tokens


class Scripted(QwenAgent):
    """The local agent, which is asked as ever and writes what it is told."""

    def __init__(self, *args, texts, **options):
        super().__init__(*args, **options)
        self.texts = iter(texts)
        self.asked = []

    def complete(self, prompts):
        self.asked += [list(prompt.ids) for prompt in prompts]
        return [reply_tokens(self.local.processor, next(self.texts)) for _ in prompts]


def texts_of(env, task):
    """What a model writes that does as the scripted hand, on its grid."""
    calls = Placer().calls(env.unwrapped.tasks.task(task))
    rounded = [on_grid(call, env.unwrapped.tool_table, STEP) for call in calls]
    return [render_call(call["name"], call["arguments"]) for call in rounded]


@pytest.mark.parametrize("history", CONTEXT)
def test_a_model_learns_from_the_tokens_that_the_agent_is_shown_and_writes(local, env, history):
    task = env.unwrapped.task_ids()[7]
    texts = texts_of(env, task)
    agent = Scripted(
        local,
        prompt_builder(DESIGN),
        env.unwrapped.tool_table,
        wording="brief",
        settings=prompt_settings(DESIGN, context=CONTEXT[history]),
        history=history,
        texts=texts,
    )
    (result,) = run(agent, DESIGN, KWARGS, [task])
    assert (result.end, result.failure, result.reward) == ("submit", "", 1.0)
    teacher = make_turn_teacher(AgentSection(name="placer"), env, 0)
    rows = Demonstrations(env, asker(local, env, history), teacher, number_step=STEP).rows(task, 0)
    written = [reply_tokens(local.processor, text) for text in texts]
    if history == "windowed":
        assert [row.prompt_ids for row in rows] == agent.asked
        assert [row.completion_ids for row in rows] == written
        assert [len(row.images) for row in rows] == [0, 1, 1, 1, 1, 1]  # at first there is no page
    else:
        (row,) = rows
        assert row.prompt_ids == agent.asked[0]
        assert row.prompt_ids + row.completion_ids == agent.asked[-1] + written[-1]
        own = [token for token, mark in zip(row.completion_ids, row.mask, strict=True) if mark]
        assert own == [token for ids in written for token in ids]
        assert len(row.images) == 6


# ------------------------------------------------------------ sandboxes


def played(local, env, history, scripts):
    """Episodes of one task in lock-step, each with what it writes; the trajectories and the environments."""
    slots = Slots(lambda: make(DESIGN, KWARGS | {"max_calls": 9}), len(scripts))
    turns = iter(range(9))

    def generate(prompts):
        turn = next(turns)
        assert len(prompts) == len(scripts)  # which are of one length
        return [reply_tokens(local.processor, script[turn]) for script in scripts]

    task = env.unwrapped.task_ids()[3]
    try:
        made = asker(local, env, history)
        return play(slots.envs, made.dialogue, [task] * len(scripts), generate, max_turns=None, pool=slots.pool), slots
    finally:
        slots.close()


def call(name, /, **arguments):
    return render_call(name, arguments)


@pytest.mark.parametrize("history", CONTEXT)
def test_a_file_that_one_rollout_saves_is_there_for_its_other_experts_and_for_no_other_rollout(local, env, history):
    makes = [
        call("CreateDocument", docType="postcard", expert="photo_editor"),
        call("CreateText", layerName="t", textString="Open day", expert="photo_editor"),
        call("SaveDocument", fileName="mine", format="png", expert="photo_editor"),
        call("CreateDocument", docType="postcard", expert="layout_designer"),
        call("ImportObject", fileName="mine.png", layerName="p", expert="layout_designer"),
        call("finish"),
    ]
    takes = [
        *([call("CreateDocument", docType="postcard")] * 4),
        call("ImportObject", fileName="mine.png", layerName="p"),
        call("finish"),
    ]
    (maker, taker), slots = played(local, env, history, [makes, takes])
    assert (maker.end, dict(maker.errors)) == ("submit", {})
    assert (taker.end, dict(taker.errors)) == ("submit", {"dependency": 1})
    files = [set(each.unwrapped.workspace.files) for each in slots.envs]
    assert files[0] == files[1] | {"mine.png"} and "mine.png" not in files[1]
    assert set(slots.envs[0].unwrapped.workspace.open) == {"photo_editor", "layout_designer"}
    assert set(slots.envs[1].unwrapped.workspace.open) == {"layout_designer"}
    assert all(len(each.rows) == (6 if history == "windowed" else 1) for each in (maker, taker))


def test_the_next_rollout_in_an_environment_finds_no_file_of_the_last_one(env):
    task = env.unwrapped.task_ids()[3]
    env.reset(options={"task": task})
    for name, arguments in (
        ("CreateDocument", {"docType": "postcard"}),
        ("SaveDocument", {"fileName": "mine", "format": "psd"}),
    ):
        env.step({"name": name, "arguments": arguments})
    assert "mine.psd" in env.unwrapped.workspace.files
    env.reset(options={"task": task})
    assert set(env.unwrapped.workspace.files) == {file.name for file in env.unwrapped.tasks.task(task).files}
    assert not env.unwrapped.workspace.open

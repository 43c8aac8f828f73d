"""Rejection sampling: the best of recorded episodes are played again, with the words that were written in them."""

import json
import shutil

import pytest

from designgym.agents.base import Reply
from designgym.agents.prompts import prompt_settings
from designgym.agents.table import build
from designgym.errors import UserError
from designgym.eval.config import AgentSection
from designgym.eval.runner import make, run
from designgym.prompt import render_call

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.dialogue import Asker  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.config import load_config  # noqa: E402
from designgym.train.checks import check  # noqa: E402
from designgym.train.config import TrainConfig  # noqa: E402
from designgym.train.teachers import make_turn_teacher  # noqa: E402
from designgym.train.turns.demonstrations import Demonstrations  # noqa: E402
from designgym.train.turns.traces import Recorded, TraceOptions, TraceTeacher, best  # noqa: E402

ENV = "designgym/CanvasDrawing-v0"
KWARGS = {"split": "train", "max_calls": 3, "kinds": ["is"], "reward": "closure"}
SMALL = tiny.TinyConfig(
    image_size=64,
    vision_width=32,
    colour_filters=12,
    vision_depth=1,
    text_width=32,
    text_heads=2,
    text_layers=1,
    env=ENV,
    number_step=8,
)


@pytest.fixture(scope="module")
def local():
    model, processor = tiny.build(SMALL)
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


@pytest.fixture(scope="module")
def env():
    return make(ENV, KWARGS)


@pytest.fixture(scope="module")
def tasks(env):
    return list(env.unwrapped.task_ids()[:4])


class Writer:
    """A model that thinks before it calls: it plays what a scripted agent plays, on the grid or not."""

    def __init__(self, env, *, wobble=0.0, seed=0, spoil=()):
        self.agent = build("join-ends", env, seed, wobble=wobble)
        self.spoil = spoil

    def __call__(self, observation, info):
        action = self.agent(observation, info)
        if info["task"] in self.spoil and info["calls_left"] == 3:
            action = {"name": "undo_last_action", "arguments": {}}
        thought = f"<think>\n{info['calls_left']:.0f} calls left.\n</think>\n\n"
        return Reply(thought + render_call(action["name"], action["arguments"]), (action,))


@pytest.fixture(scope="module")
def recorded(env, tasks, tmp_path_factory):
    """Two runs of the same model: a steady one that has one call refused, and one with an unsteady hand."""
    folder = tmp_path_factory.mktemp("recorded")
    steady = run(Writer(env, spoil=tasks[:1]), ENV, KWARGS, tasks, out=folder / "steady")
    unsteady = run(Writer(env, wobble=30.0), ENV, KWARGS, tasks, out=folder / "unsteady")
    return folder, [result.reward for result in steady], [result.reward for result in unsteady]


def teacher(env, **options):
    return TraceTeacher(TraceOptions.model_validate(options), env)


def text_of(local, row):
    return local.processor.tokenizer.decode(row.completion_ids)


def test_the_best_episodes_are_chosen_by_task_share_and_threshold():
    rewards = [("a", 0.1), ("a", 0.9), ("b", 0.5), ("b", 0.5), ("a", 0.8), ("c", 0.2)]
    episodes = [Recorded(task, reward, (("", index),)) for index, (task, reward) in enumerate(rewards)]

    def chosen(**options):
        return [each.turns[0][1] for each in best(episodes, TraceOptions(path="x", **options))]

    assert chosen() == [1, 4, 2, 3, 5, 0]
    assert chosen(per_task=1) == [1, 2, 5]
    assert chosen(per_task=2) == [1, 4, 2, 3, 5]
    assert chosen(share=0.5) == [1, 4, 2]
    assert chosen(share=0.01) == [1]
    assert chosen(threshold=0.5) == [1, 4, 2, 3]
    assert chosen(per_task=1, share=0.6, threshold=0.6) == [1]  # two of three by share, one of them by reward
    assert chosen(threshold=0.95) == []


def test_the_best_episode_of_each_task_is_learnt_word_for_word(local, env, tasks, recorded):
    folder, steady, _ = recorded
    made = teacher(env, path=str(folder), per_task=1)
    assert sorted(made.items([])) == [(task, 0) for task in sorted(tasks)]
    settings = prompt_settings(ENV, context=["history", "canvas"])
    data = Demonstrations(env, Asker(ENV, env.unwrapped.tool_table, local, "brief", settings), made, number_step=8)
    assert all(reward == 1.0 for reward in steady[1:])
    for index, task in enumerate(tasks):
        rows = data.rows(task, 0)
        player = build("join-ends", env, 0, wobble=30.0 if index == 0 else 0.0)
        first = player(None, {"task": task, "calls_left": 3})
        # The steady hand's first call of the first task was refused, so that the unsteady one's episode is the best.
        assert len(rows) == 2
        assert text_of(local, rows[0]) == (
            f"<think>\n3 calls left.\n</think>\n\n{render_call(first['name'], first['arguments'])}<|im_end|>"
        )
        assert "drawing_finished" in text_of(local, rows[1])
    assert data.env.unwrapped.episode().task == tasks[-1]
    assert data.env.unwrapped.reward.score(data.env.unwrapped.episode()).value == steady[-1]


def test_several_episodes_of_a_task_can_be_learnt_best_first(env, tasks, recorded):
    folder, steady, unsteady = recorded
    made = teacher(env, path=[str(folder / "unsteady"), str(folder / "steady" / "traces.jsonl")])
    assert sorted(made.items([])) == sorted(
        [(tasks[0], 0), *((task, number) for task in tasks[1:] for number in (0, 1))]
    )
    assert made.player(tasks[1], 0)({}, {}).text != made.player(tasks[1], 1)({}, {}).text
    kept = teacher(env, path=str(folder), threshold=0.999)
    wanted = [r >= 0.999 for r in steady[1:]] + [r >= 0.999 for r in unsteady]
    assert len(kept.items([])) == sum(wanted)


def test_an_agents_own_trace_teaches_what_the_agent_teaches(local, env, tasks, tmp_path):
    run(build("join-ends", env, 3, wobble=12.0), ENV, KWARGS, tasks, out=tmp_path)
    asker = Asker(ENV, env.unwrapped.tool_table, local, "brief", {}, "growing")
    section = AgentSection(name="join-ends", options={"wobble": 12.0})
    alive = Demonstrations(env, asker, make_turn_teacher(section, env, 3), number_step=8)
    traces = AgentSection(name="traces", options={"path": str(tmp_path)})
    again = Demonstrations(env, asker, make_turn_teacher(traces, env, 3), number_step=8)
    for task in tasks:
        (ours,), (theirs,) = alive.rows(task, 3), again.rows(task, 0)
        assert (ours.prompt_ids, ours.completion_ids, ours.mask) == (
            theirs.prompt_ids,
            theirs.completion_ids,
            theirs.mask,
        )


def test_an_episode_that_was_cut_off_or_not_scored_teaches_nothing(env, tasks, recorded, tmp_path):
    folder, _, _ = recorded
    shutil.copytree(folder / "unsteady", tmp_path / "run")
    path = tmp_path / "run" / "traces.jsonl"
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    episodes = {task: [line for line in lines if line["task"] == task] for task in tasks}
    episodes[tasks[0]].pop()
    episodes[tasks[1]][-1]["info"]["scored"] = False
    path.write_text("".join(json.dumps(line) + "\n" for each in episodes.values() for line in each))
    assert sorted(teacher(env, path=str(path)).items([])) == [(task, 0) for task in sorted(tasks[2:])]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"path": "nowhere"}, "no traces in 'nowhere'"),
        ({"pth": "x", "path": "y"}, "options.pth.*'path'"),
        ({}, "path"),
        ({"path": "x", "share": 0}, "options.share.*greater than 0"),
        ({"path": "x", "per_task": 0}, "options.per_task"),
    ],
)
def test_mistakes_in_the_options_are_sentences(env, options, words):
    with pytest.raises(UserError, match=words):
        make_turn_teacher(AgentSection(name="traces", options=options), env, 0)


def test_traces_of_another_environment_or_split_are_refused(env, tasks, recorded, tmp_path):
    path = str(recorded[0])
    with pytest.raises(UserError, match="recorded with max_calls=3, and the stage's environment has 5"):
        teacher(make(ENV, {**KWARGS, "max_calls": 5}), path=path)
    with pytest.raises(UserError, match="and the stage trains in 'designgym/AestheticLocalization-v0'"):
        teacher(make("designgym/AestheticLocalization-v0", {"max_calls": 3}), path=path)
    other = {**KWARGS, "reward": "figural", "channels": 1, "kinds": ("is",)}  # a default that is named is the same
    assert teacher(make(ENV, other), path=path).items([])
    run(build("blank", env), ENV, {**KWARGS, "split": "validation"}, ["validation-is-000000"], out=tmp_path)
    with pytest.raises(UserError, match="of the split 'validation'; only those of 'train'"):
        teacher(env, path=str(tmp_path))


def test_where_nothing_is_good_enough_the_sentence_says_so(env, tasks, recorded, tmp_path):
    with pytest.raises(UserError, match=r"7 finished episodes .* reward of 1.5 or more"):
        teacher(env, path=str(recorded[0]), threshold=1.5)
    run(Writer(env, spoil=tasks), ENV, KWARGS, tasks[:1], out=tmp_path)
    with pytest.raises(UserError, match="no finished episode in which no call was refused"):
        teacher(env, path=str(tmp_path))


CONFIG = """
model: tiny
allow_resize: true
tiny: {number_step: 8}
env: {id: designgym/CanvasDrawing-v0, kwargs: {max_calls: 3, kinds: [is], reward: closure}}
prompt: {wording: brief, context: [history, canvas]}
stages:
  - {name: sft, kind: sft, teacher: join-ends, tasks: {first: 0, count: 8}, steps: 1, batch_size: 2, learning_rate: 0.1}
  - {name: best, kind: sft, teacher: {name: traces, options: {path: PATH}}, steps: 1, batch_size: 2, learning_rate: 0.1}
evaluation: {split: validation, count: 4, agents: [blank]}
tracking: {wandb: "off"}
"""


def test_a_stage_on_traces_has_no_tasks_of_its_own(recorded, tmp_path):
    path = tmp_path / "run.yaml"
    path.write_text(CONFIG.replace("PATH", str(recorded[0])))
    check(load_config(path, TrainConfig))
    with pytest.raises(UserError, match="'traces' brings its own tasks; leave 'tasks' out"):
        load_config(path, TrainConfig, ["stages.1.tasks={first: 0, count: 8}"])
    with pytest.raises(UserError, match="it needs 'tasks'"):
        load_config(path, TrainConfig, ["stages.1.teacher=join-ends"])
    with pytest.raises(UserError, match="recorded with max_calls=3, and the stage's environment has 1"):
        check(load_config(path, TrainConfig, ["env.kwargs.max_calls=1", "stages.0.teacher=blank"]))

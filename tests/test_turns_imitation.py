"""Supervised training over many turns: what is learnt is what the model would be shown and would write, and no more."""

import numpy as np
import pytest

from designgym.agents.base import Reply
from designgym.agents.join_ends import JoinEnds
from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.errors import UserError
from designgym.eval.config import AgentSection
from designgym.eval.runner import make, run
from designgym.prompt import render_call

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from concurrent.futures import ThreadPoolExecutor  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.agent import QwenAgent  # noqa: E402
from designgym.agents.qwen.dialogue import Asker, reply_tokens  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.fast_vision import enable_fast_vision  # noqa: E402
from designgym.agents.qwen.grid import on_grid  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.train.stages import SftStage  # noqa: E402
from designgym.train.teachers import make_turn_teacher  # noqa: E402
from designgym.train.turns.demonstrations import DemonstrationFailed, Demonstrations  # noqa: E402
from designgym.train.turns.imitation import RowCollator, imitation_trainer  # noqa: E402
from designgym.train.turns.rollout import play  # noqa: E402

ENV = "designgym/CanvasDrawing-v0"
KWARGS = {"split": "train", "max_calls": 3, "kinds": ["is"], "reward": "closure"}
STEP = 8
CONTEXTS = {"brief": ["history", "canvas"], "full": ["history", "canvas", "strip"]}
HISTORIES = ("windowed", "growing")
CONFIG = tiny.TinyConfig(
    image_size=64,
    vision_width=32,
    colour_filters=12,
    vision_depth=1,
    text_width=32,
    text_heads=2,
    text_layers=1,
    env=ENV,
    number_step=STEP,
)


def build():
    model, processor = tiny.build(CONFIG)
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


@pytest.fixture(scope="module")
def local():
    return build()


@pytest.fixture(scope="module")
def env():
    return make(ENV, KWARGS)


@pytest.fixture(scope="module")
def tasks(env):
    return list(env.unwrapped.task_ids()[:8])


def asker(local, env, history, wording="brief"):
    settings = prompt_settings(ENV, context=CONTEXTS[wording])
    return Asker(ENV, env.unwrapped.tool_table, local, wording, settings, history)


def demonstrations(local, env, history, wording="brief", *, wobble=12.0, seed=5, each=1, **options):
    section = AgentSection(name="join-ends", options={"wobble": wobble})
    teacher = make_turn_teacher(section, env, seed, each)
    return Demonstrations(env, asker(local, env, history, wording), teacher, number_step=STEP, **options)


def expected_turns(task, seed=5, wobble=12.0):
    """The texts of the demonstration of a task, worked out from the scripted agent without any of the code at hand."""
    first = JoinEnds(3, seed, wobble)(None, {"task": task, "calls_left": 3})
    (name, operations), *_ = first["arguments"].items()

    def near(value):
        return min(400, int(value / STEP + 0.5) * STEP)

    if name == "lines":
        rounded = [{key: near(value) for key, value in line.items()} for line in operations]
    else:
        rounded = [{"points": [[near(x), near(y)] for x, y in line["points"]]} for line in operations]
    return [
        render_call(first["name"], {name: rounded}),
        render_call("drawing_finished", {"label": "The shape, closed"}),
    ]


class Scripted(QwenAgent):
    """The local agent, which is asked as ever and writes what it is told."""

    def __init__(self, *args, texts, **options):
        super().__init__(*args, **options)
        self.texts = iter(texts)
        self.asked = []

    def complete(self, prompts):
        self.asked += [list(prompt.ids) for prompt in prompts]
        return [reply_tokens(self.local.processor, next(self.texts)) for _ in prompts]


@pytest.mark.parametrize("wording", CONTEXTS)
@pytest.mark.parametrize("history", HISTORIES)
def test_a_model_learns_from_the_tokens_that_the_agent_is_shown_and_writes(local, env, tasks, history, wording):
    for task in tasks[:3]:
        texts = expected_turns(task)
        agent = Scripted(
            local,
            prompt_builder(ENV),
            env.unwrapped.tool_table,
            wording=wording,
            settings=prompt_settings(ENV, context=CONTEXTS[wording]),
            history=history,
            texts=texts,
        )
        (result,) = run(agent, ENV, KWARGS, [task])
        assert (result.end, result.failure) == ("finished", "")
        rows = demonstrations(local, env, history, wording).rows(task, 5)
        written = [reply_tokens(local.processor, text) for text in texts]
        if history == "windowed":
            assert [row.prompt_ids for row in rows] == agent.asked
            assert [row.completion_ids for row in rows] == written
            assert all(set(row.mask) == {1} and len(row.mask) == len(row.completion_ids) for row in rows)
        else:
            (row,) = rows
            assert row.prompt_ids == agent.asked[0]
            assert row.prompt_ids + row.completion_ids == agent.asked[1] + written[1]
            assert len(row.mask) == len(row.completion_ids)
            own = [token for token, mark in zip(row.completion_ids, row.mask, strict=True) if mark]
            assert own == written[0] + written[1]


@pytest.mark.parametrize("history", HISTORIES)
def test_a_model_learns_from_the_rows_that_it_would_be_reinforced_on(local, env, tasks, history):
    turns = {task: iter(expected_turns(task)) for task in tasks[:3]}
    order = []

    def write(prompts):
        now = order[-len(prompts) :]
        return [reply_tokens(local.processor, next(turns[task])) for task in now]

    made = demonstrations(local, env, history)
    for task in tasks[:3]:
        order.append(task)
        with ThreadPoolExecutor(1) as pool:
            (played,) = play([env], made.asker.dialogue, [task], write, max_turns=None, pool=pool)
        for ours, theirs in zip(made.rows(task, 5), played.rows, strict=True):
            assert (ours.prompt_ids, ours.completion_ids, ours.mask, ours.turn) == (
                theirs.prompt_ids,
                theirs.completion_ids,
                theirs.mask,
                theirs.turn,
            )
            pairs = zip(ours.images, theirs.images, strict=True)
            assert all(np.array_equal(np.asarray(a), np.asarray(b)) for a, b in pairs)


@pytest.mark.parametrize("history", HISTORIES)
def test_the_loss_is_on_the_models_own_tokens_alone(local, env, tasks, history):
    data = demonstrations(local, env, history)
    batch = RowCollator(local.processor)([{"rows": data.rows(task, 5)} for task in tasks])
    tokenizer = local.processor.tokenizer
    learnt = [tokenizer.decode(labels[labels != -100]) for labels in batch["labels"]]
    turns = [[text + "<|im_end|>" for text in expected_turns(task)] for task in tasks]
    wanted = ["".join(each) for each in turns] if history == "growing" else [text for each in turns for text in each]
    assert learnt == wanted
    assert (batch["labels"][batch["attention_mask"] == 0] == -100).all()
    assert torch.equal(batch["input_ids"][batch["labels"] != -100], batch["labels"][batch["labels"] != -100])
    assert len(batch["image_grid_thw"]) == 2 * len(tasks)
    assert int(batch["mm_token_type_ids"].sum()) == 2 * len(tasks) * 4  # 64 px are 2 x 2 tokens


def stage(**changes):
    settings = {
        "name": "sft",
        "kind": "sft",
        "teacher": "join-ends",
        "tasks": {"first": 0, "count": 8},
        "steps": 4,
        "batch_size": 3,
        "learning_rate": 4e-3,
        "log_every": 1,
        **changes,
    }
    return SftStage.model_validate(settings)


@pytest.mark.parametrize("history", HISTORIES)
def test_the_trainers_loss_is_the_mean_over_all_tokens_that_the_teacher_wrote(local, env, tasks, tmp_path, history):
    data = demonstrations(local, env, history)
    made = imitation_trainer(stage(), data, tasks, tmp_path, seed=0)
    made.model.eval()
    total, count = 0.0, 0
    for task in tasks[:3]:
        for row in data.rows(task, 5):
            batch = RowCollator(local.processor)([{"rows": [row]}])  # alone, so that there is no padding
            assert batch["attention_mask"].all()
            labels = batch.pop("labels")[0]
            with torch.no_grad():
                logits = local.model(**batch).logits[0]
            for place in range(1, len(labels)):
                if labels[place] != -100:
                    total -= float(logits[place - 1].log_softmax(-1)[labels[place]])
                    count += 1
    examples = [made.train_dataset[index] for index in range(3)]
    with torch.no_grad():
        loss = made.compute_loss(made.model, made.data_collator(examples), num_items_in_batch=torch.tensor(count))
    assert float(loss) == pytest.approx(total / count, rel=1e-4)


@pytest.mark.parametrize("history", HISTORIES)
def test_training_is_repeatable_with_and_without_a_process_that_prepares_batches(env, tasks, tmp_path, history):
    losses = []
    for workers in (0, 1):
        data = demonstrations(build(), env, history)
        made = imitation_trainer(stage(), data, tasks, tmp_path / str(workers), seed=0, workers=workers)
        made.train()
        losses.append([entry["loss"] for entry in made.state.log_history if "loss" in entry])
    assert losses[0] == losses[1]
    assert len(losses[0]) == 4 and losses[0][-1] < losses[0][0]


@pytest.mark.parametrize("history", HISTORIES)
def test_a_model_learns_two_shapes_by_heart_and_closes_them(env, tasks, tmp_path, history):
    local = build()
    data = demonstrations(local, env, history, wobble=0.0)
    enable_fast_vision(local.model)
    settings = {"steps": 80, "batch_size": 2, "learning_rate": 1e-2, "scheduler": "cosine", "adam_beta2": 0.98}
    imitation_trainer(stage(**settings), data, tasks[:2], tmp_path, seed=0).train()
    local.model.eval()
    options = {"wording": "brief", "settings": data.asker.settings, "history": history, "max_new_tokens": 40}
    agent = QwenAgent(local, prompt_builder(ENV), env.unwrapped.tool_table, **options)
    results = run(agent, ENV, KWARGS, tasks[:2], batch_size=2)
    assert [(result.end, result.calls) for result in results] == [("finished", 2)] * 2
    assert min(result.reward for result in results) > 0.9


def test_each_demonstration_of_a_task_has_a_seed_of_its_own_and_can_be_played_again(local, env, tasks):
    made = demonstrations(local, env, "windowed", each=3)
    items = made.teacher.items(tasks[:2])
    assert sorted(items) == [(task, seed) for task in sorted(tasks[:2]) for seed in (5, 6, 7)]
    first = {item: made.rows(*item)[0].completion_ids for item in items}
    assert len({tuple(ids) for ids in first.values()}) == 6
    again = demonstrations(local, env, "windowed", each=3, kept_bytes=0)
    assert {item: again.rows(*item)[0].completion_ids for item in reversed(items)} == first


def test_no_more_images_are_kept_than_the_budget_allows(local, env, tasks):
    two_images = 2 * 64 * 64 * 3  # as the processor takes them
    made = demonstrations(local, env, "windowed", kept_bytes=two_images)
    assert made.rows(tasks[0], 5) is made.rows(tasks[0], 5)
    assert made.rows(tasks[1], 5) is not made.rows(tasks[1], 5)


def test_a_teachers_text_is_kept_if_the_model_would_be_read_so_and_written_anew_if_not(local, env, tasks):
    call = {"name": "draw_dots", "arguments": {"dots": [{"x": 16, "y": 24}]}}
    end = {"name": "drawing_finished", "arguments": {"label": "Dots"}}
    thought = "<think>\nFour dots.\n</think>\n\n" + render_call("draw_dots", call["arguments"])
    replies = [Reply(thought, (call,)), Reply("I draw two dots.", (call,)), Reply("", (end,))]

    class Model:
        def items(self, tasks):
            return [(task, 0) for task in tasks]

        def player(self, task, seed):
            turns = iter(replies)
            return lambda observation, info: next(turns)

    rows = Demonstrations(env, asker(local, env, "windowed"), Model(), number_step=1).rows(tasks[0], 0)
    texts = [local.processor.tokenizer.decode(row.completion_ids) for row in rows]
    assert texts == [
        f"{thought}<|im_end|>",
        f"{render_call('draw_dots', call['arguments'])}<|im_end|>",
        f"{render_call('drawing_finished', end['arguments'])}<|im_end|>",
    ]


def test_a_demonstration_that_cannot_be_played_names_its_task(local, env, tasks):
    class Tired:
        def player(self, task, seed):
            two = {"name": "undo_last_action", "arguments": {}}
            return lambda observation, info: Reply("", (two, two))

    with pytest.raises(DemonstrationFailed, match=f"Demonstration 7 of task '{tasks[0]}'.*makes 2 calls in one turn"):
        Demonstrations(env, asker(local, env, "windowed"), Tired()).rows(tasks[0], 7)


@pytest.mark.parametrize(
    ("name", "arguments", "rounded"),
    [
        (
            "draw_lines",
            {"lines": [{"x1": 3, "y1": 4, "x2": 396, "y2": 395}], "erase": True},
            {"lines": [{"x1": 0, "y1": 8, "x2": 400, "y2": 392}], "erase": True},
        ),
        ("draw_dots", {"dots": {"x": -50, "y": 1000}}, {"dots": {"x": 0, "y": 400}}),
        (
            "draw_polylines",
            {"polylines": [{"points": [[1, 12], [11.9, 12.1]], "closed": False}]},
            {"polylines": [{"points": [[0, 16], [8, 16]], "closed": False}]},
        ),
        (
            "draw_regular_polygons",
            {"polygons": [{"x": 200, "y": 201, "radius": 2, "n_sides": 5, "rotation": 13}]},
            {"polygons": [{"x": 200, "y": 200, "radius": 8, "n_sides": 5, "rotation": 13}]},
        ),
        ("draw_dots", {"dots": [{"x": "left", "y": 9}, 7]}, {"dots": [{"x": "left", "y": 8}, 7]}),
        ("drawing_finished", {"label": "12 cats"}, {"label": "12 cats"}),
        ("no_such_tool", {"x": 3}, {"x": 3}),
    ],
)
def test_px_are_rounded_to_the_models_grid_and_nothing_else_is(env, name, arguments, rounded):
    call = on_grid({"name": name, "arguments": arguments}, env.unwrapped.tool_table, STEP)
    assert call == {"name": name, "arguments": rounded}


def test_teachers_that_cannot_play_are_refused_in_words(env):
    with pytest.raises(UserError, match="knows single answers only"):
        make_turn_teacher(AgentSection(name="truth"), env, 0)
    with pytest.raises(UserError, match="no agent 'join-end'"):
        make_turn_teacher(AgentSection(name="join-end"), env, 0)
    with pytest.raises(UserError, match="has no option 'wobbel'"):
        make_turn_teacher(AgentSection(name="join-ends", options={"wobbel": 3.0}), env, 0)

"""Direct preference optimisation: which recorded episodes are compared where, as which tokens, and what is learnt."""

import dataclasses
import json

import pytest

from designgym.agents.base import Reply
from designgym.agents.table import build
from designgym.config import load_config
from designgym.errors import UserError
from designgym.eval.config import AgentSection
from designgym.eval.runner import make, run
from designgym.prompt import render_call
from designgym.trace import ImageDigest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from tiny_run import write_config  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.dialogue import image_fields  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.local import LocalModel, load  # noqa: E402
from designgym.train.checks import check  # noqa: E402
from designgym.train.config import LoraSection, TrainConfig  # noqa: E402
from designgym.train.data import Pages  # noqa: E402
from designgym.train.methods.dpo import trainer as dpo_trainer  # noqa: E402
from designgym.train.model.adapters import add_adapters  # noqa: E402
from designgym.train.model.weights import check_learning, unrounded  # noqa: E402
from designgym.train.stages import DpoStage  # noqa: E402
from designgym.train.teachers import make_teacher  # noqa: E402
from designgym.train.turns.pair_rows import PairRows  # noqa: E402
from designgym.train.turns.preferences import choose, parting, read_pairs  # noqa: E402
from designgym.train.turns.recorded import Recorded  # noqa: E402

PAGES = "designgym/AestheticLocalization-v0"
PAGE = {"split": "train", "designs": "blocks", "image_size": 64, "flaws": ["clash"], "clean_share": 0.0}
CANVAS = "designgym/CanvasDrawing-v0"
DRAWING = {"split": "train", "max_calls": 3, "kinds": ["is"], "reward": "closure"}
TASKS = [f"train-{number:06d}" for number in range(4)]
SHAPE = {
    "image_size": 64, "vision_width": 32, "colour_filters": 12, "vision_depth": 1,
    "text_width": 32, "text_heads": 2, "text_layers": 1,
}  # fmt: skip
SEEN = (ImageDigest("0", (1,)), "")


def episode(task, reward, *calls, refused=False, shown=None):
    turns = tuple((f"words for {call}", call) for call in calls)
    return Recorded(task, reward, turns, 0, refused, shown or (SEEN,) * len(calls), "judge")


def places(pairs):
    return [(pair.better.reward, pair.worse.reward, pair.turn) for pair in pairs]


# Which episodes are compared, and where


def test_episodes_part_at_the_first_turn_in_which_they_call_differently():
    assert parting(episode("t", 1, "a", "b", "c"), episode("t", 0, "a", "x", "c")) == 1
    assert parting(episode("t", 1, "a"), episode("t", 0, "x", "c")) == 0
    assert parting(episode("t", 1, "a", "b"), episode("t", 0, "a")) is None
    words = dataclasses.replace(episode("t", 0, "a", "x"), turns=(("other words", "a"), ("", "x")))
    assert parting(episode("t", 1, "a", "b"), words) == 1


def test_pairs_are_those_with_the_largest_differences_task_by_task():
    rewards = [("a", 0.5, "p"), ("b", 0.1, "p"), ("a", 0.9, "q"), ("a", 0.2, "r"), ("b", 0.3, "q"), ("c", 1.0, "p")]
    episodes = [episode(*each) for each in rewards]
    assert places(choose(episodes, min_gap=0.05, per_task=1)) == [(0.9, 0.2, 0), (0.3, 0.1, 0)]
    every = choose(episodes, min_gap=0.05, per_task=9)
    assert places(every) == [(0.9, 0.2, 0), (0.9, 0.5, 0), (0.5, 0.2, 0), (0.3, 0.1, 0)]
    assert places(choose(episodes, min_gap=0.25, per_task=9)) == [(0.9, 0.2, 0), (0.9, 0.5, 0), (0.5, 0.2, 0)]
    assert choose(episodes, min_gap=0.8, per_task=9) == []


def test_of_equal_differences_the_episodes_that_were_recorded_first_are_taken():
    episodes = [episode("a", 0.0, "p"), episode("a", 1.0, "q"), episode("a", 0.0, "r"), episode("a", 1.0, "s")]
    chosen = [(pair.chosen[1], pair.rejected[1]) for pair in choose(episodes, min_gap=0.1, per_task=3)]
    assert chosen == [("q", "p"), ("q", "r"), ("s", "p")]


def test_the_same_two_calls_are_compared_once():
    episodes = [episode("a", 1.0, "q"), episode("a", 0.0, "p"), episode("a", 0.9, "q"), episode("a", 0.0, "p")]
    assert places(choose(episodes, min_gap=0.1, per_task=9)) == [(1.0, 0.0, 0)]


def test_an_episode_with_a_refused_call_may_be_rejected_but_never_chosen():
    episodes = [episode("a", 1.0, "q", refused=True), episode("a", 0.5, "p"), episode("a", 0.0, "r", refused=True)]
    assert places(choose(episodes, min_gap=0.1, per_task=9)) == [(0.5, 0.0, 0)]


def test_replies_to_different_questions_are_not_compared():
    other = (ImageDigest("1", (1,)), "")
    one, two = episode("a", 1.0, "p", "q"), episode("a", 0.0, "p", "r", shown=(SEEN, other))
    assert choose([one, two], min_gap=0.1, per_task=1) == []
    assert places(choose([one, episode("a", 0.0, "p", "r", shown=(SEEN, SEEN))], min_gap=0.1, per_task=1)) == [
        (1.0, 0.0, 1)
    ]


# Single answers


@pytest.fixture(scope="module")
def page_env():
    return make(PAGES, PAGE)


@pytest.fixture(scope="module")
def answers(page_env, tmp_path_factory):
    """Two trials of four pages: the truth, and the whole page."""
    folder = tmp_path_factory.mktemp("answers")
    run(make_teacher(AgentSection(name="truth"), page_env, 0), PAGES, PAGE, TASKS, out=folder / "good")
    run(build("full-page", page_env), PAGES, PAGE, TASKS, out=folder / "poor")
    return folder


def page_model():
    model, processor = tiny.build(tiny.TinyConfig(**SHAPE))
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


def dpo(folder, **changes):
    settings = {"steps": 2, "batch_size": 2, "learning_rate": 2e-3, "scheduler": "constant", "log_every": 1, **changes}
    return DpoStage(name="dpo", kind="dpo", traces=str(folder), **settings)


def page_rows(env, local, folder, wording="brief", **changes):
    pages = Pages(env, PAGES, local, wording=wording, number_step=25)
    return PairRows(env, pages.asker("windowed"), read_pairs(dpo(folder, **changes), env), number_step=25)


@pytest.mark.parametrize("wording", ["brief", "full"])
def test_the_prompt_is_that_of_supervised_training_and_so_is_the_chosen_answer(page_env, answers, wording):
    local = page_model()
    teacher = make_teacher(AgentSection(name="truth"), page_env, 0)
    pages = Pages(page_env, PAGES, local, wording=wording, teacher=teacher, number_step=25)
    rows = page_rows(page_env, local, answers, wording)
    assert [pair.better.task for pair in rows.pairs] == TASKS
    for index, task in enumerate(TASKS):
        pair, taught = rows.row(index), pages.row(task)
        chat = [
            {**message, "content": [b | {"image": taught["images"][0]} if b["type"] == "image" else b for b in
                                    message["content"]]}
            for message in taught["prompt"]
        ]  # fmt: skip
        asked = local.processor.apply_chat_template(
            chat, tokenize=True, add_generation_prompt=True, return_dict=True, return_tensors="pt"
        )
        assert pair.chosen.prompt_ids == asked["input_ids"][0].tolist() == pair.rejected.prompt_ids
        text = taught["completion"][0]["content"][0]["text"]
        assert local.processor.tokenizer.decode(pair.chosen.completion_ids) == f"{text}<|im_end|>"
        assert "[0, 0, 1000, 1000]" in local.processor.tokenizer.decode(pair.rejected.completion_ids)
        (image,) = pair.chosen.images
        assert image.tobytes() == taught["images"][0].tobytes()


def test_a_batch_has_the_chosen_rows_first_and_both_with_the_same_pixels(page_env, answers, tmp_path):
    local = page_model()
    made = dpo_trainer(dpo(answers), local, Pages(page_env, PAGES, local, wording="brief", number_step=25), [],
                       tmp_path, seed=0)  # fmt: skip
    pairs = [made.train_dataset[index] for index in (0, 1)]
    batch = made.data_collator(pairs)
    tokenizer = local.processor.tokenizer
    said = [tokenizer.decode(ids[mask == 1]) for ids, mask in zip(batch["input_ids"], batch["completion_mask"],
                                                                  strict=True)]  # fmt: skip
    assert [("1000, 1000]" in text) for text in said] == [False, False, True, True]
    assert said[:2] == [tokenizer.decode(pair["pair"].chosen.completion_ids) for pair in pairs]
    pixels = batch["pixel_values"]
    assert torch.equal(pixels[: len(pixels) // 2], pixels[len(pixels) // 2 :])
    assert len(batch["image_grid_thw"]) == 4
    shape = batch["input_ids"].shape
    assert all(batch[key].shape == shape for key in ("attention_mask", "completion_mask", "mm_token_type_ids"))
    image = local.processor.image_token_id
    assert torch.equal(batch["mm_token_type_ids"], (batch["input_ids"] == image).long())


def log_probability(model, processor, row):
    """Of a row's reply, unpadded and alone, through the plain model."""
    ids = torch.tensor([row.prompt_ids + row.completion_ids])
    is_image = (ids == processor.image_token_id).long()
    output = model(input_ids=ids, mm_token_type_ids=is_image, **image_fields(processor, row.images))
    places = slice(len(row.prompt_ids) - 1, -1)
    return output.logits[0, places].log_softmax(-1).gather(1, ids[0, len(row.prompt_ids) :, None]).sum()


def margins(local, rows, count):
    model = local.model.eval()
    with torch.no_grad():
        pairs = [rows.row(index) for index in range(count)]
        chosen, rejected = (
            torch.stack([log_probability(model, local.processor, getattr(pair, kind)) for pair in pairs])
            for kind in ("chosen", "rejected")
        )
    return chosen - rejected


@pytest.mark.parametrize("what", ["all", "adapters", "adapters on 4 bits"])
def test_two_steps_raise_the_margin_and_the_loss_is_what_it_says(page_env, answers, tmp_path, what):
    local, adapters = page_model(), what != "all"
    if "4 bits" in what:
        pytest.importorskip("bitsandbytes")
        tiny.save(tiny.TinyConfig(**SHAPE), tmp_path / "base")
        local = load(tmp_path / "base", four_bit=True, trainable=True)
    if adapters:
        local = add_adapters(local, LoraSection(rank=4), seed=0)
    rows = page_rows(page_env, local, answers)
    before = margins(local, rows, 4)
    stage = dpo(answers, batch_size=4, learning_rate=2e-2 if adapters else 2e-3)
    pages = Pages(page_env, PAGES, local, wording="brief", number_step=25)
    with unrounded(local.model):
        made = dpo_trainer(stage, local, pages, [], tmp_path, seed=0)
    check_learning(local.model, "adapters" if adapters else "all")
    made.train()
    after = margins(local, rows, 4)
    assert after.mean() > before.mean()
    log = [entry for entry in made.state.log_history if "loss" in entry]
    assert log[0]["loss"] == pytest.approx(0.6931, abs=1e-4)  # the policy is its own reference: log 2
    assert log[0]["rewards/margins"] == pytest.approx(0, abs=1e-5)
    made.model.eval()
    with torch.no_grad():
        batch = made.data_collator([made.train_dataset[index] for index in range(4)])
        loss = made.compute_loss(made.model, batch)
    expected = -torch.nn.functional.logsigmoid(0.1 * (after - before)).mean()
    assert loss.item() == pytest.approx(expected.item(), abs=1e-4)


def test_smoothed_labels_are_taken_for_wrong_in_so_many_pairs(page_env, answers, tmp_path):
    local = page_model()
    rows = page_rows(page_env, local, answers)
    before = margins(local, rows, 4)
    pages = Pages(page_env, PAGES, local, wording="brief", number_step=25)
    made = dpo_trainer(dpo(answers, batch_size=4, label_smoothing=0.2), local, pages, [], tmp_path, seed=0)
    made.train()
    delta = 0.1 * (margins(local, rows, 4) - before)
    made.model.eval()
    with torch.no_grad():
        loss = made.compute_loss(made.model, made.data_collator([made.train_dataset[index] for index in range(4)]))
    log = torch.nn.functional.logsigmoid
    expected = (-(0.8 * log(delta) - 0.2 * log(-delta)) / 0.6).mean()  # arXiv 2403.00409, equation 11
    assert loss.item() == pytest.approx(expected.item(), abs=1e-4)
    with pytest.raises(ValueError, match="label_smoothing is for the loss 'sigmoid', not 'ipo'"):
        dpo(answers, label_smoothing=0.2, loss_type="ipo")


# Several calls


class Writer:
    """Finishes a drawing as a scripted agent does, or adds a stray line in its second call."""

    def __init__(self, env, *, stray=False):
        self.agent, self.stray = build("join-ends", env, 0), stray

    def __call__(self, observation, info):
        action = self.agent(observation, info)
        if self.stray and info["calls_left"] == 2:
            line = {"x1": 8, "y1": 8, "x2": 392, "y2": 392}
            action = {"name": "draw_lines", "arguments": {"lines": [line]}}
        return Reply(
            f"<think>\n{self.stray}\n</think>\n\n{render_call(action['name'], action['arguments'])}", (action,)
        )


@pytest.fixture(scope="module")
def canvas():
    return make(CANVAS, DRAWING)


@pytest.fixture(scope="module")
def drawings(canvas, tmp_path_factory):
    folder = tmp_path_factory.mktemp("drawings")
    tasks = list(canvas.unwrapped.task_ids()[:3])
    good = run(Writer(canvas), CANVAS, DRAWING, tasks, out=folder / "good")
    poor = run(Writer(canvas, stray=True), CANVAS, DRAWING, tasks, out=folder / "poor")
    return folder, [a.reward - b.reward for a, b in zip(good, poor, strict=True)]


def canvas_model():
    model, processor = tiny.build(tiny.TinyConfig(env=CANVAS, number_step=8, **SHAPE))
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


def test_a_pair_stands_where_two_episodes_part_with_the_history_and_the_image_of_that_turn(canvas, drawings):
    folder, gaps = drawings
    assert all(gap > 0.05 for gap in gaps)
    local = canvas_model()
    pages = Pages(canvas, CANVAS, local, wording="brief", number_step=8)
    asker = pages.asker("windowed")
    pairs = read_pairs(dpo(folder), canvas)
    assert [pair.turn for pair in pairs] == [1, 1, 1]  # the first calls were the same, if in other words
    rows = PairRows(canvas, asker, pairs, number_step=8)
    for index, pair in enumerate(pairs):
        row = rows.row(index)
        task = pair.better.task
        observation, info = canvas.reset(options={"task": task})
        dialogue = asker.dialogue(canvas.unwrapped.prompt_options, rows=False)
        dialogue.saw(observation, info)
        first = build("join-ends", canvas, 0)(observation, info)
        dialogue.said(render_call(first["name"], first["arguments"]))
        observation, *_, info = canvas.step(first)
        dialogue.saw(observation, info, first)
        prompt = dialogue.prompt()
        assert row.chosen.prompt_ids == row.rejected.prompt_ids == prompt.ids
        assert [i.tobytes() for i in row.chosen.images] == [i.tobytes() for i in prompt.images]
        assert (row.chosen.turn, row.rejected.turn) == (1, 1)
        decode = local.processor.tokenizer.decode
        assert "drawing_finished" in decode(row.chosen.completion_ids)
        assert "draw_lines" in decode(row.rejected.completion_ids)
        assert decode(row.chosen.completion_ids).startswith("<think>\nFalse")  # word for word


def test_two_steps_on_turns_of_episodes_raise_the_margin(canvas, drawings, tmp_path):
    local = canvas_model()
    pages = Pages(canvas, CANVAS, local, wording="brief", number_step=8)
    rows = PairRows(canvas, pages.asker("windowed"), read_pairs(dpo(drawings[0]), canvas), number_step=8)
    before = margins(local, rows, 3)
    made = dpo_trainer(dpo(drawings[0], batch_size=3), local, pages, [], tmp_path, seed=0)
    made.train()
    assert margins(local, rows, 3).mean() > before.mean()


def test_an_environment_that_shows_something_else_than_was_recorded_is_found(canvas, drawings):
    pages = Pages(canvas, CANVAS, canvas_model(), wording="brief", number_step=8)
    (first, *_) = read_pairs(dpo(drawings[0]), canvas)
    shown = (first.better.shown[0], (ImageDigest("0", (400, 400, 1)), first.better.shown[1][1]))
    changed = dataclasses.replace(first, better=dataclasses.replace(first.better, shown=shown))
    with pytest.raises(UserError, match=r"does not show before turn 2 what it showed.*record them again"):
        PairRows(canvas, pages.asker("windowed"), [changed], number_step=8).row(0)


# A stage of a run


def stage_of(folder, **changes):
    traces = [str(one) for one in folder] if isinstance(folder, list) else str(folder)
    stage = {"name": "dpo", "kind": "dpo", "traces": traces, "steps": 2, "batch_size": 2, "learning_rate": 0.001}
    return "stages=" + json.dumps([{**stage, **changes}])


def configured(tmp_path, folder, *settings, clean=0.0, **changes):
    fields = [f"env.kwargs.clean_share={clean}", stage_of(folder, **changes), *settings]
    return load_config(write_config(tmp_path), TrainConfig, fields)


def test_a_stage_on_pairs_is_checked_before_any_work(answers, page_env, tmp_path):
    check(configured(tmp_path, answers))
    with pytest.raises(UserError, match="history 'growing', but pairs answer one question each"):
        check(configured(tmp_path, answers, history="growing"))
    with pytest.raises(UserError, match="the traces bring tasks of their own; leave 'tasks' out"):
        configured(tmp_path, answers, tasks={"first": 0, "count": 8})
    with pytest.raises(UserError, match=r"8 finished episodes of 4 tasks, and none of their 4 pairs.*min_gap 1 .*most"):
        check(configured(tmp_path, answers, min_gap=1))
    with pytest.raises(UserError, match="4 finished episodes of 4 tasks, and none of their 0 pairs"):
        check(configured(tmp_path, answers / "good"))
    with pytest.raises(UserError, match=r"recorded with clean_share=0\.0, and the stage's environment has 0\.3"):
        check(configured(tmp_path, answers, clean=0.3))
    with pytest.raises(UserError, match="There are no traces in"):
        check(configured(tmp_path, tmp_path))


def test_episodes_of_other_splits_or_of_different_rewards_are_refused(answers, page_env, tmp_path):
    other = {**PAGE, "split": "test"}
    run(build("full-page", page_env), PAGES, other, ["test-000000"], out=tmp_path / "test")
    with pytest.raises(UserError, match="of the split 'test'; only those of 'train' are trained on"):
        check(configured(tmp_path, tmp_path / "test"))
    rewarded = {**PAGE, "reward": "shaped"}
    run(build("full-page", page_env), PAGES, rewarded, TASKS[:1], out=tmp_path / "shaped")
    with pytest.raises(
        UserError,
        match=r"different rewards.*'shaped' \(exact-shaped@1#\w+\) and the default \(exact@1\)",
    ):
        check(configured(tmp_path, [answers, tmp_path / "shaped"]))


@pytest.mark.slow
@pytest.mark.parametrize("adapters", [False, True])
def test_a_stage_of_pairs_goes_on_after_an_interrupt_and_leaves_the_model_alone(answers, tmp_path, adapters):
    from accelerate import PartialState
    from rich.console import Console

    from designgym.train.folder import RunFolder
    from designgym.train.stage import train_stage

    weights = {}
    settings = ["peft={rank: 2}"] if adapters else []
    for name, steps in (("whole", (2,)), ("again", (1, 2))):
        for upto in steps:
            config = configured(tmp_path, answers, *settings, save_every=1)
            folder = RunFolder(tmp_path / name, config)
            if not folder.model("init").is_dir():
                tiny.save(config.tiny_model(), folder.model("init"))
            stage = config.stages[0]
            if upto < 2:
                with pytest.raises(KeyboardInterrupt), _stopping_after(upto):
                    train_stage(config, stage, folder, Console(quiet=True), PartialState(cpu=True), None)
            else:
                train_stage(config, stage, folder, Console(quiet=True), PartialState(cpu=True), None)
        saved = folder.model("dpo")
        assert not [entry.name for entry in saved.iterdir() if entry.is_dir()]
        weights[name] = dict(load(saved).model.named_parameters())
    assert all(torch.equal(weights["whole"][name], weight) for name, weight in weights["again"].items())


def _stopping_after(step):
    """A run that is asked to stop after a step."""
    from unittest.mock import patch

    from designgym.train.guards.interrupt import StopOnInterrupt

    def stop(self, args, state, control, **kwargs):
        if state.global_step >= step:
            control.should_save = True
            control.should_training_stop = True
        return control

    return patch.object(StopOnInterrupt, "on_step_end", stop)

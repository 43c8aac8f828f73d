"""Environments of ours in TRL's own GRPOTrainer: exact schemas, calls that never raise, and what TRL would do wrong."""

import json

import numpy as np
import pytest

from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.eval.runner import make
from designgym.prompt import render_call

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from transformers.utils import get_json_schema  # noqa: E402
from trl import GRPOConfig, GRPOTrainer  # noqa: E402

from designgym.agents.qwen import tiny  # noqa: E402
from designgym.agents.qwen.dialogue import Asker  # noqa: E402
from designgym.agents.qwen.families import FAMILIES  # noqa: E402
from designgym.agents.qwen.local import LocalModel  # noqa: E402
from designgym.agents.qwen.tokenizer import suppressed_tokens  # noqa: E402
from designgym.score import Backend, Score  # noqa: E402
from designgym.train.turns.adapter import OVER, environment_class, episodes  # noqa: E402
from designgym.train.turns.announce import announce, give_tool_template  # noqa: E402
from designgym.train.turns.rollout import EnvironmentFailed  # noqa: E402

CANVAS = "designgym/CanvasDrawing-v0"
PAGES = "designgym/AestheticLocalization-v0"
DOTS = {"vocabulary": "dots", "max_calls": 3, "reward": "closure"}
SMALL = {"designs": "blocks", "image_size": 64, "flaws": ["clash"], "clean_share": 0.3}
CLEAN = {**SMALL, "clean_share": 1.0}
DOT = {"dots": [{"x": 200, "y": 200}]}
DONE = "That is all."


class Unscored:
    """A reward whose judge is never there."""

    name = "judge"
    backend = Backend("judge", "1")

    def score(self, episode):
        return Score(None, {"judge": None}, self.backend)

    def score_batch(self, episodes):
        return [self.score(episode) for episode in episodes]


def texts(blocks):
    return " ".join(block["text"] for block in blocks if block["type"] == "text")


def pictures(blocks):
    return [np.asarray(block["image"]) for block in blocks if block["type"] == "image"]


# ---------------------------------------------------------------- the environment as TRL calls it


@pytest.mark.parametrize(
    ("env_id", "kwargs"), [(CANVAS, {}), (CANVAS, {"interface": "svg"}), (CANVAS, DOTS), (PAGES, SMALL)]
)
def test_trl_finds_a_method_for_each_tool_and_nothing_else(env_id, kwargs):
    import inspect

    environment = environment_class(env_id, kwargs)
    found = {name for name, _ in inspect.getmembers(environment, inspect.isfunction) if not name.startswith("_")}
    tools = make(env_id, kwargs).unwrapped.tools
    assert environment.asking.tools == tools
    assert found == {"reset", "get_reward", *(tool["function"]["name"] for tool in tools)}
    for tool in tools:  # what TRL would announce by itself has the names, but not what is inside of them
        exact = tool["function"]
        derived = get_json_schema(getattr(environment(), exact["name"]))["function"]
        assert derived["description"] == exact["description"]
        assert derived["parameters"]["properties"].keys() == exact["parameters"]["properties"].keys()
        assert derived["parameters"].get("required", []) == exact["parameters"]["required"]


def test_reset_shows_the_first_image_and_the_words_of_the_prompt_builder():
    environment = environment_class(CANVAS, DOTS, context=["canvas"])()
    blocks = environment.reset(task="train-is-000001", seed=5, prompt=[], other=3)
    env = make(CANVAS, DOTS)
    observation, _ = env.reset(options={"task": "train-is-000001"})
    (picture,) = pictures(blocks)
    assert np.array_equal(picture, np.repeat(observation["image"], 3, axis=2))
    assert observation["task"] in texts(blocks) and "Calls left: 3." in texts(blocks)


def test_the_copies_of_a_group_play_the_same_episode():
    a, b = (environment_class(CANVAS, DOTS)() for _ in range(2))
    for row in ({"task": "train-ot-000004", "seed": 1}, {"seed": 8}):
        first, second = a.reset(**row), b.reset(**row)
        assert all(map(np.array_equal, pictures(first), pictures(second))) and texts(first) == texts(second)
    with pytest.raises(UserError, match="neither 'task' nor 'seed'"):
        a.reset(prompt=[])


def test_a_call_does_what_step_does():
    environment, env = environment_class(CANVAS, DOTS)(), make(CANVAS, DOTS)
    environment.reset(task="train-is-000002", seed=0)
    env.reset(options={"task": "train-is-000002"})
    for _ in range(3):
        answer = environment.draw_dots(**DOT)
        observation, reward, *_, info = env.step({"name": "draw_dots", "arguments": DOT})
        (picture,) = pictures(answer)
        assert np.array_equal(picture, np.repeat(observation["image"], 3, axis=2))
        assert texts(answer) == observation["text"]
    assert environment.over
    assert environment.get_reward() == pytest.approx(reward, abs=2**-16)
    assert environment.reward_parts == {
        key.removeprefix("reward/"): value for key, value in info.items() if key.startswith("reward/")
    }


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"self": 1},
        {"name": 1, "arguments": 2},
        {"dots": None},
        {"dots": float("nan")},
        {"dots": [[]] * 2000},
        {"dots": "<|image_pad|>", "erase": {}},
        {"nope": 1},
    ],
)
def test_no_arguments_raise_and_every_answer_has_an_image(arguments):
    environment = environment_class(CANVAS, DOTS)()
    environment.reset(seed=0)
    answer = environment.draw_dots(**arguments)
    assert len(pictures(answer)) == 1
    assert "Error" in texts(answer) or "malformed" in texts(answer)
    assert "<|" not in texts(answer)  # the words of the model never come back as tokens that stand for pixels
    assert "Calls left: 2." in texts(answer)


def test_after_the_end_nothing_changes():
    environment = environment_class(CANVAS, DOTS)()
    assert texts(environment.draw_dots(**DOT)) == OVER  # before the first reset there is no episode either
    environment.reset(task="train-is-000003", seed=0)
    last = environment.drawing_finished(label="Moon")
    reward, state = environment.get_reward(), environment._env.unwrapped.get_state().run.calls
    for call in (environment.draw_dots, environment.drawing_finished, environment.undo_last_action):
        answer = call(**DOT)
        assert texts(answer) == OVER
        assert np.array_equal(pictures(answer)[0], pictures(last)[0])
    assert environment.get_reward() == reward
    assert environment._env.unwrapped.get_state().run.calls == state


def test_an_unfinished_episode_is_scored_as_it_stands():
    environment, env = environment_class(CANVAS, DOTS)(), make(CANVAS, DOTS)
    environment.reset(task="train-is-000002", seed=0)
    environment.draw_dots(**DOT)
    env.reset(options={"task": "train-is-000002"})
    env.step({"name": "draw_dots", "arguments": DOT})
    *_, info = env.step({"name": "drawing_finished", "arguments": {"label": "x"}})
    assert not environment.over
    assert environment.get_reward() == pytest.approx(info["reward/closure"], abs=2**-16)
    assert environment.get_reward() > 0
    assert environment.reward_parts["closure"] == info["reward/closure"]


def test_where_one_answer_is_all_there_is_none_costs_it():
    environment = environment_class(PAGES, SMALL)()
    environment.reset(task="train-000001", seed=0)
    assert environment.get_reward() == 0 and environment.over


@pytest.mark.parametrize("mode", ["terminal", "dense"])
def test_dense_rewards_come_to_the_same(mode):
    environment = environment_class(CANVAS, {**DOTS, "reward_mode": mode})()
    environment.reset(task="train-is-000002", seed=0)
    for _ in range(3):
        environment.draw_dots(**DOT)
    assert environment.get_reward() == pytest.approx(environment.reward_parts["closure"], abs=2**-16)


@pytest.mark.parametrize("calls", [1, 3])
def test_an_episode_that_no_judge_could_score_has_no_reward(calls):
    environment = environment_class(CANVAS, {**DOTS, "reward": Unscored()})()
    environment.reset(seed=0)
    for _ in range(calls):
        environment.draw_dots(**DOT)
    assert environment.get_reward() is None
    environment.reset(seed=0)
    assert not environment.over


def test_an_environment_that_fails_ends_the_run_with_its_task(monkeypatch):
    environment = environment_class(CANVAS, DOTS)()
    environment.reset(task="train-is-000002", seed=0)
    monkeypatch.setattr(environment._env.unwrapped, "call", lambda *unused: 1 / 0)
    assert len(pictures(environment.draw_dots(**DOT))) == 1  # TRL would swallow the exception here
    with pytest.raises(EnvironmentFailed, match=r"train-is-000002.*ZeroDivisionError"):
        environment.get_reward()


def test_boxes_are_read_in_the_models_frame():
    environment = environment_class(PAGES, SMALL, frame=NumberFrame("thousand"))()
    env = make(PAGES, SMALL)
    for task in (f"train-{i:06d}" for i in range(20)):
        env.reset(options={"task": task})
        truth = env.unwrapped.episode().truth["bbox"]
        if truth is not None:
            break
    environment.reset(task=task, seed=0)
    environment.answer(bbox=[round(1000 * value) for value in truth])
    assert environment.get_reward() > 0.9
    assert environment.asking.tools[0]["function"]["parameters"]["properties"]["bbox"]["anyOf"][0]["items"] == {
        "type": "integer",
        "minimum": 0,
        "maximum": 1000,
    }


def test_a_prompt_without_an_image_is_refused():
    with pytest.raises(UserError, match=r"keep .canvas. in the context"):
        environment_class(CANVAS, DOTS, context=["history"])


# ---------------------------------------------------------------- in TRL's trainer


@pytest.fixture(scope="module", params=[CANVAS, PAGES])
def env_id(request):
    return request.param


@pytest.fixture
def local(env_id):
    """A model of a few thousand weights."""
    small = {"image_size": 64, "vision_width": 32, "colour_filters": 12, "vision_depth": 1}
    config = tiny.TinyConfig(**small, text_width=32, text_heads=2, text_layers=1, env=env_id)
    return LocalModel(*tiny.build(config), FAMILIES["qwen3_vl"], "tiny")


def environment_of(env_id, **options):
    return environment_class(env_id, CLEAN if env_id == PAGES else DOTS, **options)


def tasks_of(env_id):
    return [f"train-{i:06d}" for i in range(4)] if env_id == PAGES else [f"train-is-{i:06d}" for i in range(4)]


def call_of(env_id, k=0):
    if env_id == PAGES:
        return render_call("answer", {"bbox": [0.1, 0.1, 0.2 + 0.1 * k, 0.5] if k else None})
    return render_call("draw_dots", {"dots": [{"x": 20 + 50 * k, "y": 200}]})


def trainer_of(local, environment, tmp_path, tasks, **changes):
    settings = {
        "output_dir": str(tmp_path),
        "max_steps": 2,
        "per_device_train_batch_size": 4,
        "num_generations": 4,
        "max_completion_length": 512,
        "learning_rate": 1e-3,
        "logging_steps": 1,
        "report_to": "none",
        "use_cpu": True,
        "bf16": False,
        "save_strategy": "no",
        "gradient_checkpointing": False,
        "disable_tqdm": True,
        "generation_kwargs": {"max_new_tokens": 2, "suppress_tokens": suppressed_tokens(local.processor.tokenizer)},
    }
    local.model.train()
    return GRPOTrainer(
        model=local.model,
        args=GRPOConfig(**{**settings, **changes}),
        train_dataset=episodes(environment, tasks),
        processing_class=local.processor,
        environment_factory=environment,
    )


def scripted(trainer, write):
    """Let the model write ``write(turn, index)``; the real generation runs too, on what TRL makes of the answers."""
    real, tokenizer = trainer._generate_single_turn, trainer.processing_class.tokenizer
    played, turns, calls = trainer._generate, [0], []

    def generate(prompt_ids, *rest, **options):
        real(prompt_ids, *rest, **options)
        calls.append([list(ids) for ids in prompt_ids])
        texts = [write(turns[0], index) for index in range(len(prompt_ids))]
        turns[0] += 1
        return [tokenizer(text + "<|im_end|>")["input_ids"] for text in texts], None

    def play(prompts):
        turns[0] = 0
        return played(prompts)

    trainer._generate_single_turn, trainer._generate = generate, play
    return calls


def test_trls_trainer_trains(env_id, local, tmp_path):
    trainer = trainer_of(local, environment_of(env_id), tmp_path, tasks_of(env_id), log_completions=True)
    announce(trainer)
    most = 1 if env_id == PAGES else 3
    assert trainer.max_tool_calling_iterations == most
    calls = scripted(trainer, lambda turn, index: call_of(env_id, (turn + index) % 8))
    before = {name: p.detach().clone() for name, p in local.model.named_parameters()}
    trainer.train()
    assert len(calls) == 2 * (most + 1)  # TRL asks once more after the episode's end
    first = trainer.state.log_history[0]
    name = "hurdle" if env_id == PAGES else "closure"
    assert first["reward"] == pytest.approx(first[f"reward/{name}"], abs=1e-4)
    assert {"rewards/environment/mean", "episodes/unfinished", "episodes/unscored"} <= first.keys()
    assert first["episodes/unfinished"] == 0
    assert first["reward_std"] > 0
    assert any(not torch.equal(p, before[name]) for name, p in local.model.named_parameters())
    assert list((tmp_path / "completions").glob("*.parquet"))


def test_the_prompt_announces_exactly_the_environments_tools(env_id, local, tmp_path):
    trainer = trainer_of(local, environment_of(env_id), tmp_path, tasks_of(env_id))
    calls = scripted(trainer, lambda turn, index: DONE)
    announce(trainer)
    trainer.args.max_steps = 1
    trainer.train()
    text = local.processor.tokenizer.decode(calls[0][0])
    lines = text.split("<tools>\n")[1].split("\n</tools>")[0].split("\n")
    kwargs = CLEAN if env_id == PAGES else DOTS
    assert [json.loads(line) for line in lines] == make(env_id, kwargs).unwrapped.tools


@pytest.mark.parametrize("wording", ["full", "brief"])
def test_an_episode_has_the_tokens_of_a_growing_dialogue(env_id, local, tmp_path, wording):
    """TRL's template and suffixes make of our blocks what the dialogues of other trainers and agents write."""
    environment = environment_of(env_id, wording=wording, frame=NumberFrame("thousand"))
    trainer = trainer_of(local, environment, tmp_path, tasks_of(env_id), max_steps=1, shuffle_dataset=False)
    announce(trainer)
    calls = scripted(trainer, lambda turn, index: call_of(env_id, turn + index))
    scored = trainer._generate_and_score_completions([trainer.train_dataset[0]] * 4)
    env = make(env_id, environment.asking.kwargs)
    settings = dict(environment.asking.settings)
    asker = Asker(env_id, env.unwrapped.tool_table, local, wording, settings, "growing")
    for index in range(4):
        observation, info = env.reset(options={"task": tasks_of(env_id)[0]})
        dialogue = asker.dialogue(env.unwrapped.prompt_options)
        dialogue.saw(observation, info)
        for turn in range(1 if env_id == PAGES else 3):
            assert dialogue.prompt().ids == calls[turn][index], turn
            text = call_of(env_id, turn + index) + "<|im_end|>"
            reply = dialogue.wrote(local.processor.tokenizer(text)["input_ids"])
            observation, *_, info = env.step(reply.calls[0])
            dialogue.saw(observation, info, reply.calls[0])
        (row,) = dialogue.rows()
        length = len(row.completion_ids)
        assert scored["completion_ids"][index][:length].tolist() == row.completion_ids
        assert scored["tool_mask"][index][:length].tolist() == row.mask


# ---------------------------------------------------------------- what TRL would do wrong, or fails at


@pytest.fixture(scope="module")
def drawing():
    """A model and an environment of three calls with short prompts."""
    small = {"image_size": 64, "vision_width": 32, "colour_filters": 12, "vision_depth": 1}
    config = tiny.TinyConfig(**small, text_width=32, text_heads=2, text_layers=1, env=CANVAS)
    local = LocalModel(*tiny.build(config), FAMILIES["qwen3_vl"], "tiny")
    return local, environment_class(CANVAS, DOTS, wording="brief")


def announced(drawing, tmp_path, **changes):
    local, environment = drawing
    trainer = trainer_of(local, environment, tmp_path, tasks_of(CANVAS), max_steps=1, **changes)
    announce(trainer)
    return trainer


@pytest.mark.parametrize(
    "text",
    [
        render_call("paint", {"colour": 3}),
        render_call("draw_dots", {}).replace("{}", "[1]"),
        render_call("draw_dots", {}).replace("{}", "{"),
    ],
    ids=["unknown tool", "arguments that are no object", "no JSON"],
)
def test_calls_that_trl_refuses_itself_leave_the_first_image_and_train_on(drawing, tmp_path, text):
    trainer = announced(drawing, tmp_path)
    scripted(trainer, lambda turn, index: text)
    trainer.train()
    (first, *_) = trainer.state.log_history
    assert first["reward"] == 0 and first["episodes/unfinished"] == 1


def test_a_group_in_which_only_some_get_answers_trains_on(drawing, tmp_path):
    trainer = announced(drawing, tmp_path, per_device_train_batch_size=1, gradient_accumulation_steps=4)
    scripted(trainer, lambda turn, index: call_of(CANVAS, index) if index < 2 and turn == 0 else DONE)
    trainer.train()
    assert trainer.state.log_history[0]["tools/call_frequency"] == 0.5


def test_two_calls_of_a_turn_are_two_steps(drawing, tmp_path):
    trainer = announced(drawing, tmp_path)
    scripted(trainer, lambda turn, index: call_of(CANVAS, 1) + call_of(CANVAS, 2) if turn == 0 else DONE)
    trainer.train()
    assert {environment._env.unwrapped.max_calls for environment in trainer.environments} == {3}
    assert [len(environment._env.unwrapped.episode().calls) for environment in trainer.environments] == [2] * 4


def test_an_answer_that_does_not_fit_ends_an_episode_that_is_scored_all_the_same(drawing, tmp_path):
    trainer = announced(drawing, tmp_path)
    trainer.max_completion_length = 60  # a call, its answer, and a call
    scripted(trainer, lambda turn, index: call_of(CANVAS, index))
    trainer.train()
    (first, *_) = trainer.state.log_history
    assert first["completions/mean_length"] < 60 and first["reward"] > 0


def test_an_unscored_episode_is_kept_out_of_the_loss(drawing, tmp_path):
    local, _ = drawing
    environment = environment_class(CANVAS, {**DOTS, "reward": Unscored()}, wording="brief")
    trainer = trainer_of(local, environment, tmp_path, tasks_of(CANVAS), max_steps=1)
    announce(trainer)
    scripted(trainer, lambda turn, index: call_of(CANVAS, index))
    trainer.train()
    (first, *_) = trainer.state.log_history
    assert first["episodes/unscored"] == 1 and first["loss"] == 0


def test_the_run_ends_with_the_task_if_an_environment_fails(drawing, tmp_path, monkeypatch):
    trainer = announced(drawing, tmp_path)
    scripted(trainer, lambda turn, index: call_of(CANVAS, index))
    pool = trainer._environment_pool[None]
    monkeypatch.setattr(pool[0]._env.unwrapped, "call", lambda *unused: 1 / 0)
    with pytest.raises(EnvironmentFailed, match="task 'train-is-00000"):
        trainer.train()


def test_a_batch_that_lost_its_images_ends_the_run(drawing, tmp_path):
    trainer = announced(drawing, tmp_path)
    scripted(trainer, lambda turn, index: call_of(CANVAS, index) + "<|image_pad|>" * (turn == 3 and index == 1))
    with pytest.raises(RuntimeError, match="lost its images"):
        trainer.train()


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"generation_kwargs": None}, r"could sample <\|video_pad\|>"),
        ({"generation_kwargs": {"suppress_tokens": [1]}}, r"could sample <\|image_pad\|>"),
        ({"max_completion_length": 30}, r"max_completion_length is 30;.*set it to \d+ at least"),
    ],
)
def test_settings_that_would_break_later_are_refused_in_a_sentence(drawing, tmp_path, changes, sentence):
    with pytest.raises(UserError, match=sentence):
        announced(drawing, tmp_path, **changes)


def test_the_budget_that_is_named_is_enough(drawing, tmp_path):
    with pytest.raises(UserError) as refused:
        announced(drawing, tmp_path, max_completion_length=10)
    needed = int(str(refused.value).split("set it to ")[1].split()[0])
    trainer = announced(drawing, tmp_path, max_completion_length=needed)
    calls = scripted(trainer, lambda turn, index: render_call("drawing_finished", {"label": ""}))
    trainer.train()
    assert len(calls) == 2  # both calls fit whole, and no third one
    assert trainer.state.log_history[0]["completions/clipped_ratio"] == 0


def test_right_padding_is_refused(drawing, tmp_path):
    local, environment = drawing
    trainer = trainer_of(local, environment, tmp_path, tasks_of(CANVAS))
    local.processor.tokenizer.padding_side = "right"
    try:
        with pytest.raises(UserError, match="pads on the right"):
            announce(trainer)
    finally:
        local.processor.tokenizer.padding_side = "left"


def test_a_second_reward_function_is_refused(drawing, tmp_path):
    local, environment = drawing
    trainer = trainer_of(local, environment, tmp_path, tasks_of(CANVAS))
    trainer.reward_funcs.append(lambda **unused: [])
    with pytest.raises(UserError, match="keeps an episode that could not be scored out"):
        announce(trainer)


def test_another_version_of_trl_is_refused(drawing, tmp_path, monkeypatch):
    local, environment = drawing
    trainer = trainer_of(local, environment, tmp_path, tasks_of(CANVAS))
    monkeypatch.setattr("trl.__version__", "1.17.0")
    with pytest.raises(UserError, match=r"1\.17\.0 is installed"):
        announce(trainer)


def test_a_trainer_without_environments_of_ours_is_refused(drawing, tmp_path):
    from types import SimpleNamespace

    local, _ = drawing
    with pytest.raises(UserError, match="none of ours"):
        announce(SimpleNamespace(processing_class=local.processor, use_vllm=True))


def test_a_template_that_cannot_render_tools_gets_one_that_can_and_says_so(drawing, tmp_path):
    local, environment = drawing
    whole = local.processor.chat_template
    without = whole.replace('message.role == "tool"', "false").replace("message.tool_calls", "false")
    local.processor.chat_template = local.processor.tokenizer.chat_template = without
    try:
        with pytest.raises(ValueError, match="does not support tool calling"):
            trainer_of(local, environment, tmp_path, tasks_of(CANVAS))
        with pytest.warns(UserWarning, match="cannot render tools"):
            give_tool_template(local.processor)
        assert local.processor.chat_template == whole
        give_tool_template(local.processor)  # nothing to say about one that can
        trainer_of(local, environment, tmp_path, tasks_of(CANVAS))
    finally:
        local.processor.chat_template = local.processor.tokenizer.chat_template = whole

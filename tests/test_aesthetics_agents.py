"""Agents for the three aesthetics tasks: constant words, the truth, answers in words, and what the pixels show."""

from typing import Any

import gymnasium as gym
import pytest

from designgym.agents.table import CONSTANTS, PLAYERS, build
from designgym.agents.words import in_words, read_words, write_words
from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.eval.runner import run

JUDGMENT = "designgym/AestheticJudgment-v0"
SELECTION = "designgym/RegionSelection-v0"
LOCALIZATION = "designgym/AestheticLocalization-v0"
BLOCKS = {"designs": "blocks", "image_size": 64}


def make(env_id: str, **kwargs: Any) -> Any:
    return gym.make(env_id, **{**BLOCKS, **kwargs})


def played(name: str, env_id: str, count: int, **kwargs: Any) -> list[Any]:
    """Results of an agent on so many validation tasks."""
    settings = {**BLOCKS, "split": "validation", **kwargs}
    env = gym.make(env_id, **settings)
    tasks = list(env.unwrapped.task_ids()[:count])
    return run(build(name, env), env_id, settings, tasks)


# ---------------------------------------------------------------- constants and the truth


@pytest.mark.parametrize(
    ("name", "env_id", "word"),
    [("always-yes", JUDGMENT, "yes"), ("always-no", JUDGMENT, "no"), ("always-a", SELECTION, "A")],
)
def test_a_constant_says_one_word_and_earns_its_share(name: str, env_id: str, word: str) -> None:
    results = played(name, env_id, 40)
    assert {tuple(result.answer.values()) for result in results} == {(word,)}
    (key,) = results[0].answer
    assert sum(result.value for result in results) == sum(result.truth[key] == word for result in results)


@pytest.mark.parametrize("protocol", ["strict", "release"])
def test_none_if_offered_takes_none_where_it_is_offered_and_wins_all_good_designs_of_the_release(protocol: str) -> None:
    for result in played("none-if-offered", SELECTION, 40, protocol=protocol, elements=[5, 6]):
        options = result.truth["options"]
        offered = None in options
        assert result.answer["choice"] == ("ABCD"[options.index(None)] if offered else "A")
        if protocol == "release":
            assert offered == (result.truth["flaw"] == "")
            assert not offered or result.value == 1.0


@pytest.mark.parametrize("env_id", [JUDGMENT, SELECTION, LOCALIZATION])
def test_the_truth_earns_one_everywhere(env_id: str) -> None:
    assert {result.value for result in played("truth", env_id, 25)} == {1.0}


@pytest.mark.parametrize("name", ["always-yes", "always-a", "none-if-offered", "always-none", "truth"])
def test_agents_refuse_environments_that_ask_for_something_else(name: str) -> None:
    for env_id in (JUDGMENT, SELECTION, LOCALIZATION, "designgym/CanvasDrawing-v0"):
        env = make(env_id) if "Canvas" not in env_id else gym.make(env_id)
        try:
            build(name, env)
        except UserError as error:
            assert f"'{name}' answers with" in str(error) and env_id in str(error)
        else:
            assert name in (*PLAYERS[env_id], "truth")


@pytest.mark.parametrize("env_id", [JUDGMENT, SELECTION, LOCALIZATION])
def test_every_player_of_an_aesthetics_task_can_play_it(env_id: str) -> None:
    assert "random" in PLAYERS[env_id] and set(PLAYERS[env_id]) & set(CONSTANTS)
    for name in PLAYERS[env_id]:
        options = {"pages": 20} if name in ("mean-box", "best-fixed-box") else {}
        env = make(env_id)
        observation, info = env.reset(options={"task": "train-000003"})
        *_, info = env.step(build(name, env, **options)(observation, info))
        assert info["error"] == "" and info["end"] == "submit"


# ---------------------------------------------------------------- answers in words

THOUSAND = NumberFrame("thousand")


@pytest.mark.parametrize("protocol", ["strict", "release"])
@pytest.mark.parametrize("env_id", [JUDGMENT, SELECTION, LOCALIZATION])
def test_true_answers_survive_words(env_id: str, protocol: str) -> None:
    env = make(env_id, protocol=protocol, elements=[5, 6]).unwrapped
    for number in range(12):
        env.reset(options={"task": f"train-{number:06d}"})
        options = env.prompt_options()
        action = {"name": "answer", "arguments": env.item(f"train-{number:06d}").answer()}
        text = write_words(action, env.tool_table, THOUSAND, options)
        (read,) = read_words(text, env.tool_table, THOUSAND, options).calls
        (given,), (wanted,) = read["arguments"].values(), action["arguments"].values()
        assert given == (wanted if wanted is None or isinstance(wanted, str) else pytest.approx(wanted, abs=2e-3))
        _, reward, terminated, _, _ = env.step(read)
        assert terminated and reward > 0.95


def test_words_without_one_answer_cost_the_turn() -> None:
    env = make(SELECTION).unwrapped
    env.reset(options={"task": "train-000000"})
    reply = read_words("A or B", env.tool_table, THOUSAND, env.prompt_options())
    assert reply.calls == () and reply.text == "A or B"
    *_, info = env.step(reply.text)
    assert info["error"] == "format"


def test_only_the_framings_in_words_are_read_so() -> None:
    assert in_words({"framing": "original"}) and in_words({"framing": "optimized"})
    assert not in_words({}) and not in_words({"framing": "tool"}) and not in_words({"framing": "depictive"})


@pytest.mark.parametrize("framing", ["tool", "original", "optimized"])
def test_a_dialogue_asks_and_reads_in_the_framing_that_was_chosen(framing: str) -> None:
    pytest.importorskip("torch")
    from designgym.agents.prompts import prompt_settings
    from designgym.agents.qwen import tiny
    from designgym.agents.qwen.dialogue import Asker
    from designgym.agents.qwen.families import FAMILIES
    from designgym.agents.qwen.local import LocalModel

    small = tiny.TinyConfig(
        image_size=64, vision_width=32, colour_filters=12, vision_depth=1, text_width=32, text_heads=2, text_layers=1
    )
    model, processor = tiny.build(small)
    local = LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")
    env = make(LOCALIZATION)
    observation, info = env.reset(options={"task": "train-000001"})
    settings = prompt_settings(LOCALIZATION, framing=framing)
    asker = Asker(LOCALIZATION, env.unwrapped.tool_table, local, "full", settings)
    dialogue = asker.dialogue(env.unwrapped.prompt_options)
    dialogue.saw(observation, info)
    asked = "".join(str(message) for message in dialogue.messages())
    assert ("<tools>" in asked) == (framing == "tool")
    words, call = "It is clear. Answer: [100, 200, 300, 400]", '{"bbox": [100, 200, 300, 400]}'
    reply = dialogue.said(call if framing == "tool" else words)
    assert reply.calls == ({"name": "answer", "arguments": {"bbox": pytest.approx([0.1, 0.2, 0.3, 0.4])}},)
    assert not dialogue.silent


@pytest.mark.parametrize("framing", ["original", "optimized"])
def test_taught_answers_are_the_words_that_the_reward_reads(framing: str) -> None:
    pytest.importorskip("trl")
    from designgym.agents.prompts import prompt_settings
    from designgym.agents.qwen import tiny
    from designgym.agents.qwen.families import FAMILIES
    from designgym.agents.qwen.local import LocalModel
    from designgym.eval.config import AgentSection
    from designgym.train.data import Pages
    from designgym.train.methods.environment_reward import EnvironmentReward
    from designgym.train.teachers import make_teacher

    small = tiny.TinyConfig(
        image_size=64, vision_width=32, colour_filters=12, vision_depth=1, text_width=32, text_heads=2, text_layers=1
    )
    model, processor = tiny.build(small)
    local = LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")
    for env_id, truth in ((JUDGMENT, ("yes", "no")), (SELECTION, tuple("ABCD")), (LOCALIZATION, ("[", "None"))):
        env = make(env_id)
        teacher = make_teacher(AgentSection(name="truth"), env, 0)
        settings = prompt_settings(env_id, framing=framing)
        pages = Pages(env, env_id, local, wording="full", teacher=teacher, settings=settings)
        for number in range(4):
            row = pages.row(f"train-{number:06d}")
            text = row["completion"][0]["content"][0]["text"]
            assert text.startswith(truth) and "<tool_call>" not in text and "<tools>" not in str(row["prompt"])
            reward, parts = EnvironmentReward(env, pages).play(text, row["task"])
            assert reward is not None and reward > 0.98 and parts["answers/refused"] == 0


# ---------------------------------------------------------------- shaping that falls


def test_the_weight_of_shaping_falls_with_the_steps_and_refuses_other_rewards() -> None:
    pytest.importorskip("transformers")
    from types import SimpleNamespace

    from designgym.rewards.shaped import Shaped
    from designgym.train.methods.anneal import AnnealShaping

    env = make(LOCALIZATION, reward={"name": "shaped", "shaping": 0.8})
    hook = AnnealShaping(env, 4)
    weights = []
    for step in (0, 1, 2, 4, 9, 2):  # the last: a run that goes on from a checkpoint
        hook.on_step_begin(None, SimpleNamespace(global_step=step), None)
        assert isinstance(env.unwrapped.reward, Shaped)
        weights.append(env.unwrapped.reward.shaping)
        env.reset(options={"task": "train-000000"})
        *_, info = env.step({"name": "answer", "arguments": {"bbox": [0.0, 0.0, 1.0, 1.0]}})
        assert info["reward/shaped"] >= info["reward/shaped/iou"]
    assert weights == pytest.approx([0.8, 0.6, 0.4, 0.0, 0.0, 0.4])
    with pytest.raises(UserError, match="the reward is 'hurdle'; it works on 'shaped' alone"):
        AnnealShaping(make(LOCALIZATION), 4)

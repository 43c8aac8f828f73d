"""GRPO on many turns in one process: what is trained on is what was played, and what counts is what teaches."""

import copy
import dataclasses
import math
from types import SimpleNamespace

import gymnasium as gym
import pytest

from designgym.errors import UserError

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from turn_training import (  # noqa: E402
    ENV,
    KWARGS,
    SILENT,
    dot,
    farthest,
    line,
    local_model,
    scripted,
    stepped,
)

from designgym.agents.qwen.dialogue import image_fields  # noqa: E402
from designgym.agents.qwen.tokenizer import suppressed_tokens  # noqa: E402
from designgym.eval.runner import make  # noqa: E402
from designgym.train.config import LoraSection  # noqa: E402
from designgym.train.model.adapters import add_adapters  # noqa: E402
from designgym.train.turns import guards  # noqa: E402
from designgym.train.turns.rollout import EnvironmentFailed  # noqa: E402
from designgym.train.turns.trainer import TurnGRPOTrainer  # noqa: E402

HISTORIES = ["windowed", "growing"]


@pytest.fixture(scope="module")
def fresh():
    """The untrained model; tests train copies of it."""
    return local_model()


def copied(local):
    return dataclasses.replace(local, model=copy.deepcopy(local.model))


def weights(trainer):
    return {name: p.detach() for name, p in trainer.accelerator.unwrap_model(trainer.model).named_parameters()}


def logged(trainer):
    return trainer.state.log_history[0]


def learnt_tokens(trajectories):
    return sum(sum(row.mask) for each in trajectories for row in each.rows)


def check_step(trainer, fresh, *, by_row=False):
    """The trainer's weights are those of the rows one by one through the plain model."""
    played, group_size = trainer.trajectories, trainer.num_generations
    by_hand = stepped(copied(fresh).model, fresh.processor, played, group_size, by_row=by_row)
    moved = farthest(by_hand, dict(fresh.model.named_parameters()))
    assert moved > 1e-3
    assert farthest(weights(trainer), by_hand) <= 1e-5 + 1e-4 * moved
    if not by_row:
        for loss, hand, _ in trainer.losses:
            assert loss == pytest.approx(hand, abs=1e-5)


@pytest.mark.parametrize("history", HISTORIES)
def test_a_step_is_that_of_the_rows_one_by_one_through_the_plain_model(history, fresh, tmp_path):
    trainer = scripted(tmp_path, history, local=copied(fresh), seed=3, per_device_train_batch_size=4)
    trainer.train()
    played = trainer.trajectories
    assert len(played) == 8 and len({each.turns for each in played}) > 1
    assert {len(each.rows) == (each.turns if history == "windowed" else 1) for each in played} == {True}
    assert len(trainer.asked) == max(each.turns for each in played)
    check_step(trainer, fresh)


@pytest.mark.parametrize("history", HISTORIES)
def test_with_the_full_wording_and_recomputed_activations_it_is_the_same_step(history, fresh, tmp_path):
    kwargs = {**KWARGS, "vocabulary": "dots"}  # the other tools' schemas are longer than the tiny model's context
    options = {"wording": "full", "gradient_checkpointing": True, "max_turns": 2, "say": dot}
    trainer = scripted(tmp_path, history, local=copied(fresh), kwargs=kwargs, **options)
    trainer.train()
    assert {each.end for each in trainer.trajectories} == {"turns"}
    check_step(trainer, fresh)


def test_a_group_of_equal_rewards_is_left_out_of_loss_and_count(fresh, tmp_path):
    said = []

    def say(rng):
        said.append(1)
        return SILENT if len(said) <= 4 else line(rng)  # the first four episodes are the first group

    trainer = scripted(tmp_path, "windowed", local=copied(fresh), say=say, max_turns=2, per_device_train_batch_size=4)
    trainer.train()
    assert [each.end for each in trainer.trajectories] == ["silent"] * 4 + ["turns"] * 4
    (batch,) = trainer.batches
    assert batch["num_items_in_batch"] == learnt_tokens(trainer.trajectories[4:])
    assert len(batch["prompt_ids"]) == 8  # two turns of four episodes
    assert logged(trainer)["frac_reward_zero_std"] == 0.5
    check_step(trainer, fresh)


@pytest.mark.parametrize("loss_type", ["dapo", "grpo"])
def test_where_nothing_teaches_nothing_changes(loss_type, fresh, tmp_path):
    trainer = scripted(tmp_path, "growing", local=copied(fresh), say=lambda rng: SILENT, loss_type=loss_type)
    trainer.train()
    (batch,) = trainer.batches
    assert batch["num_items_in_batch"] == 0
    assert logged(trainer)["loss"] == 0 and not math.isnan(logged(trainer)["grad_norm"])
    assert farthest(weights(trainer), dict(fresh.model.named_parameters())) == 0


def test_padding_is_not_learnt_from(fresh, tmp_path):
    replies = iter("llll" + "sssl" + "s")  # of nine turns in all, which two forward passes cannot share

    def say(rng):
        return line(rng) if next(replies) == "l" else SILENT

    trainer = scripted(tmp_path, "windowed", local=copied(fresh), say=say)
    trainer.train()
    assert [each.turns for each in trainer.trajectories] == [2, 2, 2, 3]
    (batch,) = trainer.batches
    learnt = (batch["completion_mask"] * batch["tool_mask"]).sum(1) > 0
    assert learnt.tolist() == [True] * 9 + [False]
    assert batch["num_items_in_batch"] == learnt_tokens(trainer.trajectories)
    assert logged(trainer)["rows/padding"] == pytest.approx(0.1)
    assert batch["num_images"] == [2] * 10
    check_step(trainer, fresh)


class Unscored(gym.Wrapper):
    """An environment whose judge fails."""

    def step(self, action):
        observation, _, terminated, truncated, info = super().step(action)
        return observation, 0.0, terminated, truncated, info | {"scored": False}


def test_an_episode_without_a_reward_is_left_out_of_mean_loss_and_count(fresh, tmp_path):
    made = []

    def make_env():
        made.append(1)
        env = make(ENV, {**KWARGS, "max_calls": 2})
        return Unscored(env) if len(made) in (1, 6) else env

    local = copied(fresh)
    trainer = scripted(tmp_path, "windowed", local=local, say=line, make_env=make_env, per_device_train_batch_size=4)
    trainer.train()
    played = trainer.trajectories
    assert [each.reward is None for each in played] == [True, *[False] * 4, True, False, False]
    (batch,) = trainer.batches
    assert batch["num_items_in_batch"] == learnt_tokens(each for each in played if each.reward is not None)
    assert logged(trainer)["episodes/unscored"] == 0.25
    rewards = [each.reward for each in played if each.reward is not None]
    assert logged(trainer)["reward"] == pytest.approx(sum(rewards) / 6)
    check_step(trainer, fresh)


def test_another_loss_over_growing_episodes_is_trls(fresh, tmp_path):
    trainer = scripted(
        tmp_path, "growing", local=copied(fresh), seed=3, loss_type="grpo", per_device_train_batch_size=8,
        gradient_accumulation_steps=1,
    )  # fmt: skip
    trainer.train()
    (batch,) = trainer.batches
    assert len(batch["prompt_ids"]) == 8
    assert 0 < ((batch["completion_mask"] * batch["tool_mask"]).sum(1) > 0).sum() < 8  # a group has nothing to teach
    check_step(trainer, fresh, by_row=True)


def test_of_too_many_turns_some_are_drawn_for_each_forward_pass(fresh, tmp_path):
    found = []
    for folder in ("one", "two"):
        options = {"max_rows": 3, "max_turns": 3, "per_device_train_batch_size": 4, "say": line}
        trainer = scripted(tmp_path / folder, "windowed", local=copied(fresh), **options)
        trainer.train()
        assert [rows for _, _, rows in trainer.losses] == [3, 3]  # of 12 each
        (batch,) = trainer.batches
        assert batch["num_items_in_batch"] == (batch["completion_mask"] * batch["tool_mask"]).sum() > 0
        for loss, hand, _ in trainer.losses:
            assert loss == pytest.approx(hand, abs=1e-5)
        found.append(batch["completion_ids"].tolist())
        assert logged(trainer)["rows/learnt"] == 6
    assert found[0] == found[1]


def test_the_curves_tell_of_episodes_calls_and_time(fresh, tmp_path):
    trainer = scripted(tmp_path, "windowed", local=copied(fresh), seed=3, per_device_train_batch_size=4)
    trainer.train()
    played, curves = trainer.trajectories, logged(trainer)
    calls = sum(each.steps for each in played)
    assert curves["episodes/turns"] == pytest.approx(sum(each.turns for each in played) / 8)
    ends = [each.end for each in played]
    assert 0 < curves["episodes/unfinished"] == ends.count("silent") / 8
    assert 0 < curves["calls/format"] == pytest.approx(sum(each.errors.get("format", 0) for each in played) / calls)
    assert curves["calls/refused"] >= curves["calls/format"]
    assert curves["reward/closure"] == pytest.approx(curves["reward"], abs=1e-4)
    assert {"reward/closure/joined", "reward/closure/near", "reward/closure/economy"} <= curves.keys()
    rows = [row for each in played for row in each.rows]
    assert curves["num_tokens"] == sum(len(row.prompt_ids) + len(row.completion_ids) for row in rows)
    lengths = [len(row.completion_ids) for row in rows]
    assert curves["completions/mean_length"] == pytest.approx(sum(lengths) / len(lengths))
    assert curves["completions/clipped_ratio"] == 0
    assert curves["seconds/environment"] > 0 and curves["seconds/model"] > 0
    assert curves["frac_reward_zero_std"] in (0, 0.5)


def test_the_model_samples_by_seed_step_and_turn_alone(fresh, tmp_path):
    replies = []
    for seed, noise in ((0, 1), (0, 2), (1, 1)):
        trainer = scripted(
            tmp_path / f"{seed}-{noise}", "windowed", local=copied(fresh), seed=0, max_turns=2, max_steps=2,
            learning_rate=0.0, args={"seed": seed},
        )  # fmt: skip
        trainer._generate_single_turn = TurnGRPOTrainer._generate_single_turn.__get__(trainer)
        said = []
        trainer.add_callback(Noise(noise, lambda said=said, trainer=trainer: said.append(spoken(trainer))))
        trainer.train()
        replies.append(said)
    assert replies[0] == replies[1] != replies[2]
    first, second = replies[0]
    assert first != second and len(set(first)) > 1


def spoken(trainer):
    return [(each.task, *each.replies) for each in trainer.trajectories]


def Noise(seed, then):
    """Disturbs torch's global state before every step, and looks at each afterwards."""
    from transformers import TrainerCallback

    class Disturbing(TrainerCallback):
        def on_step_begin(self, args, state, control, **kwargs):
            torch.manual_seed(seed)

        def on_step_end(self, args, state, control, **kwargs):
            then()

    return Disturbing()


def test_adapters_alone_are_trained(fresh, tmp_path):
    local = add_adapters(copied(fresh), LoraSection(rank=2, alpha=4), seed=0)
    before = {name: p.detach().clone() for name, p in local.model.named_parameters()}
    trainer = scripted(tmp_path, "growing", local=local, seed=3, max_steps=2, gradient_checkpointing=True)
    trainer.train()
    after = weights(trainer)
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed and all("lora_" in name for name in changed)


@pytest.mark.parametrize("history", HISTORIES)
def test_prompts_of_unequal_length_are_answered_as_each_alone(history, fresh, tmp_path):
    suppressed = suppressed_tokens(fresh.processor.tokenizer)
    greedy = {"do_sample": False, "suppress_tokens": suppressed, "max_new_tokens": 6}
    trainer = scripted(tmp_path, history, local=copied(fresh), seed=5, max_turns=2, generation_kwargs=greedy)
    sampled = TurnGRPOTrainer._generate_single_turn.__get__(trainer)
    first = trainer._generate_single_turn
    trainer._generate_single_turn = lambda *asked: sampled(*asked) if trainer.asked else first(*asked)
    trainer.say = lambda rng: rng.choice([line(rng), line(rng) * 2, "{" * rng.randrange(1, 20)])
    trainer.train()
    played = [each for each in trainer.trajectories if each.turns == 2]
    lengths = {len(each.rows[-1].prompt_ids + each.rows[-1].completion_ids) for each in played}
    assert len(played) == 4 and len(lengths) > 1
    for each in played:
        row = each.rows[-1]
        ids = torch.tensor([row.prompt_ids + row.completion_ids])
        is_image = (ids == fresh.processor.image_token_id).long()
        with torch.no_grad():
            fields = image_fields(fresh.processor, row.images)
            logits = fresh.model(input_ids=ids, mm_token_type_ids=is_image, **fields).logits
        logits[..., suppressed] = -torch.inf
        own = len(row.completion_ids) if history == "windowed" else row.mask[::-1].index(0)
        assert own == 6 or row.completion_ids[-1] in trainer.eos_token_ids
        assert logits[0, -own - 1 : -1].argmax(-1).tolist() == ids[0, -own:].tolist()


class Broken(gym.Wrapper):
    """Raises at its first call."""

    closed = False

    def step(self, action):
        raise OSError("the disk is gone")

    def close(self):
        self.closed = True
        super().close()


def test_an_environment_that_raises_ends_the_training_with_its_task_and_all_are_closed(fresh, tmp_path):
    envs = []

    def make_env():
        envs.append(Broken(make(ENV, KWARGS)))
        return envs[-1]

    trainer = scripted(tmp_path, "windowed", local=copied(fresh), make_env=make_env, say=line)
    with pytest.raises(EnvironmentFailed, match=r"failed in task 'train-is-\d+': OSError: the disk is gone"):
        trainer.train()
    assert len(envs) == 4 and all(env.closed for env in envs)


def test_a_prompt_that_leaves_no_room_is_a_sentence(fresh, tmp_path):
    local = copied(fresh)
    trainer = scripted(tmp_path, "windowed", local=local, wording="full", say=line)
    local.model.config.get_text_config().max_position_embeddings = 100
    with pytest.raises(RuntimeError, match=r"first prompt of task 'train-is-\d+' has \d+ tokens"):
        trainer.train()


def test_images_that_get_lost_raise(fresh, tmp_path):
    trainer = scripted(tmp_path, "windowed", local=copied(fresh), seed=3)
    whole = trainer._pixels.of

    def short(images):
        fields = whole(images)
        return fields if len(trainer.played.trajectories) == 0 else {
            "pixel_values": fields["pixel_values"][:-16], "image_grid_thw": fields["image_grid_thw"][:-1]
        }  # fmt: skip

    trainer._pixels.of = short
    with pytest.raises(ValueError, match="none may be lost"):
        trainer.train()


def test_it_is_not_evaluated_by_trl(fresh, tmp_path):
    trainer = scripted(tmp_path, "windowed", local=copied(fresh))
    trainer.model.eval()
    with pytest.raises(RuntimeError, match=r"evaluated by designgym\.eval"):
        trainer._generate([])


@pytest.mark.parametrize(
    ("history", "changes", "says"),
    [
        ("windowed", {"loss_type": "grpo"}, "loss_type is 'grpo', which would count padding"),
        ("windowed", {"loss_type": "bnpo"}, "or history 'growing'"),
        ("growing", {"num_iterations": 2}, "num_iterations is 2"),
        ("growing", {"loss_type": "grpo", "max_rows": 4}, "max_rows goes with loss_type 'dapo' alone"),
        ("windowed", {"steps_per_generation": 4}, "steps_per_generation 4 does not divide"),
        ("windowed", {"generation_kwargs": None}, r"could sample <\|image_pad\|>, which breaks"),
        ("windowed", {"max_completion_length": 1}, r"max_completion_length is 1, and the smallest call, of \w+, takes"),
        ("windowed", {"mask_truncated_completions": True}, "mask_truncated_completions is not for"),
        ("windowed", {"importance_sampling_level": "sequence"}, "importance_sampling_level are left at"),
    ],
)
def test_settings_that_would_train_on_something_else_are_refused(history, changes, says, fresh, tmp_path):
    with pytest.raises(UserError, match=says):
        scripted(tmp_path, history, local=fresh, **changes)


def test_vllm_and_right_padding_are_refused(fresh):
    processor = SimpleNamespace(tokenizer=copy.deepcopy(fresh.processor.tokenizer))
    tools = make(ENV, KWARGS).unwrapped.tool_table
    args = SimpleNamespace(loss_type="dapo", beta=0, num_iterations=1, use_vllm=True)
    with pytest.raises(UserError, match="use_vllm is on"):
        guards.check_settings(args, "windowed", tools, processor)
    processor.tokenizer.padding_side = "right"
    with pytest.raises(UserError, match="pads on the right"):
        guards.check_settings(args, "windowed", tools, processor)


def test_weights_in_pieces_are_refused():
    guards.check_sharding(False, 2)
    with pytest.raises(UserError, match="FSDP gathers weights in every forward pass"):
        guards.check_sharding(True, 0)
    with pytest.raises(UserError, match="ZeRO-3 gathers weights"):
        guards.check_sharding(False, 3)


def test_another_trl_is_refused(monkeypatch):
    import trl

    guards.check_trl()
    with monkeypatch.context() as patch:
        patch.setattr(trl, "__version__", "1.17.0")
        with pytest.raises(UserError, match=r"written for TRL 1\.16\.x, and 1\.17\.0 is installed"):
            guards.check_trl()
    monkeypatch.setattr(trl.GRPOTrainer, "_generate", lambda self, prompts, images: None)
    with pytest.raises(UserError, match=r"GRPOTrainer\._generate\(self, prompts\), and the installed one takes"):
        guards.check_trl()

"""Single answers, reinforced by GRPO and RLOO: every step is the one worked out by hand, answer by answer."""

import math

import pytest

from designgym.errors import UserError

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from sampled_answers import (  # noqa: E402
    GROUP,
    LONGEST,
    farthest,
    kl_terms,
    log_probabilities,
    made,
    moved,
    ratio,
    saved,
    stepped,
    untrained,
    weights,
)

from designgym.agents.qwen.local import load  # noqa: E402
from designgym.agents.qwen.tokenizer import VISION_TOKENS  # noqa: E402
from designgym.eval.runner import make  # noqa: E402
from designgym.train.config import LoraSection, TrainConfig  # noqa: E402
from designgym.train.methods import method  # noqa: E402
from designgym.train.model.adapters import add_adapters  # noqa: E402
from designgym.train.stages import RlooStage  # noqa: E402

GIVEN = [1.0, 0.0, 0.0, 0.0, 0.5, 0.5, 0.0, 1.0]
"""Rewards of two groups: means 1/4 and 1/2."""
GROUPED = [0.75, -0.25, -0.25, -0.25, 0.0, 0.0, -0.5, 0.5]
"""Each less its group's mean."""
SPREADS = {
    # sqrt(.75^2 + 3 x .25^2) / 3 = .5 of the first group; sqrt(2 x .5^2 / 3) = sqrt(1/6) of the second.
    "group": [0.5] * 4 + [math.sqrt(1 / 6)] * 4,
    # All eight have mean 3/8, and squares that sum up to 11/8: sqrt(11/8 / 7).
    "batch": [math.sqrt(11 / 56)] * 8,
    "none": [1 - 1e-4] * 8,
}
LOSSES = ["dapo", "grpo", "dr_grpo", "bnpo"]


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """The folder of a model."""
    return saved(tmp_path_factory.mktemp("start") / "model")


def advantages(scale):
    return [value / (spread + 1e-4) for value, spread in zip(GROUPED, SPREADS[scale], strict=True)]


def averaged(loss_type, terms, left=None):
    """The loss out of the terms of each answer's tokens, as papers define it.

    Args:
        loss_type: TRL's name.
        terms: A tensor an answer.
        left: Which answers are left; all by default.
    """
    used = [term for index, term in enumerate(terms) if left is None or left[index]]
    if loss_type in ("dapo", "bnpo"):  # the mean over all tokens
        return torch.cat(used).mean()
    if loss_type == "grpo":  # the mean over answers of means over tokens
        return torch.stack([term.mean() for term in used]).mean()
    return torch.cat(used).sum() / (len(used) * LONGEST)  # dr_grpo: over answers of the greatest length


def check_step(trainer, model, loss):
    """The trainer's loss and weights are those by hand."""
    by_hand = stepped(model, loss)
    far = farthest(by_hand, {name: p.detach() for name, p in model.named_parameters()})
    assert far > 1e-4
    assert farthest(weights(trainer), by_hand) < 1e-5 + 1e-3 * far


@pytest.mark.parametrize(
    ("loss_type", "scale"),
    [("dapo", "group"), ("dapo", "batch"), ("dapo", "none"), ("dr_grpo", "group"), ("dr_grpo", "none"),
     ("grpo", "group"), ("bnpo", "batch")],
)  # fmt: skip
def test_a_step_of_every_loss_and_scaling_is_the_one_by_hand(loss_type, scale, start, tmp_path):
    trainer = made("grpo", load(start, trainable=True), tmp_path, GIVEN, loss_type=loss_type, scale_rewards=scale)
    trainer.train()
    (batch,) = trainer.batches
    assert batch["advantages"].tolist() == pytest.approx(advantages(scale), abs=1e-4)
    model = load(start).model
    chosen = log_probabilities(model, trainer.processing_class, batch, trainer.pages)
    assert len({len(each) for each in chosen}) > 2
    # At the first update every ratio is 1: the loss is minus the mean advantage, and its gradient that of A log p.
    values = averaged(loss_type, [-a * torch.ones_like(c) for a, c in zip(advantages(scale), chosen, strict=True)])
    assert trainer.losses == [pytest.approx(values.item(), abs=1e-5)]
    terms = [-a * c for a, c in zip(advantages(scale), chosen, strict=True)]
    check_step(trainer, model, averaged(loss_type, terms))


@pytest.mark.parametrize("loss_type", LOSSES)
def test_every_loss_trains_for_two_steps_on_what_the_environment_pays(loss_type, tmp_path):
    trainer = made("grpo", untrained(), tmp_path, sgd=False, steps=2, learning_rate=1e-3, loss_type=loss_type)
    trainer.train()
    logs = [entry for entry in trainer.state.log_history if "loss" in entry]
    assert len(logs) == 2
    for entry in logs:
        assert all(math.isfinite(entry[name]) for name in ("loss", "grad_norm", "entropy", "reward"))
        assert entry["entropy"] > 0 and "kl" not in entry


@pytest.mark.parametrize("filtered", [False, True])
def test_a_group_of_equal_rewards_leaves_loss_and_count_only_if_it_is_filtered(filtered, start, tmp_path):
    local = moved(start)
    given = [0.5] * 4 + [1.0, 0.0, 0.0, 0.0]
    trainer = made("grpo", local, tmp_path, given, beta=0.5, filter_zero_variance=filtered)
    trainer.train()
    (batch,) = trainer.batches
    model, reference = moved(start).model, load(start).model
    chosen = log_probabilities(model, trainer.processing_class, batch, trainer.pages)
    with torch.no_grad():
        before = log_probabilities(reference, trainer.processing_class, batch, trainer.pages)
    left = [False] * 4 + [True] * 4 if filtered else [True] * 8
    assert batch["num_items_in_batch"] == sum(len(c) for c, used in zip(chosen, left, strict=True) if used)
    weighed = [0.0] * 4 + [value / (0.5 + 1e-4) for value in GROUPED[:4]]
    terms = [ratio(c) * (0.5 * kl_terms(c, r) - a) for a, c, r in zip(weighed, chosen, before, strict=True)]
    loss = averaged("dapo", terms, left)
    assert trainer.losses == [pytest.approx(loss.item(), abs=1e-5)]
    kl = averaged("dapo", [kl_terms(c, r) for c, r in zip(chosen, before, strict=True)], left)
    assert trainer.state.log_history[0]["kl"] == pytest.approx(kl.item(), rel=1e-3)
    check_step(trainer, model, loss)


def test_where_every_group_is_filtered_nothing_changes_and_no_entropy_is_told(start, tmp_path):
    trainer = made("grpo", moved(start), tmp_path, [0.5] * 16, beta=0.5, filter_zero_variance=True, steps=2)
    before = {name: p.detach().clone() for name, p in trainer.model.named_parameters()}
    trainer.train()
    assert farthest(weights(trainer), before) == 0
    first = trainer.state.log_history[0]
    assert first["loss"] == 0 and first["grad_norm"] == 0 and first["reward"] == 0.5
    assert first["entropy"] is None and first["kl"] is None


@pytest.mark.parametrize("loss_type", ["grpo", "dr_grpo", "bnpo"])
def test_a_loss_that_would_count_filtered_groups_is_refused(loss_type, tmp_path):
    with pytest.raises(UserError, match=f"'dapo' alone: '{loss_type}' also divides by rows"):
        made("grpo", untrained(), tmp_path, GIVEN, loss_type=loss_type, filter_zero_variance=True)


def test_answers_without_a_reward_leave_mean_loss_and_count_of_grpo(start, tmp_path):
    given = [None, 1.0, 0.0, 0.0, None, None, None, 1.0]  # the last one has none to compare with
    trainer = made("grpo", moved(start), tmp_path, given, beta=0.5)
    trainer.train()
    (batch,) = trainer.batches
    spread = math.sqrt(((2 / 3) ** 2 + 2 * (1 / 3) ** 2) / 2) + 1e-4
    weighed = [0.0, 2 / 3 / spread, -1 / 3 / spread, -1 / 3 / spread, 0.0, 0.0, 0.0, 0.0]
    assert batch["advantages"].tolist() == pytest.approx(weighed, abs=1e-4)
    left = [value is not None for value in given]
    model, reference = moved(start).model, load(start).model
    chosen = log_probabilities(model, trainer.processing_class, batch, trainer.pages)
    with torch.no_grad():
        before = log_probabilities(reference, trainer.processing_class, batch, trainer.pages)
    assert batch["num_items_in_batch"] == sum(len(c) for c, used in zip(chosen, left, strict=True) if used)
    terms = [ratio(c) * (0.5 * kl_terms(c, r) - a) for a, c, r in zip(weighed, chosen, before, strict=True)]
    check_step(trainer, model, averaged("dapo", terms, left))


def left_out(given):
    """Of each reward the mean of the others of its group that have one, by hand; None where there is none."""
    found = []
    for index, value in enumerate(given):
        first = index // GROUP * GROUP
        others = [given[i] for i in range(first, first + GROUP) if i != index and given[i] is not None]
        found.append(None if value is None or not others else sum(others) / len(others))
    return found


@pytest.mark.parametrize(
    "given", [GIVEN, [None, 1.0, 0.0, 0.5, 1.0, 0.0, None, None], [None, None, None, 1.0, 1.0, 0.0, 0.0, 0.0]]
)
def test_a_step_of_rloo_is_the_mean_over_answers_that_have_a_baseline(given, start, tmp_path):
    trainer = made("rloo", load(start, trainable=True), tmp_path, given, beta=0.0)
    trainer.train()
    (batch,) = trainer.batches
    model = load(start).model
    chosen = log_probabilities(model, trainer.processing_class, batch, trainer.pages)
    terms = [
        -(value - baseline) * each.sum()
        for value, baseline, each in zip(given, left_out(given), chosen, strict=True)
        if baseline is not None
    ]
    assert list(trainer._logs["advantages"]) == pytest.approx(
        [0.0 if base is None else value - base for value, base in zip(given, left_out(given), strict=True)]
    )
    check_step(trainer, model, torch.stack(terms).mean())


def test_without_scaling_grpo_has_rloos_advantages_but_for_a_factor(start, tmp_path):
    found = {}
    for kind, options in {"grpo": {"scale_rewards": "none"}, "rloo": {"beta": 0.0}}.items():
        trainer = made(kind, load(start, trainable=True), tmp_path, GIVEN, **options)
        trainer.train()
        found[kind] = list(trainer._logs["advantages"])
    assert found["grpo"] == pytest.approx([(GROUP - 1) / GROUP * value for value in found["rloo"]])


def test_rloo_takes_the_leaving_of_the_start_off_the_reward(start, tmp_path):
    trainer = made("rloo", moved(start), tmp_path, GIVEN, beta=0.1)
    trainer.train()
    (batch,) = trainer.batches
    model, reference = moved(start).model, load(start).model
    chosen = log_probabilities(model, trainer.processing_class, batch, trainer.pages)
    with torch.no_grad():
        before = log_probabilities(reference, trainer.processing_class, batch, trainer.pages)
    left = [(c.detach() - r).sum().item() for c, r in zip(chosen, before, strict=True)]
    paid = [value - 0.1 * kl for value, kl in zip(GIVEN, left, strict=True)]
    assert max(abs(kl) for kl in left) > 0.1
    terms = [-(value - base) * c.sum() for value, base, c in zip(paid, left_out(paid), chosen, strict=True)]
    check_step(trainer, model, torch.stack(terms).mean())
    log = trainer.state.log_history[0]
    assert log["kl"] == pytest.approx(sum(left) / sum(len(c) for c in chosen), rel=1e-3)
    assert log["reward"] == pytest.approx(sum(GIVEN) / 8)  # without the penalty


def test_rloo_trains_adapters_alone_and_samples_no_token_of_pixels(start, tmp_path):
    local = add_adapters(load(start, trainable=True), LoraSection(rank=2, alpha=4), seed=0)
    trainer = made("rloo", local, tmp_path, GIVEN * 2, steps=2, learning_rate=20.0)
    suppressed = trainer.processing_class.tokenizer.convert_tokens_to_ids(list(VISION_TOKENS))
    assert set(trainer.generation_config.suppress_tokens) == set(suppressed)
    before = {name: p.detach().clone() for name, p in trainer.model.named_parameters()}
    trainer.train()
    changed = {name for name, p in weights(trainer).items() if not torch.equal(p, before[name])}
    assert changed and all("lora_" in name and ".default" in name for name in changed)
    one, two = (entry["kl"] for entry in trainer.state.log_history if "kl" in entry)
    assert one == pytest.approx(0, abs=1e-6) and abs(two) > 1e-4  # the reference stays what the adapters were


@pytest.mark.parametrize(
    ("env", "changes", "says"),
    [
        ("designgym/CanvasDrawing-v0", {}, "RLOO over many turns is grpo with scale_rewards: none: take that"),
        ("designgym/AestheticLocalization-v0", {"history": "growing"}, "history 'growing', which is for episodes of"),
    ],
)
def test_rloo_refuses_episodes_of_several_calls_and_says_what_to_take(env, changes, says):
    stage = RlooStage(name="rl", kind="rloo", tasks={"count": 8}, steps=1, batch_size=8, learning_rate=1e-6, **changes)
    with pytest.raises(UserError, match=says):
        method(stage).check(TrainConfig(stages=[stage]), stage, make(env, {}))


def test_of_rloo_too_it_is_told_how_many_groups_earned_the_same(start, tmp_path):
    given = [0.5] * 4 + [1.0, 0.0, 0.0, 0.0] + [None, 0.5, 0.5, None] + [None] * 4
    trainer = made("rloo", moved(start), tmp_path, given, beta=0.1, batch_size=16)
    trainer.train()
    assert trainer.state.log_history[0]["frac_reward_zero_std"] == 0.5


def test_rloo_trains_for_two_steps_and_begins_without_divergence(start, tmp_path):
    trainer = made("rloo", load(start, trainable=True), tmp_path, sgd=False, steps=2, learning_rate=1e-3)
    trainer.train()
    one, two = (entry for entry in trainer.state.log_history if "loss" in entry)
    assert one["kl"] == pytest.approx(0, abs=1e-6) and abs(two["kl"]) > 1e-6
    assert one["entropy"] > 0 and two["entropy"] > 0
    assert {"reward", "reward/hurdle", "answers/refused"} <= one.keys()

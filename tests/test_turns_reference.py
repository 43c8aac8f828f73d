"""Holding a policy of many turns to its start: the KL term is that of the rows, and only the policy has a gradient."""

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from sampled_answers import kl_terms, moved  # noqa: E402
from turn_training import (  # noqa: E402
    SILENT,
    farthest,
    line,
    row_log_probabilities,
    saved_model,
    scripted,
    stepped,
    teaching_groups,
)

from designgym.agents.qwen.local import load  # noqa: E402
from designgym.train.config import LoraSection  # noqa: E402
from designgym.train.model.adapters import add_adapters  # noqa: E402

HISTORIES = ["windowed", "growing"]
BETA = 0.5


@pytest.fixture(scope="module")
def start(tmp_path_factory):
    """The folder of a model."""
    return saved_model(tmp_path_factory.mktemp("start") / "model")


def weights(trainer):
    return {name: p.detach() for name, p in trainer.model.named_parameters()}


def taught(trainer):
    """The rows that are learnt from, in order."""
    played = trainer.trajectories
    uses = teaching_groups([each.reward for each in played], trainer.num_generations)
    return [row for each, use in zip(played, uses, strict=True) if use for row in each.rows]


def kl_by_hand(model, reference, processor, rows):
    """The mean over the tokens that the model wrote."""
    with torch.no_grad():
        terms = [
            kl_terms(row_log_probabilities(model, processor, row), row_log_probabilities(reference, processor, row))
            for row in rows
        ]
    own = torch.cat([torch.tensor(row.mask) for row in rows])
    return float((torch.cat(terms) * own).sum() / own.sum())


def asked_of(trainer, model):
    """In a list: how many rows the model is asked about, each time, and whether gradients were on."""
    asked, ask = [], trainer._get_per_token_logps_and_entropies

    def asking(whom, ids, *rest, batch_size=None, **more):
        if whom is model:
            asked.append((len(ids), torch.is_grad_enabled()))
        return ask(whom, ids, *rest, batch_size=batch_size, **more)

    trainer._get_per_token_logps_and_entropies = asking
    return asked


@pytest.mark.parametrize("history", HISTORIES)
def test_a_step_with_a_kl_term_is_that_of_the_rows_one_by_one(history, start, tmp_path):
    options = {"beta": BETA, "per_device_train_batch_size": 8, "gradient_accumulation_steps": 1}
    trainer = scripted(tmp_path, history, local=moved(start), seed=3, **options)
    before = {name: p.detach().clone() for name, p in trainer.ref_model.named_parameters()}
    asked = asked_of(trainer, trainer.ref_model)
    trainer.train()
    (batch,) = trainer.batches
    assert batch["ref_per_token_logps"].shape == batch["completion_ids"].shape
    assert not batch["ref_per_token_logps"].requires_grad
    assert asked == [(len(batch["completion_ids"]), False)]  # of the rows, and not of what stands for episodes in TRL
    model, reference = moved(start).model, load(start).model
    kl = kl_by_hand(model, reference, trainer.processing_class, taught(trainer))
    assert kl > 1e-3
    assert trainer.state.log_history[0]["kl"] == pytest.approx(kl, rel=1e-3)
    by_hand = stepped(model, trainer.processing_class, trainer.trajectories, 4, reference=reference, beta=BETA)
    without = stepped(model, trainer.processing_class, trainer.trajectories, 4)
    far = farthest(by_hand, without)
    assert far > 1e-3
    assert farthest(weights(trainer), by_hand) <= 1e-5 + 1e-3 * far
    assert farthest(dict(trainer.ref_model.named_parameters()), before) == 0


@pytest.mark.parametrize("history", HISTORIES)
def test_at_the_start_there_is_no_divergence_and_it_changes_nothing(history, start, tmp_path):
    found = []
    for beta in (0.0, BETA):
        options = {"beta": beta, "per_device_train_batch_size": 4, "max_rows": 3, "args": {"max_steps": 1}}
        trainer = scripted(tmp_path / str(beta), history, local=load(start, trainable=True), seed=3, **options)
        trainer.train()
        found.append(weights(trainer))
    assert trainer.state.log_history[0]["kl"] == pytest.approx(0, abs=1e-6)
    assert farthest(*found) < 1e-5


def test_of_adapters_the_reference_is_what_they_were_when_the_training_began(start, tmp_path):
    local = add_adapters(load(start, trainable=True), LoraSection(rank=2, alpha=4), seed=0)
    options = {"beta": BETA, "max_steps": 2, "gradient_checkpointing": True, "learning_rate": 20.0}
    trainer = scripted(tmp_path, "windowed", local=local, seed=3, **options)
    assert trainer.ref_model is None
    before = {name: p.detach().clone() for name, p in trainer.model.named_parameters()}
    trainer.train()
    after = weights(trainer)
    changed = {name for name in before if not torch.equal(before[name], after[name])}
    assert changed and all("lora_" in name and ".default" in name for name in changed)
    one, two = (entry["kl"] for entry in trainer.state.log_history if "kl" in entry)
    assert one == pytest.approx(0, abs=1e-6)
    # Fresh adapters add nothing, so that the reference is the model without any; as was just played with the second
    # batch, the policy is no longer that of its rows, but the reference is.
    batch = trainer.batches[-1]
    reference = load(start).model
    rows = taught(trainer)
    assert two > 0 and len(rows) > 1
    for index, row in enumerate(rows):
        with torch.no_grad():
            by_hand = row_log_probabilities(reference, trainer.processing_class, row)
        found = batch["ref_per_token_logps"][index][: len(by_hand)]
        assert torch.allclose(found, by_hand, atol=1e-4)


def test_what_teaches_nothing_is_not_held_to_the_start_and_no_entropy_is_told(start, tmp_path):
    trainer = scripted(tmp_path, "windowed", local=moved(start), say=lambda rng: SILENT, beta=BETA)
    before = {name: p.detach().clone() for name, p in trainer.model.named_parameters()}
    trainer.train()
    assert farthest(weights(trainer), before) == 0
    log = trainer.state.log_history[0]
    assert log["kl"] is None and log["entropy"] is None and log["loss"] == 0


@pytest.mark.parametrize("history", HISTORIES)
def test_entropy_has_a_curve(history, start, tmp_path):
    trainer = scripted(tmp_path, history, local=load(start, trainable=True), say=line, max_turns=2)
    trainer.train()
    assert trainer.state.log_history[0]["entropy"] > 0 and "kl" not in trainer.state.log_history[0]

"""GRPO on many turns in one process: what is trained on is what was played, and what counts is what teaches."""

import copy
import dataclasses

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")

from turn_training import (  # noqa: E402
    farthest,
    local_model,
    scripted,
    stepped,
)

HISTORIES = ["windowed", "growing"]


@pytest.fixture(scope="module")
def fresh():
    """The untrained model; tests train copies of it."""
    return local_model()


def copied(local):
    return dataclasses.replace(local, model=copy.deepcopy(local.model))


def weights(trainer):
    return {name: p.detach() for name, p in trainer.accelerator.unwrap_model(trainer.model).named_parameters()}


@pytest.mark.parametrize("history", HISTORIES)
def test_a_step_is_that_of_the_rows_one_by_one_through_the_plain_model(history, fresh, tmp_path):
    trainer = scripted(tmp_path, history, local=copied(fresh), seed=3, per_device_train_batch_size=4)
    trainer.train()
    played = trainer.trajectories
    assert len(played) == 8 and len({each.turns for each in played}) > 1
    assert {len(each.rows) == (each.turns if history == "windowed" else 1) for each in played} == {True}
    by_hand = stepped(copied(fresh).model, fresh.processor, played, 4)
    moved = farthest(weights(trainer), dict(fresh.model.named_parameters()))
    assert moved > 1e-3
    assert farthest(weights(trainer), by_hand) < 1e-5 + 1e-4 * moved
    for loss, hand, _ in trainer.losses:
        assert loss == pytest.approx(hand, abs=1e-5)

"""A judge behind an endpoint that fails for some episodes: they are masked, and the run goes on with the others.

The judge is the one that ships for models of vision and language; only its endpoint is replaced. A request that failed
for good (`designgym.endpoint.EndpointError`) leaves a question unanswered, and a reward without an answer has no value.
"""

import math

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("trl")
pytest.importorskip("openai")

from sampled_answers import made, untrained  # noqa: E402
from turn_training import KWARGS, line, local_model, scripted  # noqa: E402

from designgym.endpoint import ChatClient, EndpointError  # noqa: E402
from designgym.rewards.base import EpisodeReward  # noqa: E402
from designgym.rewards.judges.base import Page  # noqa: E402
from designgym.rewards.judges.questions import KINDS, Question  # noqa: E402
from designgym.rewards.judges.vlm import VlmJudge  # noqa: E402


class Asked(EpisodeReward):
    """1 if the judge says yes, 0 if no; without a value where it says nothing."""

    name = "asked"

    def __init__(self):
        self.judge = VlmJudge("some-model", "http://localhost:1/v1")
        self.backend = self.judge.backend
        self.asked = 0

    def value(self, episode):
        self.asked += 1  # the number makes every question a new one, so that no reply is taken from before
        question = Question(f"{self.asked}: is it good?", next(iter(KINDS)), "title")
        (answer,) = self.judge.answer(Page(episode.image), [question])
        return None if answer is None else float(answer)


@pytest.fixture
def replies(monkeypatch):
    """What the endpoint does, one after the other: says ``yes`` or ``no``, or fails."""
    left = []

    def ask(self, messages):
        said = left.pop(0)
        if said == "fails":
            raise EndpointError("No try gave an answer.")
        return said

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setattr(ChatClient, "ask", ask)
    return left


def two_steps(trainer):
    trainer.train()
    first, second = (entry for entry in trainer.state.log_history if "loss" in entry)
    assert math.isfinite(first["loss"]) and math.isfinite(second["loss"])
    return first, second


SOME = ["fails", "yes", "no", "no", "no", "fails", "fails", "yes"]
"""One failure in the first group of four, two in the second."""


@pytest.mark.parametrize("kind", ["grpo", "rloo"])
def test_single_answers_are_masked_and_the_run_goes_on(kind, replies, tmp_path):
    replies += ["fails"] * 8 + SOME
    options = {} if kind == "grpo" else {"beta": 0.0}
    trainer = made(kind, untrained(), tmp_path, kwargs={"reward": Asked()}, steps=2, **options)
    before = {name: p.detach().clone() for name, p in trainer.model.named_parameters()}
    kept = []
    trainer.training_step, train = None, trainer.training_step

    def look(*args):
        loss = train(*args)
        kept.append(all(torch.equal(p, before[name]) for name, p in trainer.model.named_parameters()))
        return loss

    trainer.training_step = look
    first, second = two_steps(trainer)
    assert replies == []
    assert kept == [True, True]  # after the first step's update, too: nothing was scored in it
    assert first["reward"] is None and first["grad_norm"] == 0
    assert second["reward"] == pytest.approx(2 / 5) and second["grad_norm"] > 0
    signs = [math.copysign(1, a) if a else 0 for a in trainer._logs["advantages"]]
    assert signs == [0, 1, -1, -1, -1, 0, 0, 1]
    if kind == "grpo":
        batch = trainer.batches[1]
        learnt = (batch["completion_mask"] * batch["tool_mask"]).sum(1) > 0
        assert learnt.tolist() == [reply != "fails" for reply in SOME]


def test_episodes_of_many_turns_are_masked_and_the_run_goes_on(replies, tmp_path):
    replies += ["fails"] * 8 + SOME
    reward = Asked()
    trainer = scripted(
        tmp_path, "windowed", local=local_model(), kwargs={**KWARGS, "reward": reward}, say=line, max_turns=2,
        max_steps=2, per_device_train_batch_size=4,
    )  # fmt: skip
    first, second = two_steps(trainer)
    assert replies == []
    assert first["reward"] is None and first["episodes/unscored"] == 1 and first["grad_norm"] == 0
    assert second["reward"] == pytest.approx(2 / 5) and second["episodes/unscored"] == 3 / 8
    assert second["grad_norm"] > 0
    # Episodes are scored as they end, in an order of their own: as many are without a reward as requests failed.
    assert sum(each.reward is None for each in trainer.trajectories) == 3
    one, two = trainer.batches
    assert one["num_items_in_batch"] == 0
    learnt = sum(sum(row.mask) for each in trainer.trajectories if each.reward is not None for row in each.rows)
    assert 0 < two["num_items_in_batch"] <= learnt

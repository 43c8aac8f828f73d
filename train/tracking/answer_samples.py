"""Sampled answers to single questions as they are kept for a person to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from designgym.eval.aesthetics import examples
from designgym.eval.report.data import Box
from designgym.eval.results import Result
from designgym.train.methods.environment_reward import EnvironmentReward, Played
from designgym.train.tracking.samples import Sample, png


def answer_samples(
    reward: EnvironmentReward, stage: str, step: int, count: int, advantages: Sequence[float | None] = ()
) -> list[Sample]:
    """The first answers that were rewarded last.

    Args:
        reward: What rewarded them.
        stage: Name of the stage.
        step: The step that learnt from them.
        count: At most so many.
        advantages: Of all of them, if they are known.
    """
    chosen = reward.played[:count]
    known = advantages if len(advantages) >= len(chosen) else [None] * len(chosen)
    return [_sample(reward, each, stage, step, advantage) for each, advantage in zip(chosen, known, strict=False)]


def _sample(reward: EnvironmentReward, played: Played, stage: str, step: int, advantage: float | None) -> Sample:
    row = reward.pages.row(played.task)
    processor: Any = reward.pages.local.processor
    return Sample(
        stage,
        step,
        played.task,
        played.reward,
        dict(played.parts),
        played.end,
        1,
        {played.error: 1} if played.error else {},
        [processor.apply_chat_template(row["prompt"], tokenize=False, add_generation_prompt=True)],
        [played.text],
        [png(image) for image in row["images"]],
        advantage,
        boxes(reward, played),
    )


def boxes(reward: EnvironmentReward, played: Played) -> dict[str, list[Box]]:
    """The true and the answered boxes, where the question is about some."""
    observation, _ = reward.env.reset(options={"task": played.task})
    truth = dict(reward.env.unwrapped.episode().truth)  # type: ignore[attr-defined]
    reply = None if played.error else reward.read(played.text, observation)
    answer = reply.calls[0]["arguments"] if reply is not None and reply.calls else None
    result = Result(played.task, answer=answer, truth=truth)
    if not examples.applies([result]):
        return {}
    shown = examples.example(result, observation["image"], "")
    answered = [] if shown.answer is None else [shown.answer]
    true = [] if shown.truth is None else [shown.truth, *shown.more]
    return {"truth": true, "answer": answered}

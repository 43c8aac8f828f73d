"""What the methods that sample answers have in common: the checks, TRL's settings, and the reward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from designgym.agents.qwen.tokenizer import suppressed_tokens
from designgym.errors import UserError
from designgym.train.config import TrainConfig
from designgym.train.data import Pages
from designgym.train.methods.anneal import AnnealShaping
from designgym.train.methods.environment_reward import EnvironmentReward
from designgym.train.methods.group_rewards import GroupRewards
from designgym.train.methods.vllm import check_vllm, vllm_arguments
from designgym.train.stages import SamplingStage


def check_sampling(config: TrainConfig, stage: SamplingStage, env: gym.Env[Any, Any]) -> None:
    """Refuse rewards that the stage's environment cannot give, and a vLLM that could not sample in it.

    Raises:
        UserError: With what is missing.
    """
    check_vllm(config, stage, env)
    if stage.group_rewards:
        GroupRewards(stage.group_rewards, stage.num_generations).check(env)
    if stage.anneal_shaping is not None:
        AnnealShaping(env, stage.anneal_shaping)  # refuses other rewards
        if env.unwrapped.max_calls > 1:  # type: ignore[attr-defined]
            raise UserError(f"Stage '{stage.name}' has anneal_shaping, which is for episodes of one call.")


def sampling_arguments(stage: SamplingStage, tokenizer: Any) -> dict[str, Any]:
    """Keyword arguments that TRL's ``GRPOConfig`` and ``RLOOConfig`` have in common."""
    # TRL keeps the image pad from being sampled, but not the other vision tokens, which break the forward pass too.
    sampler: dict[str, Any] = {"generation_kwargs": {"suppress_tokens": suppressed_tokens(tokenizer)}}
    if stage.vllm is not None:
        sampler = vllm_arguments(stage.vllm, tokenizer)
    return {
        **sampler,
        "num_generations": stage.num_generations,
        "max_completion_length": stage.max_completion_length,
        "temperature": stage.temperature,
        "num_iterations": stage.num_iterations,
        "epsilon": stage.epsilon,
        "epsilon_high": stage.epsilon_high,
    }


def groups_of(stage: SamplingStage) -> GroupRewards | None:
    """What is added for how the answers of a group compare with one another."""
    return GroupRewards(stage.group_rewards, stage.num_generations) if stage.group_rewards else None


def one_answer(stage: SamplingStage, pages: Pages, callbacks: Sequence[Any]) -> tuple[EnvironmentReward, list[Any]]:
    """The reward function and the callbacks of a trainer in an environment of one answer."""
    more = [] if stage.anneal_shaping is None else [AnnealShaping(pages.env, stage.anneal_shaping)]
    pages.handing = True
    return EnvironmentReward(pages.env, pages, groups_of(stage)), [*callbacks, *more]

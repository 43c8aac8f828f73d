"""REINFORCE with a leave-one-out baseline: TRL's ``RLOOTrainer``, rewarded by stepping the real environment.

Ahmadian et al., "Back to Basics" (arXiv 2402.14740): the baseline of an answer is the mean reward of the others to the
same page, and the penalty for leaving the start, ``beta`` times the sum of log ratios, comes off the reward.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym

from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.processor import check_padding
from designgym.errors import UserError
from designgym.train.config import TrainConfig
from designgym.train.data import Pages
from designgym.train.methods.arguments import common_arguments
from designgym.train.methods.sampling import check_sampling, one_answer, sampling_arguments
from designgym.train.stages import RlooStage


def check(config: TrainConfig, stage: RlooStage, env: gym.Env[Any, Any]) -> None:
    """Refuse what cannot work; see `designgym.train.methods.Method`."""
    from designgym.train.methods.single_answers import check_trainers

    if env.unwrapped.max_calls > 1:  # type: ignore[attr-defined]
        raise UserError(
            f"Stage '{stage.name}' is of kind 'rloo', whose trainer plays no episodes of several calls, and the "
            "environment takes several. RLOO over many turns is grpo with scale_rewards: none: take that."
        )
    if stage.history == "growing":
        raise UserError(f"Stage '{stage.name}' has history 'growing', which is for episodes of several calls; drop it.")
    check_trainers()
    check_sampling(config, stage, env)


def trainer(
    stage: RlooStage,
    local: LocalModel,
    pages: Pages,
    tasks: Sequence[str],
    folder: Path,
    *,
    seed: int,
    bf16: bool = False,
    workers: int = 0,
    callbacks: Sequence[Any] = (),
) -> Any:
    """The trainer of a stage; see `designgym.train.methods.Method`."""
    from trl import RLOOConfig

    from designgym.train.methods.single_answers import AnswerRLOOTrainer

    check_padding(local.processor)
    arguments = RLOOConfig(
        **common_arguments(stage, seed, folder, bf16=bf16, workers=workers),
        **sampling_arguments(stage, local.processor.tokenizer),
        beta=stage.beta,
        normalize_advantages=stage.normalize_advantages,
    )
    local.model.train()
    reward, callbacks = one_answer(stage, pages, callbacks)
    return AnswerRLOOTrainer(
        model=local.model,
        reward_funcs=[reward],
        args=arguments,
        train_dataset=pages.dataset(tasks),
        processing_class=local.processor,
        callbacks=callbacks,
    )

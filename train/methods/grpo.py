"""Group-relative policy optimisation: TRL's ``GRPOTrainer``, rewarded by stepping the real environment."""

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
from designgym.train.methods.sampling import check_sampling, groups_of, one_answer, sampling_arguments
from designgym.train.model.files import read_tokenizer
from designgym.train.model.launch import sharding
from designgym.train.stages import GrpoStage


def check(config: TrainConfig, stage: GrpoStage, env: gym.Env[Any, Any]) -> None:
    """Refuse what cannot work; see `designgym.train.methods.Method`."""
    from designgym.train.methods.single_answers import check_filter, check_trainers

    check_sampling(config, stage, env)
    design: Any = env.unwrapped
    if stage.filter_zero_variance:
        check_filter(stage.loss_type)
    if design.max_calls == 1:
        check_trainers()
        if stage.history == "growing" or stage.max_turns is not None or stage.max_rows is not None:
            raise UserError(
                f"Stage '{stage.name}' has history 'growing', max_turns or max_rows, which are for episodes of several "
                "calls, and the environment takes one; leave them out."
            )
        return
    from designgym.train.turns.guards import check_budget, check_max_rows, check_objective, check_sharding, check_trl

    check_trl()
    launched = sharding()
    check_sharding(launched == "fsdp", 3 if launched == "zero3" else 0)  # before the stages that come first are trained
    check_objective(stage.history, stage.loss_type, stage.num_iterations)
    check_max_rows(stage.max_rows, stage.loss_type)
    check_budget(stage.max_completion_length, design.tool_table, read_tokenizer(config))


def trainer(
    stage: GrpoStage,
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
    from trl import GRPOConfig

    check_padding(local.processor)
    arguments = GRPOConfig(
        **common_arguments(stage, seed, folder, bf16=bf16, workers=workers),
        **sampling_arguments(stage, local.processor.tokenizer),
        beta=stage.beta,
        loss_type=stage.loss_type,
        scale_rewards=stage.scale_rewards,
    )
    local.model.train()
    if pages.env.unwrapped.max_calls > 1:  # type: ignore[attr-defined]
        return _turn_trainer(stage, pages, tasks, arguments, callbacks)
    from designgym.train.methods.single_answers import AnswerGRPOTrainer

    reward, callbacks = one_answer(stage, pages, callbacks)
    return AnswerGRPOTrainer(
        filter_zero_variance=stage.filter_zero_variance,
        model=local.model,
        reward_funcs=[reward],
        args=arguments,
        train_dataset=pages.dataset(tasks),
        processing_class=local.processor,
        callbacks=callbacks,
    )


def _turn_trainer(
    stage: GrpoStage, pages: Pages, tasks: Sequence[str], arguments: Any, callbacks: Sequence[Any]
) -> Any:
    """The trainer for an environment of several calls an episode."""
    from datasets import Dataset

    from designgym.train.turns.trainer import TurnGRPOTrainer

    prompts = [[{"role": "user", "content": task}] for task in tasks]  # TRL wants one; what is asked comes later
    return TurnGRPOTrainer(
        asker=pages.asker(stage.history),
        make_env=pages.another_env,
        args=arguments,
        train_dataset=Dataset.from_dict({"task": list(tasks), "prompt": prompts}),
        max_turns=stage.max_turns,
        max_rows=stage.max_rows,
        groups=groups_of(stage),
        callbacks=callbacks,
    )

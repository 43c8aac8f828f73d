"""Direct preference optimisation (arXiv 2305.18290): TRL's ``DPOTrainer`` on pairs of recorded episodes.

The pairs are those of `designgym.train.turns.preferences`, in environments of one answer and of several calls alike.
"""

from __future__ import annotations

import copy
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
from designgym.train.stages import DpoStage
from designgym.train.turns.pair_rows import PairCollator, PairRows
from designgym.train.turns.preferences import read_pairs


def check(config: TrainConfig, stage: DpoStage, env: gym.Env[Any, Any]) -> None:
    """Refuse what cannot work; see `designgym.train.methods.Method`."""
    if stage.history == "growing":
        raise UserError(
            f"Stage '{stage.name}' has history 'growing', but pairs answer one question each, which is asked anew; "
            "leave history out."
        )
    read_pairs(stage, env)


def trainer(
    stage: DpoStage,
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
    """The trainer of a stage; see `designgym.train.methods.Method`.

    What the policy is held to is a copy of the stage's start: of all weights, or of the adapters.
    """
    from peft import PeftModel
    from trl import DPOConfig, DPOTrainer

    check_padding(local.processor)
    rows = PairRows(pages.env, pages.asker("windowed"), read_pairs(stage, pages.env), number_step=pages.number_step)
    arguments = DPOConfig(
        **common_arguments(stage, seed, folder, bf16=bf16, workers=workers),
        # A cut would take image tokens away and leave their pixels.
        max_length=None,
        beta=stage.beta,
        # TRL's "sigmoid" takes no notice of label_smoothing; "robust" (arXiv 2403.00409) is the same loss where a share
        # of the pairs is ordered wrongly.
        loss_type=["robust" if stage.label_smoothing else stage.loss_type],
        label_smoothing=stage.label_smoothing,
    )
    adapted = isinstance(local.model, PeftModel)
    # TRL would read the start from its folder again, without what was settled when it was loaded.
    reference = None if adapted else copy.deepcopy(local.model).requires_grad_(False).eval()
    local.model.train()
    return DPOTrainer(
        model=local.model,
        ref_model=reference,
        args=arguments,
        data_collator=PairCollator(local.processor),
        train_dataset=rows.dataset(),
        processing_class=local.processor,
        callbacks=list(callbacks),
    )

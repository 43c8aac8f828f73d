"""A supervised stage: TRL's ``SFTTrainer`` on pages and the answers that a teacher gives to them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.processor import check_padding
from designgym.train.arguments import common_arguments
from designgym.train.config import SftStage
from designgym.train.data import Pages


def sft_trainer(
    stage: SftStage,
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
    """The trainer of a supervised stage; the caller runs and saves it.

    Args:
        stage: Steps, batch size, learning rate and so on.
        local: The model to train, in place.
        pages: Makes rows with a teacher's completion.
        tasks: Training task ids.
        folder: The stage's folder.
        seed: Order of the data.
        bf16: Compute in bfloat16.
        workers: Processes that prepare batches.
        callbacks: Callbacks of transformers.
    """
    from trl import SFTConfig, SFTTrainer

    check_padding(local.processor)
    arguments = SFTConfig(
        **common_arguments(stage, seed, folder, bf16=bf16, workers=workers),
        # A longer text than expected must fail loudly: a cut would take image tokens away and leave their pixels.
        max_length=None,
        # The answer alone is learnt, not the question.
        completion_only_loss=True,
    )
    local.model.train()
    return SFTTrainer(
        model=local.model,
        args=arguments,
        train_dataset=pages.dataset(tasks),
        processing_class=local.processor,
        callbacks=list(callbacks),
    )

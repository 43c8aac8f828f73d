"""A supervised stage: TRL's ``SFTTrainer`` on pages and the answers that a teacher gives to them.

The pairs of a folder may take the place of both. Where an environment gives several calls an episode,
`designgym.train.turns.imitation` takes over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.processor import check_padding
from designgym.train.aesthetics_data.training import load_pairs
from designgym.train.arguments import common_arguments
from designgym.train.config import SftStage
from designgym.train.data import Pages
from designgym.train.teachers import make_turn_teacher
from designgym.train.turns.demonstrations import Demonstrations
from designgym.train.turns.imitation import imitation_trainer


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
        pages: Makes rows with a teacher's completion; in an environment of several calls, knows how the model is asked.
        tasks: Training task ids.
        folder: The stage's folder.
        seed: Order of the data; over many turns, also of what the teacher draws.
        bf16: Compute in bfloat16.
        workers: Processes that prepare batches.
        callbacks: Callbacks of transformers.
    """
    if pages.env.unwrapped.max_calls > 1:  # type: ignore[attr-defined]
        teacher = make_turn_teacher(stage.teacher, pages.env, seed, stage.demonstrations)
        played = Demonstrations(pages.env, pages.asker(stage.history), teacher, number_step=pages.number_step)
        settings: dict[str, Any] = {"seed": seed, "bf16": bf16, "workers": workers, "callbacks": callbacks}
        return imitation_trainer(stage, played, tasks, folder, **settings)
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
        train_dataset=pages.dataset(tasks) if stage.data is None else load_pairs(stage.data),
        processing_class=local.processor,
        callbacks=list(callbacks),
    )

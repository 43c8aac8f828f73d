"""A supervised stage: TRL's ``SFTTrainer`` on pages and the answers that a teacher gives to them.

The pairs of a folder may take the place of both. Where an environment gives several calls an episode,
`designgym.train.turns.imitation` takes over.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym

from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.processor import check_padding
from designgym.errors import UserError
from designgym.train.aesthetics_data.training import check_pairs, load_pairs
from designgym.train.config import TrainConfig
from designgym.train.data import Pages
from designgym.train.methods.arguments import common_arguments
from designgym.train.model.files import read_model
from designgym.train.stages import SftStage
from designgym.train.teachers import make_page_teacher, make_turn_teacher
from designgym.train.turns.demonstrations import Demonstrations
from designgym.train.turns.imitation import imitation_trainer
from designgym.train.turns.traces import TraceTeacher


def check(config: TrainConfig, stage: SftStage, env: gym.Env[Any, Any]) -> None:
    """Refuse what cannot work; see `designgym.train.methods.Method`."""
    several = env.unwrapped.max_calls > 1  # type: ignore[attr-defined]
    if stage.data is not None:
        if several:
            raise UserError(f"Stage '{stage.name}' has data of single answers, and the environment takes several.")
        family, image_processor = read_model(config)
        check_pairs(stage.data, stage.name, env, config.prompt.wording, family, image_processor)
    elif several:
        make_turn_teacher(stage.teacher, env, config.seed, stage.demonstrations)
    else:
        make_page_teacher(stage.teacher, env, config.seed)
        if stage.history == "growing" or stage.demonstrations > 1:
            raise UserError(
                f"Stage '{stage.name}' has history 'growing' or several demonstrations, which are for episodes of "
                "several calls, and the environment takes one; leave them out."
            )


def trainer(
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
    """The trainer of a stage; see `designgym.train.methods.Method`."""
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
        train_dataset=_examples(stage, pages, tasks),
        processing_class=local.processor,
        callbacks=list(callbacks),
    )


def _examples(stage: SftStage, pages: Pages, tasks: Sequence[str]) -> Any:
    """The data set of a stage on single answers."""
    if stage.data is not None:
        return load_pairs(stage.data)
    if isinstance(pages.teacher, TraceTeacher):
        items = pages.teacher.items(tasks)
        return pages.dataset([task for task, _ in items], [number for _, number in items])
    return pages.dataset(tasks)

"""What supervised and reinforced stages hand to TRL alike, with the settings that a vision-language model needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from designgym.train.stages import Stage

OPTIMIZERS = {"adamw": "adamw_torch_fused", "adamw_8bit": "adamw_bnb_8bit", "paged_adamw_8bit": "paged_adamw_8bit"}
"""transformers' names."""


def common_arguments(stage: Stage, seed: int, folder: Path, *, bf16: bool, workers: int) -> dict[str, Any]:
    """Keyword arguments of TRL's ``SFTConfig`` and ``GRPOConfig``.

    Args:
        stage: The stage.
        seed: The run's seed.
        folder: The stage's folder; checkpoints go below it.
        bf16: Compute in bfloat16. TRL's own default is on, which fails on a CPU.
        workers: Processes that prepare batches.
    """
    import torch

    return {
        "output_dir": str(folder / "checkpoints"),
        "max_steps": stage.steps,
        "per_device_train_batch_size": stage.batch_size,
        "gradient_accumulation_steps": stage.accumulation,
        "learning_rate": stage.learning_rate,
        "lr_scheduler_type": stage.scheduler,
        "warmup_steps": stage.warmup_steps or stage.warmup_ratio,
        "optim": OPTIMIZERS[stage.optimizer],
        "weight_decay": stage.weight_decay,
        "adam_beta2": stage.adam_beta2,
        "max_grad_norm": stage.max_grad_norm,
        "gradient_checkpointing": stage.gradient_checkpointing,
        "logging_steps": stage.log_every,
        # A loss that is not finite must be seen, not left out of the mean (`designgym.train.guards.finite`).
        "logging_nan_inf_filter": False,
        "save_strategy": "steps",
        "save_steps": stage.save_every,
        "save_total_limit": 2,
        "seed": seed,
        "bf16": bf16,
        "use_cpu": not torch.cuda.is_available(),
        "dataloader_num_workers": workers,
        # A worker keeps the pages it has drawn; a new one for each epoch would draw them again.
        "dataloader_persistent_workers": workers > 0,
        "dataloader_pin_memory": torch.cuda.is_available(),
        # Rows are made from task ids and carry what the model's forward does not know.
        "remove_unused_columns": False,
        # Curves and trackers are ours (`designgym.train.tracking.callbacks`): one file for all stages, and nothing asks
        # for a key.
        "report_to": "none",
        "disable_tqdm": True,
    }

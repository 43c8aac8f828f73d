"""What a policy's start gives the tokens of rows: the reference that the KL term holds the policy to.

TRL makes the reference: a second copy of the model, or, of adapters, a copy of these on the same model. It asks it
about whole episodes of its own; the rows of a dialogue are asked about here.
"""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import torch
from trl.models.utils import disable_gradient_checkpointing
from trl.trainer.utils import use_adapter

REFERENCE = "ref"
"""TRL's name of the copied adapters; without such a copy it switches adapters off."""
_OF_IMAGES = ("pixel_values", "image_grid_thw", "num_images", "mm_token_type_ids")


def reference_log_probabilities(trainer: Any, batch: dict[str, Any]) -> torch.Tensor:
    """Log-probabilities of the rows' completions under the reference.

    Args:
        trainer: A ``GRPOTrainer`` with ``beta`` above 0.
        batch: Rows in TRL's form, see `designgym.train.turns.rows.tensors`, on the trainer's device.

    Returns:
        Float (n, C) without a gradient, at the temperature of sampling, in nats; of no meaning where a row is padded.
    """
    ids = torch.cat([batch["prompt_ids"], batch["completion_ids"]], 1)
    attention = torch.cat([batch["prompt_mask"], batch["completion_mask"]], 1)
    model, switched = trainer.ref_model, nullcontext()
    if model is None:
        model, adapted = trainer.model, trainer.accelerator.unwrap_model(trainer.model)
        switched = use_adapter(adapted, REFERENCE if REFERENCE in adapted.peft_config else None)
    images = {name: batch[name] for name in _OF_IMAGES if name in batch}
    checkpointing = disable_gradient_checkpointing(trainer.model, trainer.args.gradient_checkpointing_kwargs)
    with torch.no_grad(), checkpointing, switched:
        found, _, _ = trainer._get_per_token_logps_and_entropies(
            model,
            ids,
            attention,
            batch["completion_ids"].size(1),
            batch_size=len(ids) // trainer.args.steps_per_generation,  # as many as are trained on at once
            **images,
        )
    log_probabilities: torch.Tensor = found
    return log_probabilities

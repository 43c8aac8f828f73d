"""A supervised stage on episodes of many turns: TRL's ``SFTTrainer`` on the rows of demonstrations.

A batch is so many demonstrations, and as many rows as these have. The loss is on the model's own tokens alone, each
with the same weight, whichever row they stand in.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from designgym.agents.qwen.dialogue import TokenRow
from designgym.agents.qwen.processor import check_padding
from designgym.train.methods.arguments import common_arguments
from designgym.train.stages import SftStage
from designgym.train.turns.demonstrations import Demonstrations

IGNORED = -100
"""Label of tokens that are not learnt."""


class RowCollator:
    """Makes a batch of demonstrations' rows.

    Args:
        processor: The model's.
    """

    def __init__(self, processor: Any) -> None:
        self.processor = processor

    def __call__(self, examples: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Flatten and pad the rows.

        Args:
            examples: Each with ``rows``, a sequence of `TokenRow`.

        Returns:
            For n rows of at most T tokens, int64 (n, T) ``input_ids``, ``attention_mask``, ``mm_token_type_ids`` (1 at
            image tokens) and ``labels`` (`IGNORED` where the model did not write), and over all images in order
            ``pixel_values`` and ``image_grid_thw``.
        """
        import torch

        from designgym.train.turns.rows import tensors

        rows: list[TokenRow] = [row for example in examples for row in example["rows"]]
        batch = tensors(rows, self.processor)
        ids = torch.cat([batch.pop("prompt_ids"), batch.pop("completion_ids")], 1)
        attention = torch.cat([batch.pop("prompt_mask"), batch.pop("completion_mask")], 1)
        own = batch.pop("tool_mask")
        learnt = torch.cat([torch.zeros(len(rows), ids.shape[1] - own.shape[1], dtype=own.dtype), own], 1)
        batch.pop("num_images", None)
        labels = ids.masked_fill(learnt == 0, IGNORED)
        return {"input_ids": ids, "attention_mask": attention, "labels": labels, **batch}


def imitation_trainer(
    stage: SftStage,
    demonstrations: Demonstrations,
    tasks: Sequence[str],
    folder: Path,
    *,
    seed: int,
    bf16: bool = False,
    workers: int = 0,
    callbacks: Sequence[Any] = (),
) -> Any:
    """The trainer of a supervised stage on many turns; the caller runs and saves it.

    Args:
        stage: Steps, batch size (demonstrations), learning rate and so on.
        demonstrations: Who is imitated, where, and the model that is trained in place.
        tasks: Training task ids.
        folder: The stage's folder.
        seed: Order of the data.
        bf16: Compute in bfloat16.
        workers: Processes that play and prepare batches.
        callbacks: Callbacks of transformers.

    Raises:
        UserError: If the processor pads on the right, or there are no demonstrations of these tasks.
    """
    from trl import SFTConfig, SFTTrainer

    local = demonstrations.asker.local
    check_padding(local.processor)
    arguments = SFTConfig(
        **common_arguments(stage, seed, folder, bf16=bf16, workers=workers),
        # Rows come as tokens with their masks; a cut would take image tokens away and leave their pixels.
        max_length=None,
        dataset_kwargs={"skip_prepare_dataset": True},
    )
    local.model.train()
    return SFTTrainer(
        model=local.model,
        args=arguments,
        data_collator=RowCollator(local.processor),
        train_dataset=demonstrations.dataset(demonstrations.teacher.items(tasks)),
        processing_class=local.processor,
        callbacks=list(callbacks),
    )

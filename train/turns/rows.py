"""From played episodes to padded tensors: which turns are learnt from, and how they lie in a batch.

Everything here is a function of its arguments alone. A *row* is one sequence for a forward pass (`TokenRow`): a turn,
or a whole episode, depending on the history.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.utils.rnn import pad_sequence

from designgym.agents.qwen.dialogue import TokenRow, image_fields

Place = tuple[int, int]
"""An episode's index and the index of a row in it."""


def teaching(rewards: torch.Tensor, group_size: int) -> torch.Tensor:
    """Which episodes have something to teach: those that were scored, in a group whose rewards are not all equal.

    Args:
        rewards: Float (n,) of all processes, groups of neighbours; NaN where an episode was not scored.
        group_size: Episodes of a group; divides n.

    Returns:
        Bool (n,). The others have advantage 0 by construction; they neither move the policy nor may they count as
        tokens that were learnt from.
    """
    groups = rewards.view(-1, group_size)
    scored = ~torch.isnan(groups)
    highest = groups.masked_fill(~scored, -torch.inf).amax(1, keepdim=True)
    lowest = groups.masked_fill(~scored, torch.inf).amin(1, keepdim=True)
    return (scored & (highest > lowest)).flatten()


def choose(counts: Sequence[int], use: Sequence[bool], limit: int | None, rng: np.random.Generator) -> list[Place]:
    """The rows of a process that are learnt from, in order.

    Args:
        counts: Rows of each episode.
        use: Whether an episode's rows are to be learnt from.
        limit: Most rows; of more, so many are drawn with equal chances, whichever episode they belong to. None keeps
            all.
        rng: What draws.
    """
    places = [
        (episode, row)
        for episode, (count, used) in enumerate(zip(counts, use, strict=True))
        if used
        for row in range(count)
    ]
    if limit is None or len(places) <= limit:
        return places
    return [places[index] for index in sorted(rng.choice(len(places), limit, replace=False).tolist())]


def common_count(counts: Sequence[int], parts: int) -> int:
    """To how many rows every process pads its own: all alike, at least one in each part.

    TRL cuts a batch into equal parts and drops the remainder without a word, and it gathers figures of single rows.

    Args:
        counts: Rows of each process.
        parts: Into how many parts TRL cuts (``steps_per_generation``).
    """
    return -(-max(1, *counts) // parts) * parts


def padded(rows: Sequence[TokenRow], count: int) -> list[TokenRow]:
    """The rows, and behind them copies of the shortest up to a count.

    A copy keeps its images: in a batch without any, the vision tower would have no part in the backward pass, and TRL
    could not tell rows from pixels. It must not be learnt from.

    Args:
        rows: One or more.
        count: As many or more.
    """
    shortest = min(rows, key=lambda row: len(row.prompt_ids) + len(row.completion_ids))
    return [*rows, *[shortest] * (count - len(rows))]


def tensors(
    rows: Sequence[TokenRow],
    processor: Any,
    *,
    learn: Sequence[bool] | None = None,
    images: dict[str, torch.Tensor] | None = None,
) -> dict[str, Any]:
    """The rows as one batch in TRL's form: prompts padded on the left, completions on the right.

    Args:
        rows: n rows, one or more.
        processor: The model's processor: its tokenizer pads, its image processor makes pixels.
        learn: Whether each row is learnt from; the others are masked out. All by default.
        images: What `image_fields` makes of the rows' images in order, if it was made before.

    Returns:
        ``prompt_ids`` and ``prompt_mask`` (n, P), ``completion_ids``, ``completion_mask`` and ``tool_mask`` (n, C), all
        int64; ``tool_mask`` is 1 where the model wrote. With images also ``pixel_values`` and ``image_grid_thw``, flat
        over all images, ``num_images`` (a list of n) and ``mm_token_type_ids`` (n, P + C), 1 at image tokens.

    Raises:
        ValueError: If the image tokens of a row are not as many as its pictures make: TRL would train on without
            pixels.
    """
    tokenizer = processor.tokenizer
    prompts, prompt_mask = _padded([row.prompt_ids for row in rows], tokenizer.pad_token_id, "left")
    completions, completion_mask = _padded([row.completion_ids for row in rows], tokenizer.pad_token_id, "right")
    own, _ = _padded([row.mask for row in rows], 0, "right")
    if learn is not None:
        own[~torch.tensor(learn)] = 0
    batch: dict[str, Any] = {
        "prompt_ids": prompts,
        "prompt_mask": prompt_mask,
        "completion_ids": completions,
        "completion_mask": completion_mask,
        "tool_mask": own,
    }
    image_token = tokenizer.convert_tokens_to_ids("<|image_pad|>")
    is_image = (torch.cat([prompts, completions], 1) == image_token).long()
    numbers = [len(row.images) for row in rows]
    if any(numbers):
        pictures = [image for row in rows for image in row.images]
        fields = image_fields(processor, pictures) if images is None else images
        batch |= {
            "pixel_values": fields["pixel_values"],
            "image_grid_thw": fields["image_grid_thw"],
            "num_images": numbers,
            "mm_token_type_ids": is_image,
        }
    _check_images(rows, is_image, batch, processor)
    return batch


def _padded(sequences: Sequence[Sequence[int]], value: int, side: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The sequences as int64 (n, longest), and where there is no padding."""
    made = [torch.tensor(sequence, dtype=torch.long) for sequence in sequences]
    ids = pad_sequence(made, batch_first=True, padding_value=value, padding_side=side)
    mask = pad_sequence([torch.ones_like(one) for one in made], batch_first=True, padding_value=0, padding_side=side)
    return ids, mask


def _check_images(rows: Sequence[TokenRow], is_image: torch.Tensor, batch: dict[str, Any], processor: Any) -> None:
    found = is_image.sum(1).tolist()
    if "image_grid_thw" not in batch:
        sizes = [0] * len(rows)
    else:
        grids, pixels = batch["image_grid_thw"], batch["pixel_values"]
        if len(grids) != sum(batch["num_images"]) or int(grids.prod(1).sum()) != len(pixels):
            raise ValueError(
                f"The rows hold {sum(batch['num_images'])} images, and their pixels are those of {len(grids)} "
                f"({len(pixels)} patches); none may be lost."
            )
        merged = processor.image_processor.merge_size**2
        sizes = [int(part.prod(1).sum()) // merged for part in torch.split(grids, batch["num_images"])]
    for index, (tokens, size) in enumerate(zip(found, sizes, strict=True)):
        if tokens != size:
            raise ValueError(
                f"Row {index} has {tokens} image tokens, and its {len(rows[index].images)} images make {size}; "
                "trained so, the model would see other pictures than it was shown."
            )

"""Faster vision forward passes for batches of equally large images, switched on for one model at a time.

The library attends to one image after another, embeds patches with a 3-D convolution and encodes the same page once
per sampled answer. With small pages on a CPU these cost more than the rest. The replacements compute the same function
(a test compares them) and are set on the modules of the given model, so no other model is touched.
"""

from __future__ import annotations

from types import MethodType
from typing import Any

import torch
from torch.nn.functional import linear, scaled_dot_product_attention
from transformers.models.qwen3_vl.modeling_qwen3_vl import (
    Qwen3VLModel,
    Qwen3VLVisionAttention,
    Qwen3VLVisionModel,
    Qwen3VLVisionPatchEmbed,
    apply_rotary_pos_emb_vision,
)


def enable_fast_vision(model: torch.nn.Module) -> int:
    """Switch this model to the faster vision tower, attention, patch embedding and placing of tokens.

    Args:
        model: A Qwen3-VL model; other models are left alone.

    Returns:
        How many modules were switched (0 means that the model is not a Qwen3-VL).
    """
    switched = 0
    for kind, forward in (
        (Qwen3VLVisionModel, _encode_each_image_once),
        (Qwen3VLVisionAttention, _attend_in_one_batch),
        (Qwen3VLVisionPatchEmbed, _embed_by_matmul),
    ):
        for module in model.modules():
            if isinstance(module, kind):
                module.forward = MethodType(forward, module)
                switched += 1
    for module in model.modules():
        if isinstance(module, Qwen3VLModel):
            module.get_rope_index = MethodType(_place_distinct_rows_once, module)
    return switched


def _encode_each_image_once(self: Any, hidden_states: torch.Tensor, grid_thw: torch.Tensor, **kwargs: Any) -> Any:
    """Encode the distinct images of the batch; every repetition shares the features, and gradients add up."""
    images = len(grid_thw)
    if bool((grid_thw != grid_thw[0]).any()):
        return type(self).forward(self, hidden_states, grid_thw, **kwargs)
    rows = hidden_states.reshape(images, -1)
    distinct, which = _distinct(rows)
    if len(distinct) == images:
        return type(self).forward(self, hidden_states, grid_thw, **kwargs)
    encoded = type(self).forward(self, rows[distinct].reshape(-1, hidden_states.shape[1]), grid_thw[distinct], **kwargs)

    def repeat(features: torch.Tensor) -> torch.Tensor:
        return features.reshape(len(distinct), -1, features.shape[-1])[which].reshape(-1, features.shape[-1])

    encoded.last_hidden_state = repeat(encoded.last_hidden_state)
    encoded.pooler_output = repeat(encoded.pooler_output)
    encoded.deepstack_features = [repeat(features) for features in encoded.deepstack_features]
    return encoded


def _place_distinct_rows_once(
    self: Any,
    input_ids: torch.Tensor,
    mm_token_type_ids: torch.Tensor,
    image_grid_thw: torch.Tensor | None = None,
    video_grid_thw: torch.Tensor | None = None,
    attention_mask: torch.Tensor | None = None,
    **kwargs: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Positions (3, rows, tokens) and offsets: they only depend on where images and padding are."""
    whole = type(self).get_rope_index
    if (
        image_grid_thw is None
        or video_grid_thw is not None
        or len(image_grid_thw) != len(input_ids)
        or bool((image_grid_thw != image_grid_thw[0]).any())
    ):
        return whole(self, input_ids, mm_token_type_ids, image_grid_thw, video_grid_thw, attention_mask, **kwargs)
    layout = mm_token_type_ids if attention_mask is None else mm_token_type_ids + 4 * (attention_mask != 0)
    _, which = torch.unique(layout, dim=0, return_inverse=True)
    first = torch.stack([(which == group).nonzero()[0, 0] for group in range(int(which.max()) + 1)])
    mask = None if attention_mask is None else attention_mask[first]
    positions, offsets = whole(
        self, input_ids[first], mm_token_type_ids[first], image_grid_thw[first], None, mask, **kwargs
    )
    return positions[:, which], offsets[which]


def _distinct(rows: torch.Tensor) -> tuple[list[int], list[int]]:
    """Indices of the first occurrence of each distinct row, and for every row which of those it equals."""
    samples = rows[:, :: max(1, rows.shape[1] // 256)].tolist()
    first: list[int] = []
    which: list[int] = []
    candidates: dict[tuple[float, ...], list[int]] = {}
    for index, sample in enumerate(samples):
        known = candidates.setdefault(tuple(sample), [])
        match = next((k for k in known if torch.equal(rows[first[k]], rows[index])), None)
        if match is None:
            match = len(first)
            first.append(index)
            known.append(match)
        which.append(match)
    return first, which


def _attend_in_one_batch(
    self: Any, hidden_states: torch.Tensor, cu_seqlens: torch.Tensor, position_embeddings: Any = None, **kwargs: Any
) -> torch.Tensor:
    """Attend with all images in one call; images of different sizes go the library's way."""
    lengths = cu_seqlens.diff()
    if bool((lengths != lengths[0]).any()):
        return type(self).forward(self, hidden_states, cu_seqlens, position_embeddings=position_embeddings, **kwargs)
    tokens, images = hidden_states.shape[0], len(lengths)
    query, key, value = self.qkv(hidden_states).reshape(tokens, 3, self.num_heads, -1).permute(1, 0, 2, 3).unbind(0)
    query, key = apply_rotary_pos_emb_vision(query, key, *position_embeddings)

    def by_image(states: torch.Tensor) -> torch.Tensor:
        return states.reshape(images, tokens // images, self.num_heads, -1).transpose(1, 2)

    attended = scaled_dot_product_attention(by_image(query), by_image(key), by_image(value), scale=self.scaling)
    return self.proj(attended.transpose(1, 2).reshape(tokens, -1))


def _embed_by_matmul(self: Any, hidden_states: torch.Tensor) -> torch.Tensor:
    """Patch embedding: the patches do not overlap, so the convolution is one matrix product."""
    weight = self.proj.weight
    return linear(hidden_states.to(weight.dtype).view(-1, weight[0].numel()), weight.flatten(1), self.proj.bias)

"""Faster vision forward passes for batches of equally large images, switched on for one model at a time.

The library attends to one image after another and embeds patches with a 3-D convolution; on a CPU and with small pages the calls
cost more than the arithmetic. Both replacements compute the same function (a test compares them); nothing is patched globally.
"""

from __future__ import annotations

from types import MethodType

import torch
from torch.nn.functional import linear, scaled_dot_product_attention
from transformers.models.qwen3_vl.modeling_qwen3_vl import (
    Qwen3VLVisionAttention,
    Qwen3VLVisionPatchEmbed,
    apply_rotary_pos_emb_vision,
)


def enable_fast_vision(model: torch.nn.Module) -> int:
    """Replace the forward of the vision attention and patch embedding on this model's modules.

    Args:
        model: A Qwen3-VL model; other models are left alone.

    Returns:
        How many modules were switched (0 means that the model is not a Qwen3-VL).
    """
    switched = 0
    for module in model.modules():
        if isinstance(module, Qwen3VLVisionAttention):
            module.forward = MethodType(_attend_in_one_batch, module)
        elif isinstance(module, Qwen3VLVisionPatchEmbed):
            module.forward = MethodType(_embed_by_matmul, module)
        else:
            continue
        switched += 1
    return switched


def _attend_in_one_batch(self, hidden_states, cu_seqlens, position_embeddings=None, **kwargs):
    """Attention over (images x patches, width) with all images in one call; images of different sizes go the library's way."""
    lengths = cu_seqlens.diff()
    if not bool((lengths == lengths[0]).all()):
        return type(self).forward(self, hidden_states, cu_seqlens, position_embeddings=position_embeddings, **kwargs)
    tokens, images = hidden_states.shape[0], len(lengths)
    query, key, value = self.qkv(hidden_states).reshape(tokens, 3, self.num_heads, -1).permute(1, 0, 2, 3).unbind(0)
    query, key = apply_rotary_pos_emb_vision(query, key, *position_embeddings)

    def by_image(states: torch.Tensor) -> torch.Tensor:
        return states.reshape(images, tokens // images, self.num_heads, -1).transpose(1, 2)

    attended = scaled_dot_product_attention(by_image(query), by_image(key), by_image(value), scale=self.scaling)
    return self.proj(attended.transpose(1, 2).reshape(tokens, -1))


def _embed_by_matmul(self, hidden_states):
    """Patch embedding: the patches do not overlap, so the convolution is one matrix product."""
    weight = self.proj.weight
    return linear(hidden_states.to(weight.dtype).view(-1, weight[0].numel()), weight.flatten(1), self.proj.bias)

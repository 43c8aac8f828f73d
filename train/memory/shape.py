"""What of a model's architecture decides about memory, read off the model itself, built without weights."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_LAYER = re.compile(r"\.layers\.(\d+)\.")


@dataclass(frozen=True)
class Linear:
    """A linear layer.

    Attributes:
        name: Full name of the module.
        inputs: Features in.
        outputs: Features out.
    """

    name: str
    inputs: int
    outputs: int


@dataclass(frozen=True)
class Shape:
    """Sizes of a Qwen-VL.

    Attributes:
        parameters: All, shared ones once.
        vision: Those of the vision tower, with the layers that join it to the language model.
        largest_unit: Those of the largest of: a layer of the language model, the embeddings.
        linears: The linear layers of the language model.
        tower_linears: Those of the vision tower.
        layers: Layers of the language model.
        width: Its width.
        hidden: Width within its feed-forward blocks.
        queries: Width of all query heads together.
        keys: Width of all key heads together.
        heads: Query heads.
        vocabulary: Entries of the output layer.
        longest: Most tokens of a sequence.
        vision_width: Width of the vision tower.
        vision_hidden: Width within its feed-forward blocks.
        vision_layers: Its layers.
    """

    parameters: int
    vision: int
    largest_unit: int
    linears: tuple[Linear, ...]
    tower_linears: tuple[Linear, ...]
    layers: int
    width: int
    hidden: int
    queries: int
    keys: int
    heads: int
    vocabulary: int
    longest: int
    vision_width: int
    vision_hidden: int
    vision_layers: int

    @property
    def language(self) -> int:
        """Parameters outside the vision tower."""
        return self.parameters - self.vision


def shape_of(model: Any) -> Shape:
    """The sizes of a model of transformers, with weights or without (on the device ``meta``)."""
    import torch

    sizes = {name: parameter.numel() for name, parameter in model.named_parameters()}
    units: dict[str, int] = {}
    for name, size in sizes.items():
        if not _is_vision(name):
            layer = _LAYER.search(name)
            unit = layer[1] if layer else name
            units[unit] = units.get(unit, 0) + size
    linears = [
        Linear(name, module.in_features, module.out_features)
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear)
    ]
    text, vision = model.config.get_text_config(), model.config.vision_config
    head = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
    # Qwen2-VL calls the tower's own width embed_dim, and hidden_size what it hands on.
    width = getattr(vision, "embed_dim", None) or vision.hidden_size
    return Shape(
        parameters=sum(sizes.values()),
        vision=sum(size for name, size in sizes.items() if _is_vision(name)),
        largest_unit=max(units.values()),
        linears=tuple(linear for linear in linears if not _is_vision(linear.name)),
        tower_linears=tuple(linear for linear in linears if _is_vision(linear.name)),
        layers=text.num_hidden_layers,
        width=text.hidden_size,
        hidden=text.intermediate_size,
        queries=head * text.num_attention_heads,
        keys=head * text.num_key_value_heads,
        heads=text.num_attention_heads,
        vocabulary=text.vocab_size,
        longest=text.max_position_embeddings,
        vision_width=width,
        vision_hidden=getattr(vision, "intermediate_size", None) or int(width * vision.mlp_ratio),
        vision_layers=vision.depth,
    )


def without_weights(config: Mapping[str, Any]) -> Any:
    """A model of transformers on the device ``meta``, where parameters have shapes and no memory.

    Args:
        config: What its ``config.json`` holds.
    """
    import torch
    from transformers import CONFIG_MAPPING, AutoModelForImageTextToText

    made = CONFIG_MAPPING[config["model_type"]].from_dict(dict(config))
    with torch.device("meta"):
        return AutoModelForImageTextToText.from_config(made)


def _is_vision(name: str) -> bool:
    return ".visual." in name

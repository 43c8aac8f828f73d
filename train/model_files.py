"""What the files of a run's model say about it, read without its weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from designgym.agents.qwen.families import FAMILIES, Family
from designgym.agents.qwen.local import check_weights
from designgym.agents.qwen.processor import bound_pixels, load_processor, read_family
from designgym.train.config import TrainConfig


def read_model(config: TrainConfig) -> tuple[Family, Any]:
    """Family and image processor of the model, from its files alone.

    Raises:
        UserError: If the files are missing or of no supported family.
    """
    if config.model == "tiny":
        from designgym.agents.qwen.tiny import image_processor

        return FAMILIES["qwen3_vl"], bound_pixels(image_processor(config.tiny), config.max_pixels)
    family, processor = read_family(config.model), load_processor(config.model, max_pixels=config.max_pixels)
    if Path(config.model).is_dir():
        check_weights(Path(config.model))
    return family, processor.image_processor


def read_tokenizer(config: TrainConfig) -> Any:
    """Tokenizer of the model, from its files alone."""
    if config.model == "tiny":
        from designgym.agents.qwen.tiny import vocabulary_tokenizer

        return vocabulary_tokenizer(config.tiny_model())
    return load_processor(config.model, max_pixels=config.max_pixels).tokenizer

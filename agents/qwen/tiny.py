"""A tiny Qwen3-VL built by code: the real architecture at half a million weights, for tests and for training on a CPU.

The weights are **untrained with a structured initialisation**: colour filters and position codes that any trained
vision model has are set by formula instead of being learned from billions of images. Nothing about designs, flaws or
boxes is built in.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from designgym.agents.qwen.tokenizer import build_tokenizer
from designgym.agents.qwen.vocabulary import VOCABULARIES, number_tokens, vocabulary
from designgym.config import Section, Seed
from designgym.errors import require


class TinyConfig(Section):
    """Shape, initialisation and vocabulary of the tiny model."""

    image_size: int = Field(128, ge=32)
    """Side in px of the square page whose patches have a position each; larger images are scaled down to its area."""
    patch_size: int = Field(16, ge=2)
    """Side of a patch in px; two by two patches make one image token."""
    vision_width: int = Field(64, ge=8)
    """Width of the vision transformer."""
    vision_depth: int = Field(2, ge=1)
    """Layers of the vision transformer."""
    vision_heads: int = Field(4, ge=1)
    """Attention heads of the vision transformer."""
    text_width: int = Field(64, ge=8)
    """Width of the language model."""
    text_layers: int = Field(2, ge=1)
    """Layers of the language model."""
    text_heads: int = Field(4, ge=1)
    """Attention heads of the language model."""
    deepstack_layers: tuple[int, ...] = (0,)
    """Vision layers whose features are also added to the image tokens in the first text layers."""
    init_std: float = Field(0.1, gt=0)
    """Standard deviation of the random weights; large, because the layers are narrow."""
    colour_filters: int = Field(32, ge=0)
    """So many patch filters are low-frequency cosines of brightness and colour, the others zero; 0: all are random."""
    position_amplitude: float = Field(0.5, ge=0)
    """Amplitude of the two-dimensional sinusoids in the position table; 0: the table is random."""
    fourier_numbers: bool = True
    """Whether near coordinates start with near embeddings (random Fourier features)."""
    env: str = "designgym/AestheticLocalization-v0"
    """Environment whose prompts and calls the vocabulary is made from; a training run sets its own."""
    number_step: int = Field(25, ge=1)
    """Grid of the single-token coordinates: in thousandths of the page, for canvas drawing in px."""
    vocab_size: int = Field(400, ge=256)
    """Size of the byte-pair vocabulary before the added tokens."""
    reasoning: bool = False
    """Whether the vocabulary also holds the words of reasoning paths, as ``designgym data aesthetics`` writes them, and
    the questions of all three aesthetics tasks; 1000 is a fitting ``vocab_size`` then."""
    image_mean: float = 0.97
    """Subtracted from pixels in 0..1: a white page becomes (nearly) zero, so that the background drowns nothing."""
    image_std: float = Field(0.3, gt=0)
    """Pixels are divided by it after the mean is subtracted."""
    seed: Seed = 0
    """Seed of all random weights."""

    @model_validator(mode="after")
    def _shapes_fit(self) -> TinyConfig:
        if self.image_size % (2 * self.patch_size):
            raise ValueError(
                f"image_size {self.image_size} is not a multiple of 2 x patch_size = {2 * self.patch_size}"
            )
        if self.vision_width % (4 * self.vision_heads):
            raise ValueError(
                f"vision_width {self.vision_width} is not a multiple of 4 x vision_heads = {4 * self.vision_heads}"
            )
        if self.text_width % (2 * self.text_heads):
            raise ValueError(
                f"text_width {self.text_width} is not a multiple of 2 x text_heads = {2 * self.text_heads}"
            )
        if self.colour_filters + 4 > self.vision_width:
            raise ValueError(
                f"colour_filters {self.colour_filters} leave no room for positions in vision_width {self.vision_width}"
            )
        if any(not 0 <= layer < self.vision_depth for layer in self.deepstack_layers):
            raise ValueError(f"deepstack_layers {self.deepstack_layers} must lie in 0..{self.vision_depth - 1}")
        if len(self.deepstack_layers) > self.text_layers:
            raise ValueError(
                f"{len(self.deepstack_layers)} deepstack_layers need as many text_layers, not {self.text_layers}"
            )
        if self.env in VOCABULARIES:
            number_tokens(self.number_step, vocabulary(self.env).number_limit)
        return self


def build(config: TinyConfig) -> tuple[Any, Any]:
    """Build the model and its processor; the global random state is left as it was.

    Args:
        config: Shape, initialisation and vocabulary.

    Returns:
        ``(model, processor)``: a float32 ``Qwen3VLForConditionalGeneration`` in evaluation mode and its image-only
        processor. The same config gives the same weights on every call.

    Raises:
        UserError: If there is no vocabulary for the environment.
    """
    require("torch", extra="train")
    require("transformers", extra="train")
    import torch
    from transformers import GenerationConfig, Qwen3VLConfig, Qwen3VLForConditionalGeneration

    from designgym.agents.qwen.image_only import Qwen3VLImageOnlyProcessor
    from designgym.agents.qwen.initialisation import colour_filters, fourier_features, write_positions

    tokenizer = vocabulary_tokenizer(config)
    token_id = tokenizer.convert_tokens_to_ids
    specials = {"bos_token_id": token_id("<|endoftext|>"), "pad_token_id": token_id("<|endoftext|>")}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(config.seed)
        model = Qwen3VLForConditionalGeneration._from_config(
            Qwen3VLConfig(
                text_config=_text_config(
                    config, vocab_size=len(tokenizer), eos_token_id=token_id("<|im_end|>"), **specials
                ),
                vision_config=_vision_config(config),
                image_token_id=token_id("<|image_pad|>"),
                video_token_id=token_id("<|video_pad|>"),
                vision_start_token_id=token_id("<|vision_start|>"),
                vision_end_token_id=token_id("<|vision_end|>"),
                tie_word_embeddings=True,
            ),
            dtype=torch.float32,
        )
        with torch.no_grad():
            patches = model.model.visual.patch_embed.proj.weight
            if config.colour_filters:
                patches.zero_()  # the other dimensions carry the position alone
                patches[: config.colour_filters] = colour_filters(config.colour_filters, config.patch_size)
            else:
                patches.normal_(0, 1 / math.sqrt(patches[0].numel()))
            if config.position_amplitude:
                write_positions(
                    model.model.visual.pos_embed.weight,
                    start=config.colour_filters,
                    amplitude=config.position_amplitude,
                )
            if config.fourier_numbers:
                limit = vocabulary(config.env).number_limit
                numbers = number_tokens(config.number_step, limit)
                rows = [token_id(number) for number in numbers]
                thousandths = [int(number) * 1000 / limit for number in numbers]
                model.get_input_embeddings().weight[rows] = fourier_features(
                    thousandths, config.text_width, config.init_std
                )
    model.generation_config = GenerationConfig(
        eos_token_id=[token_id("<|im_end|>"), token_id("<|endoftext|>")], do_sample=False, **specials
    )
    processor = Qwen3VLImageOnlyProcessor(image_processor(config), tokenizer, chat_template=tokenizer.chat_template)
    return model.eval(), processor


def vocabulary_tokenizer(config: TinyConfig) -> Any:
    """The processor's part for words, made from the vocabulary of the config's environment."""
    texts = vocabulary(config.env, config.reasoning)
    numbers = number_tokens(config.number_step, texts.number_limit)
    return build_tokenizer(texts.corpus, vocab_size=config.vocab_size, phrases=(*texts.phrases, *numbers))


def image_processor(config: TinyConfig) -> Any:
    """The processor's part for pictures: it scales larger ones down to ``image_size`` squared pixels."""
    from transformers import Qwen2VLImageProcessorPil

    return Qwen2VLImageProcessorPil(
        size={"shortest_edge": (2 * config.patch_size) ** 2, "longest_edge": config.image_size**2},
        patch_size=config.patch_size,
        temporal_patch_size=2,
        merge_size=2,
        image_mean=[config.image_mean] * 3,
        image_std=[config.image_std] * 3,
    )


def save(config: TinyConfig, folder: Path) -> None:
    """Build the model and write it as a folder that `designgym.agents.qwen.load` reads; same config, same bytes."""
    model, processor = build(config)
    model.save_pretrained(folder)
    processor.save_pretrained(folder)


def _text_config(config: TinyConfig, **tokens: int) -> dict[str, Any]:
    head_dim = max(16, config.text_width // config.text_heads)
    third = head_dim // 2 // 3  # the rotary pairs are shared between time, height and width
    return {
        "hidden_size": config.text_width,
        "intermediate_size": 2 * config.text_width,
        "num_hidden_layers": config.text_layers,
        "num_attention_heads": config.text_heads,
        "num_key_value_heads": config.text_heads,
        "head_dim": head_dim,
        "max_position_embeddings": 4096,
        "tie_word_embeddings": True,
        "initializer_range": config.init_std,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 1e4,
            "mrope_section": [head_dim // 2 - 2 * third, third, third],
            "mrope_interleaved": True,
        },
        **tokens,
    }


def _vision_config(config: TinyConfig) -> dict[str, Any]:
    return {
        "hidden_size": config.vision_width,
        "intermediate_size": 4 * config.vision_width,
        "depth": config.vision_depth,
        "num_heads": config.vision_heads,
        "patch_size": config.patch_size,
        "spatial_merge_size": 2,
        "temporal_patch_size": 2,
        "out_hidden_size": config.text_width,
        "num_position_embeddings": (config.image_size // config.patch_size) ** 2,
        "deepstack_visual_indexes": list(config.deepstack_layers),
        "initializer_range": config.init_std,
    }

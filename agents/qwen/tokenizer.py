"""A small tokenizer with Qwen's special tokens, trained on prompts, in which a whole answer is about ten tokens.

The text stays the ordinary tool-call syntax; only its pieces are long: whole phrases are single tokens
(`designgym.agents.qwen.vocabulary` says which), so that a tiny model spends its few layers on the picture and not on
spelling.
"""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from designgym.errors import require

#: Qwen's special tokens, in Qwen's order.
SPECIAL_TOKENS = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|object_ref_start|>", "<|object_ref_end|>", "<|box_start|>",
    "<|box_end|>", "<|quad_start|>", "<|quad_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>",
)  # fmt: skip
#: Added by Qwen as ordinary text, so that decoding keeps them.
TEXT_TOKENS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")
#: Tokens that stand for pixels; a policy must never sample them (`suppressed_tokens`).
VISION_TOKENS = ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>")


def build_tokenizer(corpus: Iterable[str], *, vocab_size: int = 400, phrases: Sequence[str] = ()) -> Any:
    """Train the tokenizer and give it Qwen's special tokens, whole phrases and chat template.

    Args:
        corpus: Texts that the byte-pair merges are learned from (prompts, tool calls).
        vocab_size: Size of the byte-pair part, at least 256; the added tokens come on top.
        phrases: Texts that become a token each, such as the sentences that every prompt repeats, the fixed parts of a
            call and the numbers of a grid; none, as in the published vocabularies, by default.

    Returns:
        A ``transformers.Qwen2Tokenizer`` that pads on the left. Deterministic: the same arguments give the same
        vocabulary.
    """
    require("transformers", extra="train")
    from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers
    from transformers import Qwen2Tokenizer
    from transformers.models.qwen2.tokenization_qwen2 import PRETOKENIZE_REGEX

    bpe = Tokenizer(models.BPE())
    bpe.normalizer = normalizers.NFC()
    bpe.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PRETOKENIZE_REGEX), behavior="isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    bpe.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bpe.train_from_iterator(
        list(corpus), trainers.BpeTrainer(vocab_size=vocab_size, initial_alphabet=alphabet, show_progress=False)
    )
    learned = json.loads(bpe.to_str())["model"]
    tokenizer = Qwen2Tokenizer(
        vocab=learned["vocab"],
        merges=[tuple(merge) for merge in learned["merges"]],
        unk_token=None,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        padding_side="left",
    )
    tokenizer.add_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL_TOKENS], special_tokens=True)
    tokenizer.add_tokens([AddedToken(t, special=False, normalized=False) for t in (*TEXT_TOKENS, *phrases)])
    tokenizer.chat_template = qwen3_vl_template()
    tokenizer.model_max_length = 4096
    return tokenizer


def qwen3_vl_template() -> str:
    """The Qwen3-VL chat template as TRL ships it; TRL finds its tool-call parser by these exact bytes."""
    return trl_template("qwen3_vl")


def trl_template(name: str) -> str:
    """A chat template that TRL ships."""
    spec = importlib.util.find_spec("trl")
    if spec is None or not spec.submodule_search_locations:
        require("trl", extra="train")
        raise RuntimeError(
            "The installed 'trl' is not an ordinary package folder, so its chat templates cannot be read."
        )
    folder = Path(next(iter(spec.submodule_search_locations)))
    return (folder / "chat_templates" / f"{name}.jinja").read_text(encoding="utf-8")


def suppressed_tokens(tokenizer: Any) -> list[int]:
    """Ids that generation must never produce: a sampled image or video pad breaks the next forward pass."""
    known = tokenizer.get_vocab()
    return [known[token] for token in VISION_TOKENS if token in known]

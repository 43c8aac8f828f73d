"""A vision-language model that transformers loads, asked greedily: Qwen-VL, LLaVA and their like."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

from designgym.errors import UserError, require
from designgym.prompt import Message, to_transformers

QWEN_PROCESSOR = "designgym.agents.qwen.processor:load_processor"
"""Qwen-VL's processors without their video half, which needs another package; an import string, since agents come after
rewards."""


class LocalVlm:
    """A loaded model, on the GPU if there is one.

    Args:
        source: Folder or hub id.
        most_tokens: Longest answer.

    Raises:
        MissingExtra: Without torch and transformers.
        UserError: If it cannot be loaded.
    """

    def __init__(self, source: str, most_tokens: int) -> None:
        self._torch: Any = require("torch", extra="train")
        transformers: Any = require("transformers", extra="train")
        try:
            kind = transformers.AutoConfig.from_pretrained(source).model_type
            if kind.startswith("qwen"):
                module, _, name = QWEN_PROCESSOR.partition(":")
                self._processor = getattr(importlib.import_module(module), name)(source)
            else:
                self._processor = transformers.AutoProcessor.from_pretrained(source)
            model = transformers.AutoModelForImageTextToText.from_pretrained(source, dtype="auto")
        except UserError:
            raise
        except Exception as error:  # missing or damaged files fail in as many ways as there are readers
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise UserError(f"The judge's model '{source}' could not be loaded: {reason}") from error
        self._model = model.to("cuda" if self._torch.cuda.is_available() else "cpu").eval()
        self._most_tokens = most_tokens

    def ask(self, messages: Sequence[Message]) -> str:
        """What the model answers, without special tokens."""
        inputs = self._processor.apply_chat_template(
            to_transformers(messages), tokenize=True, add_generation_prompt=True, return_dict=True, return_tensors="pt"
        ).to(self._model.device)
        with self._torch.inference_mode():
            whole = self._model.generate(**inputs, do_sample=False, max_new_tokens=self._most_tokens)
        new = whole[0, inputs["input_ids"].shape[1] :]
        return str(self._processor.tokenizer.decode(new, skip_special_tokens=True))

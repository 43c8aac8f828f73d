"""How many tokens texts and images become: by the model's tokenizer where its files are at hand, else by characters."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from designgym.agents.qwen.tokens import to_prompt, visual_tokens
from designgym.boxes import Size
from designgym.prompt import Message, images, to_transformers
from designgym.train.memory.facts import Facts

CHARACTERS = 3.5
"""Characters of a token where no tokenizer is at hand. English prose has some 4.5 in Qwen's vocabulary and JSON some 3,
so that prompts with schemas come out a little high."""
MARKUP = 5
"""Tokens around a message in Qwen's chat template."""


@dataclass(frozen=True)
class Asked:
    """Tokens of a prompt.

    Attributes:
        text: Those that are no image.
        images: Those of each image.
    """

    text: int
    images: tuple[int, ...]

    @property
    def total(self) -> int:
        """All of them."""
        return self.text + sum(self.images)


@dataclass(frozen=True, eq=False)
class Counter:
    """Counts tokens of one model.

    Attributes:
        facts: The model's.
    """

    facts: Facts

    @property
    def exact(self) -> bool:
        """Whether the model's own tokenizer counts."""
        return self.facts.processor is not None

    def text(self, text: str) -> int:
        """Tokens of a text."""
        if self.facts.processor is None:
            return math.ceil(len(text) / CHARACTERS)
        return len(self.facts.processor.tokenizer(text)["input_ids"])

    def image(self, size: Size) -> int:
        """Tokens of an image of this width and height, px."""
        return visual_tokens(self.facts.image_processor, size)

    def patches(self, tokens: int) -> int:
        """Patches of images that become so many tokens."""
        return int(tokens * self.facts.image_processor.merge_size**2)

    def prompt(self, messages: Sequence[Message]) -> Asked:
        """Tokens of a conversation, with the markup that asks for a reply."""
        shown = tuple(self.image(image.size) for image in images(messages))
        if self.facts.processor is None:
            around = MARKUP * (len(messages) + 1) + 2 * len(shown)
            return Asked(sum(self.text(message.text) for message in messages) + around, shown)
        ids = to_prompt(self.facts.processor, to_transformers(messages)).ids
        return Asked(len(ids) - sum(shown), shown)

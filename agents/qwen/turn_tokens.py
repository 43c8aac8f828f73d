"""The tokens of a vocabulary with a meaning in a conversation: what ends a turn, and what a model must never write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from designgym.agents.qwen.tokenizer import suppressed_tokens
from designgym.agents.qwen.tokens import END


@dataclass(frozen=True)
class TurnTokens:
    """Token ids.

    Attributes:
        end: Ends a turn in a conversation.
        stops: Generation stops at these.
        pixels: Stand for pixels; by name.
    """

    end: int
    stops: frozenset[int]
    pixels: dict[int, str]

    @classmethod
    def of(cls, tokenizer: Any) -> TurnTokens:
        """Those of a Qwen-VL's tokenizer."""
        pixels = suppressed_tokens(tokenizer)
        return cls(
            end=tokenizer.convert_tokens_to_ids(END),
            stops=frozenset({tokenizer.eos_token_id, tokenizer.pad_token_id}),
            pixels=dict(zip(pixels, tokenizer.convert_ids_to_tokens(pixels), strict=True)),
        )

    def written(self, ids: Sequence[int]) -> list[int]:
        """The tokens of a turn as they were generated, up to the first that stops it.

        What follows is the padding of a batch; no reader of replies looks there.

        Raises:
            ValueError: If a token stands for pixels, which would break the next forward pass.
        """
        own: list[int] = []
        for token in map(int, ids):
            if token in self.pixels:
                raise ValueError(
                    f"The reply holds the token {self.pixels[token]}, which stands for pixels; generate with "
                    "suppress_tokens=designgym.agents.qwen.tokenizer.suppressed_tokens(tokenizer)."
                )
            own.append(token)
            if token in self.stops:
                break
        return own

"""What a trial with a model behind an endpoint takes, and what it may take."""

from __future__ import annotations

from dataclasses import dataclass, fields

from designgym.completion import Completion
from designgym.errors import UserError


@dataclass(frozen=True)
class Budget:
    """Most that one trial may take; None sets no limit. The turn in which a limit is reached is its last.

    Attributes:
        rounds: Replies.
        tokens: Tokens asked and answered together, as the server counts them.
        seconds: Time that the model takes, waits and failures included.
    """

    rounds: int | None = None
    tokens: int | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None and value <= 0:
                raise UserError(f"A trial's budget of {each.name} is {value}; it must be above 0, or null.")


@dataclass(frozen=True)
class Price:
    """What tokens cost, in any currency.

    Attributes:
        prompt: A million tokens of what is asked.
        completion: A million tokens of answers.
    """

    prompt: float = 0.0
    completion: float = 0.0

    def __post_init__(self) -> None:
        if self.prompt < 0 or self.completion < 0:
            raise UserError(f"A price is {min(self.prompt, self.completion)}; it must be 0 or more.")


@dataclass
class Spent:
    """What a trial has taken so far."""

    rounds: int = 0
    tokens: int = 0
    seconds: float = 0.0

    def add(self, said: Completion) -> None:
        """Count a reply."""
        self.rounds += 1
        self.tokens += (said.prompt_tokens or 0) + (said.completion_tokens or 0)
        self.seconds += said.seconds

    def reached(self, budget: Budget) -> str:
        """The name of the first limit that is reached; empty if none is."""
        for each in fields(budget):
            limit = getattr(budget, each.name)
            if limit is not None and getattr(self, each.name) >= limit:
                return each.name
        return ""


def usage(said: Completion, price: Price | None) -> dict[str, float]:
    """What a reply took, by name: what the server does not tell is left out.

    Returns:
        ``requests`` (failures included), ``seconds`` (waits included), ``prompt_tokens``, ``completion_tokens``,
        ``cut_off`` (1 for a reply that ended at the most tokens) and, with a price, ``cost``.
    """
    took: dict[str, float] = {"requests": said.requests, "seconds": said.seconds, "cut_off": int(said.cut_off)}
    told = {"prompt_tokens": said.prompt_tokens, "completion_tokens": said.completion_tokens}
    took |= {name: count for name, count in told.items() if count is not None}
    if price is not None and None not in told.values():
        took["cost"] = (took["prompt_tokens"] * price.prompt + took["completion_tokens"] * price.completion) / 1e6
    return took

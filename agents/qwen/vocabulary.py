"""What a tiny model's tokenizer is made from: the prompts and calls of one environment, in a module for each."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from functools import cache
from typing import cast

from designgym.errors import UserError

VOCABULARIES = {
    "designgym/AestheticJudgment-v0": "designgym.agents.qwen.judgment_corpus",
    "designgym/RegionSelection-v0": "designgym.agents.qwen.selection_corpus",
    "designgym/AestheticLocalization-v0": "designgym.agents.qwen.corpus",
    "designgym/CanvasDrawing-v0": "designgym.agents.qwen.canvas_corpus",
    "designgym/DesignActions-v0": "designgym.agents.qwen.design_corpus",
}
"""Environment id -> module with ``vocabulary() -> Vocabulary``."""

REASONING = {
    "designgym/AestheticJudgment-v0": "designgym.train.aesthetics_data.vocabulary",
    "designgym/RegionSelection-v0": "designgym.train.aesthetics_data.vocabulary",
    "designgym/AestheticLocalization-v0": "designgym.train.aesthetics_data.vocabulary",
}
"""Environment id -> module with ``vocabulary() -> Vocabulary`` of those who reason before they answer: what it adds."""


@dataclass(frozen=True)
class Vocabulary:
    """The texts of an environment.

    Attributes:
        corpus: Prompts and calls that the byte-pair merges are learned from, in a fixed order.
        phrases: Texts that become a token each: sentences that prompts repeat word for word, fixed parts of calls.
        number_limit: The largest coordinate that a model writes, in its own unit: thousandths of the page, or px.
    """

    corpus: tuple[str, ...]
    phrases: tuple[str, ...]
    number_limit: int


@cache
def vocabulary(env_id: str, reasoning: bool = False) -> Vocabulary:
    """The texts of an environment.

    Args:
        env_id: The environment.
        reasoning: Whether answers follow a reasoning path, whose words are added then.

    Raises:
        UserError: If there are none for it.
    """
    if env_id not in VOCABULARIES:
        raise UserError(
            f"The tiny model has no vocabulary for the environment '{env_id}'; there is one for "
            f"{', '.join(VOCABULARIES)}. Train another model there."
        )
    own = _texts(VOCABULARIES[env_id])
    if not reasoning:
        return own
    if env_id not in REASONING:
        raise UserError(
            f"Nobody writes reasoning paths for the environment '{env_id}'; set tiny.reasoning to false. There are "
            f"some for {', '.join(REASONING)}."
        )
    more = _texts(REASONING[env_id])
    phrases = tuple(dict.fromkeys((*own.phrases, *more.phrases)))
    return Vocabulary((*own.corpus, *more.corpus), phrases, own.number_limit)


def _texts(module: str) -> Vocabulary:
    return cast(Vocabulary, importlib.import_module(module).vocabulary())


def number_tokens(step: int, limit: int = 1000) -> list[str]:
    """The coordinates 0, step, ... limit as text.

    Args:
        step: Distance of neighbouring coordinates, in the unit of the limit.
        limit: The largest one; a multiple of the step.

    Raises:
        ValueError: If the step does not divide the limit.
    """
    if step < 1 or limit % step:
        fitting = ", ".join(str(other) for other in range(5, 51) if limit % other == 0)
        raise ValueError(f"The number step must divide {limit}, and {step} does not; take one of {fitting}.")
    return [str(value) for value in range(0, limit + 1, step)]

"""Which weights learn: all, all but the vision tower's, or adapters; and the proof that these do and no others."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Literal

from designgym.train.config import TrainConfig

Learning = Literal["all", "language", "adapters"]
"""What learns: every weight; every weight but those of the vision tower and of the layers that join it to the language
model; or adapters on the language model alone."""

_TOWER = ".visual."
_ADAPTER = ".default."


@dataclass(frozen=True)
class Counts:
    """How many weights there are.

    Attributes:
        trainable: Those that learn.
        total: All.
    """

    trainable: int
    total: int

    def words(self) -> str:
        """A sentence for the run's output."""
        return f"{self.trainable:,} of {self.total:,} weights learn ({self.trainable / self.total:.2%})."


def learning(config: TrainConfig) -> Learning:
    """What learns in a run: by default the vision tower only in the tiny model, whose tower has learnt nothing yet."""
    if config.peft is not None:
        return "adapters"
    vision = config.vision or ("trained" if config.model == "tiny" else "frozen")
    return "all" if vision == "trained" else "language"


def freeze_vision(model: Any) -> None:
    """Stop the vision tower and its mergers (Qwen3-VL has several) from learning.

    Args:
        model: A Qwen-VL of transformers.
    """
    model.model.visual.requires_grad_(False)


def check_learning(model: Any, what: Learning) -> Counts:
    """Prove that exactly the right weights learn, after all set-up and before the first step.

    Args:
        model: The model, perhaps wrapped by PEFT.
        what: What is to learn.

    Raises:
        RuntimeError: With the name of the first weight that learns and must not, or the reverse.
    """
    trainable = total = 0
    for name, weight in model.named_parameters():
        adapter = "lora_" in name
        inside = {
            "all": True,
            "language": _TOWER not in f".{name}",
            "adapters": adapter and _ADAPTER in name,
        }[what]
        if weight.requires_grad != inside:
            raise RuntimeError(
                f"The weight {name} {'learns' if weight.requires_grad else 'does not learn'}, which is wrong where "
                f"'{what}' is to learn."
            )
        if adapter and "language_model" not in name:
            raise RuntimeError(f"The adapter {name} is not in the language model.")
        state = getattr(weight, "quant_state", None)  # two weights of 4 bits lie in a byte
        count = weight.numel() if state is None else math.prod(state.shape)
        total += count
        trainable += count if inside else 0
    if not trainable:
        raise RuntimeError("No weight learns.")
    return Counts(trainable, total)


@contextmanager
def unrounded(model: Any) -> Iterator[None]:
    """Keep the weights that learn as they are while a trainer is made.

    TRL rounds adapters on quantised weights to bfloat16. AdamW would then lose every step that is smaller than half the
    distance of two such numbers, 0.2 % of a weight, and an adapter that is trained on would not be the one that was
    saved.
    """
    kept = [(weight, weight.data) for weight in model.parameters() if weight.requires_grad]
    yield
    for weight, data in kept:
        weight.data = data

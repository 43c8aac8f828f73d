"""Stopping a training whose numbers have left the finite ones, before they reach the weights or a checkpoint."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from transformers import TrainerCallback

from designgym.errors import UserError


class Diverged(UserError):
    """A loss, gradient or weight is NaN or infinite."""


class StopIfNotFinite(TrainerCallback):
    """Raises `Diverged` in all processes: for a gradient before it is used, else before anything is saved.

    Args:
        stage: The stage's name, for the message.
    """

    def __init__(self, stage: str) -> None:
        self.stage = stage

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, *, model: Any, **kwargs: Any) -> None:
        """Look at the gradients, which are those of all processes together."""
        if not _finite(parameter.grad for parameter in model.parameters() if parameter.grad is not None):
            raise diverged("gradient", self.stage, state.global_step + 1)

    def on_step_end(self, args: Any, state: Any, control: Any, *, model: Any, **kwargs: Any) -> None:
        """Look at the weights: a finite step may still lead out of the finite numbers."""
        if not _finite(parameter.detach() for parameter in model.parameters() if parameter.requires_grad):
            raise diverged("model", self.stage, state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Look at the loss, which is logged before a checkpoint is written."""
        loss = (logs or {}).get("loss")
        if isinstance(loss, int | float) and not math.isfinite(loss):
            raise diverged("loss", self.stage, state.global_step)


def diverged(what: str, stage: str, step: int) -> Diverged:
    """The error for a quantity that is not finite at a step."""
    return Diverged(
        f"Stage '{stage}' stopped in step {step}: the {what} is not finite (NaN or infinite). Nothing of this step was "
        "saved. Start anew with another --output and a lower learning_rate, a longer warm-up or a lower max_grad_norm."
    )


def sampled_from_nothing(error: BaseException) -> bool:
    """Whether an error says that torch could not sample, because the model's probabilities are not finite."""
    return "probability tensor contains" in str(error)


def _finite(tensors: Iterable[Any]) -> bool:
    import torch

    found = list(tensors)
    if not found:
        return True
    norms = torch._foreach_norm(found)
    return bool(torch.stack([norm.float().to(norms[0].device) for norm in norms]).isfinite().all())

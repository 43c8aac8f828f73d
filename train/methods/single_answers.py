"""TRL's trainers in environments of one answer, with those answers left out of the loss that teach nothing.

TRL keeps answers without a reward out of the group's mean and gives them advantage 0, but counts their tokens, or them,
among what the loss is a mean over, and holds them to the reference. Over many turns `designgym.train.turns.trainer`
leaves them out by itself.
"""

from __future__ import annotations

from typing import Any

import torch
from trl import GRPOTrainer, RLOOTrainer

from designgym.errors import UserError
from designgym.train.methods.trl_methods import check_methods
from designgym.train.turns.metrics import forget_empty_pass
from designgym.train.turns.rows import teaching

METHODS = {
    "_calculate_rewards": ("self", "inputs", "prompts", "completions", "completion_ids_list"),
    "_generate_and_score_completions": ("self", "inputs"),
    "_compute_loss": ("self", "model", "inputs"),
}
"""Methods of both trainers that are replaced, with their parameters."""


def check_trainers() -> None:
    """Refuse a TRL with other methods.

    Raises:
        UserError: For a method with other parameters.
    """
    for trainer in (GRPOTrainer, RLOOTrainer):
        check_methods(trainer, METHODS, "Training on sampled answers")


def check_filter(loss_type: str) -> None:
    """Refuse to leave groups out where the loss would count them nevertheless.

    Raises:
        UserError: For a loss that is no mean over all tokens that are learnt from.
    """
    if loss_type != "dapo":
        raise UserError(
            f"filter_zero_variance goes with loss_type 'dapo' alone: '{loss_type}' also divides by rows, or by forward "
            "passes, in which nothing is left. Take 'dapo', or leave filter_zero_variance out."
        )


class AnswerGRPOTrainer(GRPOTrainer):
    """TRL's trainer; answers that were not scored, and groups without a spread if asked for, are masked.

    With ``loss_type="dapo"`` the loss is the mean over the tokens that are left, in all processes. The other losses
    count masked answers as empty ones. All answers stay in the curves of rewards and lengths; entropy and KL are those
    of answers that are learnt from.

    Args:
        filter_zero_variance: Mask groups whose answers all earned the same.
        kwargs: What TRL's trainer takes.

    Raises:
        UserError: If the loss would count filtered groups.
    """

    def __init__(self, *, filter_zero_variance: bool = False, **kwargs: Any) -> None:
        if filter_zero_variance:
            check_filter(kwargs["args"].loss_type)
        self.filter_zero_variance = filter_zero_variance
        self._rewards = torch.empty(0)
        super().__init__(**kwargs)

    def _calculate_rewards(self, *args: Any) -> torch.Tensor:
        rewards: torch.Tensor = super()._calculate_rewards(*args)
        self._rewards = rewards[:, 0].cpu()  # of all processes; NaN where there is none
        return rewards

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
        learnt = ~torch.isnan(self._rewards)
        if self.filter_zero_variance:
            learnt = teaching(self._rewards, self.num_generations)
        if learnt.all():
            return batch
        start = self.accelerator.process_index * len(inputs)
        own = learnt[start : start + len(inputs)].to(self.accelerator.device)
        # TRL's mask of what a model did not write itself; `completion_mask` is also the attention's.
        batch["tool_mask"] = torch.ones_like(batch["completion_mask"]) * own[:, None]
        tokens = (batch["completion_mask"] * batch["tool_mask"]).sum()
        batch["num_items_in_batch"] = self.accelerator.gather(tokens).sum()
        return batch

    def _compute_loss(self, model: Any, inputs: dict[str, Any]) -> torch.Tensor:
        loss: torch.Tensor = super()._compute_loss(model, inputs)
        forget_empty_pass(self, inputs)
        return loss


class AnswerRLOOTrainer(RLOOTrainer):
    """TRL's trainer, whose loss is the mean over the answers that have a baseline.

    An answer has none if it was not scored, or if no other of its group was. TRL gives it advantage 0, and counts it.
    """

    def __init__(self, **kwargs: Any) -> None:
        self._rewards = torch.empty(0)
        super().__init__(**kwargs)

    def _calculate_rewards(self, *args: Any) -> torch.Tensor:
        rewards: torch.Tensor = super()._calculate_rewards(*args)
        self._rewards = rewards[:, 0]
        return rewards

    def _generate_and_score_completions(self, inputs: list[dict[str, Any]]) -> dict[str, Any]:
        batch: dict[str, Any] = super()._generate_and_score_completions(inputs)
        scored = ~torch.isnan(self._rewards).view(-1, self.num_generations)
        count = int((scored & (scored.sum(1, keepdim=True) > 1)).sum())
        # The loss is a mean over forward passes of means over rows, all of one size: a common factor is all it takes.
        batch["advantages"] = batch["advantages"] * (scored.numel() / max(1, count))
        spread = teaching(self._rewards, self.num_generations).view_as(scored).any(1)
        equal = scored.any(1) & ~spread  # TRL looks for it after the KL penalty, where nothing is equal any more
        self._metrics["train"]["frac_reward_zero_std"][-1] = equal.float().mean().item()
        return batch

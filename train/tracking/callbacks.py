"""Listening to a trainer: figures for curves and the progress line, signs of life, a hint if nothing is learnt."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

from transformers import TrainerCallback

from designgym.train.guards.watchdog import Watchdog
from designgym.train.tracking.progress import Work

SHOWN = {"loss": "loss", "reward": "reward"}
"""Logged figures that stand in the progress line."""
STUCK_STEPS = 50
"""After so many steps in which every group earned one and the same reward, a hint is due."""

Record = Callable[[int, float, dict[str, float]], None]
"""Takes step, seconds since the stage began, and the figures of one log entry."""


class Curves(TrainerCallback):
    """Hands every log entry on and keeps the progress line going."""

    def __init__(self, work: Work, record: Record) -> None:
        self.work = work
        self.record = record
        self._start = time.monotonic()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Start the clock."""
        self._start = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Move the progress line."""
        self.work.step(state.global_step)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Keep the figures; the summary that ends a training is no point of a curve."""
        if not logs or "train_runtime" in logs:
            return
        figures = {name: float(value) for name, value in logs.items() if _is_finite(value)}
        self.work.step(state.global_step, {label: figures[name] for name, label in SHOWN.items() if name in figures})
        self.record(state.global_step, time.monotonic() - self._start, figures)


class HintIfStuck(TrainerCallback):
    """Says once that GRPO learns nothing, if all answers to a page have earned the same for `STUCK_STEPS` steps."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self.say = say
        self._since: int | None = 0

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Watch TRL's share of groups without spread."""
        if not logs or "frac_reward_zero_std" not in logs or self._since is None:
            return
        if float(logs["frac_reward_zero_std"]) < 1.0:
            self._since = state.global_step
        elif state.global_step - self._since >= STUCK_STEPS:
            self._since = None
            mean = float(logs.get("reward", math.nan))
            self.say(
                f"For {STUCK_STEPS} steps all sampled answers to a page have earned the same reward (mean {mean:.3f}); "
                "nothing is learnt. A supervised stage before this one, easier pages, a higher temperature or larger "
                "groups give rewards that differ."
            )


class SignsOfLife(TrainerCallback):
    """Tells the watchdog of every step, and of every batch that passes through the model: each token that is sampled.

    Args:
        watchdog: It.
    """

    def __init__(self, watchdog: Watchdog) -> None:
        self.watchdog = watchdog
        self._hook: Any = None

    def on_train_begin(self, args: Any, state: Any, control: Any, *, model: Any, **kwargs: Any) -> None:
        """Listen to the model's first layer, which every pass begins with, however the model is wrapped."""
        self.watchdog.step = state.global_step
        self._hook = model.get_input_embeddings().register_forward_pre_hook(self.watchdog.sign)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """A step is done."""
        self.watchdog.step = state.global_step
        self.watchdog.sign()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Listen no more."""
        self._hook.remove()


def _is_finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

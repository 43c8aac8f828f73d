"""Stopping a reinforced stage whose reward has collapsed: far below what it had been, for many steps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from transformers import TrainerCallback

from designgym.atomic import write_atomically
from designgym.errors import UserError
from designgym.train.config import GuardSection
from designgym.train.validation.scores import BEST_MODEL

RECORD = "collapsed.json"
"""In a stage's folder: what is said of the collapse, and the guards under which it was one."""


@dataclass(frozen=True)
class Fall:
    """How far the reward has fallen.

    Attributes:
        step: The last step.
        mean: Mean reward of the steps up to there.
        best: Best such mean before.
        best_step: The last step of that one.
    """

    step: int
    mean: float
    best: float
    best_step: int


class Rewards:
    """The mean training reward of the latest steps beside the best that it has been.

    Only a best mean above 0 can be fallen from: of a negative one there is no share that would be worse.

    Args:
        share: A mean below this share of the best one is a fall.
        steps: Steps over which means are taken; of points that stand for several steps each, as many as hold them.
        after: Steps at the beginning that do not count, while what is rewarded still changes.
    """

    def __init__(self, share: float, steps: int, after: int = 0) -> None:
        self.share, self.steps, self.after = share, steps, after
        self._points: list[tuple[int, int, float]] = []
        self._last = 0
        self._best: tuple[float, int] | None = None

    def add(self, step: int, reward: float) -> Fall | None:
        """Take a point, and say whether the reward has fallen.

        Args:
            step: The steps that are done.
            reward: Mean reward of the steps since the point before.
        """
        count, self._last = step - self._last, step
        if step <= self.after:
            return None
        self._points.append((step, count, reward))
        while sum(count for _, count, _ in self._points[1:]) >= self.steps:
            del self._points[0]
        covered = sum(count for _, count, _ in self._points)
        if covered < self.steps:
            return None
        mean = sum(count * value for _, count, value in self._points) / covered
        best, self._best = self._best, max(self._best or (mean, step), (mean, step))
        if best is not None and best[0] > 0 and mean < self.share * best[0]:
            return Fall(step, mean, *best)
        return None


class Collapsed(UserError):
    """The reward has collapsed; the message is for `stop` to write."""

    def __init__(self, fall: Fall) -> None:
        super().__init__("The reward has collapsed.")
        self.fall = fall


class StopIfCollapsed(TrainerCallback):
    """Raises `Collapsed` in all processes, which log the same means.

    Args:
        guards: The rule.
        after: Steps at the beginning that do not count.
    """

    def __init__(self, guards: GuardSection, after: int = 0) -> None:
        self.guards, self.after = guards, after
        self.rewards = self._rule()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Take what was logged before the checkpoint that the stage goes on from."""
        self.rewards = self._rule()
        for logs in state.log_history:
            self._add(logs.get("step", 0), logs)

    def on_log(self, args: Any, state: Any, control: Any, logs: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Look at the reward."""
        fall = self._add(state.global_step, logs or {})
        if fall is not None:
            raise Collapsed(fall)

    def _rule(self) -> Rewards:
        return Rewards(self.guards.collapse_share or 0.0, self.guards.collapse_steps, self.after)

    def _add(self, step: int, logs: Mapping[str, Any]) -> Fall | None:
        reward = logs.get("reward")
        return None if reward is None or "train_runtime" in logs else self.rewards.add(step, float(reward))


def record(fall: Fall, guards: GuardSection, stage: str, home: Path) -> str:
    """Keep in the stage's folder that its reward has collapsed, and say so.

    Args:
        fall: How.
        guards: The rule.
        stage: The stage's name.
        home: Its folder.

    Returns:
        The message.
    """
    said = (
        f"Stage '{stage}' stopped after step {fall.step}: the mean reward of {guards.collapse_steps} steps is "
        f"{fall.mean:.3f}, below {guards.collapse_share:g} of the best before ({fall.best:.3f}, up to step "
        f"{fall.best_step}). {_kept(home, fall)} Start anew with another --output and a lower learning_rate, a larger "
        "beta or larger groups; or set guards.collapse_share to null to go on here all the same."
    )
    write_atomically(home / RECORD, json.dumps({"guards": _rule(guards), "said": said}, indent=2) + "\n")
    return said


def check_not_collapsed(home: Path, guards: GuardSection) -> None:
    """Refuse to go on with a stage whose reward has collapsed, unless the guards are others now.

    Raises:
        UserError: With what was said then.
    """
    try:
        found: Any = json.loads((home / RECORD).read_text(encoding="utf-8"))
        said, rule = str(found["said"]), found["guards"]
    except (OSError, ValueError, TypeError, KeyError):
        return
    if rule == _rule(guards):
        raise UserError(said)


def _rule(guards: GuardSection) -> dict[str, Any]:
    return {"collapse_share": guards.collapse_share, "collapse_steps": guards.collapse_steps}


def _kept(home: Path, fall: Fall) -> str:
    """Where weights from before the fall are."""
    if (home / BEST_MODEL).is_dir():
        return f"The weights that did best on held-out tasks are in '{home / BEST_MODEL}'."
    steps = sorted(
        int(number)
        for folder in (home / "checkpoints").glob("checkpoint-*")
        if (number := folder.name.removeprefix("checkpoint-")).isdigit()
    )
    if not steps:
        return "No checkpoint had been written; with a 'validation' section the best weights are kept."
    before = [step for step in steps if step <= fall.best_step]
    step = before[-1] if before else steps[0]
    which = "The last checkpoint from before the fall" if before else "The earliest checkpoint, from within the fall,"
    return f"{which} is '{home / 'checkpoints' / f'checkpoint-{step}'}'."

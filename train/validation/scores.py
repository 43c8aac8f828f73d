"""Scores on held-out tasks: what a model earned there, in curves and in a stage's folder."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from designgym.atomic import write_atomically
from designgym.eval.results import Result
from designgym.eval.statistics import bootstrap
from designgym.jsonl import read_jsonl
from designgym.train.validation.parting import Estimate, Z

SCORES, BEST, BEST_MODEL = "validation.jsonl", "best.json", "best"
"""Files in a stage's folder: every score, the best one, and the weights that earned it."""

SECOND, WARNINGS = "validation/second", "validation/warnings"
"""Curves of the second judge, and of warnings, which are 1 where there is one."""


@dataclass(frozen=True)
class Score:
    """What a model earned on the held-out tasks.

    Attributes:
        step: Optimiser steps before.
        mean: Mean reward over the tasks that could be scored; None if there was none.
        low: Lower end of its 95 % bootstrap interval over tasks.
        high: Upper end.
        n: Tasks that could be scored.
        parts: Means of the reward's parts by name.
        second: What the second judge gave to the same episodes; None without one, or where it failed.
        trained: What was earned in training since the validation before; None where nothing is earned.
        warnings: What is to be said about it, by the name of the score that fell: ``"reward"`` or ``"second"``.
    """

    step: int
    mean: float | None
    low: float | None
    high: float | None
    n: int
    parts: Mapping[str, float] = field(default_factory=dict)
    second: Self | None = None
    trained: Estimate | None = None
    warnings: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """The score that a line of the file holds."""
        second, trained = data.get("second"), data.get("trained")
        made = {
            "second": None if second is None else cls.from_json(second),
            "trained": None if trained is None else Estimate(**trained),
        }
        return cls(**{**data, **made})

    @property
    def estimate(self) -> Estimate | None:
        """The mean with its standard error; None where there is no interval."""
        if self.mean is None or self.low is None or self.high is None:
            return None
        return Estimate(self.mean, (self.high - self.low) / (2 * Z))

    @classmethod
    def of(cls, step: int, results: Sequence[Result], seed: int) -> Self:
        """The score of results."""
        scored = [result for result in results if result.scored]
        found = bootstrap([result.value for result in results], seed)
        keys = dict.fromkeys(key for result in scored for key in result.rewards)
        values = {key: [r.rewards[key] for r in scored if r.rewards.get(key) is not None] for key in keys}
        parts = {key: float(np.mean(each)) for key, each in values.items() if each}
        return cls(step, found.mean, found.low, found.high, len(scored), parts)

    def with_second(self, results: Sequence[Result] | None, seed: int) -> Self:
        """The same with what the second judge gave; None if it failed."""
        return self if results is None else dataclasses.replace(self, second=type(self).of(self.step, results, seed))

    def figures(self) -> dict[str, float]:
        """The points of the curves, under ``validation/``."""
        second = self.second
        return {
            **self._named("validation/reward", "validation/low", "validation/high"),
            **{f"validation/parts/{name}": value for name, value in self.parts.items()},
            **({} if second is None else second._named(f"{SECOND}/reward", f"{SECOND}/low", f"{SECOND}/high")),
            **{f"{WARNINGS}/{name}": 1.0 for name in self.warnings},
        }

    def figures_of_agent(self, label: str) -> dict[str, float]:
        """The same of a policy that is not trained, under its label."""
        kinds = ("agents", "agents_low", "agents_high")
        own = self._named(*(f"validation/{kind}/{label}" for kind in kinds))
        return own if self.second is None else own | self.second._named(*(f"{SECOND}/{n}/{label}" for n in kinds))

    def words(self) -> str:
        """The score in print; empty if there is none."""
        if self.mean is None:
            return ""
        second = "" if self.second is None or self.second.mean is None else f"; second judge {self.second._between()}"
        return f"{self._between()} on {self.n} held-out tasks{second}"

    def _between(self) -> str:
        between = "" if self.low is None or self.high is None else f" [{self.low:.3f}, {self.high:.3f}]"
        return f"{self.mean:.3f}{between}"

    def _named(self, mean: str, low: str, high: str) -> dict[str, float]:
        own = {mean: self.mean, low: self.low, high: self.high}
        return {name: value for name, value in own.items() if value is not None}


class Scores:
    """The scores of a stage and its best weights, in the stage's folder.

    Args:
        home: The folder.
    """

    def __init__(self, home: Path) -> None:
        self.home = home

    def all(self) -> dict[int, Score]:
        """By step; of a step that was done twice, the second counts."""
        path = self.home / SCORES
        lines = read_jsonl(path) if path.is_file() else ()
        return {score.step: score for score in (Score.from_json(line.value) for line in lines)}

    def write(self, scores: Sequence[Score]) -> None:
        """Replace the file by these scores."""
        write_atomically(self.home / SCORES, "".join(json.dumps(dataclasses.asdict(each)) + "\n" for each in scores))

    def best(self) -> Score | None:
        """The score of the weights that are kept; None if there are none."""
        if not (self.home / BEST).is_file() or not (self.home / BEST_MODEL).is_dir():
            return None
        return Score.from_json(json.loads((self.home / BEST).read_text()))

    def set_best(self, score: Score) -> None:
        """Say whose the kept weights are."""
        write_atomically(self.home / BEST, json.dumps(dataclasses.asdict(score)) + "\n")

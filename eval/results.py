"""What a policy did on a task, as plain data with a JSON form: a line of ``results.jsonl``."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, Self

from designgym import exact_json
from designgym.errors import UserError
from designgym.jsonl import check_fields, read_jsonl


@dataclass(frozen=True)
class Result:
    """One finished trial.

    Attributes:
        task: The task id.
        reward: Sum of the rewards that the environment paid.
        rewards: The reward's parts at the end, by name.
        scored: False where a judge failed: such a trial counts in no mean.
        end: Why it ended: the environment's word (``"submit"``, ``"budget"``), ``"rounds"`` where the runner's own
            limit came first, ``"silent"`` after a turn that called nothing, ``"failure"`` where the agent raised, or
            the agent's own word, such as ``"refused"``.
        calls: Number of calls.
        rounds: Number of the agent's turns.
        errors: How many calls were refused, by kind of error.
        answer: Arguments of the last call that was carried out; None if none was.
        truth: What rewards compared with, by name.
        text: What the agent wrote in its last turn, if it is a model.
        failure: The agent's exception, type and message; empty if it raised none. Such a trial keeps the reward that it
            had been paid so far, usually 0.
        replicate: Which of several trials of the task it is, from 0.
        usage: What the agent's turns took in sum, by name, such as ``completion_tokens``; empty if it does not tell.
    """

    task: str
    reward: float = 0.0
    rewards: Mapping[str, float] = field(default_factory=dict)
    scored: bool = True
    end: str = ""
    calls: int = 0
    rounds: int = 0
    errors: Mapping[str, int] = field(default_factory=dict)
    answer: Mapping[str, Any] | None = None
    truth: Mapping[str, Any] = field(default_factory=dict)
    text: str = ""
    failure: str = ""
    replicate: int = 0
    usage: Mapping[str, float] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What the trial is called in traces, see :func:`trial_name`."""
        return trial_name(self.task, self.replicate)

    @property
    def value(self) -> float | None:
        """The reward for statistics: None where it could not be scored."""
        return self.reward if self.scored else None

    def to_json(self) -> dict[str, Any]:
        """Return JSON data."""
        data: dict[str, Any] = exact_json.encode(dataclasses.asdict(self))
        return data if data["usage"] else {key: value for key, value in data.items() if key != "usage"}

    @classmethod
    def from_json(cls, data: Any, place: str) -> Self:
        """Return the result that a line holds.

        Raises:
            UserError: If the line is no result; ``place`` is named.
        """
        if isinstance(data, dict):
            data = {"usage": {}, **data}
        if not isinstance(data, dict) or data.keys() != _FIELDS.keys():
            raise UserError(f"{place}: this is no result of an evaluation with this version of designgym.")
        try:
            values = exact_json.decode(data)
        except ValueError as error:
            raise UserError(f"{place}: the result cannot be read: {error}.") from error
        check_fields(values, _FIELDS, place, "the result")
        return cls(**values)


_FIELDS: dict[str, tuple[type, ...]] = {
    "task": (str,),
    "reward": (float, int),
    "rewards": (dict,),
    "scored": (bool,),
    "end": (str,),
    "calls": (int,),
    "rounds": (int,),
    "errors": (dict,),
    "answer": (dict, type(None)),
    "truth": (dict,),
    "text": (str,),
    "failure": (str,),
    "replicate": (int,),
    "usage": (dict,),
}


def trial_name(task: str, replicate: int = 0) -> str:
    """The task's id, and for all trials of it but the first one their number from 1: ``"is07~1"``."""
    return f"{task}~{replicate}" if replicate else task


def read_results(path: str | Path) -> dict[str, Result]:
    """The results of a file by the trial's name, in its order; of a trial that was begun again the last one counts.

    Raises:
        UserError: If the file cannot be read or holds anything but results.
    """
    found: dict[str, Result] = {}
    for line in read_jsonl(path):
        result = Result.from_json(line.value, f"{path}:{line.number}")
        found.pop(result.name, None)
        found[result.name] = result
    return found


def designs(results: Iterable[Result]) -> dict[str, str] | None:
    """What each task is about, by task, where several trials are about the same design; None where each has its own.

    Such trials are no independent draws, so intervals are made of whole designs. Trials of one task are about the same.
    """
    played = list(results)
    about = {result.task: str(result.truth.get("design", result.task)) for result in played}
    return None if len(set(about.values())) == len(played) else about


def clusters(results: Sequence[Result]) -> list[str] | None:
    """Of each trial what is resampled as a whole with it (see :func:`designs`); None where each trial is on its own."""
    about = designs(results)
    return None if about is None else [about[result.task] for result in results]


def values(results: Iterable[Result]) -> dict[str, float | None]:
    """Reward by task, for paired comparisons: the mean over the trials of a task that were scored; None without one."""
    found: dict[str, list[float]] = {}
    for result in results:
        found.setdefault(result.task, []).extend([] if result.value is None else [result.value])
    return {task: fmean(scored) if scored else None for task, scored in found.items()}

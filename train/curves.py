"""The curves of a run for its report, from its ``metrics.jsonl``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from designgym.errors import UserError
from designgym.eval.report.data import Curve, Series
from designgym.jsonl import read_jsonl
from designgym.train.config import TrainConfig
from designgym.train.validation.scores import SECOND, WARNINGS
from designgym.train.validation.second_judge import judge_name

_SAMPLED = ("grpo", "rloo")
CURVES: tuple[tuple[str, tuple[str, ...], str, str], ...] = (
    ("loss", ("sft",), "Loss of the supervised stages", "negative log-likelihood of the teacher's answer, per token"),
    ("mean_token_accuracy", ("sft",), "Token accuracy of the supervised stages", ""),
    ("reward", _SAMPLED, "Reward of sampled answers", "mean over the answers of the logged steps"),
    ("episodes/turns", _SAMPLED, "Turns of an episode", "mean over the sampled episodes"),
    ("episodes/unfinished", _SAMPLED, "Share of unfinished episodes", "scored as they stood"),
    ("calls/refused", _SAMPLED, "Share of refused calls", "not readable, or with arguments that are not valid"),
    ("entropy", _SAMPLED, "Entropy of sampled answers", "mean over tokens, in nats"),
    ("kl", _SAMPLED, "Divergence from the start", "mean over tokens, in nats; where it is weighed in"),
    ("answers/none", _SAMPLED, "Share of None among sampled answers", ""),
    ("answers/refused", _SAMPLED, "Share of refused answers", "not readable, or no valid box"),
    ("frac_reward_zero_std", _SAMPLED, "Groups without spread", "share of pages whose answers all earned the same"),
)
"""Figure, kinds of stages, title, caption."""


def curves(config: TrainConfig, metrics: Path) -> tuple[Curve, ...]:
    """The curves of a run from its ``metrics.jsonl``; of a step that was done twice the second counts."""
    found: dict[str, dict[int, dict[str, float]]] = {stage.name: {} for stage in config.stages}
    if metrics.is_file():
        for line in read_jsonl(metrics):
            try:
                found[line.value["stage"]].setdefault(line.value["step"], {}).update(line.value["figures"])
            except (KeyError, TypeError, ValueError) as error:
                place = f"{metrics}:{line.number}"
                raise UserError(f"{place}: this is no point of this run's curves; remove the line.") from error
    made = _validation(config, found)
    for figure, kinds, title, caption in CURVES:
        series = []
        for stage in config.stages:
            points = [(step, f[figure]) for step, f in sorted(found[stage.name].items()) if figure in f]
            if stage.kind in kinds and points:
                x, y = zip(*points, strict=True)
                series.append(Series(stage.label or stage.name, x, y))
        if series:
            made.append(Curve(title, tuple(series), caption=caption))
    return tuple(made)


def _validation(config: TrainConfig, found: Mapping[str, Mapping[int, Mapping[str, float]]]) -> list[Curve]:
    """The held-out scores of each stage with their intervals, and the policies beside them; those of a second judge."""
    made = []
    for stage in config.stages:
        name = stage.label or stage.name
        points = dict(sorted(found[stage.name].items()))
        judge = f"Second judge ({judge_name(config.validation)})"
        for title, place, kind in (("Held-out reward", "validation", "reward"), (judge, SECOND, "second")):
            series = _held_out_series(name, points, place)
            if series:
                caption = "mean with its 95 % interval over held-out tasks; level lines: policies on the same tasks"
                warned = [step for step, figures in points.items() if f"{WARNINGS}/{kind}" in figures]
                made.append(Curve(f"{title} during {name}", series, caption=". ".join([caption, *_warned(warned)])))
    return made


def _held_out_series(name: str, points: Mapping[int, Mapping[str, float]], place: str) -> tuple[Series, ...]:
    """A stage's held-out scores below one place of the curves, and those of the policies, which are level."""
    own = {step: figures for step, figures in points.items() if f"{place}/reward" in figures}
    if not own:
        return ()
    y, low, high = (tuple(f.get(f"{place}/{n}") for f in own.values()) for n in ("reward", "low", "high"))
    series = [Series(name, tuple(own), y, low, high)]
    ends, agents = (min(own), max(own)), f"{place}/agents/"
    for key, value in list(own.values())[-1].items():
        if key.startswith(agents):
            series.append(Series(key.removeprefix(agents), ends, (value, value)))
    return tuple(series)


def _warned(steps: Sequence[int]) -> list[str]:
    """A sentence about the steps at which there was a warning; none without."""
    if not steps:
        return []
    at = f"step {steps[0]}" if len(steps) == 1 else f"steps {', '.join(map(str, steps[:-1]))} and {steps[-1]}"
    return [f"Warning at {at}: this score fell by more than chance explains while the training reward rose"]

"""The tables of AesEval-Train's ablation on the tiny model, out of the folders of finished runs of several seeds.

    python docs/pairs_results.py runs/p0 runs/p1 runs/p2

What all policies earned is printed as `docs/results_tables.py` does; then, on the same questions, what each part of the
training is worth; then what each stage cost in tokens and time; and the paper's rows.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml
from results_tables import figure, load, policies

from designgym.eval.aesthetics.published import published
from designgym.eval.compare import compare
from designgym.eval.localization import page_iou
from designgym.eval.record import RESULTS
from designgym.eval.results import Result, read_results

PAIRS = (
    ("with reasoning paths", "before"),
    ("without reasoning paths", "before"),
    ("without paths and positive samples", "before"),
    ("with reasoning paths", "without reasoning paths"),
    ("without reasoning paths", "without paths and positive samples"),
)
"""First and second: what is between them is a part of the training."""


def answers(folder: Path) -> dict[str, dict[str, Result]]:
    """What each stage's model answered greedily, by the stage's label and the task."""
    stages = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))["stages"]
    return {
        stage["label"]: dict(read_results(folder / "evaluation" / f"{stage['name']}-greedy" / RESULTS))
        for stage in stages
    }


def is_flawed(result: Result) -> bool:
    """Whether there is a box to find."""
    return result.truth["bbox"] is not None


def says_none(result: Result) -> float:
    """1 for a readable answer that nothing is wrong."""
    return float(result.answer is not None and result.answer["bbox"] is None)


MEASURES: tuple[tuple[str, Callable[[Result], bool], Callable[[Result], float | None]], ...] = (
    ("reward", lambda result: True, lambda result: result.value),
    ("IoU, flawed pages", is_flawed, lambda result: page_iou(result) or 0.0),
    ("None accuracy, good pages", lambda result: not is_flawed(result), says_none),
)
"""Name, which questions count, and what an answer is worth."""


def worth(runs: Sequence[Path]) -> str:
    """Paired differences, a column a seed."""
    played = [answers(run) for run in runs]
    seeds = " | ".join(f"seed {load(run)['seed']}" for run in runs)
    lines = [f"| on the same pages | measure | {seeds} |", "|---" * (len(runs) + 2) + "|"]
    for first, second in PAIRS:
        for name, asked, value in MEASURES:
            cells = []
            for found in played:
                left, right = (
                    {task: value(result) for task, result in found[label].items() if asked(result)}
                    for label in (first, second)
                )
                difference = compare(first, left, second, right).result.difference
                cells.append(figure(vars_of(difference), signed=True))
            lines.append(f"| {first} − {second} | {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def vars_of(interval: Any) -> dict[str, Any]:
    """An interval as reports write it."""
    return {"mean": interval.mean, "low": interval.low, "high": interval.high, "degenerate": interval.degenerate}


def spread(runs: Sequence[Path]) -> str:
    """How often no answer could be read, and how often the commonest answer was given, a column a seed."""
    lines = ["| unreadable; commonest answer | " + " | ".join(f"seed {load(run)['seed']}" for run in runs) + " |"]
    lines.append("|---" * (len(runs) + 1) + "|")
    played = [answers(run) for run in runs]
    for label in played[0]:
        cells = []
        for found in played:
            given = Counter(json.dumps(r.answer) for r in found[label].values() if r.answer is not None)
            total = len(found[label])
            commonest = max(given.values(), default=0)
            cells.append(f"{(total - sum(given.values())) / total:.1%}; {commonest / total:.1%}")
        lines.append(f"| {label} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def costs(runs: Sequence[Path]) -> str:
    """Tokens (questions, images and answers) and seconds of each stage, a column a seed."""
    lines = ["| tokens seen; seconds | " + " | ".join(f"seed {load(run)['seed']}" for run in runs) + " |"]
    lines.append("|---" * (len(runs) + 1) + "|")
    stages = list(load(runs[0])["stages"])
    for stage in stages:
        cells = []
        for run in runs:
            points = [json.loads(line) for line in (run / "metrics.jsonl").read_text(encoding="utf-8").splitlines()]
            tokens = max(p["figures"].get("num_tokens", 0) for p in points if p["stage"] == stage)
            cells.append(f"{tokens:,.0f}; {load(run)['stages'][stage]['seconds']:.0f}")
        lines.append(f"| {stage} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def papers() -> str:
    """The rows of Table 6."""
    rows = [row for row in published() if row.table == 6]
    parts = list(dict.fromkeys(row.part for row in rows))
    lines = ["| the paper's Table 6, overall | " + " | ".join(parts) + " |", "|---" * (len(parts) + 1) + "|"]
    for model in dict.fromkeys(row.model for row in rows):
        found = {row.part: row.overall for row in rows if row.model == model}
        lines.append(f"| {model} | " + " | ".join(f"{found[part]:.4f}" for part in parts) + " |")
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    runs = parser.parse_args().runs
    print("\n\n".join((policies([load(run) for run in runs]), worth(runs), spread(runs), costs(runs), papers())))


if __name__ == "__main__":
    main()

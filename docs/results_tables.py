"""Puts the runs of several seeds side by side: the tables of docs/results.md, and the reference row of the quickstart.

    python docs/results_tables.py runs/q0 runs/q1 runs/q2
    python docs/results_tables.py runs/r0 runs/r1 runs/r2 --recorded "SFT on true labels"
    python docs/results_tables.py runs/c0 runs/c1 runs/c2 --span "after SFT" "after SFT + GRPO" "unsteady hand"
    python docs/results_tables.py runs/d0 runs/d1 runs/d2 --without random blank

Each argument is the folder of a finished ``designgym train``; its ``results.json`` is read. Intervals are those of the
runs (95 %, over pages); where seeds are pooled, the mean is that of the seeds and the range is from the lowest to the
highest.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

COLUMNS = (("reward", "greedy"), ("sampled", "sampled"), ("iou", "IoU, flawed pages"), ("none", "None accuracy"))


def load(folder: Path) -> dict[str, Any]:
    """The results of a run."""
    data: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return data


def figure(cell: dict[str, Any] | None, signed: bool = False) -> str:
    """A mean and its interval."""
    if cell is None or cell["mean"] is None:
        return "–"
    form = "{:+.3f}" if signed else "{:.3f}"
    if cell["degenerate"] or cell["low"] is None:
        return form.format(cell["mean"])
    return f"{form.format(cell['mean'])} [{form.format(cell['low'])}, {form.format(cell['high'])}]"


def policies(runs: list[dict[str, Any]]) -> str:
    """A row for every policy and seed; policies that no seed changes stand once."""
    rows = runs[0]["tables"][0]["rows"]
    columns = [column for column in COLUMNS if any(row["cells"].get(column[0]) for row in rows)]
    lines = ["| policy | seed | " + " | ".join(label for _, label in columns) + " |", "|---" * (len(columns) + 2) + "|"]
    names = [row["name"] for row in rows if not row["group"].startswith("Recorded")]
    for name in names:
        found = []
        for run in runs:
            row = next(row for row in run["tables"][0]["rows"] if row["name"] == name)
            cells = [figure(row["cells"].get(key)) for key, _ in columns]
            found.append((str(run["seed"]), cells))
        if all(cells == found[0][1] for _, cells in found):
            found = [("all", found[0][1])]
        lines += [f"| {name} | {seed} | " + " | ".join(cells) + " |" for seed, cells in found]
    return "\n".join(lines)


def comparisons(runs: list[dict[str, Any]], without: Collection[str] = ()) -> str:
    """Paired differences, a column a seed.

    Args:
        runs: A column each.
        without: Policies whose differences from others are left out.
    """
    seeds = " | ".join(f"seed {run['seed']}" for run in runs)
    lines = [f"| on the same pages | reward | {seeds} |", "|---" * (len(runs) + 2) + "|"]
    for index, row in enumerate(runs[0]["tables"][1]["rows"]):
        if any(row["name"].endswith(f" − {name}") for name in without):
            continue
        cells = [figure(run["tables"][1]["rows"][index]["cells"]["difference"], signed=True) for run in runs]
        lines.append(f"| {row['name']} | {row['cells']['measure']} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def costs(runs: list[dict[str, Any]]) -> str:
    """Seconds of each stage and peak memory, a row a seed."""
    stages = list(runs[0]["stages"])
    lines = [
        "| seed | " + " | ".join(f"{name}, s" for name in stages) + " | peak memory, MB |",
        "|---" * (len(stages) + 2) + "|",
    ]
    for run in runs:
        seconds = " | ".join(f"{run['stages'][name]['seconds']:.0f}" for name in stages)
        peak = max(run["stages"][name]["peak_rss_mb"] for name in stages)
        lines.append(f"| {run['seed']} | {seconds} | {peak} |")
    return "\n".join(lines)


def spans(runs: list[dict[str, Any]], start: str, trained: str, teacher: str) -> str:
    """How much of the way from a start to its teacher a stage went: its gain in the mean, over that span's."""
    lines = ["| of the way to the teacher | " + " | ".join(f"seed {run['seed']}" for run in runs) + " |"]
    lines.append("|---" * (len(runs) + 1) + "|")
    for key, label in COLUMNS[:2]:
        shares = []
        for run in runs:
            cells = {row["name"]: row["cells"] for row in run["tables"][0]["rows"]}
            low, high = cells[start][key]["mean"], (cells[teacher].get(key) or cells[teacher]["reward"])["mean"]
            shares.append(f"{(cells[trained][key]['mean'] - low) / (high - low):.0%}")
        lines.append(f"| {trained}, {label} | " + " | ".join(shares) + " |")
    return "\n".join(lines)


def recorded(runs: list[dict[str, Any]], name: str) -> str:
    """The row of this name as YAML for ``evaluation.recorded`` of a configuration."""
    rows = [next(row for row in run["tables"][0]["rows"] if row["name"] == name) for run in runs]
    seeds = ", ".join(str(run["seed"]) for run in runs)
    lines = [
        f"  - label: {name}",
        f"    note: mean of seeds {seeds}, lowest to highest; docs/results.md",
        "    figures:",
    ]
    for key, _ in COLUMNS:
        cells = [row["cells"][key] for row in rows]
        means = [cell["mean"] for cell in cells]
        mean, pages = sum(means) / len(means), sum(cell["n"] for cell in cells)
        lines.append(f"      {key}: {{mean: {mean:.3f}, low: {min(means):.3f}, high: {max(means):.3f}, n: {pages}}}")
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--recorded", metavar="NAME", help="print this row as YAML instead of the tables")
    parser.add_argument("--span", nargs=3, metavar=("START", "TRAINED", "TEACHER"), help="print these alone")
    parser.add_argument("--without", nargs="+", default=(), metavar="NAME", help="leave differences from these out")
    arguments = parser.parse_args()
    runs = [load(folder) for folder in arguments.runs]
    if arguments.recorded:
        print(recorded(runs, arguments.recorded))
    elif arguments.span:
        print(spans(runs, *arguments.span))
    else:
        print("\n\n".join((policies(runs), comparisons(runs, arguments.without), costs(runs))))


if __name__ == "__main__":
    main()

"""The tables about the aesthetics tasks in docs/results.md, out of the folders of finished evaluations.

    python docs/aesthetics_results.py runs/judgment runs/selection runs/localization runs/judgment-ood ...

Of each run the mean reward, the overall scores with dimension means, the indicators and the comparisons are printed
as Markdown; of runs out of distribution the two scores side by side. The paper's rows are left out: every report has
them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from results_tables import figure

from designgym.envs.aesthetics.indicators import DIMENSIONS, INDICATORS

OVERALL = {"overall": "overall", "overall_release": "by dimension", **{d: d for d in DIMENSIONS}}
SHIFT = ("in distribution", "out of distribution")


def rows(table: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of our own policies."""
    return [r for r in table["rows"] if not r["group"].startswith("Published") and r["name"] != "Questions"]


def line(entries: list[str]) -> str:
    """A row of Markdown."""
    return "| " + " | ".join(entries) + " |"


def header(first: str, columns: list[str]) -> list[str]:
    """The head of a table."""
    return [line([first, *columns]), "|---" * (len(columns) + 1) + "|"]


def rewards(table: dict[str, Any]) -> list[str]:
    """A row a policy: the mean of the reward that was paid, with its interval."""
    lines = header("policy", ["reward"])
    return lines + [line([row["name"], figure(row["cells"]["reward"])]) for row in rows(table)]


def overall(table: dict[str, Any]) -> list[str]:
    """A row a policy: overall scores with intervals, dimension means without."""
    lines = header("policy", list(OVERALL.values()))
    for row in rows(table):
        cells = [figure(row["cells"][key]) for key in ("overall", "overall_release")]
        lines.append(line([row["name"], *cells, *(f"{row['cells'][d]['mean']:.3f}" for d in DIMENSIONS)]))
    return lines


def indicators(table: dict[str, Any]) -> list[str]:
    """A row a policy, a column an indicator."""
    lines = header("policy", [indicator.title.lower() for indicator in INDICATORS.values()])
    for row in rows(table):
        means = [row["cells"][name]["mean"] for name in INDICATORS]
        lines.append(line([row["name"], *("–" if mean is None else f"{mean:.2f}" for mean in means)]))
    return lines


def pairs(table: dict[str, Any]) -> list[str]:
    """A row a pair of policies."""
    lines = header("first − second", ["difference", "p, corrected", "effect", "first is"])
    for row in table["rows"]:
        cells = row["cells"]
        effect = "–" if cells["effect"] is None else cells["effect"]
        lines.append(
            line([row["name"], figure(cells["difference"], signed=True), cells["p"], effect, cells["verdict"]])
        )
    return lines


def shift(table: dict[str, Any]) -> list[str]:
    """A row a policy: the score on usual designs and on others."""
    lines = header("policy", list(SHIFT))
    lines += [line([row["name"], *(figure(row["cells"][name]) for name in SHIFT)]) for row in rows(table)]
    return lines


def parts(run: dict[str, Any]) -> list[str]:
    """All tables of a run that belong into the page."""
    found = {table["title"]: table for table in run["tables"]}
    beside = [title for title in found if title.endswith("in distribution and out of distribution")]
    made = [] if beside else ["*Reward*", "", *rewards(found["Results"]), ""]
    for title in beside:
        made += [f"*{title}*", "", *shift(found[title]), ""]
    for title, table in found.items() if not beside else ():
        if table["rows"] and "overall_release" in table["rows"][0]["cells"]:
            name = title.partition(": ")[0]
            made += [f"*{title}*", "", *overall(table), ""]
            made += [*indicators(found[f"{title} by indicator"]), ""]
            if f"{name}: pairs of policies" in found:
                made += [*pairs(found[f"{name}: pairs of policies"]), ""]
    return made


def main() -> None:
    """Print the tables of the folders that were named."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+")
    for folder in parser.parse_args().runs:
        print("\n".join(parts(json.loads((folder / "results.json").read_text(encoding="utf-8")))))


if __name__ == "__main__":
    main()

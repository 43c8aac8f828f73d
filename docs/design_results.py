"""The tables about design actions in docs/results.md, out of the folders of finished evaluations.

    python docs/design_results.py runs/design runs/design-plan runs/design-ocr

Of each run the reward by type of design, the questions and the workflows are printed as Markdown. The paper's rows are
left out: every report has them.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from aesthetics_results import header, line, rows
from results_tables import figure

TYPES = ("book cover", "business card", "postcard", "poster")
QUESTIONS = {"vqa/items": "items passed", "vqa/positive_only": "positive only", "vqa/answered": "answered"}
WORKFLOWS = {
    "steps": ("steps", ".1f"),
    "execution_success": ("execution success", ".3f"),
    "expert_use_efficiency": ("expert use", ".3f"),
    "delivery_rate": ("delivery", ".3f"),
    "delivery_rate_release": ("delivery, scripts", ".3f"),
    "step_efficiency": ("step efficiency", ".3f"),
    "step_efficiency_release": ("step efficiency, scripts", ".3f"),
}


def rewards(tables: dict[str, Any]) -> list[str]:
    """A row a policy: the mean reward with its interval, and by type of design without."""
    by_type = {row["name"]: row["cells"] for row in tables["Reward by type of design"]["rows"]}
    types = [kind for kind in TYPES if kind in by_type["Briefs"]]
    lines = header("policy", ["reward", *(f"{kind} ({by_type['Briefs'][kind]})" for kind in types)])
    for row in rows(tables["Results"]):
        means = (f"{by_type[row['name']][kind]['mean']:.3f}" for kind in types)
        lines.append(line([row["name"], figure(row["cells"]["reward"]), *means]))
    return lines


def questions(tables: dict[str, Any]) -> list[str]:
    """A row a policy: what the judge said, with intervals."""
    lines = header("policy", list(QUESTIONS.values()))
    for row in rows(tables["Questions"]):
        lines.append(line([row["name"], *(figure(row["cells"][key]) for key in QUESTIONS)]))
    return lines


def workflows(tables: dict[str, Any]) -> list[str]:
    """A row a policy: the measures of its workflows, and how many of its steps failed."""
    failed = {row["name"]: row["cells"]["errors"] for row in rows(tables["Errors"])}
    lines = header("policy", [*(label for label, _ in WORKFLOWS.values()), "failed steps"])
    for row in rows(tables["Workflows"]):
        means = (format(row["cells"][key]["mean"], form) for key, (_, form) in WORKFLOWS.items())
        lines.append(line([row["name"], *means, f"{failed[row['name']]['mean']:.3f}"]))
    return lines


def main() -> None:
    """Read the folders and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("runs", type=Path, nargs="+", help="folders of finished evaluations")
    for folder in parser.parse_args().runs:
        data = json.loads((folder / "results.json").read_text(encoding="utf-8"))
        tables = {table["title"]: table for table in data["tables"]}
        made = (rewards(tables), questions(tables), workflows(tables))
        print("\n\n".join([f"### {folder.name}", *("\n".join(lines) for lines in made)]), end="\n\n")


if __name__ == "__main__":
    main()

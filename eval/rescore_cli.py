"""`designgym rescore`."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from designgym import manifest
from designgym.atomic import require_new, write_atomically
from designgym.cli.console import stdout
from designgym.cli.printable import printable
from designgym.errors import UserError
from designgym.eval.markers_cli import WIDE, find_traces, policy_of
from designgym.eval.report import text
from designgym.eval.report.terminal import terminal
from designgym.eval.rescore import Rescored, as_csv, rescore, table
from designgym.jsonl import CutOffWarning
from designgym.rewards.table import resolve
from designgym.score import Reward
from designgym.yaml12 import parse_yaml

SHOWN_DIFFERENCES = 5


def run(paths: Sequence[Path], rewards: Sequence[str], output: Path | None, seed: int) -> int:
    """Score the episodes of traces with other rewards, print the means and write the scores.

    Args:
        paths: Traces, or folders that hold some (of a run, or of a whole evaluation).
        rewards: Names, or YAML as in a configuration: ``{name: vqa, judge: ocr}``.
        output: Folder for ``scores.csv``, ``table.md`` and ``manifest.json``; None writes nothing.
        seed: Of the intervals.

    Returns:
        0, or 1 if an episode could not be played again as it was recorded: its scores are marked.

    Raises:
        UserError: For whatever is wrong before any work, and for rewards that the episodes cannot have.
    """
    made = _rewards(rewards)
    traces = find_traces(paths)
    if output is not None:
        require_new(output)
    console = stdout()
    found: list[Rescored] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CutOffWarning)
        for trace in traces:
            for each in rescore(trace, made, policy_of(trace)):
                found.append(each)
                if not console.is_terminal and len(found) % 1000 == 0:
                    console.print(f"{len(found):,} episodes scored")
    for warning in caught:
        console.print(Text(f"Note: {warning.message}", style="yellow"))
    different = [each for each in found if each.differences]
    for each in different[:SHOWN_DIFFERENCES]:
        console.print(Text(printable(f"{each.episode} of {each.policy}: {each.differences[0]}"), style="red"))
    if different:
        console.print(
            Text(f"{len(different)} of {len(found)} episodes are not as they were recorded; see as_recorded.", "red")
        )
    shown = table(found, seed)
    console.print(terminal(shown, stacked=console.width < WIDE))
    if output is not None:
        output.mkdir(parents=True, exist_ok=True)
        write_atomically(output / "scores.csv", as_csv(found).encode("utf-8", "backslashreplace"))
        write_atomically(output / "table.md", text.markdown(shown))
        backends = [{"reward": reward.name, **dataclasses.asdict(reward.backend)} for reward in made]
        config = {"traces": [str(trace) for trace in traces], "rewards": list(rewards)}
        manifest.write_manifest(
            manifest.collect(seeds={"intervals": seed}, config=config, rewards=backends), output / "manifest.json"
        )
        console.print(f"{len(found)} episodes in {output / 'scores.csv'}")
    return 1 if different else 0


def _rewards(specs: Sequence[str]) -> list[Reward]:
    if not specs:
        raise UserError("Name a reward: --reward ink, or --reward '{name: vqa, judge: ocr}'; it may be repeated.")
    made = [resolve(spec if spec.isidentifier() else _written(spec)) for spec in specs]
    names = [reward.name for reward in made]
    for name in names:
        if names.count(name) > 1:
            raise UserError(f"Two rewards are called {name!r}; score them one after the other, into two folders.")
    for reward in made:
        if getattr(reward, "of_groups", False):
            raise UserError(
                f"The reward {reward.name!r} compares the trials of a task, and episodes are scored one by one here; "
                f"use designgym.eval.groups.scored_in_groups(TRACE, {reward.name!r})."
            )
    return made


def _written(spec: str) -> Any:
    """A reward as a configuration writes it."""
    return parse_yaml(f"reward: {spec}", name=f"--reward {spec}").data["reward"]

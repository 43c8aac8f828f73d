"""`designgym study`."""

from __future__ import annotations

import dataclasses
import json
import warnings
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from designgym import manifest
from designgym.atomic import require_new
from designgym.cli.console import stdout
from designgym.cli.printable import printable
from designgym.errors import UserError, require
from designgym.eval.creativity.drawn import collect
from designgym.eval.creativity.files import write_drawings
from designgym.eval.creativity.findings import report, tables, titles_can_be_embedded, write_report
from designgym.eval.creativity.outcome import Outcome, rated
from designgym.eval.creativity.people import read_people
from designgym.eval.creativity.study import Study
from designgym.eval.creativity.table_scorers import INK
from designgym.eval.markers_cli import WIDE, find_traces
from designgym.eval.ratings.rating import QUESTIONS
from designgym.eval.ratings.read import read_ratings
from designgym.eval.report.terminal import terminal
from designgym.jsonl import CutOffWarning
from designgym.rewards.features.base import Features
from designgym.rewards.features.table import resolve_features
from designgym.rewards.head_files import head_folder
from designgym.rewards.kernel_head import KernelHead
from designgym.rewards.table import resolve
from designgym.score import Reward
from designgym.yaml12 import parse_yaml

SHOWN = 2
"""Tables on the terminal; the report has all."""
NONE = "none"
VIDRA, PARTITION = "vidra", "partition.json"
"""The scorer whose fit notes, in this file beside the head, which drawings it was fitted on."""


def run(
    paths: Sequence[Path],
    ratings: Path | None,
    corpus: Path | None,
    scorers: Sequence[str],
    features: str,
    agents: Sequence[str],
    baseline: str,
    drawings: Path | None,
    output: Path,
    seed: int,
) -> int:
    """Study the drawings of recorded runs: who draws how, what scorers are worth, and what people said.

    Args:
        paths: Traces, or folders that hold some.
        ratings: People's ratings of the drawings.
        corpus: The AuDrA corpus.
        scorers: Names, or YAML as in a configuration; the ink baseline is always among them.
        features: A name, YAML, or ``none``.
        agents: Only these; empty: all but policies that see nothing.
        baseline: The agent that others are compared with; empty: the best.
        drawings: Folder to write the drawings to, for rating.
        output: Folder of the report.
        seed: Of all intervals, and of the human reference.

    Returns:
        0.

    Raises:
        UserError: For whatever is wrong, before the traces are played where that can be known.
    """
    for package, extra in (("scipy", "eval"), ("jinja2", "eval"), ("statsmodels", "scorers")):
        require(package, extra=extra)
    made, described = _scorers(scorers), _features(features)
    traces = find_traces(paths)
    for folder in (output, drawings):
        if folder is not None:
            require_new(folder)
    given = None if ratings is None else read_ratings(ratings)
    console, errors = stdout(), Console(stderr=True, markup=False, highlight=False)
    with warnings.catch_warnings(record=True) as caught, errors.status("Playing the trials again") as status:
        warnings.simplefilter("always", CutOffWarning)
        found = collect(traces, made, described, agents, lambda n: status.update(f"{n:,} drawings played again"))
        if given is not None:
            found.notes += _seen(made, {each.agent for each in found.drawn})
        if baseline and baseline not in {each.agent for each in found.drawn}:
            names = ", ".join(dict.fromkeys(each.agent for each in found.drawn))
            raise UserError(f"The baseline '{baseline}' is none of the agents studied: {names}.")
        outcomes: list[Outcome] = []
        if given is not None:
            asked = (rated(given, question, found.drawn) for question in QUESTIONS)
            read = [outcome for outcome in asked if outcome is not None]
            outcomes = [outcome for outcome in read if any(value is not None for value in outcome.values)]
            found.notes += [note for outcome in read if outcome not in outcomes for note in outcome.notes]
            if not outcomes:
                why = " ".join(dict.fromkeys(found.notes))
                raise UserError(f"'{ratings}' says nothing about these drawings. {why}")
        status.update("Reading the human drawings" if corpus else "Comparing")
        people = None if corpus is None else read_people(corpus, made, described, seed, held_out=_held_out(scorers))
        study = Study(
            found,
            tuple(scorer.name for scorer in made),
            tuple(outcomes),
            people,
            baseline,
            titles_can_be_embedded(),
            seed,
        )
        all_tables = tables(study)
    facts = [("Features", "none" if described is None else described.backend.id)]
    if ratings is not None:
        facts.append(("Ratings", str(ratings)))
    if corpus is not None:
        facts.append(("Corpus", str(corpus)))
    whole = report(study, all_tables, facts)
    page = write_report(whole, output)
    config = {"traces": [str(t) for t in traces], "scorers": list(scorers), "features": features, "seed": seed}
    backends = [{"reward": scorer.name, **dataclasses.asdict(scorer.backend)} for scorer in made]
    manifest.write_manifest(
        manifest.collect(seeds={"study": seed}, config=config, rewards=backends), output / "manifest.json"
    )
    for table in all_tables[:SHOWN]:
        console.print(terminal(table, stacked=console.width < WIDE))
    for line in (*whole.notes, *(str(warning.message) for warning in caught)):
        console.print(Text(printable(line), style="dim"))
    if drawings is not None:
        write_drawings(found.drawn, drawings)
        console.print(f"{len(found.drawn)} drawings in {drawings}; designgym ratings export makes forms of them.")
    console.print(f"Report: {page}")
    return 0


def _scorers(specs: Sequence[str]) -> list[Reward]:
    wanted = list(specs) or ["figural"]
    made = [resolve(_written("scorer", spec)) for spec in wanted]
    if all(scorer.name != INK for scorer in made):
        made.append(resolve(INK))
    repeated = [name for name, n in Counter(scorer.name for scorer in made).items() if n > 1]
    if repeated:
        raise UserError(f"Two scorers are called {repeated[0]!r}; study them one after the other.")
    for scorer in made:
        if getattr(scorer, "of_groups", False):
            raise UserError(
                f"The scorer {scorer.name!r} compares the trials of a task, and a study scores drawings one by one; "
                "how unlike they are is in its table of homogeneity."
            )
    return made


def _seen(scorers: Sequence[Reward], agents: Collection[str]) -> list[str]:
    """A sentence for each scorer whose head was fitted on ratings of these agents' drawings, perhaps on these."""
    notes = []
    for scorer in scorers:
        head = getattr(scorer, "head", None)
        fitted_on = head.facts.get("models", []) if isinstance(head, KernelHead) else []
        known = sorted(name or "agents without a name" for name in fitted_on if not name or name in agents)
        if known:
            notes.append(
                f"The head of {scorer.name} was fitted on rated drawings of {', '.join(known)}: if these ratings are "
                "among those, its correlations with them are of drawings that it has seen. How it does on drawings "
                "that it has not seen stands in the report.md beside the head."
            )
    return notes


def _held_out(specs: Sequence[str]) -> list[str]:
    """The primary drawings that ViDrA's head was not fitted on, as its fit noted them; none where that is not known."""
    for spec in specs:
        written = _written("scorer", spec)
        own = written if isinstance(written, dict) else {"name": written}
        if own.get("name") != VIDRA:
            continue
        noted = Path(str(own.get("head", head_folder(VIDRA)))).expanduser() / PARTITION
        try:
            parts = json.loads(noted.read_text(encoding="utf-8")) if noted.is_file() else {"test": []}
            test = [] if parts.get("fitted_on") == "all" else parts["test"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UserError(f"'{noted}' cannot be read as the partition of a fit: {error}.") from error
        return [str(name) for name in test]
    return []


def _features(spec: str) -> Features | None:
    return None if spec == NONE else resolve_features(_written("features", spec))


def _written(option: str, spec: str) -> Any:
    """A name, or what a configuration would hold, such as ``{name: audra, checkpoint: FILE}``."""
    if not spec.lstrip().startswith("{"):
        return spec
    return parse_yaml(f"{option}: {spec}", name=f"--{option} {spec}").data[option]

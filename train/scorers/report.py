"""What a fit found, as tables and as JSON beside the head."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from designgym import manifest
from designgym.atomic import write_atomically
from designgym.eval.ratings.rating import Exclusion, counted
from designgym.eval.ratings.reliability import exclusion_table
from designgym.eval.report.data import Cell, Measure, Row, Table
from designgym.eval.report.text import markdown
from designgym.eval.statistics import spread
from designgym.train.scorers.adapted import Adapted, CrossValidation
from designgym.train.scorers.fitting import Accuracy
from designgym.train.scorers.vidra import Trial, Vidra

JSON, MARKDOWN = "report.json", "report.md"

_R = Measure("r", "Pearson r")
_RHO = Measure("rho", "Spearman rho")
_N = Measure("n", "Drawings")


def vidra_tables(found: Vidra) -> list[Table]:
    """Accuracy on the test drawings of the partitions, and on the corpus's other sets."""
    summary, trials = found.summary(), found.trials
    n = trials[0].head.r.n
    tables = [
        Table(
            f"Accuracy on held-out human drawings, {len(trials)} random 70/10/20 partitions",
            (_N, _R, _RHO),
            (
                Row("ViDrA", {"n": n, "r": summary["r"], "rho": summary["rho"]}),
                Row("ink baseline", {"n": n, "r": summary["ink_r"], "rho": summary["ink_rho"]}),
            ),
            row_label="Scorer",
            caption="Mean over the partitions' test drawings, standard deviation in brackets.",
        )
    ]
    if found.elsewhere:
        rows = [
            Row(scorer, {"n": measured.r.n, "r": measured.r, "rho": measured.rho}, group=name.replace("_", " "))
            for name, pair in found.elsewhere.items()
            for scorer, measured in zip(("ViDrA", "ink baseline"), pair, strict=True)
        ]
        tables.append(
            Table(
                "Accuracy of the saved head on the corpus's other sets",
                (_N, _R, _RHO),
                tuple(rows),
                row_label="Scorer",
                caption="95 % intervals in brackets; no drawing of these sets was fitted on.",
            )
        )
    return [*tables, _partitions(trials)]


def adapted_tables(found: Adapted, base: tuple[str, Accuracy] | None = None) -> list[Table]:
    """Accuracy under each scheme, then fold by fold.

    Args:
        found: The fit.
        base: Name and accuracy of a head that was not fitted on these drawings.
    """
    summary = found.summary()
    rows = [
        Row(
            f"random 70/10/20, {len(found.trials)} partitions",
            {"n": found.trials[0].head.r.n, "r": summary["r"], "rho": summary["rho"]},
        )
    ]
    for scheme in found.schemes:
        if scheme.pooled is not None:
            pooled, folds = scheme.pooled, scheme.folds
            cells: dict[str, Cell] = {
                "n": pooled.r.n,
                "r": pooled.r,
                "rho": pooled.rho,
                "ink": scheme.ink,
                "means": scheme.means,
            }
            rows.append(Row(f"leave one {scheme.by} out, pooled", cells))
            within: dict[str, Cell] = {
                "r": spread([f.head.r.mean for f in folds]),
                "rho": spread([f.head.rho.mean for f in folds]),
            }
            rows.append(Row(f"leave one {scheme.by} out, mean of {len(folds)} folds", within))
    rows.append(Row("ink baseline, all drawings", {"n": found.ink.r.n, "r": found.ink.r, "rho": found.ink.rho}))
    if base is not None:
        name, measured = base
        rows.append(Row(f"{name}, all drawings", {"n": measured.r.n, "r": measured.r, "rho": measured.rho}))
    measures = (
        _N,
        _R,
        _RHO,
        Measure("ink", "rho with ink", "of the held-out predictions with the share of inked pixels"),
        Measure("means", "rho of means", "of the groups' mean predictions with their mean ratings"),
    )
    missing = [f"leave one {scheme.by} out: {scheme.reason}" for scheme in found.schemes if scheme.reason]
    caption = "Pooled and all drawings: 95 % intervals in square brackets. Means: standard deviations in round ones."
    if missing:
        caption += f" Left out: {'; '.join(missing)}."
    overview = Table(
        "Accuracy on held-out drawings of agents", measures, tuple(rows), row_label="Test", caption=caption
    )
    each = [_folds(scheme) for scheme in found.schemes if scheme.folds]
    return [overview, *each, _partitions(found.trials)]


def write_report(
    folder: str | Path, title: str, tables: Iterable[Table], facts: Mapping[str, Any], excluded: Iterable[Exclusion]
) -> None:
    """Write ``report.json`` and ``report.md``.

    Args:
        folder: Where the head is.
        title: Of the page.
        tables: What was found.
        facts: Settings and what was fitted on, JSON data.
        excluded: What was left out.

    Raises:
        UserError: If they cannot be written.
    """
    tables, excluded = list(tables), tuple(excluded)
    if (lost := exclusion_table(excluded)) is not None:
        tables.append(lost)
    data = {
        "title": title,
        "facts": dict(facts),
        "excluded": counted(excluded),
        "tables": {table.title: [_plain(row) for row in table.rows] for table in tables},
        "manifest": manifest.collect().to_json(),
    }
    write_atomically(Path(folder) / JSON, json.dumps(data, indent=2, allow_nan=False) + "\n")
    lines = [f"# {title}", ""]
    lines += [f"- {name.replace('_', ' ')}: {_words(value)}" for name, value in facts.items()]
    for table in tables:
        lines += ["", f"## {table.title}", "", markdown(table).rstrip()]
    write_atomically(Path(folder) / MARKDOWN, "\n".join(lines) + "\n")


def _partitions(trials: Sequence[Trial]) -> Table:
    rows = [
        Row(str(t.seed), {"n": t.head.r.n, "r": t.head.r, "rho": t.head.rho, "gamma": f"{t.gamma:.3g}"}) for t in trials
    ]
    measures = (_N, _R, _RHO, Measure("gamma", "gamma"))
    return Table("Partition by partition", measures, tuple(rows), row_label="Seed", folded=True)


def _folds(scheme: CrossValidation) -> Table:
    rows = [
        Row(f.group or "(none)", {"n": f.n, "r": f.head.r, "rho": f.head.rho, "gamma": f"{f.gamma:.3g}"})
        for f in scheme.folds
    ]
    measures = (_N, _R, _RHO, Measure("gamma", "gamma"))
    return Table(f"Leave one {scheme.by} out", measures, tuple(rows), row_label=scheme.by.capitalize(), folded=True)


def _plain(row: Row) -> dict[str, Any]:
    cells = {
        key: dataclasses.asdict(cell) if dataclasses.is_dataclass(cell) and not isinstance(cell, type) else cell
        for key, cell in row.cells.items()
    }
    return {"name": row.name, "group": row.group, **cells}


def _words(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_words(item)}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_words(item) for item in value)
    return str(value)

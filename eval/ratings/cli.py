"""`designgym ratings`: how reliable ratings are, how many are needed, and collecting them."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from designgym.atomic import require_writable, write_atomically
from designgym.cli.console import stdout
from designgym.errors import UserError
from designgym.eval.ratings.allocation import CAP, TARGET, Bound, allocate, lower_bound, spearman_brown
from designgym.eval.ratings.answers import answers_to
from designgym.eval.ratings.collect import collect, write_ratings
from designgym.eval.ratings.composite import composite
from designgym.eval.ratings.drawings import UNREADABLE, find_drawings, read_picture
from designgym.eval.ratings.export import ANSWERS, FORMS, data_uri, write_study
from designgym.eval.ratings.rating import QUESTIONS, Exclusion
from designgym.eval.ratings.read import read_ratings
from designgym.eval.ratings.reliability import exclusion_table, reliability, reliability_table
from designgym.eval.ratings.study import BATCH, plan
from designgym.eval.report.data import Measure, Row, Table
from designgym.eval.report.terminal import terminal
from designgym.graphics.decode import DecodeError


def print_reliability(file: Path, output: Path | None = None) -> int:
    """Print the reliability of each question's ratings and what was left out.

    Args:
        file: Ratings.
        output: JSON file for the drawings' composites.

    Returns:
        0.

    Raises:
        UserError: For a file that cannot be read, or written.
    """
    if output is not None:
        _json_file(output)
    ratings = read_ratings(file)
    found = reliability(ratings.ratings)
    console = stdout()
    console.print(terminal(reliability_table(found)))
    _print_excluded(console, (*ratings.excluded, *(e for row in found for e in row.excluded)))
    if output is not None:
        values = {row.question: composite(ratings.ratings, row.question) for row in found}
        data = {name: {"values": dict(c.values), "raters": dict(c.raters)} for name, c in values.items()}
        write_atomically(output, json.dumps(data, indent=2, allow_nan=False) + "\n")
        console.print(f"Ratings averaged by drawing in {output}")
    return 0


def print_allocation(
    file: Path, target: float = TARGET, cap: int = CAP, seed: int = 0, drawings: int | None = None
) -> int:
    """Print how many raters each drawing of a study needs, from the ratings of a pilot.

    Args:
        file: Ratings of the pilot.
        target: Reliability of the average that is asked for.
        cap: Most ratings of a drawing.
        seed: Of the bootstrap.
        drawings: Number of drawings of the study, to print the number of ratings; None leaves it out.

    Returns:
        0; 1 if no question's reliability has a bound.

    Raises:
        UserError: For a file that cannot be read, or a target or cap that makes no sense.
    """
    if not 0 < target < 1:
        raise UserError(f"--target is {target}; it must lie between 0 and 1, both excluded.")
    ratings = read_ratings(file)
    asked = [name for name in QUESTIONS if any(row.answer(name) is not None for row in ratings.ratings)]
    answers = {question: answers_to(ratings.ratings, question) for question in asked}
    bounds = {question: lower_bound(given, seed) for question, (given, _) in answers.items()}
    known = {question: bound.low for question, bound in bounds.items() if bound.low is not None}
    console = stdout()
    excluded = (*ratings.excluded, *(e for _, found in answers.values() for e in found))
    if not known:
        console.print("No question's reliability has a lower bound:")
        for question, bound in bounds.items():
            console.print(f"  {question}: {bound.reason}")
        _print_excluded(console, excluded)
        return 1
    found = allocate(known, target, cap)
    demanded = {name: str(k) if k is not None else "no number reaches it" for name, k in found.demanded.items()}
    console.print(terminal(_allocation_table(bounds, demanded, found.collected, target)))
    for question, bound in bounds.items():
        if bound.low is None:
            console.print(f"{question} demands nothing, since it has no lower bound: {bound.reason}.")
    limit = f", which is the cap; {target:g} is not reached at the lower bound" if found.capped else ""
    console.print(f"Collect {found.collected} ratings of each drawing{limit}.")
    if drawings is not None:
        console.print(f"{drawings:,} drawings need {drawings * found.collected:,} ratings on each question.")
    _print_excluded(console, excluded)
    return 0


def export(drawings: Path, output: Path, raters: int, batch: int = BATCH, seed: int = 0) -> int:
    """Write a page for each rater of a study.

    Args:
        drawings: Folder of drawings.
        output: Folder to write.
        raters: Of each drawing.
        batch: Most drawings of a batch.
        seed: Draws batches, codes and orders.

    Returns:
        0.

    Raises:
        UserError: If there is nothing to rate, or the folder cannot be written.
    """
    found = find_drawings(drawings)
    require_writable(output.parent)
    sources: dict[str, str] = {}
    excluded = []
    for drawing in found:
        try:
            sources[drawing.image] = data_uri(read_picture(drawing.path))
        except DecodeError as error:
            excluded.append(Exclusion(UNREADABLE, f"{drawing.image}: {error}"))
    whole = [drawing for drawing in found if drawing.image in sources]
    if len(whole) < 2:
        raise UserError(f"'{drawings}' holds {len(whole)} drawing(s) that can be read; raters compare two or more.")
    study = plan(whole, raters, batch, seed)
    write_study(study, {code: sources[drawing.image] for code, drawing in study.drawings.items()}, output)
    sizes = sorted({len(seat.codes) for seat in study.seats})
    console = stdout()
    console.print(
        f"{len(whole)} drawings in {max(study.batches.values())} batches of {' or '.join(map(str, sizes))}, "
        f"{raters} raters each: {len(study.seats)} pages in {output / FORMS}"
    )
    console.print(f"Put what raters send back into {output / ANSWERS}, then: designgym ratings collect {output}")
    _print_excluded(console, excluded)
    return 0


def gather(study: Path, output: Path) -> int:
    """Read the answers of a study and write them as ratings.

    Args:
        study: Its folder.
        output: CSV file of ratings.

    Returns:
        0.

    Raises:
        UserError: If there are no answers, or the file cannot be written.
    """
    if output.suffix.lower() != ".csv":
        raise UserError(f"The file '{output}' must have a name that ends in .csv.")
    found = collect(study)
    write_ratings(found.ratings.ratings, output)
    console = stdout()
    console.print(f"{len(found.ratings.ratings)} ratings by {len(found.answered)} of {found.seats} raters in {output}")
    _print_excluded(console, found.ratings.excluded)
    return 0


def _allocation_table(bounds: dict[str, Bound], demanded: dict[str, str], collected: int, target: float) -> Table:
    measures = (
        Measure("drawings", "Drawings"),
        Measure("estimate", "ICC(1)"),
        Measure("low", "Lower bound", "one-sided 95 %, percentile bootstrap over drawings"),
        Measure("k", "Demanded", f"ratings until the average reaches {target:g} at the lower bound"),
        Measure("at_estimate", f"Average of {collected}", "its reliability at the estimate"),
        Measure("at_low", "At the bound"),
    )
    rows = []
    for question, bound in bounds.items():
        cells = {
            "drawings": bound.drawings,
            "estimate": bound.estimate,
            "low": bound.low,
            "k": demanded.get(question),
            "at_estimate": _average(bound.estimate, collected),
            "at_low": _average(bound.low, collected),
        }
        rows.append(Row(question, cells))
    return Table("Ratings that a study needs", measures, tuple(rows), row_label="Question")


def _average(rho: float | None, k: int) -> float | None:
    return None if rho is None or rho <= 0 else spearman_brown(rho, k)


def _print_excluded(console: Console, excluded: list[Exclusion] | tuple[Exclusion, ...]) -> None:
    if (table := exclusion_table(excluded)) is not None:
        console.print(terminal(table))


def _json_file(path: Path) -> None:
    if path.suffix.lower() != ".json":
        raise UserError(f"The file '{path}' must have a name that ends in .json.")
    require_writable(path.parent)

"""The tables that drawing adds to a report, on trials whose numbers are worked by hand."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from designgym.eval.canvas.ink import ink_scatter, ink_table, points
from designgym.eval.canvas.revision import revision_table
from designgym.eval.canvas.stimuli import kind_table, stimulus_table
from designgym.eval.canvas.tables import scatters, tables
from designgym.eval.canvas.tool_shares import label, tool_table
from designgym.eval.drawings import chosen_sheets, extremes
from designgym.eval.markers import FIELDS, Markers
from designgym.eval.report.data import Table
from designgym.eval.results import Result
from designgym.eval.summary import CONSTANTS, Policy
from designgym.eval.trials import Trial


def trial(name: str = "is01", undo: float | None = 0.0, erase: float | None = 0.0, **more: Any) -> Trial:
    markers = Markers(**dict.fromkeys(FIELDS, 0) | {"undo_calls": undo, "erase_calls": erase})
    return Trial(name, name, markers, "finished", **{"added_ink": 900, **more})


def result(task: str, reward: float, **more: Any) -> Result:
    return Result(task, reward, truth={"kind": task[:2], "open_ends": []}, **more)


def cells(table: Table, row: str) -> dict[str, Any]:
    (found,) = [each for each in table.rows if each.name == row]
    return {key: getattr(cell, "mean", cell) for key, cell in found.cells.items()}


def test_tools_are_shares_of_all_operations_of_a_policy() -> None:
    one = [trial(operations={"draw_lines": 6, "draw_dots": 1}), trial(operations={"draw_lines": 3})]
    two = [trial(operations={"draw_dots": 2, "draw_rounded_rectangles": 3})]
    table = tool_table({"one": one, "two": two, "none": [trial()]})
    assert cells(table, "Operations") == {"one": 10, "two": 5, "none": 0}
    assert cells(table, "Lines") == {"one": 0.9, "two": 0.0, "none": None}
    assert cells(table, "Dots") == {"one": 0.1, "two": 0.4, "none": None}
    # In the order of the sums of shares (.9, .6, .5), not of operations, where who draws much would decide.
    assert [row.name for row in table.rows] == ["Operations", "Lines", "Rounded rectangles", "Dots"]
    assert label("draw_pieslices") == "Pie slices"


def test_revision_is_told_by_trials_and_its_calls_by_those_that_revise() -> None:
    trials = [
        trial(undo=0.2, erase=0.1, revision_calls=3),  # 30 % together, which is enough
        trial(erase=0.29, revision_calls=7),
        trial(),
        trial(undo=None, erase=None, added_ink=None),  # no call at all, and never ended
    ]
    found = cells(revision_table({"somebody": trials}), "somebody")
    assert (found["undo_trials"], found["erase_trials"], found["revising_trials"]) == (0.25, 0.5, 0.25)
    assert found["calls"] == 5.0  # the median of 3 and 7
    assert cells(revision_table({"nobody": [trial()]}), "nobody")["calls"] is None


def test_null_drawings_are_below_300_px_and_failures_count_trials() -> None:
    trials = [
        trial(added_ink=0, failed_call_rate=0.1),
        trial(added_ink=299, malformed_rate=0.5),
        trial(added_ink=300, malformed_rate=0.01),
        trial(added_ink=None),
    ]
    found = cells(revision_table({"somebody": trials}), "somebody")
    assert (found["null"], found["no_ink"]) == (pytest.approx(2 / 3), pytest.approx(1 / 3))
    assert (found["failed_trials"], found["malformed_trials"]) == (0.25, 0.5)


def test_the_papers_shares_stand_beside() -> None:
    paper = cells(revision_table({"somebody": [trial()]}), "Fourteen models, 2,100 trials")
    assert (paper["undo_trials"], paper["revising_trials"], paper["calls"]) == (0.229, 0.037, 2.0)


def drew(name: str, *pairs: tuple[int | None, float | None]) -> Policy:
    """A policy with a drawing of this added ink and score on each shape."""
    results = [result(f"is{i:02d}", score or 0.0, scored=score is not None) for i, (_, score) in enumerate(pairs)]
    trials = {f"is{i:02d}": trial(f"is{i:02d}", added_ink=ink) for i, (ink, _) in enumerate(pairs)}
    return Policy(name, results, trials=trials, group="Agents")


def test_ink_may_go_with_the_score_over_all_drawings_and_against_it_within_each_policy() -> None:
    # Much ink and high scores against little and low, and within both the more ink the lower the score.
    much = drew("much", (900, 0.7), (1000, 0.6), (None, 0.9), (1100, 0.5))
    little = drew("little", (100, 0.3), (200, 0.2), (300, None), (300, 0.1))
    drawn = points([much, little])
    assert drawn["much"] == [(900, 0.7), (1000, 0.6), (1100, 0.5)]
    assert drawn["little"] == [(100, 0.3), (200, 0.2), (300, 0.1)]
    table = ink_table(drawn)
    # Ranks of ink 4 5 6 1 2 3 and of score 6 5 4 3 2 1: sum of squared differences 4 + 0 + 4 + 4 + 0 + 4 = 16,
    # rho = 1 - 6 * 16 / (6 * 35) = 0.542857
    assert cells(table, "All drawings") == {"rho": pytest.approx(0.542857, abs=1e-6), "n": 6}
    assert cells(table, "Within policies")["rho"] == pytest.approx(-1.0)
    assert cells(table, "much") == {"rho": pytest.approx(-1.0), "n": 3}
    assert cells(table, "AuDrA") == {"rho": 0.86, "n": 2100}
    # Of one policy alone, within is all.
    assert [row.name for row in ink_table(points([much])).rows][:2] == ["All drawings", "ViDrA-adapted"]


def test_the_plot_shows_each_drawing_and_leaves_out_who_has_none() -> None:
    plot = ink_scatter({"one": [(900, 0.7)], "none": []}, "figural")
    assert plot.groups == (("one", ((900.0, 0.7),)),) and plot.y_label == "figural"
    assert scatters([Policy("other", [Result("test-0")])], "iou") == ()


def test_scores_are_told_by_shape_and_by_type_of_shape() -> None:
    own = [result("ot01", 0.2), result("is01", 0.4), result("is02", 0.8), result("is01", 0.6, replicate=1)]
    one = Policy("one", own)
    two = Policy("two", [result("is01", 0.0), result("is02", 1.0), result("ot01", 0.0, scored=False)])
    by_shape = stimulus_table([one, two], "figural")
    assert [(row.group, row.name) for row in by_shape.rows] == [
        ("Incomplete shapes", "is01"),
        ("Incomplete shapes", "is02"),
        ("Object transformations", "ot01"),
    ]
    assert cells(by_shape, "is01") == {"one": 0.5, "two": 0.0}
    assert cells(by_shape, "ot01") == {"one": 0.2, "two": None}
    by_kind = kind_table([one, two], "figural")
    assert by_kind is not None and by_kind.title == "Figural by type of shape"
    assert cells(by_kind, "one") == {"is": pytest.approx(0.6), "ot": 0.2}
    assert kind_table([Policy("one", [result("is01", 0.4)])], "figural") is None


def test_constants_are_not_among_what_ink_and_tools_are_compared_over() -> None:
    constant = dataclasses.replace(drew("full-ink", (50_000, 0.0)), group=CONSTANTS)
    made = {table.title: table for table in tables([drew("one", (900, 0.7), (800, 0.2)), constant], "figural")}
    assert cells(made["Ink and score"], "All drawings")["n"] == 2
    assert [measure.key for measure in made["Tools"].measures] == ["one"]
    assert {"one", "full-ink"} <= {row.name for row in made["Revision and failures"].rows}
    assert made["Figural by shape"].folded


def test_best_and_worst_are_scored_trials_and_at_most_half_of_the_tasks_each() -> None:
    results = [result(f"is{i:02d}", score) for i, score in enumerate((0.5, 0.9, 0.1, 0.3))]
    results += [result("is08", 1.0, scored=False), result("is09", 0.0, failure="ValueError: x")]
    assert extremes(results) == (["is01", "is00"], ["is02", "is03"])
    assert extremes(results, 1) == (["is01"], ["is02"])
    assert extremes([result("is01", 0.5), result("is02", 0.5)]) == ([], [])
    assert extremes([]) == ([], []) == extremes([result("is01", 0.5)])


def test_a_task_is_among_the_best_once_and_among_the_worst_once() -> None:
    again = [result(task, score, replicate=n) for task in ("is01", "is02") for n, score in enumerate((0.2, 0.8))]
    assert extremes([*again, result("is03", 0.5), result("is04", 0.5)]) == (["is01~1", "is02~1"], ["is02", "is01"])


def test_without_best_and_worst_there_is_one_sheet() -> None:
    (only,) = chosen_sheets("one", {}, [], [], [])
    assert (only.name, only.drawings, only.caption) == ("one", (), "")

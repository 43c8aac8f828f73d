"""Designs out of distribution: played beside the others, scored apart, shown side by side."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.eval.aesthetics.shift import shift_tables
from designgym.eval.config import EvalConfig
from designgym.eval.evaluate import evaluate
from designgym.eval.results import Result, read_results
from designgym.eval.summary import Policy


def judged(number: int, indicator: str, right: bool, flaw: str) -> Result:
    truth = {"task": "judgment", "indicator": indicator, "design": f"d{number}", "verdict": "yes", "flaw": flaw}
    return Result(f"t{number}", float(right), answer={"verdict": "yes" if right else "no"}, truth=truth)


def test_both_scores_are_means_over_the_indicators_that_both_sets_ask_about() -> None:
    first, second, third = list(INDICATORS)[:3]
    usual = [judged(0, first, True, "blur"), judged(1, second, True, "blur"), judged(2, third, False, "blur")]
    other = [judged(3, first, True, "clutter"), judged(4, first, False, "clutter"), judged(5, second, False, "grid")]
    table, detail = shift_tables([Policy("p", usual, ood=other)])
    cells = table.rows[0].cells
    assert cells["in distribution"].mean == 1.0  # type: ignore[union-attr]
    assert cells["out of distribution"].mean == pytest.approx((0.5 + 0.0) / 2)  # type: ignore[union-attr]
    assert "2 questions in distribution and 3 out of distribution" in table.caption
    assert "Whitespace" in table.caption
    assert [row.name for row in detail.rows] == ["Clutter", "Grid"]


def test_without_such_designs_there_is_nothing_to_show() -> None:
    assert shift_tables([Policy("p", [judged(0, "color-appeal", True, "blur")])]) == []


def test_an_evaluation_plays_both_and_keeps_them_apart(tmp_path: Path) -> None:
    config = EvalConfig.model_validate(
        {
            "env": {"kwargs": {"designs": "blocks", "image_size": 64}},
            "ood": {"elements": [7, 8]},
            "agents": ["full-page", "always-none"],
            "limit": 10,
            "examples": 2,
        }
    )
    counts: list[tuple[str, int, int]] = []
    done = evaluate(config, tmp_path / "out", progress=lambda *at: counts.append(at))
    folder = tmp_path / "out" / "agents" / "full-page"
    usual, other = (read_results(path / "results.jsonl") for path in (folder, folder / "ood"))
    assert usual.keys() == other.keys() and len(usual) == 10
    assert [usual[task].truth for task in usual] != [other[task].truth for task in other]
    assert counts[:20] == [("full-page", n, 20) for n in range(1, 21)]
    titles = [table.title for table in done.tables]
    assert "Localization, all designs: score in distribution and out of distribution" in titles
    written = sorted((tmp_path / "out" / "tables").iterdir())
    assert len(written) == len(titles)
    rows = list(csv.reader(written[0].open()))
    assert rows[0][:2] == ["group", "policy"] and [row[1] for row in rows[1:]] == ["full-page", "always-none"]
    page = (tmp_path / "out" / "report.html").read_text()
    assert "elements [7, 8]" in page
    assert "<dt>Designs</dt><dd>blocks</dd>" in page and "strict: as in the paper" in page


def test_the_split_is_not_among_the_arguments() -> None:
    with pytest.raises(ValueError, match="split"):
        EvalConfig.model_validate({"ood": {"split": "train"}})

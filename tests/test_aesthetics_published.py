"""The paper's figures: all of them, in its order, and with what does not add up in them."""

from __future__ import annotations

import pytest

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.eval.aesthetics.published import published, published_for

ROUNDING = 2e-4
"""The mean of twelve figures of four decimals may miss a printed mean by this much."""

DO_NOT_AVERAGE = {
    (2, "judgment", "Qwen-VL-32B"),
    (2, "judgment", "Qwen-VL-72B"),
    (5, "localization-iou", "Qwen-VL-7B (Base)"),
    (6, "localization-iou", "Qwen-VL-7B (Base)"),
    (6, "localization-iou", "Qwen-VL-7B + AesEval-Train"),
    (6, "localization-iou", "Qwen-VL-7B - Positive Samples"),
    (6, "selection", "Qwen-VL-7B + AesEval-Train"),
}


def row(table: int, model: str, part: str = ""):
    (found,) = [r for r in published() if r.table == table and r.model == model and part in ("", r.part)]
    return found


def test_every_row_of_tables_2_to_6_is_there() -> None:
    assert [sum(r.table == table for r in published()) for table in range(2, 7)] == [13, 13, 8, 8, 12]
    assert all(tuple(r.indicators) == tuple(INDICATORS) for r in published())
    assert all(0 <= value <= 1 for r in published() for value in (r.overall, *r.indicators.values()))


def test_overall_scores_are_the_means_of_the_indicators_but_in_exactly_these_rows() -> None:
    off = {(r.table, r.part, r.model) for r in published() if abs(r.mean - r.overall) > ROUNDING}
    assert off == DO_NOT_AVERAGE


def test_figures_stand_in_the_columns_of_their_indicators() -> None:
    best = row(2, "GPT-5")
    assert (best.overall, best.indicators["layout-balance"], best.indicators["graphic-relevance"]) == (
        0.7252,
        0.8378,
        0.8551,
    )
    assert row(3, "GPT-4o").indicators["font-hierarchy"] == 0.9080
    assert row(4, "GPT-o3").indicators["color-harmony"] == 0.7554
    assert row(5, "GPT-4o").indicators["layout-alignment"] == 0.2552
    assert row(6, "Qwen-VL-7B + AesEval-Train", "localization-iou").indicators["color-psychology"] == 0.3901


def test_rows_that_repeat_others_do_so_as_the_headers_say() -> None:
    repeated = row(6, "Qwen-VL-7B - Positive Samples", "localization-iou")
    assert repeated.indicators == row(5, "GPT-5").indicators
    lower = row(5, "O3").indicators
    assert {k: v - 0.1 for k, v in row(3, "UNIAA-LLaVA").indicators.items()} == pytest.approx(lower)
    same = [row(4, "Gemini-2.5-Pro").indicators[k] == v for k, v in row(3, "GPT-o1").indicators.items()]
    assert sum(same) == 9


def test_the_untrained_model_stands_once_beside_ours() -> None:
    rows = published_for("selection")
    assert len(rows) == 13 + 3
    assert [r.model for r in rows].count("Qwen-VL-7B (Base)") == 1
    assert [r.model for r in rows if r.group == "trained"] == [
        "Qwen-VL-7B + AesEval-Train",
        "Qwen-VL-7B - Reasoning Path",
        "Qwen-VL-7B - Positive Samples",
    ]

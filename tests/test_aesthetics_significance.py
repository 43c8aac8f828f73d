"""Tests of paired answers, Holm's correction and means of means, against worked and published examples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from designgym.eval.significance import holm, mcnemar, paired_t
from designgym.eval.statistics import bootstrap
from designgym.eval.stratified import stratified

# Student (1908): hours of sleep gained by ten patients under two drugs, the example of the paired t-test.
SLEEP_FIRST = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0]
SLEEP_SECOND = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4]


def answers(both: int, only_first: int, only_second: int, neither: int) -> tuple[list[bool], list[bool]]:
    first = [True] * (both + only_first) + [False] * (only_second + neither)
    second = [True] * both + [False] * only_first + [True] * only_second + [False] * neither
    return first, second


def test_mcnemar_is_the_binomial_test_of_the_questions_on_which_the_two_differ() -> None:
    found = mcnemar(*answers(50, 9, 1, 7))
    # Twice the tail of B(10, 1/2) from 9 on: 2 (10 + 1) / 1024.
    assert found.p == pytest.approx(22 / 1024)
    assert (found.effect, found.statistic, found.n) == (9.0, 9.0, 67)


def test_mcnemar_gives_the_value_of_a_published_table() -> None:
    # The table [[101, 121], [59, 33]] of statsmodels' documentation, whose exact p is 4.434e-06.
    assert mcnemar(*answers(101, 121, 59, 33)).p == pytest.approx(4.434e-06, rel=1e-3)


def test_mcnemar_does_not_depend_on_questions_that_both_answer_alike() -> None:
    assert mcnemar(*answers(0, 6, 2, 0)).p == mcnemar(*answers(500, 6, 2, 300)).p


def test_mcnemar_without_a_difference_finds_none() -> None:
    found = mcnemar([True, False], [True, False])
    assert (found.p, found.effect) == (1.0, None)
    assert mcnemar([], []).p is None


def test_mcnemar_says_an_infinite_odds_ratio_where_only_the_first_is_ever_right_alone() -> None:
    assert mcnemar([True] * 3, [False] * 3).effect == math.inf


def test_paired_t_gives_students_own_result() -> None:
    found = paired_t(SLEEP_FIRST, SLEEP_SECOND)
    assert found.statistic == pytest.approx(-4.0621, abs=1e-4)
    assert found.p == pytest.approx(0.002833, abs=1e-6)
    assert found.effect == pytest.approx(-4.0621 / math.sqrt(10), abs=1e-4)


def test_paired_t_agrees_with_scipy_on_arbitrary_values() -> None:
    rng = np.random.default_rng(3)
    first, second = rng.random(40), rng.random(40)
    expected = stats.ttest_rel(first, second)
    found = paired_t(first, second)
    assert (found.statistic, found.p) == pytest.approx((expected.statistic, expected.pvalue))


def test_paired_t_makes_no_test_of_constant_differences() -> None:
    assert paired_t([1.0, 2.0], [0.5, 1.5]).p is None
    assert paired_t([1.0, 2.0], [1.0, 2.0]).p == 1.0
    assert paired_t([1.0], [0.0]).p is None


@pytest.mark.parametrize("test", [mcnemar, paired_t])
def test_pairs_of_unequal_length_are_refused(test) -> None:
    with pytest.raises(ValueError, match="2 and 1"):
        test([1, 0], [1])


def test_paired_t_refuses_missing_values() -> None:
    with pytest.raises(ValueError, match="finite"):
        paired_t([1.0, math.nan], [0.0, 1.0])


def test_holm_multiplies_by_the_number_of_hypotheses_that_are_left() -> None:
    # .005 x 4, .01 x 3, then .03 x 2 = .06, and .04 x 1 may not fall below it.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_stops_at_one_and_leaves_out_what_was_not_tested() -> None:
    assert holm([0.6, None, 0.7]) == [1.0, None, 1.0]
    assert holm([0.02, None]) == [0.02, None]
    assert holm([]) == []


def test_holm_refuses_what_is_no_p() -> None:
    with pytest.raises(ValueError, match=r"1\.5"):
        holm([0.5, 1.5])


def test_a_mean_of_means_weighs_strata_and_not_items() -> None:
    values = [1.0, 1.0, 1.0, 0.0]
    strata = ["a", "a", "a", "b"]
    both = {"both": {"a": 1.0, "b": 1.0}, "a": {"a": 1.0}, "mostly a": {"a": 3.0, "b": 1.0}}
    found = stratified(values, strata, range(4), both)
    assert found["both"].mean == 0.5
    assert found["mostly a"].mean == 0.75
    assert (found["a"].mean, found["a"].n, found["a"].degenerate) == (1.0, 3, True)


def test_strata_without_items_leave_the_weights_of_the_others_as_they_are() -> None:
    found = stratified([0.0, 1.0], ["a", "b"], [0, 1], {"x": {"a": 1.0, "b": 1.0, "c": 2.0}, "none": {"c": 1.0}})
    assert found["x"].mean == 0.5
    assert (found["none"].mean, found["none"].n) == (None, 0)


def test_one_stratum_has_the_interval_of_the_plain_clustered_bootstrap() -> None:
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(60), 5)
    values = rng.normal(rng.normal(size=60)[clusters], 1.0)
    plain = bootstrap(values, 1, clusters=clusters.tolist())
    found = stratified(values, ["a"] * 300, clusters.tolist(), {"a": {"a": 1.0}}, 1)["a"]
    assert found.mean == pytest.approx(plain.mean)
    assert (found.low, found.high) == pytest.approx((plain.low, plain.high), abs=0.05)


def test_clusters_widen_the_interval_of_items_that_are_alike_within_them() -> None:
    values = np.repeat(np.random.default_rng(0).random(30), 10)
    clusters = np.repeat(np.arange(30), 10).tolist()
    together = stratified(values, ["a"] * 300, clusters, {"a": {"a": 1.0}})["a"]
    apart = stratified(values, ["a"] * 300, range(300), {"a": {"a": 1.0}})["a"]
    width = [found.high - found.low for found in (together, apart)]
    # The standard error of 30 values against that of 300: sqrt(10) times as wide.
    assert width[0] / width[1] == pytest.approx(math.sqrt(10), rel=0.15)


def test_the_interval_of_a_mean_of_means_has_the_width_that_theory_gives() -> None:
    rng = np.random.default_rng(5)
    values, strata = rng.random(400), ["a"] * 300 + ["b"] * 100
    found = stratified(values, strata, range(400), {"x": {"a": 1.0, "b": 1.0}}, 2)["x"]
    variance = values[:300].var() / 300 + values[300:].var() / 100
    assert found.high - found.low == pytest.approx(2 * 1.96 * math.sqrt(variance) / 2, rel=0.1)


def test_one_cluster_has_no_interval() -> None:
    found = stratified([0.0, 1.0], ["a", "a"], ["d", "d"], {"a": {"a": 1.0}})["a"]
    assert (found.mean, found.low, found.method) == (0.5, None, "none (one cluster)")


def test_a_mean_of_means_refuses_what_it_cannot_average() -> None:
    with pytest.raises(ValueError, match="finite"):
        stratified([math.nan], ["a"], [0], {})
    with pytest.raises(ValueError, match="2 values, 1 strata"):
        stratified([0.0, 1.0], ["a"], [0, 1], {})

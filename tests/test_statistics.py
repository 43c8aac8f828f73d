"""Intervals, comparisons and correlations against values worked by hand, exact enumeration and plain numpy."""

from __future__ import annotations

import itertools
import json
import math
import time
import tracemalloc
import warnings
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from designgym.eval.statistics import (
    BCA_LIMIT,
    Correlation,
    bootstrap,
    mean_correlation,
    paired,
    proportion,
    spearman,
)


@pytest.mark.parametrize("value, count", [(1.0, 10), (0.0, 3), (0.1, 7)])
def test_interval_of_equal_values_is_the_value_and_flagged_degenerate(value: float, count: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval = bootstrap([value] * count)
    assert (interval.mean, interval.low, interval.high, interval.n) == (value, value, value, count)
    assert interval.degenerate and interval.method == "none (all values equal)"


def test_one_value_has_a_mean_but_no_interval_and_nothing_has_neither() -> None:
    one, none = bootstrap([0.25]), bootstrap([])
    assert (one.mean, one.low, one.high, one.n) == (0.25, None, None, 1)
    assert (none.mean, none.low, none.high, none.n) == (None, None, None, 0)


def test_nearly_equal_values_give_finite_limits_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval = bootstrap([0.5, 0.5, 0.5, 0.5000001])
    assert interval.low is not None and interval.high is not None
    assert 0.5 <= interval.low <= interval.high <= 0.5000001


@settings(max_examples=30, deadline=None)
@given(st.lists(st.one_of(st.none(), st.floats(-1e6, 1e6), st.just(math.nan)), max_size=12))
def test_an_interval_never_holds_nan_and_brackets_its_mean(values: list[float | None]) -> None:
    interval = bootstrap(values, resamples=200)
    json.dumps(asdict(interval), allow_nan=False)
    assert interval.n + interval.missing == len(values)
    if interval.low is not None and interval.high is not None and interval.mean is not None:
        assert interval.low <= interval.high
        present = [v for v in values if v is not None and not math.isnan(v)]
        assert min(present) <= interval.mean <= max(present)


def test_the_same_seed_gives_the_same_limits_and_another_seed_others() -> None:
    values = np.random.default_rng(0).random(50)
    assert bootstrap(values, 3) == bootstrap(values, 3)
    assert bootstrap(values, 3).low != bootstrap(values, 4).low


def test_interval_agrees_with_the_normal_interval_of_a_large_symmetric_sample() -> None:
    values = np.random.default_rng(1).normal(5.0, 2.0, 2000)
    half = 1.959964 * values.std(ddof=1) / math.sqrt(2000)
    interval = bootstrap(values)
    assert interval.method == "BCa bootstrap"
    assert interval.low == pytest.approx(values.mean() - half, abs=0.006)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.006)


def test_above_the_limit_the_percentile_interval_is_used_and_named() -> None:
    interval = bootstrap(np.random.default_rng(2).random(BCA_LIMIT + 1), resamples=200)
    assert interval.method == "percentile bootstrap"


def test_missing_values_are_dropped_and_counted_and_infinite_ones_refused() -> None:
    interval = bootstrap([1.0, None, 3.0, math.nan])
    assert (interval.mean, interval.n, interval.missing) == (2.0, 2, 2)
    with pytest.raises(ValueError, match="infinity"):
        bootstrap([1.0, math.inf])


def test_clusters_are_resampled_whole() -> None:
    # Ten copies of each of 20 values carry the information of 20: the interval must not shrink by the root of ten.
    base = np.random.default_rng(5).random(20)
    copies, keys = np.repeat(base, 10), np.repeat(np.arange(20), 10).tolist()
    alone, clustered, naive = bootstrap(base), bootstrap(copies, clusters=keys), bootstrap(copies)
    assert clustered.mean == pytest.approx(alone.mean)
    assert (clustered.low, clustered.high) == pytest.approx((alone.low, alone.high))
    assert naive.high - naive.low < 0.5 * (clustered.high - clustered.low)  # type: ignore[operator]
    assert clustered.method == "clustered BCa bootstrap" and clustered.n == 200


def test_clusters_of_unequal_size_keep_the_mean_over_all_values() -> None:
    assert bootstrap([0.0, 0.0, 0.0, 1.0], clusters=["a", "a", "a", "b"]).mean == 0.25
    one = bootstrap([1.0, 2.0, 3.0], clusters=["a", "a", "a"])
    assert (one.mean, one.low, one.high, one.method) == (2.0, None, None, "none (one cluster)")
    with pytest.raises(ValueError, match="2 cluster keys for 3 values"):
        bootstrap([1.0, 2.0, 3.0], clusters=["a", "b"])


@pytest.mark.parametrize(
    "successes, n, low, high",
    [(10, 10, 0.7225, 1.0), (0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634)],  # Wilson's formula by hand, z = 1.96
)
def test_wilson_interval_of_a_share(successes: int, n: int, low: float, high: float) -> None:
    interval = proportion(successes, n)
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=1e-4)
    assert interval.method == "Wilson" and not interval.degenerate


def test_share_of_nothing_is_empty_and_impossible_counts_are_refused() -> None:
    assert proportion(0, 0).mean is None
    with pytest.raises(ValueError, match="3 successes out of 2"):
        proportion(3, 2)


def test_paired_p_is_exact_for_few_pairs() -> None:
    first, second = [0.9, 0.4, 0.7, 0.6, 0.8], [0.1, 0.5, 0.2, 0.6, 0.3]
    d = np.subtract(first, second)
    flips = [abs((np.array(signs) * d).mean()) for signs in itertools.product((1, -1), repeat=5)]
    expected = np.mean([f >= abs(d.mean()) - 1e-12 for f in flips])
    result = paired(first, second)
    assert result.p == pytest.approx(expected) and result.p_method == "exact sign-flip permutation"
    assert (result.wins, result.losses, result.ties) == (3, 1, 1)
    assert result.difference.mean == pytest.approx(d.mean())


def test_paired_of_equal_policies_has_p_one_and_a_degenerate_difference() -> None:
    result = paired([0.5, 1.0, 0.0], [0.5, 1.0, 0.0])
    assert result.p == 1.0 and result.difference.degenerate and result.ties == 3
    assert paired([], []).p is None


def test_paired_p_of_a_large_sample_is_about_the_p_of_the_t_test() -> None:
    d = np.random.default_rng(7).normal(size=1000)
    d = (d - d.mean()) / d.std(ddof=1) + 1.5 / math.sqrt(1000)  # t = 1.5 exactly
    assert paired(d, np.zeros(1000), seed=1).p == pytest.approx(math.erfc(1.5 / math.sqrt(2)), abs=0.015)


@pytest.mark.parametrize("size", [14, 300, 6000])
def test_paired_p_by_drawn_flips_is_the_one_of_scipy_with_the_same_seed(size: int) -> None:
    rng = np.random.default_rng(size)
    whole, fine = rng.integers(-1, 2, size).astype(float), rng.normal(0.02, 1.0, size)
    for d in (whole, fine):
        test = permutation_test((d,), np.mean, permutation_type="samples", vectorized=True, n_resamples=999,
                                batch=50, rng=np.random.default_rng(3))  # fmt: skip
        assert paired(d, np.zeros(size), seed=3, resamples=999).p == pytest.approx(float(test.pvalue))


def test_pairs_with_a_missing_side_are_dropped_and_counted() -> None:
    result = paired([1.0, None, 0.5], [0.0, 1.0, math.nan])
    assert (result.difference.n, result.difference.missing, result.wins) == (1, 2, 1)
    assert result.p == 1.0  # one pair reaches its own size whichever way it flips
    with pytest.raises(ValueError, match="got 2 and 1"):
        paired([1.0, 2.0], [1.0])


def test_paired_with_clusters_flips_whole_clusters() -> None:
    # Two clusters flip in four ways, of which two reach the difference: p = 1/2, whatever the number of pairs.
    assert paired([1.0] * 40, [0.0] * 40, clusters=["a", "b"] * 20).p == pytest.approx(0.5)


@pytest.mark.parametrize(
    "x, y, rho, n",
    [
        ([1, 1, 1, 1, 2], [5, 4, 3, 2, 1], -0.7071, 5),
        ([7, 7, 8, 6, 7], [3, 4, 5, 1, 2], 0.8944, 5),
        ([3, 3, 3, 3], [1, 2, 3, 4], None, 4),
        ([1, 2, None, 4], [1, 2, 3, 4], 1.0, 3),
        ([1], [2], None, 1),
        ([], [], None, 0),
    ],
)
def test_rank_correlation_with_ties_constants_and_gaps(
    x: list[float], y: list[float], rho: float | None, n: int
) -> None:
    result = spearman(x, y)
    assert result.rho == (None if rho is None else pytest.approx(rho, abs=1e-4)) and result.n == n
    assert bool(result.reason) == (rho is None)


def test_undefined_correlations_are_counted_and_not_averaged_as_zero() -> None:
    summary = mean_correlation(
        [Correlation(0.8, 9), Correlation(None, 4, "the first variable is constant"), Correlation(0.4, 9)]
    )
    assert (summary.mean, summary.n, summary.undefined) == (pytest.approx(0.6), 2, 1)
    assert mean_correlation([]).mean is None


def test_thousand_rows_by_ten_thousand_resamples_take_under_a_second() -> None:
    values = np.random.default_rng(0).random(1000)
    bootstrap(values[:10])  # imports scipy
    start = time.process_time()
    bootstrap(values)
    assert time.process_time() - start < 1.0


def test_memory_is_small_and_does_not_grow_with_the_number_of_resamples() -> None:
    first, second = np.random.default_rng(0).random((2, 1000))

    def peak(resamples: int) -> int:
        tracemalloc.start()
        paired(first, second, resamples=resamples)
        reached = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return reached

    paired(first[:10], second[:10])  # imports scipy
    assert peak(4000) < 1.3 * peak(500) < 30e6

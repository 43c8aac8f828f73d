"""How many raters a drawing needs: PainterBench's Table 10, the bound, the cap."""

from __future__ import annotations

import math

import numpy as np
import pytest

from designgym.eval.ratings.allocation import CAP, allocate, lower_bound, raters_needed, spearman_brown
from designgym.eval.ratings.answers import from_table

TABLE_10 = [
    (0.05, 57, 25, 0.568, 0.754, 75_000),
    (0.10, 27, 25, 0.735, 0.857, 75_000),
    (0.15, 17, 17, 0.750, 0.866, 51_000),
    (0.20, 12, 12, 0.750, 0.866, 36_000),
    (0.2106, 12, 12, 0.762, 0.873, 36_000),
    (0.25, 9, 9, 0.750, 0.866, 27_000),
    (0.30, 7, 7, 0.750, 0.866, 21_000),
    (0.3273, 7, 7, 0.773, 0.879, 21_000),
]
"""rho_1, k demanded, k collected, reliability and attenuation at k collected, ratings of 3,000 drawings.

Two rows are the pilot's own, printed as .21 and .33. Their reliabilities, and the .85 and .76 of the text, fit only
numbers that these are the roundings of: .21 itself gives .761, and .33 gives .775.
"""


@pytest.mark.parametrize("row", TABLE_10)
def test_every_row_of_the_published_table(row: tuple[float, int, int, float, float, int]) -> None:
    rho, demanded, collected, reliability, attenuation, total = row
    assert raters_needed(rho) == demanded
    assert allocate({"creativity": rho}).collected == collected
    assert allocate({"creativity": rho}).capped is (demanded > CAP)
    assert round(spearman_brown(rho, collected), 3) == reliability
    assert round(math.sqrt(spearman_brown(rho, collected)), 3) == attenuation
    assert 3_000 * collected == total


def test_the_pilot_of_the_paper_collects_twelve() -> None:
    found = allocate({"creativity": 0.21, "recognisability": 0.29})
    assert found.demanded == {"creativity": 12, "recognisability": 8}
    assert found.collected == 12
    assert [round(spearman_brown(rho, 12), 2) for rho in (0.3273, 0.42, 0.2106, 0.29)] == [0.85, 0.90, 0.76, 0.83]


def test_rounding_never_asks_for_one_rater_too_many() -> None:
    for k in range(1, 200):  # rho at which exactly k raters reach .75
        rho = 3 / (3 + k)
        assert raters_needed(rho) == k
        assert raters_needed(rho * (1 - 1e-6)) == k + 1


def test_no_number_of_raters_mends_a_reliability_of_zero() -> None:
    assert raters_needed(0.0) is None
    assert raters_needed(-0.1) is None
    found = allocate({"creativity": -0.1, "recognisability": 0.5})
    assert (found.collected, found.capped, found.demanded["creativity"]) == (25, True, None)


def test_a_perfect_rater_suffices() -> None:
    assert raters_needed(1.0) == 1


@pytest.mark.parametrize("rho", [1.1, math.nan])
def test_impossible_reliabilities_are_refused(rho: float) -> None:
    with pytest.raises(ValueError, match="at most 1"):
        raters_needed(rho)


def pilot(seed: int, drawings: int = 30, raters: int = 8) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(drawings, 1)) + 1.2 * rng.normal(size=(drawings, raters))


def test_the_bound_is_seeded_and_below_the_estimate() -> None:
    answers = from_table(pilot(1))
    first, again, other = lower_bound(answers), lower_bound(answers), lower_bound(answers, seed=1)
    assert first == again
    assert first.low != other.low
    assert first.low is not None and first.estimate is not None and first.low < first.estimate
    assert first.resamples == 10_000 and first.drawings == 30


def test_the_bound_is_a_quantile_of_samples_drawn_one_by_one() -> None:
    table = pilot(2)
    rng = np.random.default_rng(9)
    values = []
    for _ in range(2_000):
        drawn = table[rng.integers(0, 30, 30)]
        within = np.mean(drawn.var(axis=1, ddof=1))
        between = 8 * drawn.mean(axis=1).var(ddof=1)
        values.append((between - within) / (between + 7 * within))
    assert lower_bound(from_table(table)).low == pytest.approx(np.quantile(values, 0.05), abs=0.02)


def test_the_bound_covers_about_as_often_as_it_says() -> None:
    below = [lower_bound(from_table(pilot(seed)), resamples=400).low <= 1 / 2.44 for seed in range(200)]  # type: ignore[operator]
    assert 0.85 <= np.mean(below) <= 0.99


def test_one_rater_has_no_bound_and_it_says_why() -> None:
    found = lower_bound(from_table([[1.0], [2.0]]))
    assert (found.estimate, found.low, found.reason) == (None, None, "one rater only")

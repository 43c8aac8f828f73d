"""Reliability of ratings: published worked examples, tables with gaps, batches, and properties that must hold."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from designgym.envs.aesthetics.sources.agreement import krippendorff_alpha as nominal_alpha
from designgym.eval.ratings import icc
from designgym.eval.ratings.allocation import spearman_brown
from designgym.eval.ratings.alpha import krippendorff_alpha
from designgym.eval.ratings.answers import Answers, from_table
from designgym.eval.ratings.intervals import alpha_interval, composite_interval, one_way_interval

NAN = float("nan")

SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
"""Shrout and Fleiss (1979), Table 2: six targets, four judges."""

KRIPPENDORFF = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
"""Krippendorff (2011), section C: twelve units, four observers, missing data."""


def random_table(drawings: int, raters: int, seed: int, *, severity: float = 0.5) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    table = (
        rng.normal(size=(drawings, 1)) + severity * rng.normal(size=(1, raters)) + rng.normal(size=(drawings, raters))
    )
    return table.astype(np.float64)


def mean_squares(table: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Between drawings, within drawings, between raters and residual, from the definitions, for a complete table."""
    n, k = table.shape
    grand, rows, columns = table.mean(), table.mean(axis=1), table.mean(axis=0)
    between = k * np.sum((rows - grand) ** 2) / (n - 1)
    within = np.sum((table - rows[:, None]) ** 2) / (n * (k - 1))
    judges = n * np.sum((columns - grand) ** 2) / (k - 1)
    residual = np.sum((table - rows[:, None] - columns[None, :] + grand) ** 2) / ((n - 1) * (k - 1))
    return float(between), float(within), float(judges), float(residual)


# --- published examples


@pytest.mark.parametrize(
    ("coefficient", "published"),
    [(icc.icc_1, 0.17), (icc.icc_a1, 0.29), (icc.icc_c1, 0.71), (icc.icc_ak, 0.62), (icc.icc_ck, 0.91)],
)
def test_intraclass_correlations_of_shrout_and_fleiss(coefficient: object, published: float) -> None:
    assert round(coefficient(from_table(SHROUT_FLEISS)).value, 2) == published  # type: ignore[operator]


def test_one_way_correlation_of_the_average_of_shrout_and_fleiss() -> None:
    assert round(spearman_brown(icc.icc_1(from_table(SHROUT_FLEISS)).value, 4), 2) == 0.44  # type: ignore[arg-type]


@pytest.mark.parametrize(("level", "published"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_alphas_of_krippendorffs_example_with_missing_data(level: str, published: float) -> None:
    assert round(krippendorff_alpha(from_table(KRIPPENDORFF), level).value, 3) == published  # type: ignore[arg-type]


def test_intervals_of_shrout_and_fleisss_example() -> None:
    # As printed by the R package psych for this table: ICC1 -.13 to .72, ICC3k .68 to .99.
    answers = from_table(SHROUT_FLEISS)
    one, average = one_way_interval(answers), composite_interval(answers)
    assert [round(limit, 2) for limit in (one.low, one.high)] == [-0.13, 0.72]  # type: ignore[arg-type]
    assert [round(limit, 2) for limit in (average.low, average.high)] == [0.68, 0.99]  # type: ignore[arg-type]


def test_intervals_cover_what_was_planted_about_as_often_as_they_say() -> None:
    covered: dict[str, list[bool]] = {"one": [], "average": []}
    for seed in range(120):
        answers = from_table(random_table(20, 5, seed))
        for name, interval, true in (
            ("one", one_way_interval(answers), 1 / 2.25),
            ("average", composite_interval(answers), 5 / 6),
        ):
            assert interval.low is not None and interval.high is not None
            covered[name].append(interval.low <= true <= interval.high)
    assert 0.9 <= np.mean(covered["average"]) <= 1
    assert 0.85 <= np.mean(covered["one"]) <= 1  # a batch's raters are severe together, which F does not know


def test_the_interval_of_alpha_is_that_of_drawings_drawn_one_by_one() -> None:
    table = np.round(np.clip(random_table(25, 4, seed=3) + 3, 1, 5))
    rng = np.random.default_rng(8)
    drawn = [krippendorff_alpha(from_table(table[rng.integers(0, 25, 25)])).value for _ in range(600)]
    found = alpha_interval(from_table(table))
    np.testing.assert_allclose([found.low, found.high], np.quantile(drawn, [0.025, 0.975]), atol=0.04)  # type: ignore[arg-type]


# --- batches and gaps


def test_complete_tables_give_the_formulas_of_mean_squares() -> None:
    table = random_table(11, 5, seed=3)
    n, k = table.shape
    between, within, judges, residual = mean_squares(table)
    answers = from_table(table)
    assert icc.icc_1(answers).value == pytest.approx((between - within) / (between + (k - 1) * within))
    assert icc.icc_ck(answers).value == pytest.approx((between - residual) / between)
    assert icc.icc_a1(answers).value == pytest.approx(
        (between - residual) / (between + (k - 1) * residual + k * (judges - residual) / n)
    )


def test_batches_of_their_own_raters_pool_their_mean_squares() -> None:
    first, second = random_table(30, 12, seed=1), random_table(20, 12, seed=2) + 3.0
    whole = np.full((50, 24), NAN)
    whole[:30, :12], whole[30:, 12:] = first, second
    parts = [(*mean_squares(table), table.shape[0] - 1) for table in (first, second)]
    between = sum(part[0] * part[4] for part in parts) / 48
    residual = sum(part[3] * part[4] * 11 for part in parts) / (48 * 11)
    found = icc.icc_ck(from_table(whole))
    assert found.value == pytest.approx((between - residual) / between)  # the shift of 3 between batches counts nothing
    assert icc.variances(from_table(whole)).batches == 2


def test_a_table_with_gaps_equals_least_squares_with_dummies() -> None:
    table = random_table(9, 4, seed=7)
    table[0, 1] = table[3, 3] = table[8, 0] = NAN
    answers = from_table(table)
    n, drawings, raters = len(answers.value), 9, 4
    one = np.eye(drawings)[answers.drawing]
    two = np.eye(raters)[answers.rater]

    def left(*blocks: NDArray[np.float64]) -> float:
        design = np.hstack(blocks)
        fitted = design @ np.linalg.lstsq(design, answers.value, rcond=None)[0]
        return float(np.sum((answers.value - fitted) ** 2))

    residual = left(one, two) / (n - drawings - raters + 1)
    drawing = (left(two) - left(one, two) - (drawings - 1) * residual) / (n - raters)
    found = icc.variances(answers)
    assert (found.residual, found.drawing) == pytest.approx((residual, drawing))


def test_planted_variances_are_recovered_from_many_batches() -> None:
    rng = np.random.default_rng(0)
    rows = []
    for batch in range(60):
        table = rng.normal(size=(30, 1)) + 0.8 * rng.normal(size=(1, 6)) + 1.2 * rng.normal(size=(30, 6))
        rows.append((batch, table))
    whole = np.full((1800, 360), NAN)
    for batch, table in rows:
        whole[30 * batch : 30 * batch + 30, 6 * batch : 6 * batch + 6] = table
    answers = from_table(whole)
    found = icc.variances(answers)
    assert (found.drawing, found.rater, found.residual) == pytest.approx((1.0, 0.64, 1.44), abs=0.12)
    assert icc.icc_1(answers).value == pytest.approx(1 / 3.08, abs=0.05)


def test_the_one_way_coefficient_takes_unequal_numbers_of_ratings() -> None:
    # By hand: drawings {1, 3}, {5}, {8, 8, 8}; mean 5.5; k0 = (6 - 14/6) / 2 = 11/6.
    answers = from_table([[1, 3, NAN], [5, NAN, NAN], [8, 8, 8]])
    between = (2 * 3.5**2 + 0.5**2 + 3 * 2.5**2) / 2
    within = 2 / 3
    assert icc.icc_1(answers).value == pytest.approx((between - within) / (between + (11 / 6 - 1) * within))


# --- what is undefined says why


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        ([[1], [2], [3]], "one rater only"),
        ([[1, NAN], [NAN, 2]], "no drawing was rated twice"),
        ([[3, 3], [3, 3]], "all ratings are equal"),
        ([[1, 2]], "one drawing only"),
        ([], "no ratings"),
    ],
)
def test_undefined_reliabilities_say_why(table: list[list[float]], reason: str) -> None:
    answers = from_table(np.array(table, dtype=np.float64))
    for coefficient in (icc.icc_1, icc.icc_ck):
        found = coefficient(answers)
        assert found.value is None
        assert found.reason == reason
    if reason != "one drawing only":  # where alpha is defined
        assert krippendorff_alpha(answers).reason == reason


def test_a_ring_of_raters_without_two_common_drawings_has_no_two_way_coefficient() -> None:
    answers = from_table([[1, 2, NAN], [NAN, 3, 4]])
    assert icc.icc_ck(answers).reason == "no two raters rated the same two drawings"
    assert icc.icc_1(answers).value is not None


# --- properties

tables = st.integers(0, 2**32 - 1).flatmap(
    lambda seed: st.tuples(st.just(seed), st.integers(3, 12), st.integers(2, 6), st.floats(0, 0.4))
)


def gappy(parameters: tuple[int, int, int, float]) -> Answers:
    """Answers of 1 to 5 with gaps; two drawings and two raters are complete."""
    seed, drawings, raters, gaps = parameters
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 6, (drawings, raters)).astype(float)
    holes = rng.random((drawings, raters)) < gaps
    holes[:2], holes[:, :2] = False, False
    table[holes] = NAN
    table[0, :2], table[1, :2] = (1, 2), (5, 4)
    return from_table(table)


@settings(max_examples=60)
@given(tables)
def test_perfect_agreement_is_one_and_nothing_is_more(parameters: tuple[int, int, int, float]) -> None:
    answers = gappy(parameters)
    same = Answers(answers.drawing, answers.rater, 1.0 + answers.drawing % 5, answers.drawings, answers.raters)
    for coefficient in (icc.icc_1, icc.icc_a1, icc.icc_c1, icc.icc_ck, krippendorff_alpha):
        assert coefficient(same).value == pytest.approx(1.0)
        found = coefficient(answers).value
        assert found is not None and found <= 1 + 1e-9


@settings(max_examples=60)
@given(tables, st.floats(0.1, 50), st.floats(-100, 100))
def test_units_and_origin_of_the_scale_do_not_matter(
    parameters: tuple[int, int, int, float], factor: float, shift: float
) -> None:
    answers = gappy(parameters)
    other = Answers(answers.drawing, answers.rater, factor * answers.value + shift, answers.drawings, answers.raters)
    for coefficient in (icc.icc_1, icc.icc_a1, icc.icc_ck, krippendorff_alpha):
        assert coefficient(other).value == pytest.approx(coefficient(answers).value, abs=1e-8)


@settings(max_examples=60)
@given(tables, st.integers(0, 5))
def test_severity_moves_agreement_but_not_consistency(parameters: tuple[int, int, int, float], who: int) -> None:
    answers = gappy(parameters)
    severe = answers.value + 40.0 * (answers.rater == who % len(answers.raters))
    other = Answers(answers.drawing, answers.rater, severe, answers.drawings, answers.raters)
    assert icc.icc_c1(other).value == pytest.approx(icc.icc_c1(answers).value, abs=1e-6)
    assert abs(icc.icc_a1(other).value) < 0.05  # type: ignore[arg-type]  # severity is nearly all of the variance now


@settings(max_examples=60)
@given(tables)
def test_the_nominal_alpha_equals_the_one_for_votes(parameters: tuple[int, int, int, float]) -> None:
    answers = gappy(parameters)
    units = [answers.value[answers.drawing == d].tolist() for d in range(len(answers.drawings))]
    assert krippendorff_alpha(answers, "nominal").value == pytest.approx(nominal_alpha(units))


@settings(max_examples=40)
@given(tables)
def test_the_ordinal_alpha_only_looks_at_the_order(parameters: tuple[int, int, int, float]) -> None:
    answers = gappy(parameters)
    stretched = Answers(answers.drawing, answers.rater, np.exp(answers.value), answers.drawings, answers.raters)
    assert krippendorff_alpha(stretched).value == pytest.approx(krippendorff_alpha(answers).value)

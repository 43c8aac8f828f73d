"""Heads on synthetic ratings: what must be found is known, because the test planted it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from designgym.errors import UserError
from designgym.eval.ratings.composite import composite
from designgym.eval.ratings.corpus import FAR, PRIMARY
from designgym.eval.ratings.rating import Rating
from designgym.eval.ratings.splits import held_back, leave_one_out, partition
from designgym.score import Backend
from designgym.train.scorers.adapted import cross_validate, fit_adapted, fits
from designgym.train.scorers.fitting import Data, Settings, candidates, choose_gamma
from designgym.train.scorers.vidra import fit_vidra

BACKEND = Backend("synthetic", "1")
CHOSEN = Settings(gamma=None)


def known_function(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """A smooth function of some of the features, neither linear nor additive."""
    value: NDArray[np.float64] = x[:, 0] + 0.6 * x[:, 1] + 0.4 * x[:, 0] * x[:, 2] + 0.5 * np.sin(1.5 * x[:, 3])
    return value


def data(x: NDArray[np.float64], y: NDArray[np.float64], ink: NDArray[np.float64] | None = None) -> Data:
    return Data(x.astype(np.float32), y, np.abs(x[:, 0]) if ink is None else ink, BACKEND)


def rated_by_people(truth: NDArray[np.float64], raters: int, noise: float, seed: int) -> NDArray[np.float64]:
    """Ratings of 1 to 5 by raters who each see 30 drawings, are severe or mild and make errors; then the composite."""
    rng = np.random.default_rng(seed)
    z = (truth - truth.mean()) / truth.std()
    rows = []
    for batch in range(len(z) // 30):
        for rater in range(raters):
            severity, spread = rng.normal(0, 0.4), rng.uniform(0.7, 1.2)
            for d in range(30 * batch, 30 * batch + 30):
                felt = 3 + severity + spread * (z[d] + noise * rng.normal())
                rows.append(Rating(str(d), f"{batch}/{rater}", creativity=float(np.clip(round(felt), 1, 5))))
    values = composite(rows, "creativity").values
    return np.array([values[str(d)] for d in range(len(z))])


def r(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    return float(np.corrcoef(a, b)[0, 1])


# --- partitions


def test_partitions_hold_every_drawing_once_in_the_papers_shares() -> None:
    parts = partition(11_075, seed=3)
    assert [len(part) for part in (parts.train, parts.validation, parts.test)] == [7752, 1108, 2215]
    np.testing.assert_array_equal(np.sort(np.concatenate([parts.train, parts.validation, parts.test])), range(11_075))


def test_partitions_differ_by_seed_and_by_nothing_else() -> None:
    np.testing.assert_array_equal(partition(50, 1).test, partition(50, 1).test)
    assert not np.array_equal(partition(50, 1).test, partition(50, 2).test)


def test_a_fold_tests_on_exactly_the_group_that_it_leaves_out() -> None:
    folds = leave_one_out(["b", "a", "b", "c"])
    assert [(f.left_out, f.train.tolist(), f.test.tolist()) for f in folds] == [
        ("a", [0, 2, 3], [1]),
        ("b", [1, 3], [0, 2]),
        ("c", [0, 1, 2], [3]),
    ]
    assert leave_one_out(["a", "a"]) == ()


def test_what_is_held_back_is_an_eighth_of_the_training_drawings() -> None:
    train, validation = held_back(np.arange(100, 180), seed=0)
    assert len(validation) == 10
    np.testing.assert_array_equal(np.sort(np.concatenate([train, validation])), np.arange(100, 180))


# --- what was planted is found


def test_the_head_reaches_the_noise_ceiling_of_peoples_ratings() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1200, 4))
    truth = known_function(x)
    y = rated_by_people(truth, raters=12, noise=1.3, seed=1)
    found = fit_vidra({PRIMARY: data(x, y)}, tuple(map(str, range(1200))), CHOSEN, partitions=2)
    for trial in found.trials:
        test = partition(1200, trial.seed).test
        ceiling = r(truth[test], y[test])  # what the function itself, which nobody can beat but by luck, reaches
        assert 0.85 < ceiling < 0.97
        assert trial.head.r.mean is not None
        assert trial.head.r.mean > ceiling - 0.02


def test_ratings_by_ink_alone_are_explained_by_the_ink_baseline() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(300, 4))
    ink = rng.random(300)
    found = fit_vidra({PRIMARY: data(x, ink, ink)}, tuple(map(str, range(300))), CHOSEN, partitions=2)
    assert found.trials[0].ink.r.mean == pytest.approx(1.0)
    assert abs(found.trials[0].head.r.mean) < 0.3  # type: ignore[arg-type]  # features that do not know ink


@pytest.mark.parametrize("by", ["model", "stimulus"])
def test_leaving_groups_out_shows_the_drop_that_a_planted_group_effect_causes(by: str) -> None:
    rng = np.random.default_rng(2)
    n, groups = 480, 6
    group = np.arange(n) % groups
    own = rng.normal(size=(n, 4))
    quality = own[:, 0] + 0.5 * own[:, 1]
    effect = np.array([-2.0, -1.2, -0.4, 0.4, 1.2, 2.0])
    # The features tell who drew, so a head that has seen a group knows its effect, and one that has not cannot.
    x = np.hstack([own, 3.0 * np.eye(groups)[group]])
    y = quality + effect[group] + 0.1 * rng.normal(size=n)
    y = (y - y.min()) / (y.max() - y.min())
    names = [f"g{g}" for g in group]
    other = ["all"] * n
    models, stimuli = (names, other) if by == "model" else (other, names)
    found = fit_adapted(data(x, y), models, stimuli, CHOSEN, partitions=2)
    scheme = next(s for s in found.schemes if s.by == by)
    assert scheme.pooled is not None and scheme.pooled.r.mean is not None
    seen = found.summary()["r"].mean
    assert seen is not None and seen > 0.97
    # Of a group that it has not seen, the best that a head can take for its effect is the mean of the others'.
    others = (effect.sum() - effect[group]) / (groups - 1)
    assert scheme.pooled.r.mean == pytest.approx(r(quality + others, y), abs=0.03)
    assert seen - scheme.pooled.r.mean > 0.3
    for fold in scheme.folds:  # within a group the effect is a constant and costs nothing
        assert fold.head.r.mean is not None and fold.head.r.mean > 0.95


def test_leaving_groups_out_costs_nothing_where_groups_do_not_matter() -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=(400, 5))
    y = known_function(x) + 0.3 * rng.normal(size=400)
    y = (y - y.min()) / (y.max() - y.min())
    models, stimuli = [f"m{i % 5}" for i in range(400)], [f"s{i % 7}" for i in range(400)]
    found = fit_adapted(data(x, y), models, stimuli, CHOSEN, partitions=3)
    assert len(found.trials) + sum(len(s.folds) for s in found.schemes) == fits(models, stimuli, 3) == 15
    for scheme in found.schemes:
        assert scheme.pooled is not None
        assert scheme.pooled.r.n == 400
        assert scheme.pooled.r.mean == pytest.approx(found.summary()["r"].mean, abs=0.03)


def test_one_model_only_leaves_no_fold_and_says_so() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(40, 3))
    found = cross_validate(data(x, rng.random(40)), ["a"] * 40, "model", Settings())
    assert found.folds == ()
    assert found.pooled is None
    assert found.reason == "the drawings are of one model only"


# --- the kernel's width


def test_a_width_is_chosen_that_suits_the_features() -> None:
    rng = np.random.default_rng(5)
    x = 0.05 * rng.normal(size=(400, 2))  # short vectors: the paper's width sees nearly a constant
    y = np.cos(40 * x[:, 0]) * np.cos(40 * x[:, 1])
    rated = data(x, y)
    parts = partition(400, 0)
    gamma = choose_gamma(rated, parts.train, parts.validation, alpha=0.1)
    assert gamma > 1
    kept = fit_vidra({PRIMARY: rated}, tuple(map(str, range(400))), Settings(gamma=1e-5), partitions=1)
    chosen = fit_vidra({PRIMARY: rated}, tuple(map(str, range(400))), CHOSEN, partitions=1)
    assert chosen.trials[0].head.r.mean > 0.95 > 0.5 > kept.trials[0].head.r.mean  # type: ignore[operator]


def test_candidates_are_the_papers_width_and_shares_of_the_spread() -> None:
    x = np.array([[0.0], [2.0], [4.0]], dtype=np.float32)  # squared distances 4, 4, 16: median 4
    assert candidates(x) == pytest.approx((1e-5, 0.00075, 0.0025, 0.0075, 0.025, 0.075, 0.25, 0.75))
    assert candidates(np.ones((4, 2), dtype=np.float32)) == (1e-5,)


# --- which head is saved


def test_the_head_has_not_seen_its_test_drawings_unless_asked_to() -> None:
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(100, 3)), rng.random(100)
    names = tuple(f"d{i}" for i in range(100))
    sets = {PRIMARY: data(x, y), FAR: data(rng.normal(size=(30, 3)), rng.random(30))}
    found = fit_vidra(sets, names, Settings(gamma=0.1), seed=5, partitions=2)
    assert len(found.head.support) == 70
    seen = {tuple(row) for row in found.head.support.tolist()}
    unseen = [names.index(name) for part in ("validation", "test") for name in found.parts[part]]
    assert not seen & {tuple(row) for row in x[unseen].astype(np.float32).tolist()}
    assert sorted(name for part in found.parts.values() for name in part) == sorted(names)
    assert found.elsewhere[FAR][0].r.n == 30
    everything = fit_vidra(sets, names, Settings(gamma=0.1), seed=5, partitions=2, fitted_on="all")
    assert len(everything.head.support) == 100
    assert everything.trials == found.trials


def test_the_same_seed_gives_the_same_head() -> None:
    rng = np.random.default_rng(7)
    rated = data(rng.normal(size=(60, 3)), rng.random(60))
    names = tuple(map(str, range(60)))
    first, again, other = (fit_vidra({PRIMARY: rated}, names, CHOSEN, seed=s, partitions=1).head for s in (1, 1, 2))
    assert first.hash == again.hash != other.hash


def test_too_few_drawings_are_refused() -> None:
    rated = data(np.random.default_rng(8).normal(size=(19, 3)), np.linspace(0, 1, 19))
    with pytest.raises(UserError, match="19 drawings that can be used; 20 are the least"):
        fit_vidra({PRIMARY: rated}, tuple(map(str, range(19))), CHOSEN)
    with pytest.raises(UserError, match="19 rated drawings that can be used"):
        fit_adapted(rated, ["a"] * 19, ["s"] * 19, CHOSEN)

"""What the rewards of the aesthetics tasks pay, to right answers, to wrong ones, and to policies that do not look."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from designgym.boxes import giou, iou
from designgym.episode import Call, Episode
from designgym.errors import UserError
from designgym.rewards import resolve
from designgym.rewards.accuracy import Accuracy
from designgym.rewards.localization import Hurdle, LocalizationIoU
from designgym.rewards.shaped import Shaped

TRUTH = [0.2, 0.2, 0.4, 0.6]
OTHER = [0.6, 0.6, 0.9, 0.8]
FULL_PAGE = [0.0, 0.0, 1.0, 1.0]
MALFORMED = [
    [0.4, 0.2, 0.2, 0.6],  # reversed
    [0.2, 0.6, 0.4, 0.2],
    [0.2, 0.2, 0.2, 0.6],  # no area
    [0.2, 0.2, 0.2, 0.2],
    [0.2, 0.2, 0.4, math.nan],
    [math.nan] * 4,
    [0.2, 0.2, math.inf, 0.6],
    [-math.inf, -math.inf, math.inf, math.inf],
    [0.2, 0.2, 0.4],
    "0.2,0.2,0.4,0.6",
    [True, False, True, True],
    {"x1": 0.2},
]


def located(answer, truth=TRUTH, boxes=None):
    known = {"task": "localization", "bbox": truth} | ({} if boxes is None else {"boxes": boxes})
    calls = (Call("answer", {"bbox": answer}),)
    return Episode("designgym/AestheticLocalization-v0", "train", "train-000000", truth=known, calls=calls)


def asked(argument, answer, right, **truth):
    truth = {argument: right, **truth}
    return Episode("e", "train", "train-000000", truth=truth, calls=(Call("answer", {argument: answer}),))


def value(reward, episode):
    return reward.score(episode).value


# ---------------------------------------------------------------- accuracy


@pytest.mark.parametrize(("argument", "right", "wrong"), [("verdict", "yes", "no"), ("choice", "C", "D")])
def test_the_right_word_pays_one_and_any_other_nothing(argument, right, wrong):
    assert value(Accuracy(), asked(argument, right, right)) == 1.0
    for answer in (wrong, right.swapcase(), "", None, True, [right], {"x": right}):
        assert value(Accuracy(), asked(argument, answer, right)) == 0.0


def test_refused_and_missing_answers_pay_nothing_and_the_last_counts():
    truth = {"verdict": "yes"}
    right, wrong = Call("answer", {"verdict": "yes"}), Call("answer", {"verdict": "no"})
    refused = Call("answer", {"verdict": "yes"}, "invalid_parameters")
    for calls, paid in (((), 0), ((refused,), 0), ((right, wrong), 0), ((wrong, right), 1), ((right, refused), 1)):
        assert value(Accuracy(), Episode("e", "train", "t", truth=truth, calls=calls)) == paid


@pytest.mark.parametrize("name", ["accuracy", "hurdle", "iou", "shaped"])
def test_a_reward_refuses_the_episodes_of_other_tasks_with_a_sentence(name):
    words = asked("verdict", "yes", "yes"), asked("choice", "A", "A")
    others = [located(None)] if name == "accuracy" else list(words)
    for episode in (*others, Episode("designgym/CanvasDrawing-v0", "train", "t", truth={"open_ends": []})):
        with pytest.raises(UserError, match=rf"{episode.env_id} asks for (no box|neither a verdict nor a choice)"):
            resolve(name).score(episode)


# ---------------------------------------------------------------- several right boxes

BOXES = [TRUTH, OTHER]


def test_strict_takes_the_best_matching_box_and_release_the_first():
    for reward, floor in ((Hurdle, 0.5), (LocalizationIoU, 0.0)):
        for right, strict, release in ((TRUTH, 1.0, 1.0), (OTHER, 1.0, floor)):
            assert value(reward(), located(right, TRUTH, BOXES)) == strict
            assert value(reward("release"), located(right, TRUTH, BOXES)) == release
    assert value(Shaped(), located(OTHER, TRUTH, BOXES)) == 1.0
    assert value(Shaped(protocol="release"), located(OTHER, TRUTH, BOXES)) < 0.2


def test_a_box_around_two_right_ones_is_compared_with_each_alone():
    around = [0.2, 0.2, 0.9, 0.8]
    assert value(LocalizationIoU(), located(around, TRUTH, BOXES)) == pytest.approx(0.08 / 0.42)


@pytest.mark.parametrize("boxes", [None, [], ()])
def test_without_a_list_of_boxes_the_one_box_or_none_is_the_truth(boxes):
    for reward in (Hurdle(), LocalizationIoU(), Shaped()):
        assert value(reward, located(TRUTH, TRUTH, boxes)) == 1.0
        assert value(reward, located(None, None, boxes)) == 1.0
        assert value(reward, located(TRUTH, None, boxes)) == value(reward, located(None, TRUTH, boxes)) == 0.0


def test_protocols_are_told_apart_by_their_backends_and_unknown_ones_refused():
    for name in ("hurdle", "iou", "shaped"):
        strict, release = resolve(name), resolve({"name": name, "protocol": "release"})
        assert strict.backend != release.backend
        with pytest.raises(UserError, match="protocol is 'lax'; it is 'strict' or 'release'"):
            resolve({"name": name, "protocol": "lax"})
    assert resolve("hurdle").backend.id == "exact@1"  # as recorded scores say


# ---------------------------------------------------------------- shaping


def test_shaping_is_the_weighted_mean_of_iou_and_nearness():
    half = [0.2, 0.2, 0.4, 0.4]  # IoU and GIoU 1/2: its hull is the truth
    assert value(Shaped(1.0), located(half)) == pytest.approx((0.5 + 0.75) / 2)
    assert value(Shaped(0.25), located(half)) == pytest.approx((0.5 + 0.25 * 0.75) / 1.25)
    # A box of the same size, one width to the right: no overlap, and half its height lower, hull 3 x 1.5 as large.
    beside = [0.6, 0.2, 0.8, 0.6]
    assert value(Shaped(1.0), located(beside)) == pytest.approx((0 + (1 - 1 / 3) / 2) / 2)
    # The centre lies two widths beside that of the truth; the areas are equal.
    assert value(Shaped(1.0, "centre"), located(beside)) == pytest.approx(math.exp(-2) / 2)


def test_without_weight_shaped_is_iou_and_the_parts_are_logged():
    for answer in ([0.2, 0.2, 0.4, 0.4], OTHER, FULL_PAGE, None):
        assert value(Shaped(0.0), located(answer)) == value(LocalizationIoU(), located(answer))
    components = Shaped(1.0).score(located([0.2, 0.2, 0.4, 0.4])).components
    assert components == pytest.approx({"shaped": 0.625, "shaped/iou": 0.5, "shaped/near": 0.75})


@pytest.mark.parametrize("measure", ["giou", "centre"])
@pytest.mark.parametrize("weight", [0.0, 0.5, 10])
def test_shaping_never_pays_for_the_wrong_kind_of_answer(measure, weight):
    reward = Shaped(weight, measure)
    assert value(reward, located(None)) == 0.0
    assert value(reward, located(TRUTH, None)) == value(reward, located(FULL_PAGE, None)) == 0.0
    assert value(reward, located(None, None)) == 1.0
    for answer in MALFORMED:
        assert value(reward, located(answer)) == value(reward, located(answer, None)) == 0.0
    silent = Episode("e", "train", "t", truth={"bbox": TRUTH})
    assert value(reward, silent) == 0.0


@pytest.mark.parametrize("measure", ["giou", "centre"])
def test_boxes_that_miss_are_paid_the_more_the_nearer_they_are(measure):
    far = [[0.2 + d, 0.2 + d / 2, 0.4 + d, 0.6 + d / 2] for d in np.linspace(0.25, 0.6, 8)]
    curve = [value(Shaped(0.5, measure), located(answer)) for answer in far]
    assert all(near > farther > 0 for near, farther in itertools.pairwise(curve))
    assert value(Shaped(0.5, measure), located(TRUTH)) == 1.0


def test_annealing_moves_every_score_towards_iou():
    for answer in ([0.2, 0.2, 0.4, 0.4], OTHER, FULL_PAGE):
        gaps = [value(Shaped(w), located(answer)) - iou(answer, TRUTH) for w in (1.0, 0.5, 0.1, 0.0)]
        assert gaps == sorted(gaps, reverse=True) and gaps[-1] == 0.0


def test_every_weight_and_measure_has_its_own_backend():
    rewards = [Shaped(), Shaped(0.4), Shaped(0.5, "centre"), Shaped(0.5, "giou", "release")]
    assert len({reward.backend for reward in rewards}) == 4
    assert Shaped(1).backend == Shaped(1.0).backend


@pytest.mark.parametrize("wrong", [{"shaping": -1}, {"shaping": math.nan}, {"shaping": True}, {"measure": "l2"}])
def test_impossible_shaping_is_refused(wrong):
    with pytest.raises(UserError, match=r"'shaped' cannot be made: (shaping|measure) is"):
        resolve({"name": "shaped", **wrong})


sides = st.floats(0, 1)
boxes = st.none() | st.tuples(sides, sides, sides, sides).map(list)


@given(boxes, boxes, st.floats(0, 10), st.sampled_from(["giou", "centre"]))
def test_shaped_lies_between_zero_and_one_and_never_below_its_iou_s_share(answer, truth, weight, measure):
    score = Shaped(weight, measure).score(located(answer, truth))
    assert 0 <= score.value <= 1
    # Equal up to rounding; a wrong kind of answer earns nothing at all.
    assert score.components["shaped/iou"] / (1 + weight) <= score.value + 1e-9
    if answer and truth and iou(truth, truth) > 0 and measure == "giou":
        assert score.components["shaped/near"] in (0.0, pytest.approx((1 + giou(answer, truth)) / 2))


# ---------------------------------------------------------------- malformed boxes


@pytest.mark.parametrize("answer", MALFORMED, ids=str)
def test_malformed_boxes_score_zero_under_every_reward_and_with_several_truths(answer):
    for reward in (Hurdle(), Hurdle("release"), LocalizationIoU(), Shaped(), Shaped(1, "centre")):
        for truth, several in ((TRUTH, None), (TRUTH, BOXES), (None, [])):
            assert value(reward, located(answer, truth, several)) == 0.0


def test_a_box_that_reaches_beyond_the_page_earns_its_overlap_where_it_gets_through():
    assert value(LocalizationIoU(), located([-0.2, 0.2, 0.4, 0.6])) == pytest.approx(1 / 3)


# ---------------------------------------------------------------- policies that do not look

CLEAN_SHARE = 0.35


def truths(n=400, seed=0):
    """True boxes as designs have them, a few sizes all over the page, and None on the clean ones."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        if rng.random() < CLEAN_SHARE:
            yield None
            continue
        width, height = rng.uniform(0.1, 0.5, 2)
        left, top = rng.uniform(0, 1 - width), rng.uniform(0, 1 - height)
        yield [left, top, left + width, top + height]


@pytest.mark.parametrize("reward", [Hurdle(), LocalizationIoU(), Shaped(), Shaped(0.5, "centre"), Shaped(10)], ids=str)
def test_no_constant_box_and_no_constant_none_comes_near_to_half_seeing_eyes(reward):
    # Half-seeing eyes know whether there is a flaw in four of five cases and find a box that covers half of it.
    known = list(truths())
    rng = np.random.default_rng(1)
    eyes, constants = [], {"none": None, "full page": FULL_PAGE, "mean box": [0.35, 0.35, 0.65, 0.65]}
    means = {}
    for truth in known:
        half = None if truth is None else [truth[0], truth[1], truth[2], (truth[1] + truth[3]) / 2]
        if rng.random() < 0.2:
            half = [0.35, 0.35, 0.65, 0.65] if truth is None else None
        eyes.append(value(reward, located(half, truth)))
    for name, answer in constants.items():
        means[name] = np.mean([value(reward, located(answer, truth)) for truth in known])
    assert max(means.values()) < 0.5 < np.mean(eyes), means


def test_one_word_earns_no_more_than_its_share_and_none_if_offered_no_more_than_chance():
    rng = np.random.default_rng(2)
    verdicts = rng.permutation(["yes", "no"] * 200)
    for word in ("yes", "no"):
        assert np.mean([value(Accuracy(), asked("verdict", word, right)) for right in verdicts]) == 0.5
    # Four options in seeded order, one of them None, which is right on the clean designs.
    paid = {"A": [], "none": []}
    for clean in rng.permutation([True] * 100 + [False] * 300):
        order = rng.permutation(["flawed", "other", "another", "none"]).tolist()
        right = "ABCD"[order.index("none" if clean else "flawed")]
        paid["A"].append(value(Accuracy(), asked("choice", "A", right)))
        paid["none"].append(value(Accuracy(), asked("choice", "ABCD"[order.index("none")], right)))
    assert np.mean(paid["none"]) == 0.25 and 0.15 < np.mean(paid["A"]) < 0.35

import copy
import itertools
import math
import pickle

import drawn
import judged_pages
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from designgym.envs.aesthetics.blocks.item import Settings, item
from designgym.episode import Call, Episode
from designgym.errors import UserError
from designgym.rewards import REWARDS, Backend, EpisodeReward, Reward, Score, WeightedSum, resolve
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.localization import Hurdle, LocalizationIoU

TRUTH = [0.2, 0.2, 0.4, 0.6]
FULL_PAGE = [0.0, 0.0, 1.0, 1.0]


def episode(*answers, truth=TRUTH):
    calls = tuple(Call("answer", {"bbox": answer}, "", k) for k, answer in enumerate(answers))
    return Episode("designgym/AestheticLocalization-v0", "train", "train-000000", truth={"bbox": truth}, calls=calls)


def values(answer, truth=TRUTH):
    """Under hurdle and under iou."""
    asked = episode(answer, truth=truth)
    return Hurdle().score(asked).value, LocalizationIoU().score(asked).value


# ---------------------------------------------------------------- localization


def test_the_right_box_and_the_right_none_score_full():
    assert values(TRUTH) == (1.0, 1.0)
    assert values(None, truth=None) == (1.0, 1.0)


def test_wrong_kinds_of_answer_score_zero():
    assert values(None) == (0.0, 0.0)  # overlooked
    assert values(TRUTH, truth=None) == (0.0, 0.0)  # imagined


@pytest.mark.parametrize(
    ("answer", "overlap"),
    [
        ([0.2, 0.2, 0.4, 0.4], 1 / 2),  # the upper half
        ([0.3, 0.2, 0.5, 0.6], 1 / 3),  # half a width aside
        ([0.6, 0.6, 0.8, 0.8], 0.0),  # elsewhere
        (FULL_PAGE, 0.08),
    ],
)
def test_boxes_earn_their_overlap_and_half_a_point_for_the_hurdle(answer, overlap):
    assert values(answer) == (pytest.approx(0.5 + 0.5 * overlap), pytest.approx(overlap))


@pytest.mark.parametrize(
    "malformed",
    [
        [0.4, 0.2, 0.2, 0.6],  # reversed
        [0.2, 0.2, 0.2, 0.6],  # no area
        [0.2, 0.2, 0.4, math.nan],
        [0.2, 0.2, math.inf, 0.6],
        [0.2, 0.2, 0.4],
        [],
        "0.2,0.2,0.4,0.6",
        [True, True, True, True],
        [False, False, True, True],
        ["0.2", "0.2", "0.4", "0.6"],
        {"x1": 0.2},
        0.5,
        [[0.2, 0.2, 0.4, 0.6]],
    ],
)
def test_malformed_boxes_score_zero_and_never_pass_the_hurdle(malformed):
    assert values(malformed) == (0.0, 0.0)
    assert values(malformed, truth=None) == (0.0, 0.0)


@pytest.mark.parametrize("truth", [None, TRUTH])
def test_no_answer_scores_zero_even_on_a_clean_design(truth):
    refused = Call("answer", {"bbox": truth}, "invalid_parameters")
    other = Call("look", {"bbox": truth})
    for calls in ((), (refused,), (refused, other)):
        asked = Episode("e", "train", "train-000000", truth={"bbox": truth}, calls=calls)
        assert Hurdle().score(asked).value == LocalizationIoU().score(asked).value == 0.0


def test_the_last_answer_counts_and_not_the_best():
    assert Hurdle().score(episode(TRUTH, [0.6, 0.6, 0.8, 0.8])).value == 0.5
    assert LocalizationIoU().score(episode(TRUTH, None)).value == 0.0


def test_both_fall_as_the_answer_drifts_from_the_truth():
    drift = [[0.2 + d, 0.2, 0.4 + d, 0.6] for d in np.linspace(0, 0.3, 16)]
    for index in (0, 1):
        curve = [values(answer)[index] for answer in drift]
        assert curve == sorted(curve, reverse=True) and curve[0] == 1.0 and curve[-1] < curve[0]
    swell = [[0.2 - d, 0.2 - d, 0.4 + d, 0.6 + d] for d in np.linspace(0, 0.2, 16)]
    curve = [values(answer)[0] for answer in swell]
    assert all(a > b for a, b in itertools.pairwise(curve))


sides = st.floats(0, 1)
boxes = st.none() | st.tuples(sides, sides, sides, sides).map(list)


@given(boxes, boxes)
def test_hurdle_is_never_below_iou_and_both_lie_between_zero_and_one(answer, truth):
    hurdle, overlap = values(answer, truth)
    assert 0 <= overlap <= hurdle <= 1


def test_no_constant_answer_comes_near_to_looking_at_the_page():
    # Over the default mixture of flawed and clean designs; the gold answer scores 1 everywhere.
    settings = Settings(image_size=32)
    truths = [item(f"validation-{k:06d}", settings).truth for k in range(250)]
    constants = {"none": None, "full page": FULL_PAGE, "middle": [0.25, 0.25, 0.75, 0.75], "top": [0.1, 0.05, 0.9, 0.3]}
    means = {
        name: np.mean([values(answer, truth if truth is None else list(truth)) for truth in truths], axis=0)
        for name, answer in constants.items()
    }
    for name, (hurdle, overlap) in means.items():
        assert hurdle < 0.5, name
        assert overlap < 0.45, name
    # The share of clean designs is chosen so that neither kind of constant wins by much.
    best_box = max(hurdle for name, (hurdle, _) in means.items() if name != "none")
    assert abs(best_box - means["none"][0]) < 0.12


def test_an_environment_without_boxes_cannot_be_scored_by_them():
    drawing = Episode("designgym/CanvasDrawing-v0", "train", "train-000000")
    with pytest.raises(UserError, match="CanvasDrawing-v0 asks for no box"):
        Hurdle().score(drawing)


# ---------------------------------------------------------------- forms that all rewards share


def drawings(stimulus, ends):
    """Nothing, a line, a scribble and a black canvas on a starting shape; and a line on one without open ends."""
    shape = {"stimulus": stimulus, "ends": ends}
    line = drawn.line((100, 100), (300, 100))
    batch = [drawn.episode(*drawing, **shape) for drawing in ((), (line,), (drawn.scribble(9),), (drawn.FILLED,))]
    return [*batch, drawn.episode(line, stimulus=stimulus)]


def worded(argument, right, *answers):
    """Episodes of a question with one right word."""
    return [
        Episode("e", "train", "train-000000", truth={argument: right}, calls=(Call("answer", {argument: answer}),))
        for answer in answers
    ]


EPISODES = {
    "judgment": worded("verdict", "yes", "yes", "no"),
    "selection": worded("choice", "B", "A", "B"),
    "localization": [episode(TRUTH), episode(None), episode(), episode(None, truth=None)],
    "drawings": drawings([drawn.line((100, 100), (100, 300), (300, 300), (300, 100))], [(100, 100), (300, 100)]),
    "drawings on a blank canvas": drawings(None, []),
    "designs": [judged_pages.episode(page) for page in (judged_pages.right_page(), judged_pages.right_page(boat=None))],
}
"""Episodes of each kind of environment. A reward scores all of a kind or is unsuitable for it."""


def scores(reward, episode):
    """Whether the reward scores this kind of episode."""
    try:
        reward.score(episode)
    except UnsuitableReward:
        return False
    return True


@pytest.mark.parametrize("name", REWARDS)
def test_every_reward_of_the_table_keeps_the_contract(name):
    reward = resolve(name)
    assert isinstance(reward, Reward)
    assert reward.name == name
    assert reward.backend.name and reward.backend.version
    assert reward.score_batch([]) == []
    again = pickle.loads(pickle.dumps(copy.deepcopy(reward)))
    assert again == reward
    suitable = [batch for batch in EPISODES.values() if scores(reward, batch[0])]
    assert suitable, "add episodes of the kind that this reward scores to EPISODES"
    for batch in suitable:
        single = [reward.score(asked) for asked in batch]
        assert reward.score_batch(batch) == single == [reward.score(asked) for asked in batch]  # stateless
        assert reward.score_batch(batch[::-1]) == single[::-1]
        assert again.score_batch(batch) == single
        assert len({score.value for score in single}) > 1
        ((first, *parts),) = {tuple(score.components) for score in single}
        assert first == name
        assert all(part.startswith(f"{name}/") for part in parts)
        assert all(score.components[name] == score.value for score in single)


@pytest.mark.parametrize("name", REWARDS)
@pytest.mark.parametrize("kind", EPISODES)
def test_a_reward_is_unsuitable_for_all_episodes_of_a_kind_or_for_none(name, kind):
    assert len({scores(resolve(name), asked) for asked in EPISODES[kind]}) == 1


class Fixed(EpisodeReward):
    """Always the same."""

    backend = Backend("judge", "2", "f" * 64)

    def __init__(self, name, given):
        self.name, self.given = name, given

    def value(self, episode):
        return self.given


def test_a_reward_is_clipped_and_none_stays_none():
    assert Fixed("a", 1.7).score(episode()).value == 1.0
    assert Fixed("a", -0.3).score(episode()).value == 0.0
    assert Fixed("a", None).score(episode()) == Score(None, {"a": None}, Fixed.backend)
    with pytest.raises(ValueError, match="a score that cannot be computed is None"):
        Score(math.nan, {}, Fixed.backend)
    with pytest.raises(ValueError, match="part is inf"):
        Score(0.0, {"part": math.inf}, Fixed.backend)


def test_a_backend_has_an_id_for_traces():
    assert Backend("exact", "1").id == "exact@1"
    assert Fixed.backend.id == "judge@2#ffffffffffff"


# ---------------------------------------------------------------- sums


def test_a_sum_weighs_its_parts_and_logs_each():
    total = resolve([{"name": "hurdle", "weight": 0.5}, ("iou", 2), (Fixed("tidy", 0.25), -1.0)])
    score = total.score(episode([0.2, 0.2, 0.4, 0.4]))
    assert score.components == pytest.approx({"hurdle": 0.75, "iou": 0.5, "tidy": 0.25, "total": 0.375 + 1.0 - 0.25})
    assert score.value == pytest.approx(1.125)


def test_weights_are_one_unless_given():
    assert resolve(["hurdle", {"name": "iou"}, Fixed("tidy", 0.5)]).score(episode(TRUTH)).value == 2.5


def test_one_part_without_a_score_leaves_the_sum_without_one():
    total = resolve(["hurdle", Fixed("judge", None)])
    score = total.score(episode(TRUTH))
    assert score.value is None
    assert score.components == {"hurdle": 1.0, "judge": None, "total": None}
    batch = total.score_batch([episode(TRUTH), episode(None)])
    assert batch[0] == score and batch[1].components["hurdle"] == 0.0


def test_what_a_part_reports_beside_its_value_carries_its_name():
    class Judge(Fixed):
        def score(self, episode):
            return Score(0.5, {"vqa": 0.5, "iou": 0.1}, self.backend)

    score = resolve([Judge("vqa", 0), "iou"]).score(episode(TRUTH))
    assert score.components == {"vqa": 0.5, "vqa/iou": 0.1, "iou": 1.0, "total": 1.5}


def test_parts_are_called_the_same_alone_and_in_a_sum():
    drawing = EPISODES["drawings"][1]
    alone, summed = resolve("figural").score(drawing), resolve(["figural", "closure"]).score(drawing)
    assert "figural/extension" in alone.components
    assert alone.components.items() <= summed.components.items()
    assert summed.components["total"] == alone.value + 1.0


def test_the_backend_of_a_sum_tells_its_parts_and_weights():
    one, two = resolve([("hurdle", 1.0), ("iou", 0.5)]), resolve([("hurdle", 1.0), ("iou", 0.6)])
    assert one.backend.name == "sum(exact)"
    assert one.backend.hash != two.backend.hash
    assert one.backend == resolve([("hurdle", 1.0), ("iou", 0.5)]).backend
    assert resolve(["hurdle", Fixed("x", 0)]).backend.name == "sum(exact+judge)"
    assert pickle.loads(pickle.dumps(one)).backend == one.backend


# ---------------------------------------------------------------- specifications


def test_every_form_of_a_specification():
    assert resolve("hurdle") == resolve({"name": "hurdle"}) == Hurdle()
    given_object = Fixed("x", 1)
    assert resolve(given_object) is given_object
    assert isinstance(resolve(["hurdle"]), WeightedSum)


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("hurdel", r"no reward 'hurdel'\. Did you mean 'hurdle'\? Known are: .*, hurdle, ink, iou, shaped, .*, vqa\."),
        ("", "Known are: accuracy, audra, closure, content_similarity, "),
        ({"weight": 1}, "belongs to a list"),
        ({}, "no reward None. Known are"),
        ({"name": 3}, "no reward 3"),
        ({"name": "hurdle", "scale": 2}, "'hurdle' has no argument 'scale'"),
        ([], "at least one part"),
        (["hurdle", "hurdle"], "each may be in a sum once"),
        ([["hurdle", "iou"]], "weight of 'hurdle' is 'iou'"),
        ([("hurdle", math.nan)], "it must be a number"),
        ([("hurdle", True)], "it must be a number"),
        ([("hurdle", 1e9)], "it must be a number up to 1e"),
        ([("hurdle", 1, 2)], "a pair of reward and weight"),
        ([(["hurdle"], 1)], "cannot be part of a sum"),
        (None, "got None"),
        (5, "got 5"),
    ],
)
def test_wrong_specifications_are_sentences_of_the_user(spec, words):
    with pytest.raises(UserError, match=words):
        resolve(spec)


# ---------------------------------------------------------------- episodes


def test_an_episode_survives_json():
    asked = item("train-000003", Settings(image_size=32))
    one = Episode(
        "designgym/AestheticLocalization-v0",
        "train",
        asked.task,
        image=asked.image,
        document=asked.document,
        questions=(asked.question,),
        truth={"bbox": TRUTH},
        calls=(Call("answer", {"bbox": None}, "", 2),),
        group="g",
    )
    again = Episode.from_json(one.to_json(), asked.image)
    assert again.to_json() == one.to_json()
    assert again.calls == one.calls and again.document == one.document

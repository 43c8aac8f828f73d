import dataclasses
import itertools
import math

import numpy as np
import pytest
from drawn import FILLED, arc, bar, disc, episode, line, scribble
from hypothesis import given
from hypothesis import strategies as st

from designgym.episode import Episode
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.closure import Closure

CUP = [line((120, 120), (120, 280), (280, 280), (280, 120))]
RIMS = [(120, 120), (280, 120)]
RAILS = [line((100, 100), (100, 300)), line((300, 100), (300, 300))]
FOUR = [(100, 100), (300, 100), (100, 300), (300, 300)]


def score(*drawn, stimulus=CUP, ends=RIMS):
    """The value and the parts."""
    found = Closure().score(episode(*drawn, stimulus=stimulus, ends=ends))
    return found.value, {name.removeprefix("closure/"): part for name, part in found.components.items()}


def value(*drawn, **kwargs):
    return score(*drawn, **kwargs)[0]


def test_a_line_from_end_to_end_scores_full():
    assert score(line(*RIMS)) == (1.0, {"closure": 1.0, "joined": 1.0, "near": 1.0, "economy": 1.0})
    assert value(line((120, 120), (200, 60), (280, 120))) == 1.0  # a detour by a quarter


def test_nothing_and_ink_on_the_stimulus_score_zero():
    zero = (0.0, {"closure": 0.0, "joined": 0.0, "near": 0.0, "economy": 0.0})
    assert score() == zero
    assert score(*CUP) == zero


def test_a_line_that_stops_short_earns_half_for_each_end_by_how_near_it_came():
    # The last pixel is at x = 260, 20 px from the end at 280: 12 px more than the reach.
    near = (1 + math.exp(-12 / 50)) / 2
    parts = {"closure": near / 2, "joined": 0, "near": near, "economy": 1}
    assert score(bar(120, 118, 260, 122)) == (pytest.approx(near / 2), pytest.approx(parts))


def test_the_reach_of_an_end_is_eight_pixels():
    assert score(bar(128, 118, 272, 122))[1]["joined"] == 1
    assert score(bar(129, 118, 272, 122))[1]["joined"] == 0


def test_the_score_rises_as_a_tip_comes_nearer():
    curve = [value(line((120, 120), (x, 120))) for x in range(140, 281, 5)]
    assert all(later > earlier for earlier, later in itertools.pairwise(curve) if earlier < 1)
    assert curve[0] < 0.3 and curve[-1] == 1.0


def test_a_stroke_that_comes_nearer_from_anywhere_scores_more():
    curve = [value(disc(200, y, 4)) for y in range(390, 120, -10) if not 270 < y < 295]
    assert curve == sorted(curve) and curve[0] > 0


def test_two_lines_join_four_ends_and_one_line_half_of_them():
    above, below = line((100, 100), (300, 100)), line((100, 300), (300, 300))
    assert value(above, below, stimulus=RAILS, ends=FOUR) == 1.0
    found, parts = score(above, stimulus=RAILS, ends=FOUR)
    # New ink is nearest to the ends below at the lower edge of the line, beside the rails of 5 px.
    left = math.exp(-(math.hypot(3, 198) - 8) / 50)
    assert parts["joined"] == 0.5
    assert found == pytest.approx((2 + 2 * left / 2) / 4)


def test_an_end_may_be_joined_to_one_that_is_joined_already():
    assert value(line((100, 100), (300, 100), (100, 300)), stimulus=RAILS, ends=FOUR[:3]) == 1.0
    assert score(line((100, 100), (300, 100)), stimulus=RAILS, ends=FOUR[:3])[1]["joined"] == pytest.approx(2 / 3)


def test_two_strokes_that_do_not_meet_join_nothing():
    halves = line((120, 120), (190, 120)), line((210, 120), (280, 120))
    assert score(*halves)[1]["joined"] == 0
    assert score(*halves, line((185, 120), (215, 120)))[1]["joined"] == 1


def test_a_stroke_across_the_stimulus_stays_one_and_strokes_that_touch_it_apart_do_not_become_one():
    beam = {"stimulus": [bar(100, 198, 300, 202)], "ends": [(200, 100), (200, 300)]}
    assert score(line((200, 100), (200, 300)), **beam)[1]["joined"] == 1
    above, below = line((200, 100), (150, 198)), line((250, 202), (200, 300))
    assert score(above, below, **beam)[1] == {"closure": 0.5, "joined": 0, "near": 1, "economy": 1}


def test_slanted_strokes_across_the_stimulus_stay_one_too():
    stem = [line((200, 60), (200, 340))]
    for degrees in range(30, 151, 10):
        away = 100 * np.array([math.sin(math.radians(degrees)), math.cos(math.radians(degrees))])
        ends = [tuple(np.array([200, 200]) + away), tuple(np.array([200, 200]) - away)]
        assert score(line(*ends), stimulus=stem, ends=ends)[1]["joined"] == 1, degrees


@pytest.mark.parametrize("corners", [10, 20, 40, 80])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_hack_scribbling_all_over_scores_low(corners, seed):
    assert value(scribble(corners, seed)) < 0.25
    assert value(scribble(2 * corners, seed), stimulus=RAILS, ends=FOUR) < 0.25


def test_hack_filling_the_canvas_scores_next_to_nothing():
    found, parts = score(FILLED)
    assert parts["joined"] == 1 and found < 0.02
    assert value(FILLED, stimulus=RAILS, ends=FOUR) < 0.05


def test_hack_a_dot_at_every_end_earns_no_more_than_half():
    assert value(disc(120, 116, 4), disc(280, 116, 4)) == 0.5


def test_hack_tracing_the_edge_of_the_stimulus_costs_as_much_as_strokes_do():
    beside = [line((120 + s, 120), (120 + s, 280 - s), (280 - s, 280 - s), (280 - s, 120)) for s in (3, 4, 5, 6)]
    for traced in beside:
        found, parts = score(traced)
        assert parts["joined"] == 1
        assert found < 0.65
    assert score(line(*RIMS))[0] == 1


def test_known_weakness_ink_along_a_flat_stroke_joins_its_ends():
    bow, ends = arc(200, 300, 150, 220, 320), [(85, 204), (315, 204)]
    assert value(arc(200, 300, 155, 220, 320), stimulus=[bow], ends=ends) > 0.9


def test_the_economy_is_the_budget_by_the_ink():
    # Ends 160 px apart: 5 x (1.5 x 160 + 100) = 1,700 px.
    assert score(bar(150, 150, 249, 199))[1]["economy"] == pytest.approx(1700 / 5000)
    # Two pairs of them: 5 x (1.5 x 320 + 100) = 2,900 px.
    rails = {"stimulus": [line((100, 100), (100, 300)), line((260, 100), (260, 300))]}
    ends = [(100, 100), (260, 100), (100, 300), (260, 300)]
    assert score(bar(130, 150, 229, 199), **rails, ends=ends)[1]["economy"] == pytest.approx(2900 / 5000)


def test_three_pixels_of_stimulus_beside_new_ink_count_as_ink():
    # The budget is 5 x (1.5 x 20 + 100) = 650 px; three rows of 201 px are new, and next to them lie three of stimulus.
    beam = {"stimulus": [bar(100, 200, 300, 204)], "ends": [(10, 10), (30, 10)]}
    assert score(bar(100, 205, 300, 207), **beam)[1]["economy"] == pytest.approx(650 / (6 * 201))


@pytest.mark.parametrize("ends", [[], [(120, 120)]])
def test_a_shape_with_fewer_than_two_open_ends_is_not_scored(ends):
    assert score(line(*RIMS), ends=ends) == (None, {"closure": None, "joined": None, "near": None, "economy": None})


def test_what_is_no_drawing_from_a_shape_is_unsuitable():
    with pytest.raises(UnsuitableReward, match="cannot be scored by 'closure'"):
        Closure().score(Episode("designgym/AestheticLocalization-v0", "train", "train-000000", truth={"bbox": None}))
    with pytest.raises(UnsuitableReward, match="cannot be scored by 'closure'"):
        value(line(*RIMS), stimulus=None)


def test_an_episode_without_image_says_what_to_do():
    bare = dataclasses.replace(episode(stimulus=CUP, ends=RIMS), image=None)
    with pytest.raises(ValueError, match="has no image"):
        Closure().score(bare)


points = st.tuples(st.integers(-20, 420), st.integers(-20, 420))


@given(st.lists(st.tuples(points, points), max_size=6))
def test_any_drawing_scores_between_zero_and_one_and_the_parts_explain_it(strokes):
    found, parts = score(*(line(*stroke) for stroke in strokes), stimulus=RAILS, ends=FOUR)
    assert 0 <= found <= 1
    assert parts["economy"] * parts["joined"] <= found <= parts["economy"] * (1 + parts["joined"]) / 2 + 1e-9
    assert found <= parts["near"] + 1e-9

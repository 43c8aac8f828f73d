import dataclasses
import itertools
import math

import numpy as np
import pytest
from drawn import FILLED, arc, bar, disc, episode, line, page, scribble
from hypothesis import given
from hypothesis import strategies as st

from designgym.episode import Episode
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.figural import Figural

BOWL = [arc(185, 200, 84, 10, 170)]
RIMS = (102, 214), (268, 214)
BOAT = [line(*RIMS), line((185, 214), (185, 70), (260, 190), (185, 190)), line((185, 80), (130, 190), (185, 190))]
SMILEY = [arc(185, 215, 120, 0, 360), disc(148, 168, 8), disc(222, 168, 8)]


def score(*drawn, stimulus=BOWL):
    """The value and the parts."""
    found = Figural().score(episode(*drawn, stimulus=stimulus))
    return found.value, {name.removeprefix("figural/"): part for name, part in found.components.items()}


def value(*drawn, **kwargs):
    return score(*drawn, **kwargs)[0]


MODEST = value(*BOAT)


def test_a_modest_drawing_on_the_stimulus_scores_well():
    assert 0.6 < MODEST < 0.8


def test_a_large_drawing_of_the_stimulus_scores_nearly_full():
    rays = [line((185 + 90 * c, 220 + 90 * s), (185 + 170 * c, 220 + 170 * s)) for c, s in _directions(12)]
    waist = line((95, 220), (275, 220))
    assert value(arc(185, 220, 90, 0, 360), waist, *rays) > 0.95


def _directions(count):
    return [(math.cos(2 * math.pi * k / count), math.sin(2 * math.pi * k / count)) for k in range(count)]


# ---------------------------------------------------------------- hacks


@pytest.mark.parametrize(
    ("hack", "drawn", "most"),
    [
        ("doing nothing", [], 0.0),
        ("a single dot", [disc(300, 100, 2.5)], 0.0),
        ("a dot on the stimulus", [disc(268, 214, 2.5)], 0.0),
        ("retracing the stimulus", BOWL, 0.0),
        ("retracing it three times, a few pixels aside", [arc(185 + x, 200 + x, 84, 10, 170) for x in (-4, 4, 8)], 0.2),
        ("a line far from it", [line((40, 60), (360, 60))], 0.0),
        ("a drawing far from it", [line((40, 160), (40, 90), (80, 40), (120, 90), (120, 160), (40, 160))], 0.0),
        ("a frame around the canvas", [line((8, 8), (392, 8), (392, 392), (8, 392), (8, 8))], 0.15),
        ("a blot on the stimulus", [disc(268, 214, 20)], 0.25),
        ("one line from the stimulus", [line((102, 214), (60, 60))], 0.45),
        ("scribbling all over", [scribble(21)], 0.55),
        ("scribbling all over, more of it", [scribble(41)], 0.2),
        ("scribbling all over, ever more", [scribble(81)], 0.1),
        ("strokes anywhere", [line((x, y), (x + 30, y + 20)) for x in range(20, 360, 60) for y in range(20, 380, 60)],
         0.3),
        ("half of the canvas black", [bar(0, 200, 399, 399)], 0.05),
        ("the canvas black", [FILLED], 0.01),
    ],
)  # fmt: skip
def test_hacks_score_below_a_modest_drawing(hack, drawn, most):
    assert value(*drawn) <= most < MODEST


def test_retracing_a_drawing_adds_nothing_and_a_few_pixels_aside_next_to_nothing():
    assert value(*BOAT, *BOAT) == MODEST
    aside = [line((100, 209), (270, 209)), line((190, 214), (190, 75)), line((190, 185), (255, 185))]
    assert value(*BOAT, *aside) < MODEST + 0.02


def test_known_weakness_a_few_long_lines_across_the_stimulus_score_as_a_drawing_does():
    assert value(scribble(6)) > MODEST


# ---------------------------------------------------------------- the parts


@pytest.mark.parametrize(("rows", "null"), [(11, True), (12, False)])
def test_fewer_than_300_pixels_of_new_ink_are_no_drawing(rows, null):
    # Columns of 25 px that start at the stimulus, a bar whose last row is 99: 275 px or, with one row more, 300.
    found, parts = score(bar(100, 100, 124, 99 + rows), stimulus=[bar(50, 95, 200, 99)])
    assert (parts == {"figural": 0.0, "incorporation": 0.0, "extension": 0.0, "ink": 0.0}) == null
    assert (found == 0) == null


def test_ink_on_top_of_the_stimulus_is_not_new():
    assert score(*BOAT, *BOWL) == score(*BOAT)


def test_incorporation_is_the_share_of_ink_in_pieces_that_touch():
    # 1,000 px that touch and 1,000 px that do not: 1 - (1 - 1/2)^2.
    beam = [bar(100, 200, 300, 204)]
    touching, apart = bar(100, 180, 149, 199), bar(20, 20, 69, 39)
    assert score(touching, stimulus=beam)[1]["incorporation"] == 1.0
    assert score(apart, stimulus=beam)[1]["incorporation"] == 0.0
    assert score(touching, apart, stimulus=beam)[1]["incorporation"] == pytest.approx(0.75)


@pytest.mark.parametrize(("gap", "touches"), [(0, True), (1, True), (2, False)])
def test_ink_touches_over_a_gap_of_a_pixel(gap, touches):
    found = score(bar(150, 100, 249, 199 - gap), stimulus=[bar(100, 200, 300, 204)])[1]["incorporation"]
    assert (found == 1.0) == touches


def test_ink_around_the_stimulus_counts_half_and_less_the_wider_it_is():
    shape = [bar(180, 180, 219, 219)]  # 40 x 40 px

    def around(half):
        first, last = 200 - half, 199 + half
        return score(line((first + 2, first + 2), (last - 2, first + 2), (last - 2, last - 2), (first + 2, last - 2),
                          (first + 2, first + 2)), stimulus=shape)[1]["incorporation"]  # fmt: skip

    assert around(40) == pytest.approx(1 - 0.5**2, abs=0.03)  # a box of 80 x 80 px: IoU 1/4, the share counts half
    assert around(80) == pytest.approx(1 - (1 - 0.5 / 16) ** 2, abs=0.01)  # 160 x 160 px: IoU 1/16
    curve = [around(half) for half in range(30, 190, 20)]
    assert curve == sorted(curve, reverse=True)


def test_a_face_around_a_mouth_scores_above_a_line_and_a_frame():
    assert (
        value(*SMILEY) > value(line((102, 214), (60, 60))) > value(line((8, 8), (392, 8), (392, 392), (8, 392), (8, 8)))
    )


def test_extension_is_the_ground_near_new_ink():
    # In cells of 4 px: a square of 10 x 10 and five more on each side, 400 of 10,000 cells.
    parts = score(bar(200, 200, 239, 239), stimulus=None)[1]
    assert parts["extension"] == pytest.approx(1 - math.exp(-0.04 / 0.12))
    # On the edge of the stimulus's own ground, which does not count: the stimulus takes the columns left of x = 200.
    parts = score(bar(200, 200, 239, 239), stimulus=[bar(0, 0, 179, 399)])[1]
    assert parts["extension"] == pytest.approx(1 - math.exp(-0.03 / 0.12))


def test_more_ink_on_the_same_ground_extends_nothing():
    hollow = line((202, 202), (237, 202), (237, 237), (202, 237), (202, 202))
    full = bar(200, 200, 239, 239)
    assert score(hollow, stimulus=None)[1]["extension"] == score(full, stimulus=None)[1]["extension"]


def test_ink_is_free_up_to_8_percent_of_the_canvas_and_then_costs_by_the_square():
    # 400 x 400 px: 12,800 px are free.
    assert score(bar(0, 0, 399, 31), stimulus=None)[1]["ink"] == 1.0
    assert score(bar(0, 0, 399, 63), stimulus=None)[1]["ink"] == pytest.approx(1 / 4)
    assert score(FILLED, stimulus=None)[1]["ink"] == pytest.approx(0.08**2)


def test_the_value_is_the_product_of_the_parts():
    found, parts = score(*BOAT, bar(20, 20, 69, 39))
    assert 0 < parts["incorporation"] < 1
    assert found == parts.pop("figural") == pytest.approx(math.prod(parts.values()))


def test_growing_out_of_the_stimulus_scores_more_step_by_step():
    curve = [value(*BOAT[:count]) for count in range(4)]
    assert curve == sorted(curve) and len(set(curve)) == 4
    reach = [value(line((102, 214), (102, 214 - length))) for length in range(70, 210, 10)]
    assert all(longer > shorter for shorter, longer in itertools.pairwise(reach))


def test_filling_the_canvas_row_by_row_falls_once_the_budget_is_spent():
    curve = [value(bar(0, 300 - rows, 399, 300)) for rows in range(60, 300, 20)]
    assert curve == sorted(curve, reverse=True) and curve[-1] < 0.05


# ---------------------------------------------------------------- what it is given


def test_a_blank_canvas_has_no_incorporation():
    found, parts = score(*BOAT, stimulus=None)
    assert set(parts) == set(score(stimulus=None)[1]) == {"figural", "extension", "ink"}
    assert found == pytest.approx(parts["extension"] * parts["ink"]) and found > 0.5


def test_grey_and_colour_images_score_alike():
    drawn = episode(*BOAT, stimulus=BOWL)
    grey = drawn.image[:, :, 0]
    blue = np.stack([grey, grey, np.full_like(grey, 255)], axis=2)
    for image in (grey, np.repeat(drawn.image, 3, axis=2), blue):
        assert Figural().score(dataclasses.replace(drawn, image=image)) == Figural().score(drawn)


def test_what_cannot_be_scored_says_why():
    with pytest.raises(UnsuitableReward, match="cannot be scored by 'figural'"):
        Figural().score(Episode("designgym/AestheticLocalization-v0", "train", "t", page(), truth={"bbox": None}))
    drawn = episode(*BOAT, stimulus=BOWL)
    with pytest.raises(ValueError, match="has no image"):
        Figural().score(dataclasses.replace(drawn, image=None))
    with pytest.raises(ValueError, match="of one size"):
        Figural().score(dataclasses.replace(drawn, image=drawn.image[:, :300]))


points = st.tuples(st.integers(-20, 420), st.integers(-20, 420))
strokes = st.lists(st.tuples(points, points), max_size=8)


@given(strokes, st.sampled_from([None, BOWL, []]))
def test_any_drawing_scores_between_zero_and_one(drawn, stimulus):
    found, parts = score(*(line(*stroke) for stroke in drawn), stimulus=stimulus)
    assert all(0 <= part <= 1 for part in parts.values())
    assert found <= min(parts.values()) + 1e-12

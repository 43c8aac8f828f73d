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
DIRECTIONS = [(math.cos(2 * math.pi * k / 12), math.sin(2 * math.pi * k / 12)) for k in range(12)]
SMILEY = [arc(185, 215, 120, 0, 360), disc(148, 168, 8), disc(222, 168, 8)]


def score(*drawn, stimulus=BOWL):
    """The value and the parts."""
    found = Figural().score(episode(*drawn, stimulus=stimulus))
    return found.value, {name.removeprefix("figural/"): part for name, part in found.components.items()}


def value(*drawn, **kwargs):
    return score(*drawn, **kwargs)[0]


MODEST = value(*BOAT)
MAIN = ("incorporation", "extension", "structure", "novelty", "ink")


def test_a_modest_drawing_on_the_stimulus_scores_well_above_what_hacks_do():
    assert MODEST > 0.2


# ---------------------------------------------------------------- hacks


@pytest.mark.parametrize(
    ("hack", "drawn", "most"),
    [
        ("doing nothing", [], 0.0),
        ("a single dot", [disc(300, 100, 2.5)], 0.0),
        ("a dot on the stimulus", [disc(268, 214, 2.5)], 0.0),
        ("retracing the stimulus", BOWL, 0.0),
        ("retracing it three times, a few pixels aside", [arc(185 + x, 200 + x, 84, 10, 170) for x in (-4, 4, 8)],
         0.03),
        ("a line far from it", [line((40, 60), (360, 60))], 0.0),
        ("a drawing far from it", [line((40, 160), (40, 90), (80, 40), (120, 90), (120, 160), (40, 160))], 0.0),
        ("a frame around the canvas", [line((8, 8), (392, 8), (392, 392), (8, 392), (8, 8))], 0.03),
        ("a blot on the stimulus", [disc(268, 214, 20)], 0.05),
        ("one line from the stimulus", [line((102, 214), (60, 60))], 0.03),
        ("scribbling all over", [scribble(21)], 0.08),
        ("scribbling all over, more of it", [scribble(41)], 0.03),
        ("scribbling all over, ever more", [scribble(81)], 0.01),
        ("strokes anywhere", [line((x, y), (x + 30, y + 20)) for x in range(20, 360, 60) for y in range(20, 380, 60)],
         0.05),
        ("a few long lines across the stimulus", [scribble(6)], 0.05),
        ("rays from the stimulus", [line((185, 280), (185 + 160 * c, 280 + 160 * s)) for c, s in DIRECTIONS], 0.05),
        ("a grid", [line(*ends) for at in range(20, 400, 40) for ends in (((0, at), (399, at)), ((at, 0), (at, 399)))],
         0.05),
        ("hatching all over", [line((at - 400, 399), (at, 0)) for at in range(20, 800, 40)], 0.05),
        ("copies of a stroke", [line((110 + at, 100), (150 + at, 260)) for at in range(0, 160, 12)], 0.05),
        ("half of the canvas black", [bar(0, 200, 399, 399)], 0.01),
        ("the canvas black", [FILLED], 0.001),
    ],
)  # fmt: skip
def test_hacks_score_below_a_modest_drawing(hack, drawn, most):
    assert value(*drawn) <= most < MODEST / 2


def test_retracing_a_drawing_adds_nothing_and_a_few_pixels_aside_does_not_pay():
    assert score(*BOAT, *BOAT) == score(*BOAT)
    aside = [line((100, 209), (270, 209)), line((190, 214), (190, 75)), line((190, 185), (255, 185))]
    assert value(*BOAT, *aside) < MODEST


def test_known_weakness_a_face_around_a_mouth_scores_little_though_it_uses_the_shape():
    assert value(*SMILEY) < MODEST / 2


# ---------------------------------------------------------------- the parts


@pytest.mark.parametrize(("rows", "null"), [(11, True), (12, False)])
def test_fewer_than_300_pixels_of_new_ink_are_no_drawing(rows, null):
    # Columns of 25 px that start at the stimulus, a bar whose last row is 99: 275 px or, with one row more, 300.
    found, parts = score(bar(100, 100, 124, 99 + rows), stimulus=[bar(50, 95, 200, 99)])
    assert (found == 0) == null
    assert (set(parts.values()) == {0.0}) == null


def test_ink_on_top_of_the_stimulus_is_not_new():
    assert score(*BOAT, *BOWL) == score(*BOAT)


def test_connected_is_the_share_of_ink_in_pieces_that_touch():
    # 1,000 px that touch and 1,000 px that do not: 1 - (1 - 1/2)^2.
    beam = [bar(100, 200, 300, 204)]
    touching, apart = bar(100, 180, 149, 199), bar(20, 20, 69, 39)
    assert score(touching, stimulus=beam)[1]["connected"] == 1.0
    assert score(apart, stimulus=beam)[1]["connected"] == 0.0
    assert score(touching, apart, stimulus=beam)[1]["connected"] == pytest.approx(0.75)


@pytest.mark.parametrize(("gap", "touches"), [(0, True), (1, True), (2, False)])
def test_ink_touches_over_a_gap_of_a_pixel(gap, touches):
    found = score(bar(150, 100, 249, 199 - gap), stimulus=[bar(100, 200, 300, 204)])[1]["connected"]
    assert (found == 1.0) == touches


UPRIGHT = line((100, 50), (100, 350))  # 300 px long
RAY = line((100, 60), (200, 60))


@pytest.mark.parametrize(
    ("stroke", "joined"),
    [
        (RAY, 1.0),
        (line((50, 60), (200, 60)), 0.0),  # crosses
        (line((50, 180), (150, 260)), 0.0),  # at a slant
        (line((104, 120), (104, 200), (180, 300)), 0.0),  # runs along and past
        (line((180, 100), (105, 200), (180, 300)), 1.0),  # a corner on the shape
    ],
)
def test_strokes_that_end_on_the_shape_are_joined_and_those_that_cross_or_pass_are_not(stroke, joined):
    assert score(stroke, stimulus=[UPRIGHT])[1]["joined"] == joined


def test_joined_is_the_share_of_meetings():
    drawn = [RAY, line((50, 200), (200, 200)), line((50, 300), (200, 300))]
    assert score(*drawn, stimulus=[UPRIGHT])[1]["joined"] == pytest.approx(1 / 3)


def test_taken_is_the_part_of_the_shape_within_60_px_of_an_end_that_joins():
    # From x = 103 and y = 60: 72 px of the shape's 300, and another 118 px around y = 200.
    one = score(RAY, stimulus=[UPRIGHT])[1]["taken"]
    two = score(RAY, line((100, 200), (200, 200)), stimulus=[UPRIGHT])[1]["taken"]
    assert one == pytest.approx(70 / 300, abs=0.02) and two == pytest.approx(190 / 300, abs=0.02)
    parts = score(RAY, line((50, 200), (200, 200)), stimulus=[UPRIGHT])[1]
    assert parts["taken"] == one
    assert parts["incorporation"] == pytest.approx(parts["connected"] * (0.35 + 0.65 * 0.5 * one))


def test_ink_around_the_stimulus_counts_half_and_less_the_wider_it_is():
    shape = [bar(180, 180, 219, 219)]  # 40 x 40 px

    def around(half):
        first, last = 200 - half, 199 + half
        return score(line((first + 2, first + 2), (last - 2, first + 2), (last - 2, last - 2), (first + 2, last - 2),
                          (first + 2, first + 2)), stimulus=shape)[1]["connected"]  # fmt: skip

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


def square(side):
    return line((50, 50), (50 + side, 50), (50 + side, 50 + side), (50, 50 + side), (50, 50))


def test_closed_counts_the_ground_within_new_forms_up_to_2_percent_of_the_canvas_each():
    # Strokes of 5 px lie half within: a square of 45 px encloses 40 x 40 px, 1 % of the canvas, in cells of 2 px.
    closed = [score(*drawn, stimulus=None)[1]["closed"] for drawn in (
        [bar(10, 10, 30, 60)], [square(45)], [square(150)], [square(240)], [arc(200, 200, 150, 0, 360)]
    )]  # fmt: skip
    assert closed[0] == closed[4] == 0.0  # solid ink; 43 % of the canvas
    assert closed[1] == pytest.approx(1 - math.exp(-0.01 / 0.03), abs=0.03)
    assert closed[2] == closed[3] == pytest.approx(1 - math.exp(-0.02 / 0.03))


def test_closed_counts_what_the_shape_and_new_ink_enclose_together_and_not_what_the_shape_did():
    ring, lid = [arc(200, 200, 80, 0, 360)], line((185 - 84, 215), (185 + 84, 215))
    assert score(bar(200, 20, 240, 60), stimulus=ring)[1]["closed"] == 0.0
    assert score(lid)[1]["closed"] > 0.4
    halved = score(line((120, 200), (280, 200)), stimulus=ring)[1]["closed"]
    assert halved == pytest.approx(1 - math.exp(-0.04 / 0.03))  # two regions, of which 2 % of the canvas count each


def test_a_region_of_the_shape_counts_once_something_is_drawn_in_it():
    ring = [arc(200, 200, 80, 0, 360)]  # it encloses 19,000 square px
    for side, closed in ((10, 0.0), (30, 1 - math.exp(-0.02 / 0.03))):
        drawn = [bar(200, 200, 199 + side, 199 + side), bar(10, 10, 60, 60)]
        assert score(*drawn, stimulus=ring)[1]["closed"] == pytest.approx(closed)


def test_turning_falls_with_the_share_of_ink_in_long_straight_strokes():
    turning = {name: score(*drawn, stimulus=None)[1]["turning"] for name, drawn in {
        "a line": [line((20, 20), (380, 350))],
        "lines": [line((20, 20), (380, 350)), line((20, 200), (390, 80)), line((300, 20), (60, 390))],
        "circles": [arc(120, 120, 60, 0, 360), arc(280, 250, 40, 0, 360)],
        "dashes": [line((x, 50 * x % 380), (x + 30, 50 * x % 380 + 30)) for x in range(20, 360, 30)],
    }.items()}  # fmt: skip
    assert turning["a line"] == turning["lines"] == 0.0
    assert turning["circles"] == turning["dashes"] == 1.0


def test_lines_at_any_angle_are_straight():
    for degrees in range(0, 180, 7):
        c, s = 180 * math.cos(math.radians(degrees)), 180 * math.sin(math.radians(degrees))
        assert score(line((200 - c, 200 - s), (200 + c, 200 + s)), stimulus=None)[1]["turning"] == 0.0


def test_the_value_is_the_product_of_the_five_parts():
    found, parts = score(*BOAT, bar(20, 20, 69, 39))
    assert 0 < parts["incorporation"] < 1
    assert found == parts["figural"] == pytest.approx(math.prod(parts[name] for name in MAIN))
    assert parts["structure"] == pytest.approx((0.25 + 0.75 * parts["closed"]) * (0.35 + 0.65 * parts["turning"]))


def test_growing_out_of_the_stimulus_scores_more_step_by_step():
    curve = [value(*BOAT[:count]) for count in range(4)]
    assert curve == sorted(curve) and len(set(curve)) == 4
    reach = [score(line((102, 214), (102, 214 - length)))[1]["extension"] for length in range(70, 210, 10)]
    assert all(longer > shorter for shorter, longer in itertools.pairwise(reach))


@pytest.mark.parametrize("rows", range(60, 300, 40))
def test_filling_the_canvas_row_by_row_never_pays(rows):
    assert value(bar(0, 300 - rows, 399, 300)) < 0.01


def test_filling_forms_with_ink_does_not_raise_the_score():
    face = [arc(185, 130, 60, 0, 360), arc(165, 120, 12, 0, 360), arc(205, 120, 12, 0, 360)]
    filled = [*face, disc(165, 120, 12), disc(205, 120, 12)]
    assert value(*BOAT, *filled) <= value(*BOAT, *face)


# ---------------------------------------------------------------- what it is given


def test_a_blank_canvas_has_no_incorporation():
    found, parts = score(*BOAT, stimulus=None)
    names = {"figural", "extension", "structure", "closed", "turning", "novelty", "ink"}
    assert set(parts) == set(score(stimulus=None)[1]) == names
    assert found == pytest.approx(math.prod(parts[name] for name in MAIN[1:])) and found > MODEST


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
    assert found <= min(parts[name] for name in MAIN if name in parts) + 1e-12

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designgym.boxes import Box, NumberFrame, giou, hull, iou

DEGENERATE = [
    [0.5, 0.5, 0.2, 0.9],  # reversed x
    [0.2, 0.9, 0.5, 0.5],  # reversed y
    [0.2, 0.2, 0.2, 0.9],  # no width
    [0.2, 0.2, 0.2, 0.2],
    [math.nan, 0.0, 1.0, 1.0],
    [0.0, 0.0, math.inf, 1.0],
    [-math.inf, -math.inf, math.inf, math.inf],
]

corner = st.integers(0, 12)
grid_box = st.tuples(corner, corner, corner, corner).map(
    lambda v: (min(v[0], v[2]), min(v[1], v[3]), max(v[0], v[2]) + 1, max(v[1], v[3]) + 1)
)


def cells(box):
    """The unit squares of a box with whole corners: an independent way to measure areas."""
    return {(x, y) for x in range(box[0], box[2]) for y in range(box[1], box[3])}


@pytest.mark.parametrize(
    ("a", "b", "overlap", "generalised"),
    [
        ([0, 0, 2, 2], [1, 1, 3, 3], 1 / 7, 1 / 7 - 2 / 9),
        ([0, 0, 1, 1], [2, 0, 3, 1], 0.0, -1 / 3),
        ([0, 0, 4, 4], [1, 1, 3, 3], 1 / 4, 1 / 4),
        ([0, 0, 1, 1], [1, 0, 2, 1], 0.0, 0.0),  # touching
        ([0.1, 0.2, 0.3, 0.4], [0.1, 0.2, 0.3, 0.4], 1.0, 1.0),
    ],
)
def test_iou_and_giou_equal_hand_values(a, b, overlap, generalised):
    assert iou(a, b) == pytest.approx(overlap, abs=1e-12)
    assert giou(a, b) == pytest.approx(generalised, abs=1e-12)


@given(grid_box, grid_box)
def test_iou_and_giou_equal_counted_cells(a, b):
    both, either = len(cells(a) & cells(b)), len(cells(a) | cells(b))
    around = (max(a[2], b[2]) - min(a[0], b[0])) * (max(a[3], b[3]) - min(a[1], b[1]))
    assert iou(a, b) == pytest.approx(both / either)
    assert giou(a, b) == pytest.approx(both / either - (around - either) / around)
    assert iou(a, b) == iou(b, a)
    assert -1 <= giou(a, b) <= iou(a, b) <= 1


@pytest.mark.parametrize("bad", DEGENERATE)
def test_degenerate_box_overlaps_nothing_not_even_itself(bad):
    for other in ([0.0, 0.0, 1.0, 1.0], bad):
        assert iou(bad, other) == iou(other, bad) == 0.0
        assert giou(bad, other) == giou(other, bad) == -1.0


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.tuples(finite, finite, finite, finite), st.tuples(finite, finite, finite, finite))
def test_any_finite_numbers_give_values_in_range(a, b):
    assert 0 <= iou(a, b) <= 1
    assert -1 <= giou(a, b) <= 1


def test_numbers_near_the_end_of_the_range_do_not_overflow():
    assert iou([-1e308, -1e308, 1e308, 1e308], [-1e308, -1e308, 1e308, 1e308]) == 1.0
    assert iou([0, 0, 1e200, 1e200], [0, 0, 1e200, 5e199]) == pytest.approx(0.5)


@given(grid_box, st.integers(1, 6))
def test_iou_falls_as_a_box_is_pushed_away(box, step):
    pushed = [iou(box, [box[0] + k * step, box[1], box[2] + k * step, box[3]]) for k in range(6)]
    assert pushed == sorted(pushed, reverse=True)
    assert pushed[0] == 1.0


def test_pixels_of_the_resized_image_become_pixels_of_the_original():
    truth = Box.of([960, 540, 1920, 1080], "pixel")
    reply = Box.of([658, 364, 1316, 728], "resized_pixel")
    converted = reply.convert("pixel", size=(1920, 1080), resized=(1316, 728))
    assert iou(converted, truth) == pytest.approx(1.0)
    assert iou([658, 364, 1316, 728], [960, 540, 1920, 1080]) == pytest.approx(0.097, abs=1e-3)  # read as it stands


@given(grid_box, st.sampled_from(["fraction", "pixel", "thousand", "resized_pixel"]))
def test_conversion_there_and_back_changes_nothing(values, frame):
    box = Box.of([v / 13 for v in values])
    sizes = {"size": (640, 400), "resized": (308, 196)}
    back = box.convert(frame, **sizes).convert("fraction", **sizes)
    assert back.xyxy == pytest.approx(box.xyxy)


def test_each_frame_has_its_own_unit():
    half = Box(0.25, 0.5, 0.75, 1.0)
    assert half.convert("thousand").xyxy == (250, 500, 750, 1000)
    assert half.convert("pixel", size=(640, 400)).xyxy == (160, 200, 480, 400)
    assert half.convert("resized_pixel", resized=(308, 196)).xyxy == (77, 98, 231, 196)


def test_ltwh_and_xyxy_are_told_apart():
    box = Box.of([0.1, 0.2, 0.3, 0.4], order="ltwh")
    assert box.xyxy == pytest.approx((0.1, 0.2, 0.4, 0.6))
    assert box.ltwh == pytest.approx((0.1, 0.2, 0.3, 0.4))
    assert iou(box, Box.of([0.1, 0.2, 0.4, 0.6], order="ltwh")) == pytest.approx(0.5)  # corners mistaken for sides


def test_clipping_keeps_the_part_on_the_page():
    assert Box.of([100, 1050, 300, 90], "pixel", "ltwh").clip(size=(1080, 1080)).ltwh == (100, 1050, 300, 30)
    assert Box.of([-5, 10, 50, 40], "pixel", "ltwh").clip(size=(1080, 1080)).xyxy == (0, 10, 45, 50)
    beside = Box.of([2000, 100, 50, 50], "pixel", "ltwh").clip(size=(1080, 1080))
    assert beside.area == 0


def test_hull_holds_all_boxes():
    assert hull([Box(0.1, 0.5, 0.2, 0.6), Box(0.0, 0.55, 0.15, 0.9)]).xyxy == (0.0, 0.5, 0.2, 0.9)


def test_halves_round_upwards():
    assert Box(0.5, 1.5, 2.5, 3.49, "thousand").round().xyxy == (1, 2, 3, 3)
    assert Box(-0.5, -1.5, 0, 1, "pixel").round().xyxy == (0, -1, 0, 1)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Box(0, 0, math.nan, 1), "four finite numbers"),
        (lambda: Box(0, 0, 1, 1, "percent"), "'percent' is unknown"),
        (lambda: Box.of([1, 2, 3]), "four numbers, not 3"),
        (lambda: Box.of([1, 2, 3, 4], order="yxyx"), "'yxyx' is unknown"),
        (lambda: Box(0, 0, 1, 1).convert("pixel"), r"pass size=\(width, height\)"),
        (lambda: Box(0, 0, 1, 1).convert("resized_pixel", size=(10, 10)), r"pass resized="),
        (lambda: Box(0, 0, 1, 1).convert("pixel", size=(0, 10)), "above 0"),
        (lambda: iou(Box(0, 0, 1, 1), Box(0, 0, 1, 1, "thousand")), "different frames"),
        (lambda: hull([]), "at least one"),
        (lambda: hull([Box(0, 0, 1, 1), Box(0, 0, 1, 1, "thousand")]), "different frames"),
        (lambda: NumberFrame("pixel"), "width and height"),
    ],
)
def test_mistakes_are_sentences(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_number_frames_say_how_boxes_are_written():
    assert NumberFrame().words == "fractions of the page"
    assert NumberFrame("thousand").words == "0-1000"
    pixels = NumberFrame("resized_pixel", (448, 336))
    assert pixels.words == "pixels of a 448 x 336 image"
    assert pixels.limits == (448, 336)
    assert pixels.whole and not NumberFrame().whole

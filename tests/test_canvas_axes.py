import numpy as np
import pytest

from designgym.envs.canvas.axes import annotate, annotated_size

PAPER = np.full((400, 400), 255, np.uint8)
INK = np.zeros((400, 400), np.uint8)
NOISE = np.where(np.random.default_rng(0).random((400, 400)) < 0.5, 0, 255).astype(np.uint8)
BEFORE = 32  # px left of the canvas and above it


def test_the_sizes_are_those_that_are_announced_and_that_processors_leave_alone():
    assert annotate(PAPER, "outside").shape == (448, 448) == (annotated_size(400, "outside"),) * 2
    assert 448 % 28 == 448 % 32 == 0
    assert annotate(PAPER, "over").shape == (400, 400) == (annotated_size(400, "over"),) * 2
    assert annotated_size(400, "none") == 400


@pytest.mark.parametrize("image", [PAPER, INK, NOISE], ids=["paper", "ink", "noise"])
def test_axes_outside_leave_the_canvas_as_it_is_and_are_never_as_dark_as_ink(image):
    framed = annotate(image, "outside")
    assert (framed[BEFORE : BEFORE + 400, BEFORE : BEFORE + 400] == image).all()
    beside = framed.copy()
    beside[BEFORE : BEFORE + 400, BEFORE : BEFORE + 400] = 255
    assert beside.min() >= 64
    assert (beside == annotate(PAPER, "outside")).all()


def test_ticks_stand_at_multiples_of_ten_and_long_ones_at_multiples_of_fifty():
    framed = annotate(PAPER, "outside")
    for edge in (framed, framed.T):  # rows from above, columns from the left
        short, long = edge[BEFORE - 2, BEFORE : BEFORE + 401], edge[BEFORE - 6, BEFORE : BEFORE + 401]
        assert np.flatnonzero(short < 255).tolist() == list(range(0, 401, 10))
        assert np.flatnonzero(long < 255).tolist() == list(range(0, 401, 50))


def test_every_long_tick_has_a_number_of_its_own():
    framed = annotate(PAPER, "outside")
    above = [framed[: BEFORE - 8, BEFORE + at - 12 : BEFORE + at + 12] for at in range(0, 401, 50)]
    left = [framed[BEFORE + at - 6 : BEFORE + at + 6, : BEFORE - 8] for at in range(0, 401, 50)]
    for numbers in (above, left):
        assert all(number.min() < 128 for number in numbers)
        assert len({number.tobytes() for number in numbers}) == 9


@pytest.mark.parametrize("image", [PAPER, INK, NOISE], ids=["paper", "ink", "noise"])
def test_axes_over_the_canvas_touch_only_its_upper_and_left_border_and_are_grey(image):
    before = image.copy()
    result = annotate(image, "over")
    changed = result != image
    assert (image == before).all() and changed.any()
    assert not changed[32:, 32:].any()
    assert changed.mean() < 0.03
    assert result[changed].min() >= 64 and result[changed].max() < 255


def test_numbers_over_a_dense_drawing_stand_out_from_a_halo():
    over_ink, over_paper = annotate(INK, "over"), annotate(PAPER, "over")
    marks = over_paper < 128
    assert (over_ink[marks] < 140).all()
    halo = (over_ink > 0) & (over_paper == 255)
    assert halo.sum() > marks.sum() and (over_ink[halo].astype(int) >= 200).mean() > 0.7


def test_each_image_is_an_array_of_its_own():
    for place in ("outside", "over"):
        first = annotate(PAPER, place)
        kept = first.copy()
        first[:] = 7
        assert (annotate(PAPER, place) == kept).all()
        assert annotate(np.asfortranarray(NOISE), place).tobytes() == annotate(NOISE, place).tobytes()


@pytest.mark.parametrize(("image", "place", "named"), [(PAPER[:300], "over", "300"), (PAPER, "inside", "'inside'")])
def test_other_shapes_and_places_are_refused_by_name(image, place, named):
    with pytest.raises(ValueError, match=named):
        annotate(image, place)

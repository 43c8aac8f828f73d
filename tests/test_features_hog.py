import math

import drawn
import numpy as np
import pytest

from designgym.rewards.features.hog import BINS, CELLS, CLIP, FLOOR, SIDE, SIZE, hog
from designgym.rewards.features.images import ImageError

PAGE = drawn.page(drawn.scribble(12), drawn.disc(210, 180, 60))


def cells(*strokes):
    return hog(drawn.page(*strokes)).reshape(CELLS, CELLS, BINS)


def slowly(image):
    """The same histograms, pixel by pixel and block by block, from the description."""
    step = len(image) // SIDE
    dark = [
        [1 - image[r * step : (r + 1) * step, c * step : (c + 1) * step].mean() / 255 for c in range(SIDE)]
        for r in range(SIDE)
    ]
    votes = np.zeros((CELLS + 2, CELLS + 2, BINS))  # with a border for votes that go beyond the page
    for r in range(SIDE):
        for c in range(SIDE):
            dx = (dark[r][min(c + 1, SIDE - 1)] - dark[r][max(c - 1, 0)]) / 2
            dy = (dark[min(r + 1, SIDE - 1)][c] - dark[max(r - 1, 0)][c]) / 2
            turn = math.degrees(math.atan2(dy, dx)) % 180 / 20
            y, x = (r + 0.5) / 10 + 0.5, (c + 0.5) / 10 + 0.5
            for row, tall in ((int(y), 1 - y % 1), (int(y) + 1, y % 1)):
                for column, wide in ((int(x), 1 - x % 1), (int(x) + 1, x % 1)):
                    for bin_, part in ((int(turn), 1 - turn % 1), (int(turn) + 1, turn % 1)):
                        votes[row, column, bin_ % BINS] += math.hypot(dx, dy) * tall * wide * part
    votes[[0, -1]] = votes[:, [0, -1]] = 0
    found = np.zeros((CELLS, CELLS, BINS))
    for row in range(CELLS):
        for column in range(CELLS):
            for top in (row, row + 1):
                for left in (column, column + 1):
                    block = votes[top : top + 2, left : left + 2]
                    length = math.sqrt((block**2).sum() + FLOOR**2)
                    found[row, column] += np.minimum(votes[row + 1, column + 1] / length, CLIP) / 4
    return found.ravel()


def test_it_equals_a_slow_computation_from_the_description():
    np.testing.assert_allclose(hog(PAGE), slowly(PAGE), atol=2e-5)


def test_a_vector_has_900_numbers_from_0_to_the_clip_and_is_0_for_blank_pages():
    found = hog(PAGE)
    assert found.shape == (SIZE,) == (900,) and found.dtype == np.float32
    assert found.min() == 0 and found.max() == np.float32(CLIP)
    assert not hog(drawn.page()).any() and not hog(drawn.page(drawn.FILLED)).any()


@pytest.mark.parametrize(
    ("end", "bins"),
    [((200, 380), {0}), ((380, 200), {4, 5}), ((380, 380), {6, 7}), ((380, 20), {2, 3})],
)
def test_a_stroke_is_counted_in_the_direction_across_it(end, bins):
    start = (400 - end[0], 400 - end[1])
    total = cells(drawn.line(start, end)).sum(axis=(0, 1))
    assert set(np.flatnonzero(total > 0.5 * total.max())) <= bins
    assert total[list(bins)].sum() > 0.75 * total.sum()


def test_a_stroke_is_counted_where_it_is():
    found = cells(drawn.line((60, 100), (60, 180))).sum(axis=2)
    assert set(zip(*(axis.tolist() for axis in np.nonzero(found)), strict=True)) <= {
        (row, column) for row in range(1, 6) for column in range(3)
    }
    assert found.argmax() in (21, 41)  # around the ends, which have other directions, too


def test_grey_colour_and_size_make_no_difference():
    found = hog(PAGE)
    np.testing.assert_array_equal(hog(PAGE[:, :, None]), found)
    np.testing.assert_allclose(hog(np.repeat(PAGE[:, :, None], 3, axis=2)), found, atol=1e-5)
    np.testing.assert_allclose(hog(np.kron(PAGE, np.ones((2, 2), np.uint8))), found, atol=1e-5)


def test_sides_that_are_no_multiple_of_the_grid_are_reduced_by_areas():
    # 150 px onto 100: each part holds a pixel and a half, so a page of 300 px with each pixel doubled is the same.
    small = np.random.default_rng(0).integers(0, 256, (150, 150), np.uint8)
    np.testing.assert_allclose(hog(small), hog(np.kron(small, np.ones((2, 2), np.uint8))), atol=1e-4)


def test_a_wide_image_lies_in_the_middle_of_white_paper():
    wide = PAGE[100:300]
    page = np.full((400, 400), 255, np.uint8)
    page[100:300] = wide
    np.testing.assert_array_equal(hog(wide), hog(page))


@pytest.mark.parametrize(
    "image",
    [PAGE.astype(np.float32), PAGE.tolist(), np.zeros((0, 4), np.uint8), np.zeros((4, 4, 4), np.uint8), PAGE[0]],
)
def test_what_is_no_image_is_refused(image):
    with pytest.raises(ImageError, match="An image is"):
        hog(image)

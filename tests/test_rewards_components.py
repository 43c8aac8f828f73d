import numpy as np
import pytest
from drawn import page, scribble
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from designgym.rewards.components import Runs


def flooded(mask):
    """The components by flood fill, pixel by pixel: a set of positions each, in reading order of their first ones."""
    left = {(int(row), int(column)) for row, column in np.argwhere(mask)}
    found = []
    while left:
        border = [min(left)]
        left.remove(border[0])
        component = set()
        while border:
            row, column = border.pop()
            component.add((row, column))
            for beside in [(row + down, column + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]:
                if beside in left:
                    left.remove(beside)
                    border.append(beside)
        found.append(component)
    return found


def labelled(mask):
    """The components by runs, in the same form."""
    runs = Runs.of(mask)
    found = {}
    for row, start, stop, label in zip(runs.rows, runs.starts, runs.stops, runs.labels(), strict=True):
        found.setdefault(int(label), set()).update((int(row), column) for column in range(start, stop))
    return [found[label] for label in range(len(found))]


masks = st.tuples(st.integers(1, 12), st.integers(1, 12)).flatmap(lambda shape: arrays(bool, shape))


@given(masks)
def test_components_are_those_of_a_flood_fill(mask):
    assert labelled(mask) == flooded(mask)


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3, 0.45, 0.6, 0.9])
def test_components_of_noise_are_those_of_a_flood_fill(share):
    # The flood fill leaves components of all forms here; at 0.3 to 0.45 they wind through the whole page.
    mask = np.random.default_rng(int(100 * share)).random((60, 90)) < share
    assert labelled(mask) == flooded(mask)


def test_a_spiral_is_one_component_and_a_cut_makes_it_two():
    mask = np.zeros((41, 41), bool)
    row, column, down, right = 0, 0, 0, 1
    for length in range(40, 0, -2):
        for step in (length, length):
            for _ in range(step):
                mask[row, column] = True
                row, column = row + down, column + right
            down, right = right, -down
    assert labelled(mask) == flooded(mask)
    assert len(labelled(mask)) == 1
    mask[0, 20] = False
    assert len(labelled(mask)) == 2


def test_pixels_that_touch_by_a_corner_are_one_component_and_the_ends_of_rows_do_not_touch():
    assert len(labelled(np.eye(5, dtype=bool))) == len(labelled(np.eye(5, dtype=bool)[:, ::-1])) == 1
    ends = np.zeros((3, 5), bool)
    ends[0, 4] = ends[1, 0] = True  # one behind the other in memory
    assert len(labelled(ends)) == 2


def test_the_components_of_a_drawing_are_those_of_a_flood_fill():
    mask = page(scribble(6), scribble(3, seed=1))[::2, ::2] < 128
    assert labelled(mask) == flooded(mask)


@given(masks, st.integers(1, 5))
def test_runs_lengths_places_cells_and_boxes_are_those_of_the_pixels(mask, side):
    runs = Runs.of(mask)
    labels = runs.labels()
    rows, columns = np.nonzero(mask)
    assert runs.lengths.sum() == len(rows)

    at = runs.at(np.flatnonzero(mask))
    assert (runs.rows[at] == rows).all()
    assert ((runs.starts[at] <= columns) & (columns < runs.stops[at])).all()

    cells = runs.cells(side)
    assert cells.shape == (-(-mask.shape[0] // side), -(-mask.shape[1] // side))
    assert {tuple(cell) for cell in np.argwhere(cells)} == {(r // side, c // side) for r, c in zip(rows, columns)}  # noqa: B905

    boxes = [
        [min(c for _, c in one), min(r for r, _ in one), max(c for _, c in one) + 1, max(r for r, _ in one) + 1]
        for one in flooded(mask)
    ]
    assert runs.boxes(labels).tolist() == boxes

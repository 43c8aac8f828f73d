import dataclasses

import numpy as np
from drawn import bar, episode
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from designgym.rewards.added_ink import added_ink, ink, near

masks = st.tuples(st.integers(1, 12), st.integers(1, 12)).flatmap(lambda shape: arrays(bool, shape))


@given(masks, st.integers(0, 14))
def test_near_is_what_lies_in_a_square_around_a_pixel(mask, distance):
    places = np.argwhere(mask)
    expected = [
        [any(max(abs(r - row), abs(c - column)) <= distance for r, c in places) for column in range(mask.shape[1])]
        for row in range(mask.shape[0])
    ]
    before = mask.copy()
    assert near(mask, distance).tolist() == expected
    assert (mask == before).all()


def test_ink_is_darker_than_the_middle_in_any_channel():
    grey = np.array([[0, 127, 128, 255]], np.uint8)
    assert ink(grey).tolist() == ink(grey[:, :, None]).tolist() == [[True, True, False, False]]
    colours = np.array([[[255, 255, 255], [255, 0, 255], [128, 128, 127]]], np.uint8)
    assert ink(colours).tolist() == [[False, True, True]]


def test_new_ink_is_that_of_the_image_without_the_stimulus():
    drawn = episode(bar(10, 10, 19, 19), stimulus=[bar(15, 0, 24, 399)])
    new, stimulus = added_ink(drawn)
    assert new.sum() == 50 and new[10:20, 10:15].all()
    assert stimulus.sum() == 4000
    blank, nothing = added_ink(dataclasses.replace(drawn, stimulus=None))
    assert blank.sum() == 4050 and nothing is None

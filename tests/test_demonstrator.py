"""The demonstrator's stated weakness, on boxes worked by hand."""

from __future__ import annotations

import pytest

from designgym.agents.demonstrator import Demonstrator, room
from designgym.boxes import iou
from designgym.envs.aesthetics.blocks.item import Item, Settings, item

ELEMENT = (0.4, 0.4, 0.6, 0.5)


def test_alone_every_side_runs_on_by_the_reach() -> None:
    assert room(ELEMENT, [], 0.5) == pytest.approx((0.3, 0.35, 0.7, 0.55))


def test_a_neighbour_stops_the_side_that_faces_it_and_no_other() -> None:
    neighbour = (0.65, 0.3, 0.9, 0.45)  # to the right, sharing part of the height
    assert room(ELEMENT, [neighbour], 0.5) == pytest.approx((0.3, 0.35, 0.65, 0.55))


def test_something_diagonally_off_stops_nothing() -> None:
    assert room(ELEMENT, [(0.65, 0.55, 0.9, 0.9)], 0.5) == pytest.approx((0.3, 0.35, 0.7, 0.55))


def test_the_edge_of_the_page_stops_it() -> None:
    assert room((0.0, 0.9, 0.5, 1.0), [], 1.0) == pytest.approx((0.0, 0.8, 1.0, 1.0))


def items(**settings: object) -> list[Item]:
    return [item(f"validation-{i:06d}", Settings(image_size=64, **settings)) for i in range(80)]  # type: ignore[arg-type]


def marked(shown: Item, **weakness: object) -> list[float] | None:
    return Demonstrator(**weakness).answer(shown)["arguments"]["bbox"]  # type: ignore[arg-type]


def test_it_is_right_about_the_flawed_element_and_wrong_about_its_box() -> None:
    agreement = []
    for shown in items(clean_share=0.0):
        box = marked(shown)
        assert box is not None and shown.truth is not None
        agreement.append(iou(box, shown.truth))
        assert box[0] <= shown.truth[0] and box[3] >= shown.truth[3]
    assert 0.2 < sum(agreement) / len(agreement) < 0.6


def test_it_suspects_the_largest_element_of_sparse_clean_pages_only() -> None:
    for shown in items(clean_share=1.0):
        box = marked(shown, reach=0.0)
        if len(shown.boxes) > 4:
            assert box is None
        else:
            sizes = {(b[2] - b[0]) * (b[3] - b[1]) for b in shown.boxes.values()}
            assert box is not None
            assert (box[2] - box[0]) * (box[3] - box[1]) == pytest.approx(max(sizes))


def test_without_suspicion_every_clean_page_gets_none() -> None:
    assert {marked(shown, sparse=0) is None for shown in items(clean_share=1.0)} == {True}


def test_reach_zero_is_the_truth() -> None:
    shown = item("train-000004", Settings(image_size=64, clean_share=0.0))
    assert Demonstrator(reach=0.0).answer(shown)["arguments"]["bbox"] == pytest.approx(shown.truth)


def test_asked_before_begin_it_says_what_to_do() -> None:
    with pytest.raises(RuntimeError, match="begin"):
        Demonstrator()({}, {})

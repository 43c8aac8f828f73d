"""Given pictures are told from others that are like a part of the page in the large."""

from __future__ import annotations

import numpy as np
import pytest

from designgym.graphics.decode import decode_image
from designgym.graphics.document import Document, ImageLayer
from designgym.graphics.render import render
from designgym.pool.embedded import embedded
from designgym.rewards.judges.find_picture import LEAST_LIKENESS, find_picture
from designgym.rewards.judges.picture_detail import detail_likeness

PURPLE = (128, 0, 128)


def pixels(name: str) -> np.ndarray:
    return decode_image(embedded().png(name, 400)).pixels


def page(name: str, x: float = 180) -> np.ndarray:
    data = embedded().png(name, 400)
    high, wide = pixels(name).shape[:2]
    layer = ImageLayer(id="p", asset="a", x=x, y=80, width=240, height=240 * high / wide)
    return render(Document(600, 400, "#800080", (layer,), {"a": data}), 1.5)


def test_blue_and_white_of_a_map_are_no_wave() -> None:
    shown = page("noto/world-map")
    there, other = (find_picture(shown, pixels(name), PURPLE) for name in ("noto/world-map", "fluent/water-wave"))
    assert there is not None and there.is_there
    assert other is not None and other.likeness >= LEAST_LIKENESS  # in the large it is as like
    assert not other.is_there


@pytest.mark.parametrize(("x", "box", "shown"), [(-96, (0.0, 0.24), 0.6), (470, (470 / 600, 1.0), 130 / 240)])
def test_a_picture_is_found_by_what_the_pages_edge_leaves_of_it(
    x: float, box: tuple[float, float], shown: float
) -> None:
    found = find_picture(page("noto/camel", x), pixels("noto/camel"), PURPLE)
    assert found is not None and found.is_there
    assert np.abs(np.subtract((found.box[0], found.box[2]), box)).max() < 0.02
    assert found.shown == pytest.approx(shown, abs=0.05)
    other = find_picture(page("noto/camel", x), pixels("noto/mushroom"), PURPLE)
    assert other is not None and not other.is_there


def stripes(across: int, down: int, period: int) -> np.ndarray:
    """Black and white bars, opaque."""
    bars = np.broadcast_to((np.arange(across) // period % 2 * 255).astype(np.uint8)[None, :, None], (down, across, 3))
    return np.concatenate([bars, np.full((down, across, 1), 255, np.uint8)], axis=-1)


@pytest.mark.parametrize(("left", "likeness"), [(40, 0.9), (-20, 0.9)])
def test_details_are_compared_where_the_page_has_them(left: int, likeness: float) -> None:
    picture = stripes(64, 48, 8)
    shown = np.full((100, 200, 3), 90, np.uint8)
    shown[30:78, max(0, left) : left + 64] = picture[:, max(0, -left) :, :3]
    box = left / 200, 30 / 100, (left + 64) / 200, 78 / 100
    assert detail_likeness(shown, picture, box) > likeness
    away = 120 / 200, 30 / 100, 184 / 200, 78 / 100
    assert detail_likeness(shown, picture, away) <= 0


def test_bars_of_another_width_are_other_details_and_one_colour_has_none() -> None:
    shown = np.full((100, 200, 3), 90, np.uint8)
    shown[30:78, 40:104] = stripes(64, 48, 8)[..., :3]
    box = 40 / 200, 30 / 100, 104 / 200, 78 / 100
    assert detail_likeness(shown, stripes(64, 48, 3), box) < 0.4
    grey = np.full((100, 200, 3), 90, np.uint8)
    assert detail_likeness(grey, np.full((48, 64, 4), 255, np.uint8), (0.0, 0.0, 1.0, 1.0)) == 1.0

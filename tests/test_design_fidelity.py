from __future__ import annotations

import dataclasses
import hashlib
import importlib.util
from typing import Any

import numpy as np
import pytest

from designgym.episode import Episode
from designgym.graphics.decode import decode_image
from designgym.graphics.document import Document, ImageLayer, ShapeLayer
from designgym.graphics.filters.applied import AppliedFilter
from designgym.graphics.render import render
from designgym.pool.embedded import embedded
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.fidelity import Fidelity
from designgym.rewards.judges.find_picture import find_picture
from designgym.rewards.template_match import TemplateMatch, best_response

CAMEL, MUSHROOM = "noto/camel", "noto/mushroom"


def document(*layers: Any, background: str = "#4682b4") -> Document:
    assets = {name: embedded().png(name, 200) for name in (CAMEL, MUSHROOM)}
    return Document(600, 400, background=background, layers=layers, assets=assets)


def camel(x: float = 40, y: float = 60, width: float = 240, **options: Any) -> ImageLayer:
    high, wide = decode_image(embedded().png(CAMEL, 200)).pixels.shape[:2]
    return ImageLayer(id="c", asset=CAMEL, x=x, y=y, width=width, height=width * high / wide, **options)


def episode(shown: Document, *names: str, with_document: bool = True, scale: float = 0.75) -> Episode:
    files = {
        f"{name}.png": {"caption": name, "sha256": hashlib.sha256(embedded().png(name, 200)).hexdigest()}
        for name in names
    }
    images = [{"file": f"{name}.png", "caption": name, "picture": name, "url": ""} for name in names]
    truth = {"files": files, "brief": {"images": images}}
    return Episode(
        "env", "test", "test-0", render(shown, scale), document=shown if with_document else None, truth=truth
    )


def test_a_picture_that_is_seen_whole_has_nearly_all_and_a_blank_page_nothing() -> None:
    for with_document in (True, False):
        seen = episode(document(camel()), CAMEL, with_document=with_document)
        blank = episode(document(), CAMEL, with_document=with_document)
        assert (Fidelity().value(seen) or 0) > 0.9
        assert Fidelity().value(blank) == 0.0


def test_the_mean_is_over_the_given_pictures() -> None:
    one = episode(document(camel()), CAMEL)
    both = episode(document(camel()), CAMEL, MUSHROOM)
    alone = Fidelity().value(one)
    assert alone is not None and Fidelity().value(both) == pytest.approx(alone / 2)
    assert Fidelity().score(both).components["fidelity/found"] == 0.5


def test_hidden_faded_off_page_tiny_and_distorted_pictures_lose() -> None:
    whole = Fidelity().value(episode(document(camel()), CAMEL)) or 0
    cover = ShapeLayer(id="s", x=0, y=0, width=600, height=400, fill="#4682b4")
    half = dataclasses.replace(cover, width=160)
    flat = dataclasses.replace(camel(), height=camel().height / 4)
    assert Fidelity().value(episode(document(camel(), cover), CAMEL)) == 0.0
    assert Fidelity().value(episode(document(camel(opacity=0.02)), CAMEL)) == 0.0
    assert Fidelity().value(episode(document(camel(x=-400)), CAMEL)) == 0.0
    assert Fidelity().value(episode(document(camel(width=12)), CAMEL)) == 0.0
    assert 0.2 * whole < (Fidelity().value(episode(document(camel(), half), CAMEL)) or 0) < 0.8 * whole
    assert (Fidelity().value(episode(document(flat), CAMEL)) or 0) < 0.3 * whole


def test_a_filter_that_leaves_little_of_a_picture_costs() -> None:
    blurred = camel(filters=(AppliedFilter.of("blur", {"blurAmount": 100.0}),))
    whole = Fidelity().value(episode(document(camel()), CAMEL)) or 0
    assert (Fidelity().value(episode(document(blurred), CAMEL)) or 0) < 0.9 * whole


def test_another_picture_in_its_place_is_not_it() -> None:
    other = dataclasses.replace(camel(), asset=MUSHROOM)
    for with_document in (True, False):
        assert Fidelity().value(episode(document(other), CAMEL, with_document=with_document)) == 0.0


def test_environments_without_given_pictures_are_refused_and_none_given_is_no_score() -> None:
    page = render(document())
    with pytest.raises(UnsuitableReward, match="hands out none"):
        Fidelity().check(Episode("env", "test", "t", page))
    assert Fidelity().value(episode(document())) is None
    assert TemplateMatch().value(episode(document())) is None


def test_a_picture_is_found_in_pixels_where_it_lies() -> None:
    pixels = decode_image(embedded().png(CAMEL, 400)).pixels
    ground = (0x46, 0x82, 0xB4)
    for layer in (camel(), camel(350, 20, 90), camel(100, 10, 380)):
        found = find_picture(render(document(layer)), pixels, ground)
        assert found is not None and found.likeness > 0.9
        box = layer.x / 600, layer.y / 400, (layer.x + layer.width) / 600, (layer.y + layer.height) / 400
        assert np.abs(np.subtract(found.box, box)).max() < 0.02
    missing = find_picture(render(document(dataclasses.replace(camel(), asset=MUSHROOM))), pixels, ground)
    assert missing is not None and missing.likeness < 0.75
    assert find_picture(render(document()), np.zeros((5, 5, 4), np.uint8)) is None


def plain_response(page: np.ndarray, template: np.ndarray) -> float:
    """The formula of OpenCV's manual, place by place."""
    height, width = template.shape
    best = 0.0
    for y in range(page.shape[0] - height + 1):
        for x in range(page.shape[1] - width + 1):
            part = page[y : y + height, x : x + width]
            norm = np.sqrt((template**2).sum() * (part**2).sum())
            best = max(best, (template * part).sum() / norm if norm else 0.0)
    return best


def test_template_responses_are_those_of_the_formula() -> None:
    rng = np.random.default_rng(3)
    for size in ((4, 7), (1, 1), (12, 15)):
        page, template = rng.integers(0, 256, (12, 15)).astype(float), rng.integers(0, 256, size).astype(float)
        assert best_response(page, template) == pytest.approx(plain_response(page, template), abs=1e-9)
    assert best_response(np.zeros((5, 5)), np.ones((2, 2))) == 0.0
    assert best_response(np.ones((5, 5)), np.ones((6, 2))) == 0.0


@pytest.mark.skipif(importlib.util.find_spec("cv2") is None, reason="OpenCV comes with the extra 'ocr'")
def test_template_responses_are_those_of_opencv() -> None:
    import cv2

    rng = np.random.default_rng(4)
    page, template = (rng.integers(0, 256, size).astype(np.uint8) for size in ((60, 80), (20, 31)))
    expected = cv2.matchTemplate(page, template, cv2.TM_CCORR_NORMED).max()
    assert best_response(page.astype(float), template.astype(float)) == pytest.approx(float(expected), abs=1e-4)


def test_the_template_match_of_the_paper_passes_a_blank_page() -> None:
    blank = episode(document(background="#ffffff"), CAMEL, MUSHROOM)
    assert TemplateMatch().value(blank) == 1.0
    assert Fidelity().value(blank) == 0.0

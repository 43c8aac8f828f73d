"""What is measured of perturbed elements, on pages small enough to be worked by hand."""

import dataclasses
import io

import numpy as np
import pytest
from PIL import Image

from designgym.envs.aesthetics.labels import CRITERIA, harms, reasons, unclear, verdict
from designgym.envs.aesthetics.measure_picture import detail_of
from designgym.envs.aesthetics.measure_type import face_distance
from designgym.envs.aesthetics.measures import measure
from designgym.envs.aesthetics.moods import mood_distance
from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.color import contrast_ratio, parse_color, srgb_to_oklab
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.pool.pool import PoolPicture

NEUTRAL = {
    "weight_shift": 0.0, "growth": 0.0, "bare": 0.0, "overlap": 0.0, "hidden": 0.0, "gap": 1.0, "misaligned": 0.0,
    "tilt_deg": 0.0, "cut": 0.0, "text_cut": 0.0, "contrast": 21.0, "borne_contrast": 21.0, "standout": 1.0,
    "clash": 0.0, "drab": 0.0, "mood": 0.0, "type_px": 99.0, "shrunk": 1.0, "ornate_px": 99.0, "rank_ratio": 9.0,
    "level_ratio": 1.0, "stray_face": 0.0, "resolution": 9.0, "blur": 1.0, "softened": 1.0, "irrelevant": 0.0,
}  # fmt: skip


def png(pixels: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()


def disc(side: int = 200) -> np.ndarray:
    y, x = np.mgrid[0:side, 0:side] - (side - 1) / 2
    inside = np.clip(side / 2 - 2 - np.hypot(x, y) + 0.5, 0, 1)
    pixels = np.zeros((side, side, 4), np.uint8)
    pixels[..., :3] = (200, 40, 40)
    pixels[..., 3] = np.rint(255 * inside)
    return pixels


class TwoPictures:
    """A pool of two pictures."""

    name = "two"
    pictures = (
        PoolPicture("tulip", "tulip", ("flower", "spring"), "plants", 1.0),
        PoolPicture("rose", "rose", ("flower",), "plants", 1.0),
        PoolPicture("truck", "truck", ("wheel",), "vehicles", 1.0),
    )

    def get(self, id: str) -> PoolPicture:
        return next(picture for picture in self.pictures if picture.id == id)

    def png(self, id: str, longest_px: int) -> bytes:
        return png(disc(longest_px))


def text(layer_id: str, x: float, y: float, size: float, **changes: object) -> TextLayer:
    fields = {"text": "Open Gardens", "width": 400.0, "height": size * 1.2, "color": "#202020"}
    return TextLayer(id=layer_id, x=x, y=y, size_px=size, **{**fields, **changes})


@pytest.fixture
def scene() -> Scene:
    """A 1000 x 1000 page: title, two bodies, a picture, all at the left margin of 100 px; a green bar on the right."""
    layers = (
        text("title", 100, 100, 80, width=700.0, font="Lato", weight=700),
        text("body-1", 100, 220, 30, font="Lato"),
        text("body-2", 100, 280, 30, font="Lato"),
        ImageLayer(id="picture", asset="disc", x=100, y=400, width=300, height=300, fit="contain"),
        ShapeLayer(id="bar", x=700, y=400, width=100, height=300, fill="#2e7d32"),
    )
    document = Document(1000, 1000, "#ffffff", layers, {"disc": png(disc())})
    roles = {"title": "title", "body-1": "body", "body-2": "body", "picture": "picture", "bar": "shape"}
    return Scene(document, roles, {"picture": "tulip"}, ("tulip",), "calm", TwoPictures())


def changed(scene: Scene, layer_id: str, **changes: object) -> dict[str, float]:
    document = scene.document.replace_layer(dataclasses.replace(scene.document.layer(layer_id), **changes))
    return measure(scene, document, layer_id)


def test_an_untouched_element_has_neutral_relative_measures_and_passes_every_rule(scene: Scene) -> None:
    for layer in scene.document.layers:
        found = measure(scene, scene.document, layer.id)
        assert set(found) == set(NEUTRAL)
        for name in ("weight_shift", "growth", "overlap", "hidden", "misaligned", "cut", "clash", "drab", "mood"):
            assert found[name] == 0.0, (layer.id, name)
        assert found["gap"] == found["standout"] == 1.0
        assert harms(found) == unclear(found) == ()


def test_misalignment_is_the_distance_from_the_nearest_line_as_a_share_of_the_shorter_side(scene: Scene) -> None:
    assert changed(scene, "body-1", x=130)["misaligned"] == pytest.approx(0.03)
    assert changed(scene, "body-1", x=103)["misaligned"] == pytest.approx(0.003)
    # Down the page the text shares no line with another, so that nothing is lost by moving there.
    assert changed(scene, "body-2", y=290)["misaligned"] == 0.0


def test_a_gap_is_told_as_a_share_of_what_was_there_but_at_most_ample_room(scene: Scene) -> None:
    # The picture ends 300 px before the bar: ample room is 3 % of 1000 px.
    assert changed(scene, "bar", x=430)["gap"] == pytest.approx(1.0)
    assert changed(scene, "bar", x=415)["gap"] == pytest.approx(0.5)
    assert changed(scene, "bar", x=400)["gap"] == 0.0
    assert changed(scene, "bar", x=900)["gap"] == 0.0  # it touches the page's edge, which was 200 px away


def test_overlap_is_a_share_of_the_smaller_content_and_hiding_needs_something_solid_in_front(scene: Scene) -> None:
    over = changed(scene, "picture", y=170)
    assert over["overlap"] > 0.9  # both bodies lie on it
    assert over["hidden"] > 0.5  # and it is drawn after them
    assert "layout-layering" in harms(over)
    text_over = changed(scene, "body-2", y=500)
    assert text_over["overlap"] > 0.5
    # The text lies behind the picture in the order of the layers.
    assert text_over["hidden"] > 0.5
    assert changed(scene, "bar", y=420)["overlap"] == 0.0


def test_weight_shifts_by_the_elements_share_of_all_weight_times_its_way(scene: Scene) -> None:
    # A page of two equal bars: moving one of them by 300 px moves the centre by half of that.
    bars = tuple(
        ShapeLayer(id=name, x=x, y=400, width=100, height=200, fill="#000000")
        for name, x in (("left", 200.0), ("right", 500.0))
    )
    two = Scene(Document(1000, 1000, "#ffffff", bars))
    found = changed(two, "right", x=800.0)
    assert found["weight_shift"] == pytest.approx(150 / np.hypot(1000, 1000), abs=0.004)
    assert changed(two, "right", width=50.0, x=525.0)["weight_shift"] == pytest.approx(0.0, abs=0.004)


def test_growth_is_the_share_of_the_page_that_was_added(scene: Scene) -> None:
    # The bar covers 100 x 300 of 1000 x 1000 px; at 200 x 600 it covers 9 % more.
    assert changed(scene, "bar", width=200, height=600)["growth"] == pytest.approx(0.09, abs=0.01)


def test_a_shifted_background_leaves_its_strip_bare() -> None:
    ground = ShapeLayer(id="ground", width=1000, height=1000, fill="#224466")
    scene = Scene(Document(1000, 1000, "#ffffff", (ground,)), {"ground": "background"})
    found = changed(scene, "ground", y=-200.0)
    assert found["bare"] == pytest.approx(0.2, abs=0.01)
    assert harms(found) == ("layout-balance", "layout-alignment")


def test_what_runs_over_the_edge_is_cut_and_text_is_then_hard_to_read(scene: Scene) -> None:
    found = changed(scene, "bar", x=950)
    assert found["cut"] == pytest.approx(0.5) and found["text_cut"] == 0.0
    title = changed(scene, "title", x=-200)
    assert title["text_cut"] == title["cut"] > 0.2
    assert "font-legibility" in harms(title)


def test_contrast_of_text_is_the_wcag_ratio_with_what_lies_below_it(scene: Scene) -> None:
    assert changed(scene, "body-1", color="#bbbbbb")["contrast"] == pytest.approx(
        contrast_ratio("#bbbbbb", "#ffffff"), rel=0.01
    )
    # On the bar, of which it covers all but a sliver of the text's ink, the ground is green.
    lifted = dataclasses.replace(scene.document.layer("body-1"), x=710, y=500, width=80, text="Go", color="#2e7d32")
    order = (*(layer for layer in scene.document.layers if layer.id != "body-1"), lifted)
    found = measure(scene, dataclasses.replace(scene.document, layers=order), "body-1")
    assert found["contrast"] == pytest.approx(1.0, abs=0.02)
    assert {"color-contrast", "font-legibility"} <= set(harms(found))


def test_an_element_stands_out_less_the_more_it_fades(scene: Scene) -> None:
    green = np.array(parse_color("#2e7d32")[:3])
    was = (255 - green).mean() / 255
    found = changed(scene, "bar", opacity=0.2)
    assert found["standout"] == pytest.approx(0.2 * was / 0.3, abs=0.03)  # ample difference is 0.3
    assert "color-contrast" in harms(changed(scene, "bar", opacity=0.1))


def test_a_colour_clashes_by_its_chroma_off_the_hues_of_the_palette(scene: Scene) -> None:
    violet = srgb_to_oklab(np.array(parse_color("#7b1fa2")[:3], float))
    found = changed(scene, "bar", fill="#7b1fa2")
    # Violet lies more than 90 degrees off green, and about 63 off the red of the picture: nearly all of its chroma.
    assert 0.8 * np.hypot(*violet[1:]) < found["clash"] <= np.hypot(*violet[1:])
    assert "color-harmony" in harms(found)
    assert changed(scene, "bar", fill="#1b5e20")["clash"] < 0.02


def test_murky_browns_are_drab_and_the_clean_colours_are_not(scene: Scene) -> None:
    assert changed(scene, "bar", fill="#4a412a")["drab"] == pytest.approx(1.0, abs=0.01)
    assert harms(changed(scene, "bar", fill="#4a412a")) == ("color-appeal",)


def test_red_speaks_against_calm_and_blue_against_warm() -> None:
    red, blue = (srgb_to_oklab(np.array([parse_color(c)[:3]], float)) for c in ("#e53935", "#1e5bd8"))
    assert mood_distance(red, "calm") > 0.15 > mood_distance(red, "warm")
    assert mood_distance(blue, "warm") > 0.15 > mood_distance(blue, "calm")
    assert mood_distance(red, "a mood that nobody described") == 0.0


def test_type_is_measured_as_seen_on_a_page_of_448_px(scene: Scene) -> None:
    assert changed(scene, "body-1", size_px=12.0)["type_px"] == pytest.approx(12 * 0.448)
    assert "font-legibility" in harms(changed(scene, "body-1", size_px=12.0))


def test_a_heading_smaller_than_what_it_heads_breaks_the_hierarchy(scene: Scene) -> None:
    found = changed(scene, "title", size_px=24.0)
    assert found["rank_ratio"] == pytest.approx(0.8)
    assert "font-hierarchy" in harms(found)
    # Against its peer of the same size, a body of 45 px is half as large again.
    assert changed(scene, "body-1", size_px=45.0)["level_ratio"] == pytest.approx(1.5)


def test_one_text_of_several_in_a_script_is_a_stray_and_a_cousin_is_not(scene: Scene) -> None:
    assert face_distance("Lato", "Open Sans") < 0.45 < 0.75 < face_distance("Lato", "Lobster")
    assert "font-hierarchy" in harms(changed(scene, "body-1", font="Lobster"))
    assert harms(changed(scene, "body-1", font="Open Sans")) == ()
    assert "font-hierarchy" not in harms(changed(scene, "title", font="Lobster"))  # titles may have a face of their own


def test_blocks_are_found_out_where_a_picture_was_blown_up_by_repeating_px() -> None:
    small = Image.fromarray(disc(20))
    blown = np.asarray(small.resize((200, 200), Image.Resampling.NEAREST))
    assert detail_of(png(disc())).block_px == 1.0
    assert detail_of(png(blown)).block_px == pytest.approx(10.0)


def test_resolution_counts_px_of_the_file_per_px_as_seen(scene: Scene) -> None:
    # 200 px of the file over 300 page px, of which 134.4 are seen.
    assert measure(scene, scene.document, "picture")["resolution"] == pytest.approx(200 / 134.4)
    coarse = dataclasses.replace(scene.document, assets={"disc": png(disc(20))})
    found = measure(scene, coarse, "picture")
    assert found["resolution"] == pytest.approx(20 / 134.4)
    assert harms(found) == ("graphic-quality",)


def test_pictures_are_irrelevant_by_their_keywords(scene: Scene) -> None:
    def shown(picture_id: str) -> dict[str, float]:
        name = f"pool:{picture_id}"
        layer = dataclasses.replace(scene.document.layer("picture"), asset=name)
        document = dataclasses.replace(scene.document, assets={**scene.document.assets, name: png(disc())})
        return measure(scene, document.replace_layer(layer), "picture")

    assert shown("tulip")["irrelevant"] == 0.0
    assert shown("rose")["irrelevant"] == 0.5  # of the same category, and a flower too
    assert harms(shown("truck")) == ("graphic-relevance",)


def test_between_the_two_thresholds_of_a_criterion_the_label_is_unclear() -> None:
    assert verdict("layout-alignment", {**NEUTRAL, "misaligned": 0.006}) == "good"
    assert verdict("layout-alignment", {**NEUTRAL, "misaligned": 0.01}) == "unclear"
    assert verdict("layout-alignment", {**NEUTRAL, "misaligned": 0.02}) == "flawed"
    assert verdict("color-contrast", {**NEUTRAL, "contrast": 3.0}) == "good"
    assert verdict("color-contrast", {**NEUTRAL, "contrast": 1.2}) == "flawed"
    # One flaw is enough, whatever else is unclear.
    both = {**NEUTRAL, "misaligned": 0.01, "tilt_deg": 9.0}
    assert verdict("layout-alignment", both) == "flawed"
    assert [criterion.measure for criterion in reasons("layout-alignment", both)] == ["tilt_deg"]


def test_every_criterion_has_two_thresholds_apart_a_reason_and_a_neutral_measure_that_is_good() -> None:
    for criterion in CRITERIA:
        assert criterion.good != criterion.flawed and len(criterion.why) > 20
        assert criterion.verdict(NEUTRAL[criterion.measure]) == "good"
        assert criterion.verdict(criterion.flawed) == "flawed"

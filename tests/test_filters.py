"""Filters: nothing at strength zero, more with strength, what names each, and the same bytes everywhere."""

import colorsys
import hashlib
import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
from filter_pictures import cut_out, photo
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from designgym.graphics.filters.applied import AppliedFilter
from designgym.graphics.filters.noise import grain, hashed, smooth_noise
from designgym.graphics.filters.photo import GLASSES
from designgym.graphics.filters.registry import FILTERS, apply_filter, problem_of, spill_px
from designgym.scalars import Number

PHOTO, DISC = photo(), cut_out()

MIDDLE = {
    "brightness_contrast": {"brightness": 30, "contrast": 20},
    "black_white": {},
    "hsl": {"hue": 40, "saturation": 20, "light": 10},
    "blur": {"blurAmount": 6},
    "photo": {"filterType": "Sepia", "density": 50},
    "glass": {"distortion": 8, "smoothness": 4, "scaling": 100},
    "glow": {"graininess": 3, "glowAmount": 10, "clearAmount": 5},
    "ocean_ripple": {"rippleSize": 3, "rippleMagnitude": 8},
    "stained_glass": {"cellSize": 4, "borderThickness": 3, "lightIntensity": 3},
    "patchwork": {"squareSize": 3, "relief": 8},
    "watercolor": {"brushDetail": 9, "shadowIntensity": 5, "texture": 2},
}


def use(name, picture=PHOTO, scale=1.0, **values):
    applied = AppliedFilter.of(name, MIDDLE[name] | values)
    assert problem_of(applied) is None
    return apply_filter(picture, applied, scale)


def grey(rgba):
    return rgba[..., :3].astype(float) @ [0.299, 0.587, 0.114]


def change(name, **values):
    return np.abs(use(name, **values)[..., :3].astype(int) - PHOTO[..., :3]).mean()


def detail(rgba):
    """Mean difference of neighbours: how much there is of high frequencies."""
    tones = grey(rgba)
    return np.abs(np.diff(tones, axis=0)).mean() + np.abs(np.diff(tones, axis=1)).mean()


def rising(values):
    return all(a < b for a, b in itertools.pairwise(values))


def plain(*color, height=40, width=60):
    return np.full((height, width, 4), (*color, 255), np.uint8)


def test_all_filters_are_tried():
    assert list(MIDDLE) == list(FILTERS)


# What every filter does.


def ends(name):
    """The middle values, and those with every parameter at its lowest, and at its highest."""
    declared = FILTERS[name].parameters.items()
    return [
        MIDDLE[name],
        {key: kind.low if isinstance(kind, Number) else kind.options[0] for key, kind in declared},
        {key: kind.high if isinstance(kind, Number) else kind.options[-1] for key, kind in declared},
    ]


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("scale", [0.02, 1, 8])
@pytest.mark.parametrize("size", [(1, 1), (1, 50), (3, 2), (90, 120)])
def test_every_size_and_scale_gives_a_fresh_picture_of_the_same_size_and_an_opaque_one_stays_opaque(name, scale, size):
    picture = PHOTO[: size[0], : size[1]].copy()
    before = picture.copy()
    for values in ends(name):
        made = use(name, picture, scale, **values)
        assert (made.shape, made.dtype) == (picture.shape, np.uint8)
        assert not np.shares_memory(made, picture)
        assert (made[..., 3] == 255).all()
        made[:] = 0  # it may be written to
        assert np.array_equal(picture, before)


@pytest.mark.parametrize("name", FILTERS)
def test_what_cannot_be_seen_has_no_say(name):
    hidden = DISC.copy()
    hidden[hidden[..., 3] == 0, :3] = (0, 90, 30)
    one, other = (np.asarray(Image.fromarray(use(name, each)).convert("RGBa")) for each in (DISC, hidden))
    assert np.array_equal(one, other)


@pytest.mark.parametrize("name", FILTERS)
def test_a_picture_that_is_nowhere_to_be_seen_stays_so(name):
    assert not use(name, np.zeros((30, 40, 4), np.uint8))[..., 3].any()


@pytest.mark.parametrize("name", FILTERS)
def test_only_filters_that_carry_edges_outwards_touch_the_outline(name):
    kept = np.array_equal(use(name, DISC)[..., 3], DISC[..., 3])
    assert kept == (FILTERS[name].spill is None)


@pytest.mark.parametrize("name", [name for name, each in FILTERS.items() if each.spill])
def test_edges_are_carried_no_further_than_the_filter_says(name):
    square = np.zeros((300, 300, 4), np.uint8)
    square[110:190, 110:190] = (30, 90, 200, 255)
    for values in ends(name):
        room = int(spill_px((AppliedFilter.of(name, values),))) + 1
        alpha = use(name, square, **values)[..., 3].astype(int)
        reach = slice(max(0, 110 - room), 190 + room)
        inside = alpha[reach, reach].sum()
        assert alpha.sum() - inside <= 0.06 * inside  # a blur has no end; this is what lies beyond two deviations


@pytest.mark.parametrize("name", FILTERS)
def test_a_picture_looks_alike_at_half_the_scale(name):
    large = photo(240, 180)
    half = lambda rgba: np.asarray(Image.fromarray(rgba).reduce(2)).astype(int)  # noqa: E731
    small = use(name, half(large).astype(np.uint8), 0.5)
    difference = np.abs(half(use(name, large)) - small).mean()
    unfiltered = np.abs(half(use(name, large)) - half(large)).mean()
    assert difference < max(3.0, 0.45 * unfiltered)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("brightness_contrast", {"brightness": 0, "contrast": 0}),
        ("hsl", {"hue": 0, "saturation": 0, "light": 0}),
        ("blur", {"blurAmount": 0}),
        *(("photo", {"filterType": glass, "density": 0}) for glass in ("Sepia", "Deep Blue")),
        ("glass", {"distortion": 0, "smoothness": 15, "scaling": 200}),
        ("glow", {"graininess": 0, "glowAmount": 0, "clearAmount": 20}),
        ("ocean_ripple", {"rippleSize": 15, "rippleMagnitude": 0}),
        ("patchwork", {"squareSize": 0, "relief": 25}),
    ],
)
def test_strength_zero_changes_nothing(name, values):
    for picture in (PHOTO, DISC):
        assert np.array_equal(use(name, picture, **values), picture)


@pytest.mark.parametrize(
    ("name", "parameter", "strengths"),
    [
        ("brightness_contrast", "brightness", (10, 40, 90, 150)),
        ("brightness_contrast", "brightness", (-10, -40, -90, -150)),
        ("hsl", "saturation", (10, 40, 70, 100)),
        ("hsl", "saturation", (-10, -40, -70, -100)),
        ("hsl", "light", (10, 40, 70, 100)),
        ("hsl", "light", (-10, -40, -70, -100)),
        ("blur", "blurAmount", (1, 4, 20, 60)),
        ("photo", "density", (10, 40, 70, 100)),
        ("glass", "distortion", (1, 4, 10, 20)),
        ("glow", "glowAmount", (2, 8, 14, 20)),
        ("glow", "graininess", (1, 4, 7, 10)),
        ("ocean_ripple", "rippleMagnitude", (1, 4, 10, 20)),
        ("stained_glass", "borderThickness", (1, 4, 8)),
        ("patchwork", "squareSize", (1, 3, 6, 10)),
        ("patchwork", "relief", (0, 5, 12, 25)),
        ("watercolor", "brushDetail", (14, 10, 5, 1)),
        ("watercolor", "texture", (1, 2, 3)),
    ],
)
def test_more_strength_changes_more(name, parameter, strengths):
    still = {
        "brightness_contrast": {"brightness": 0, "contrast": 0},
        "hsl": {"hue": 0, "saturation": 0, "light": 0},
        "glow": {"graininess": 0, "glowAmount": 0, "clearAmount": 0},
        "patchwork": {"relief": 0},
        "watercolor": {"brushDetail": 14, "shadowIntensity": 0, "texture": 1},
    }.get(name, {})
    assert rising([change(name, **still | {parameter: strength}) for strength in strengths])


SCRIPT = """
import hashlib, sys
sys.path.insert(0, "tests")
import test_filters
print(test_filters.digest())
"""


def digest():
    made = hashlib.sha256()
    for name in FILTERS:
        for picture in (PHOTO, DISC):
            made.update(use(name, picture, 0.7).tobytes())
    return made.hexdigest()


def test_another_process_gives_the_same_bytes():
    environment = os.environ | {"PYTHONHASHSEED": "77", "OMP_NUM_THREADS": "1"}
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    command = [sys.executable, "-c", SCRIPT]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == digest()


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_values_within_the_ranges_do(data):
    name = data.draw(st.sampled_from(list(FILTERS)))
    values = {
        key: data.draw(st.floats(kind.low, kind.high) if isinstance(kind, Number) else st.sampled_from(kind.options))
        for key, kind in FILTERS[name].parameters.items()
    }
    scale = data.draw(st.floats(1e-3, 8))
    assert use(name, DISC, scale, **values).shape == DISC.shape


# Brightness, contrast and colour.


def test_brightness_raises_or_lowers_all_tones_and_contrast_spreads_them():
    means = [grey(use("brightness_contrast", brightness=b, contrast=0)).mean() for b in (-150, -50, 0, 50, 150)]
    assert rising(means)
    spreads = [grey(use("brightness_contrast", brightness=0, contrast=c)).std() for c in (-100, -40, 0, 40, 100)]
    assert rising(spreads)
    assert spreads[0] < 1e-9
    assert use("brightness_contrast", plain(0, 128, 255), brightness=60, contrast=0)[0, 0, :3].min() > 0
    assert use("brightness_contrast", plain(0, 128, 255), brightness=-60, contrast=0)[0, 0, :3].max() < 255


def test_full_contrast_spreads_threefold_about_the_middle():
    # (100 - 127.5) * 3 + 127.5 = 45
    assert use("brightness_contrast", plain(100, 128, 200), brightness=0, contrast=100)[0, 0].tolist() == [
        45,
        129,
        255,
        255,
    ]


@pytest.mark.parametrize(("color", "shade"), [((255, 0, 0), 76), ((0, 255, 0), 150), ((0, 0, 255), 29)])
def test_black_and_white_has_no_chroma_and_the_brightness_of_itu_601(color, shade):
    assert use("black_white", plain(*color))[0, 0].tolist() == [shade, shade, shade, 255]
    made = use("black_white")
    assert (made[..., 0] == made[..., 1]).all() and (made[..., 1] == made[..., 2]).all()


@settings(max_examples=100, deadline=None)
@given(st.tuples(*[st.integers(0, 255)] * 3), st.integers(-180, 180))
def test_turning_hues_agrees_with_colorsys(color, hue):
    h, lightness, s = colorsys.rgb_to_hls(*(part / 255 for part in color))
    expected = [255 * part for part in colorsys.hls_to_rgb((h + hue / 360) % 1, lightness, s)]
    made = use("hsl", plain(*color, height=1, width=1), hue=hue, saturation=0, light=0)[0, 0, :3]
    assert np.abs(made - np.array(expected)).max() <= 0.51


def test_saturation_and_lightness_at_their_ends():
    # Lightness of (200, 100, 0) is 100 of 255.
    assert use("hsl", plain(200, 100, 0), hue=0, saturation=-100, light=0)[0, 0, :3].tolist() == [100, 100, 100]
    assert use("hsl", plain(110, 100, 90), hue=0, saturation=100, light=0)[0, 0, :3].tolist() == [130, 100, 70]
    assert (use("hsl", hue=0, saturation=0, light=100)[..., :3] == 255).all()
    assert (use("hsl", hue=0, saturation=0, light=-100)[..., :3] == 0).all()
    assert use("hsl", plain(100, 0, 200), hue=0, saturation=0, light=50)[0, 0, :3].tolist() == [178, 128, 228]


def test_a_photo_filter_tints_and_keeps_the_brightness():
    # A grey of 128 through full red is (128, 0, 0), of brightness 38: 90 are given back.
    made = use("photo", plain(128, 128, 128), filterType="Deep Red", density=100)
    assert made[0, 0, :3].tolist() == [218, 90, 90]
    for name, glass in GLASSES.items():
        tint = use("photo", plain(110, 110, 110), filterType=name, density=60)[0, 0, :3].astype(float)
        towards = np.array(glass) - np.mean(glass)
        assert (tint - tint.mean()) @ towards > 0.9 * np.linalg.norm(tint - tint.mean()) * np.linalg.norm(towards)
        assert abs(tint @ [0.299, 0.587, 0.114] - 110) < 2.5


def test_there_are_twenty_photo_filters():
    assert len(GLASSES) == 20


# Blur.


def test_blur_takes_high_frequencies_and_keeps_the_mean():
    assert rising([-detail(use("blur", blurAmount=amount)) for amount in (0, 1, 3, 8, 20)])
    assert abs(grey(use("blur", blurAmount=8)).mean() - grey(PHOTO).mean()) < 1.5


@pytest.mark.parametrize(("amount", "scale", "deviation"), [(20, 1, 10), (20, 0.5, 5), (8, 2, 8)])
def test_the_standard_deviation_is_half_the_amount_in_page_px(amount, scale, deviation):
    line = plain(0, 0, 0, height=3, width=161)
    line[:, 78:83] = 255
    profile = use("blur", line, scale, blurAmount=amount)[1, :, 0].astype(float)
    place = np.arange(161) - 80
    assert (profile * place**2).sum() / profile.sum() == pytest.approx(deviation**2, rel=0.12)


# Glass and water.

RAMP = np.dstack([np.tile(np.linspace(40, 215, 200), (160, 1)).astype(np.uint8)] * 3 + [np.full((160, 200), 255)])
RAMP = RAMP.astype(np.uint8)


def turns(plane):
    """How often neighbours along rows and columns lie on different sides of the mean."""
    above = plane > plane.mean()
    return (np.diff(above, axis=1) != 0).mean() + (np.diff(above, axis=0) != 0).mean()


def bend(name, **values):
    return grey(use(name, RAMP, **values)) - grey(RAMP)


def test_glass_and_water_show_what_lies_nearby():
    for name, strength in (("glass", "distortion"), ("ocean_ripple", "rippleMagnitude")):
        # Half black, half white: far from the border nothing is fetched from the other half.
        halves = plain(0, 0, 0, height=100, width=200)
        halves[:, 100:, :3] = 255
        made = grey(use(name, halves, **{strength: 8}))
        assert made[:, :70].max() < 128 < made[:, 130:].min()
        assert len({int((row > 128).argmax()) for row in made}) > 3  # the border is no longer straight


def test_smoother_and_larger_glass_has_fewer_bumps():
    assert rising([-turns(bend("glass", smoothness=s, scaling=100)) for s in (1, 5, 15)])
    assert rising([-turns(bend("glass", smoothness=4, scaling=s)) for s in (50, 100, 200)])


def test_larger_ripples_are_fewer_and_most_run_down_the_picture():
    assert rising([-turns(bend("ocean_ripple", rippleSize=s)) for s in (1, 6, 15)])
    water = use("ocean_ripple", plain(90, 120, 150, height=200, width=200), rippleSize=2, rippleMagnitude=10)
    along, down = (np.abs(np.diff(grey(water), axis=axis)).mean() for axis in (1, 0))
    assert down > 1.3 * along


# Glow.


def test_glow_lightens_and_the_clear_amount_holds_it_back():
    made = [use("glow", graininess=0, glowAmount=amount, clearAmount=5) for amount in (0, 5, 12, 20)]
    assert all((b >= a).all() for a, b in itertools.pairwise(made))
    assert rising([-grey(use("glow", graininess=0, glowAmount=12, clearAmount=c)).mean() for c in (0, 7, 14)])


def test_light_spreads_over_the_dark_beside_it():
    lamp = plain(20, 20, 20, height=81, width=81)
    lamp[35:46, 35:46, :3] = 255
    row = grey(use("glow", lamp, graininess=0, glowAmount=20, clearAmount=0))[40]
    assert row[45] > row[48] > row[52] > row[58] > 20


def test_grain_roughens():
    assert rising([detail(use("glow", glowAmount=8, graininess=g)) for g in (0, 3, 6, 10)])


# Stained glass and patchwork.


def inside(rgba):
    """Share of pixels that are exactly as their right neighbours."""
    return (rgba[:, 1:, :3] == rgba[:, :-1, :3]).all(axis=-1).mean()


def lead(**values):
    return (use("stained_glass", plain(250, 250, 250, height=120, width=160), **values)[..., 0] < 100).mean()


def test_panes_have_one_colour_each_and_are_fewer_the_larger_they_are():
    panes = [use("stained_glass", cellSize=size, borderThickness=1, lightIntensity=0) for size in (3, 8, 20)]
    assert inside(panes[2]) > 0.8 > 0.1 > inside(PHOTO)
    colors = [len(np.unique(each.reshape(-1, 4)[each[..., 0].reshape(-1) > 30], axis=0)) for each in panes]
    assert colors[0] > colors[1] > colors[2] > 5


def test_lead_is_dark_and_as_thick_as_asked_up_to_a_share_of_the_pane():
    shares = [lead(cellSize=15, borderThickness=b, lightIntensity=0) for b in (2, 6, 12, 18)]
    assert rising(shares)
    assert lead(cellSize=2, borderThickness=20, lightIntensity=0) < 0.75
    # Panes 34 px wide and lead 8.4 px thick: hexagons would have 1 - (1 - 8.4 / 34) ** 2 = 43 % lead.
    assert lead(cellSize=15, borderThickness=12, lightIntensity=0) == pytest.approx(0.43, abs=0.06)


def test_light_behind_the_glass_is_in_the_middle():
    def middle_over_corner(intensity):
        window = plain(120, 120, 120, height=200, width=200)
        made = grey(use("stained_glass", window, cellSize=5, borderThickness=1, lightIntensity=intensity))
        return made[80:120, 80:120].mean() / made[:30, :30].mean()

    assert rising([middle_over_corner(intensity) for intensity in (0, 3, 6, 10)])


def test_flat_patches_are_the_means_of_their_squares():
    made = use("patchwork", squareSize=2.5, relief=0)  # squares of 10 px, 12 x 9 of them
    means = PHOTO.reshape(9, 10, 12, 10, 4).mean(axis=(1, 3))
    assert np.abs(made[::10, ::10] - means).max() <= 0.51
    assert np.array_equal(made, np.repeat(np.repeat(made[::10, ::10], 10, 0), 10, 1))


def test_raised_patches_are_lit_from_the_top_left():
    square = use("patchwork", plain(120, 120, 120, height=100, width=100), squareSize=5, relief=10)[20:40, 20:40, 0]
    assert square[0, 10] > square[10, 10] > square[19, 10]
    assert square[10, 0] > square[10, 10] > square[10, 19]


# Watercolour.


def test_blunter_brushes_make_larger_washes():
    assert rising([-detail(use("watercolor", brushDetail=d, shadowIntensity=0, texture=1)) for d in (14, 11, 7, 2)])


def test_shadows_darken_and_texture_roughens():
    assert rising([-grey(use("watercolor", shadowIntensity=s)).mean() for s in (0, 5, 10, 15)])
    paper = plain(170, 160, 150, height=90, width=120)
    assert rising([detail(use("watercolor", paper, texture=t)) for t in (1, 2, 3)])


def test_hard_edges_stay_hard():
    halves = plain(60, 60, 60, height=80, width=80)
    halves[:, 40:, :3] = 200
    made = grey(use("watercolor", halves, brushDetail=6, shadowIntensity=0, texture=1))
    blurred = grey(use("blur", halves, blurAmount=8))
    assert np.abs(np.diff(made, axis=1)).max(axis=1).mean() > 1.5 * np.abs(np.diff(blurred, axis=1)).max(axis=1).mean()


# Noise.


def test_noise_is_a_function_of_the_place_alone():
    small, large = smooth_noise((30, 40), 7, 3), smooth_noise((60, 80), 7, 3)
    assert np.allclose(small, large[:30, :40], atol=1e-5)
    assert np.array_equal(grain((20, 20), 2, 1), grain((40, 30), 2, 1)[:20, :20])
    assert not np.array_equal(grain((20, 20), 2, 1), grain((20, 20), 2, 2))


def test_hashes_are_even():
    values = hashed(np.arange(200)[:, None], np.arange(200)[None], 9)
    assert abs(values.mean() / 65535 - 0.5) < 0.01
    assert abs((values / 65535).std() - 12**-0.5) < 0.01
    flat = values - values.mean()
    for neighbour in (flat[1:] * flat[:-1], flat[:, 1:] * flat[:, :-1]):
        assert abs(neighbour.mean()) < 0.02 * flat.var()


def test_ranges_are_those_of_the_actions():
    actions = pytest.importorskip("designgym.envs.design.actions")
    pairs = zip(actions.FILTER_ACTIONS, FILTERS, strict=True)
    for action, name in pairs:
        declared = {each.name: each.type for each in actions.ACTIONS[action].parameters if each.name != "layerName"}
        assert set(declared) == set(FILTERS[name].parameters)
        for key, kind in FILTERS[name].parameters.items():
            if isinstance(kind, Number):
                assert (declared[key].low, declared[key].high) == (kind.low, kind.high)
            else:
                assert declared[key].options == kind.options

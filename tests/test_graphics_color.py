"""Colours against published values: the CSS Color 4 examples, Ottosson's article, and WCAG contrast tables."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from designgym.graphics.color import (
    Rgba,
    contrast_ratio,
    hex_to_oklch,
    oklab_distance,
    oklab_to_oklch,
    oklab_to_srgb,
    oklch_to_hex,
    oklch_to_oklab,
    over,
    parse_color,
    relative_luminance,
    srgb_to_oklab,
)

channels = st.integers(0, 255)


@pytest.mark.parametrize(
    ("text", "color"),
    [("#000000", (0, 0, 0, 255)), ("#FF8000", (255, 128, 0, 255)), ("#01020304", (1, 2, 3, 4))],
)
def test_colours_are_read_from_six_or_eight_digits(text, color):
    assert parse_color(text) == color


@pytest.mark.parametrize("text", ["", "#fff", "ff0000", "#gg0000", "#ff00000", "#ff0000\n", "red", None, 0xFF0000])
def test_anything_else_is_refused_with_the_form(text):
    with pytest.raises(ValueError, match="'#rrggbb' or '#rrggbbaa'"):
        parse_color(text)


@settings(max_examples=50, deadline=None)
@given(channels, channels, channels, channels)
def test_writing_a_colour_and_reading_it_again_changes_nothing(red, green, blue, alpha):
    color = Rgba(red, green, blue, alpha)
    assert parse_color(color.hex) == color


# https://www.w3.org/WAI/WCAG22 and the contrast figures that WebAIM's checker gives.
@pytest.mark.parametrize(
    ("front", "back", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#ffffff", "#ffffff", 1.0),
        ("#777777", "#ffffff", 4.48),
        ("#767676", "#ffffff", 4.54),
        ("#ff0000", "#ffffff", 4.00),
        ("#0000ff", "#ffffff", 8.59),
        ("#00ff00", "#000000", 15.30),
        ("#00000080", "#ffffff", 3.98),  # half black on white is #7f7f7f
    ],
)
def test_contrast_ratios_are_the_published_ones(front, back, ratio):
    assert contrast_ratio(front, back) == pytest.approx(ratio, abs=0.03)


def test_contrast_of_opaque_colours_is_symmetric_and_luminance_runs_from_0_to_1():
    assert contrast_ratio("#123456", "#fedcba") == contrast_ratio("#fedcba", "#123456")
    assert (relative_luminance("#000000"), relative_luminance("#ffffff")) == (0.0, pytest.approx(1.0))


@pytest.mark.parametrize(
    ("front", "back", "seen"),
    [("#ff000080", "#0000ff", "#80007f"), ("#00000000", "#123456", "#123456"), ("#ffffff", "#000000", "#ffffff")],
)
def test_a_translucent_colour_mixes_with_its_ground(front, back, seen):
    assert over(front, back) == seen


# CSS Color 4: the named colours in oklab() and oklch().
@pytest.mark.parametrize(
    ("color", "lab", "lch"),
    [
        ("#ff0000", (0.62796, 0.22486, 0.12585), (0.62796, 0.25768, 29.234)),
        ("#008000", (0.51975, -0.14030, 0.10768), (0.51975, 0.17686, 142.495)),
        ("#0000ff", (0.45201, -0.03246, -0.31153), (0.45201, 0.31321, 264.052)),
        ("#ffff00", (0.96798, -0.07137, 0.19857), (0.96798, 0.21101, 109.769)),
    ],
)
def test_oklab_and_oklch_are_the_published_ones(color, lab, lch):
    found = srgb_to_oklab(parse_color(color)[:3])
    assert found == pytest.approx(lab, abs=2e-4)
    assert oklab_to_oklch(found) == pytest.approx(lch, abs=2e-3)
    assert hex_to_oklch(color) == pytest.approx(lch, abs=2e-3)


def test_white_and_black_are_the_ends_of_lightness_and_have_no_colour():
    assert srgb_to_oklab([[255, 255, 255], [0, 0, 0]]) == pytest.approx(np.array([[1, 0, 0], [0, 0, 0]]), abs=1e-4)
    assert oklab_distance("#000000", "#ffffff") == pytest.approx(1, abs=1e-4)
    assert oklab_distance("#336699", "#336699") == 0


@settings(max_examples=50, deadline=None)
@given(channels, channels, channels)
def test_every_colour_survives_the_way_to_oklab_and_oklch_and_back(red, green, blue):
    lab = srgb_to_oklab([red, green, blue])
    assert oklab_to_srgb(lab) == pytest.approx([red, green, blue], abs=0.01)
    assert oklch_to_oklab(oklab_to_oklch(lab)) == pytest.approx(lab, abs=1e-9)
    assert oklch_to_hex(*hex_to_oklch(Rgba(red, green, blue).hex)) == Rgba(red, green, blue).hex


# Not nearer to black: there one level of 255 is up to 0.07 of lightness.
@settings(max_examples=50, deadline=None)
@given(st.floats(0.2, 1), st.floats(0, 0.5), st.floats(-360, 720))
def test_a_colour_outside_srgb_keeps_lightness_and_hue_and_loses_chroma_only(lightness, chroma, hue):
    got_lightness, got_chroma, got_hue = hex_to_oklch(oklch_to_hex(lightness, chroma, hue))
    assert got_lightness == pytest.approx(lightness, abs=0.01)
    assert got_chroma <= chroma + 0.01
    if got_chroma > 0.08:
        assert abs((got_hue - hue + 180) % 360 - 180) < 5


def test_lightness_is_clipped_and_black_and_white_have_room_for_no_chroma():
    assert oklch_to_hex(-0.2, 0.3, 40) == oklch_to_hex(0, 0.3, 40) == "#000000"
    assert oklch_to_hex(1.2, 0.3, 40) == oklch_to_hex(1, 0.3, 40) == "#ffffff"


def test_arrays_of_colours_keep_their_shape():
    colors = np.random.default_rng(0).integers(0, 256, (4, 5, 3))
    assert srgb_to_oklab(colors).shape == (4, 5, 3)
    assert srgb_to_oklab(colors)[2, 3] == pytest.approx(srgb_to_oklab(colors[2, 3]))

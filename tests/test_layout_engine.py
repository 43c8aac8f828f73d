"""The parts of the layout engine: formats, palettes, faces, themes, set text, outlines, and briefs given by hand."""

from __future__ import annotations

import numpy as np
import pytest

from designgym.graphics.color import contrast_ratio
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.graphics.fonts import FAMILIES
from designgym.graphics.render import render
from designgym.graphics.text import measure_text
from designgym.layout.areas import Area
from designgym.layout.brief import Brief, LayoutError
from designgym.layout.compose import compose
from designgym.layout.dealing import deal, split_of
from designgym.layout.faces import PAIRS
from designgym.layout.formats import FORMATS
from designgym.layout.moods import MOODS
from designgym.layout.outlines import EDGES, burst, edged, rays
from designgym.layout.palettes import build_palette, sample_palette
from designgym.layout.patterns import confetti, dots, stripes
from designgym.layout.skeletons import sample_skeleton
from designgym.layout.themes import sample_brief, themes, themes_of
from designgym.layout.typesetting import Type, set_text
from designgym.pool.embedded import embedded
from designgym.tasks import SPLITS

KINDS = ("book cover", "business card", "postcard", "poster", "social")
SCHEMES = ("light", "paper", "pastel", "bold", "deep", "night")


def rng(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("format", FORMATS.values(), ids=FORMATS)
def test_the_sides_of_a_page_fitted_into_448_px_are_multiples_of_32(format):
    factor = 448 / max(format.width, format.height)
    for side in (format.width, format.height):
        assert (side * factor) % 32 == pytest.approx(0, abs=1e-9)


def test_there_is_a_format_for_every_kind():
    assert {format.kind for format in FORMATS.values()} == set(KINDS)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_some_ink_reaches_4_5_on_every_colour_of_every_palette(scheme):
    for hue in range(0, 360, 15):
        for turn in (0, 30, 180, 120):
            palette = build_palette(scheme, hue, turn, 1)
            for ground in palette.colors():
                assert contrast_ratio(palette.ink(ground), ground) >= 4.5
                assert contrast_ratio(palette.bright(ground), ground) >= 3.0


def test_palettes_are_light_dark_and_coloured():
    pages = {scheme: build_palette(scheme, 210, 180, 0).page for scheme in SCHEMES}
    assert contrast_ratio(pages["light"], "#ffffff") < 1.15
    assert contrast_ratio(pages["night"], "#000000") < 1.6
    red, green, blue = (int(pages["bold"][i : i + 2], 16) for i in (1, 3, 5))
    assert max(red, green, blue) - min(red, green, blue) > 60


def test_every_mood_has_palettes_and_faces_in_every_split():
    for split in SPLITS:
        for mood in MOODS:
            assert sample_palette(rng(), split, mood).page.startswith("#")
            assert any(pair.voice in MOODS[mood].voices for pair in PAIRS[split])


def test_no_family_is_in_two_splits_and_every_embedded_family_is_used():
    used = {split: {name for pair in PAIRS[split] for name in (pair.display, pair.text)} for split in SPLITS}
    assert not used["train"] & used["validation"] and not used["train"] & used["test"]
    assert not used["validation"] & used["test"]
    assert set.union(*used.values()) == set(FAMILIES)


def test_dealing_gives_every_name_to_one_split():
    names = [f"name {i}" for i in range(20)]
    dealt = deal(names, 2)
    assert sorted(sum(dealt.values(), ())) == sorted(names)
    assert len(dealt["validation"]) == len(dealt["test"]) == 2
    assert dealt == deal(names, 2)


def test_skeletons_are_dealt_about_8_to_1_to_1():
    dealt = [split_of(f"skeleton {i}") for i in range(3000)]
    assert 0.77 < dealt.count("train") / 3000 < 0.83
    assert 0.08 < dealt.count("validation") / 3000 < 0.12


def test_there_are_at_least_60_themes_and_each_kind_has_some_in_each_split():
    assert len(themes()) >= 60
    for kind in KINDS:
        of_kind = [{theme.name for theme in themes_of(kind, split)} for split in SPLITS]
        assert all(of_kind) and len(set.union(*of_kind)) == sum(map(len, of_kind))


def test_every_theme_names_pictures_of_the_embedded_pool_and_a_known_mood():
    captions = {picture.caption for picture in embedded().pictures}
    for theme in themes().values():
        assert set(theme.pictures) <= captions, theme.name
        assert len(theme.pictures) >= 4 and theme.mood in MOODS


def test_texts_of_themes_are_filled_and_rarely_repeat():
    pool, kinds = embedded(), {format.kind: format for format in FORMATS.values()}
    random, seen = rng(), []
    for theme in themes().values():
        for _ in range(12):
            brief = sample_brief(random, theme, kinds[theme.kind], pool)
            texts = (brief.title, brief.subtitle, brief.body, *brief.details, brief.call)
            assert not any(mark in text for text in texts for mark in ("{", "}", "|", "  "))
            assert len(brief.details) <= 4 and len(brief.pictures) <= 6
            seen.append(texts)
    assert len(set(seen)) > 0.97 * len(seen)


def test_at_most_2_percent_of_skeletons_repeat_in_5000():
    pool, formats, random, seen = embedded(), list(FORMATS.values()), rng(1), set()
    for number in range(5000):
        format = formats[number % len(formats)]
        known = themes_of(format.kind, "train")
        brief = sample_brief(random, known[number % len(known)], format, pool)
        seen.add(sample_skeleton(random, brief, "train")[2])
    assert len(seen) >= 0.98 * 5000


@pytest.mark.parametrize("family", ("Lato", "Playfair Display", "Lobster", "Roboto Mono", "Anton", "Pacifico"))
@pytest.mark.parametrize("text", ("Summer Jazz in Calder Bay", "We swim before breakfast and read all afternoon."))
def test_text_breaks_as_the_shaper_breaks_it(family, text):
    for width in (300.0, 420.0, 700.0):
        done = set_text(text, Type(family, 40.0), width)
        assert done is not None and done.width <= width
        measure = measure_text(done.layer("t", 0, 0, "#000000", "left", ""))
        assert measure.lines == done.lines and measure.width <= done.width
        assert measure.height <= done.height


def test_lines_are_evened_out():
    text = "one two three four five six seven eight"
    type = Type("Lato", 30.0)
    done = set_text(text, type, 430.0)
    wide = measure_text(TextLayer(id="t", width=430.0, height=10, text=text, font="Lato", size_px=30.0))
    assert done is not None and done.lines == wide.lines == 2
    assert done.width < wide.width


def test_a_word_wider_than_its_room_is_refused():
    assert set_text("Extraordinarily", Type("Lato", 80.0), 200.0) is None


def test_areas_are_cut_by_hand_worked_numbers():
    area = Area(10, 20, 100, 60)
    assert area.inset(10, 5) == (20, 25, 80, 50)
    assert area.bottom_part(15) == (10, 65, 100, 15) and area.right_part(30) == (80, 20, 30, 60)
    assert area.fitted(1.0) == (30, 20, 60, 60) and area.fitted(2.0, 40) == (40, 40, 40, 20)
    assert area.grid(2, 1, 20) == [(10, 20, 40, 60), (70, 20, 40, 60)]


def share_inked(points, width=400, height=400):
    layer = ShapeLayer(id="s", width=width, height=height, shape="polygon", fill="#000000", points=points)
    return 1 - render(Document(width, height, "#ffffff", (layer,))).mean() / 255


def test_dots_ink_as_much_as_so_many_decagons():
    decagon = 5 * np.sin(2 * np.pi / 10)  # area of a regular decagon in a circle of radius 1
    assert share_inked(dots(5, 4, 0.03, 1.0)) == pytest.approx(20 * decagon * 0.03**2, rel=0.03)


def test_stripes_ink_half_of_the_page_and_rays_half_of_their_circle():
    assert share_inked(stripes(8, 0.0)) == pytest.approx(0.5, abs=0.01)
    polygon = 14 * np.sin(2 * np.pi / 28) * 0.25 / 2  # 14 triangles between radii half a step apart
    assert share_inked(rays(14)) == pytest.approx(polygon, rel=0.03)


def test_confetti_is_spread_over_the_page():
    points = np.array(confetti(1, 49, 0.01, 1.0))
    assert len(points) < 2000
    assert all(
        0.15 < np.mean((points[:, k] > a) & (points[:, k] < a + 0.34)) < 0.5 for k in (0, 1) for a in (0, 0.33, 0.66)
    )


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("side", ("top", "bottom", "left", "right"))
def test_an_edge_takes_at_most_its_depth_off_the_box(edge, side):
    assert 1 - 0.21 <= share_inked(edged(edge, side, 0.2)) <= 1.0
    assert 0.4 < share_inked(burst(20, 0.13)) < 0.79


def brief(**changes):
    parts = {
        "format": FORMATS["poster"],
        "title": "Open Studio Days",
        "subtitle": "Painters of the old harbour",
        "body": "Meet the painters and see how they work.",
        "details": ("12 May, 10 am", "Harbour Street 5", "Free entry"),
        "pictures": ("noto/artist-palette",),
        "mood": "warm",
    }
    return Brief(**{**parts, **changes})


@pytest.mark.parametrize("name", FORMATS)
def test_a_brief_is_laid_out_with_all_its_texts_and_pictures(name):
    design = compose(brief(format=FORMATS[name], call="Come in"), rng(3), embedded())
    words = [layer.text.casefold() for layer in design.document.layers if isinstance(layer, TextLayer)]
    asked = ("Open Studio Days", "Painters of the old harbour", "Meet the painters and see how they work.",
             "12 May, 10 am", "Harbour Street 5", "Free entry", "Come in")  # fmt: skip
    assert sorted(words) == sorted(text.casefold() for text in asked)
    assert list(design.pictures.values()) == ["noto/artist-palette"]


@pytest.mark.parametrize("count", (0, 1, 2, 3, 4, 6))
def test_any_number_of_pictures_up_to_6_finds_a_place(count):
    pictures = tuple(f"noto/{name}" for name in ("guitar", "violin", "drum", "trumpet", "flute", "harp"))[:count]
    design = compose(brief(pictures=pictures, body="", details=("12 May",)), rng(5), embedded())
    shown = [layer for layer in design.document.layers if isinstance(layer, ImageLayer)]
    assert len(shown) == count and sorted(design.pictures.values()) == sorted(pictures)


def test_composing_is_a_function_of_brief_and_random_state():
    one, two = (compose(brief(), rng(9), embedded()) for _ in range(2))
    assert one.document == two.document
    assert compose(brief(), rng(10), embedded()).document != one.document


def test_a_brief_without_title_or_with_an_unknown_mood_is_refused_with_the_way_out():
    with pytest.raises(LayoutError, match="no title"):
        compose(brief(title=" "), rng(), embedded())
    with pytest.raises(LayoutError, match=r"'gloomy'.*'calm'"):
        compose(brief(mood="gloomy"), rng(), embedded())


def test_texts_that_fit_nowhere_are_refused_and_the_reason_is_told():
    with pytest.raises(LayoutError, match="too long"):
        compose(brief(title="Unsplittable" * 8), rng(), embedded(), tries=20)


def test_too_many_details_are_refused():
    with pytest.raises(LayoutError, match="details"):
        compose(brief(details=tuple("abcdefghij"), pictures=()), rng(), embedded(), tries=40)

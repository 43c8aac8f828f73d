"""What the basic, drawing, text and object actions make of a document; places and sizes are worked by hand."""

import copy
import io

import numpy as np
import pytest
from design_bench import L, P, V, do, done, page, picture, workspace
from PIL import Image

from designgym.envs.design.layers import hull
from designgym.envs.design.tools import action_table
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.graphics.render import render
from designgym.tools import Declined

BLUE = {"red": 0, "green": 0, "blue": 255}


def document(bench: object) -> Document:
    found = bench.document  # type: ignore[attr-defined]
    assert found is not None
    found.validate()
    return found


def ink_box(shown: Document, color: tuple[int, int, int]) -> tuple[int, int, int, int]:
    """The pixels of exactly this colour, as x1, y1, x2, y2."""
    ys, xs = np.nonzero((render(shown) == color).all(axis=-1))
    return int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1


# --- basic


@pytest.mark.parametrize(
    ("kind", "size"),
    [("postcard", (1000, 640)), ("business card", (1000, 640)), ("poster", (1296, 1728)), ("book cover", (1296, 1728))],
)
def test_pages_have_the_sizes_of_the_scripts(kind: str, size: tuple[int, int]) -> None:
    bench = workspace()
    done(bench, "CreateDocument", docType=kind)
    assert (document(bench).width, document(bench).height) == size
    assert render(document(bench)).min() == 255


def test_the_background_takes_the_colour() -> None:
    bench = page()
    done(bench, "SetBackgroundColor", red=10, green=20, blue=30)
    assert (render(document(bench)) == (10, 20, 30)).all()


# --- drawing


def test_new_shapes_are_centred_and_have_their_colour() -> None:
    bench = page(V)
    done(bench, "DrawRectangle", layerName="r", width=200, height=100, **BLUE)
    assert ink_box(document(bench), (0, 0, 255)) == (400, 270, 600, 370)


@pytest.mark.parametrize(
    ("action", "arguments", "size"),
    [
        ("DrawCircle", {"radius": 50}, (100, 100)),
        ("DrawEllipse", {"majorRadius": 80, "minorRadius": 30}, (160, 60)),
        ("DrawTriangle", {"base": 90, "height": 60}, (90, 60)),
        ("DrawPolygon", {"sides": 4, "radius": 50}, (100, 100)),
        ("DrawPolygon", {"sides": 6, "radius": 50}, (86.6025, 100)),
        ("DrawStar", {"numPoints": 4, "radius": 50}, (100, 100)),
    ],
)
def test_shapes_have_the_size_that_their_measures_say(action: str, arguments: dict, size: tuple[float, float]) -> None:
    bench = page(V)
    done(bench, action, layerName="s", **arguments, **BLUE)
    shape = document(bench).layer("s")
    assert (shape.width, shape.height) == pytest.approx(size, abs=1e-3)
    assert (shape.x + shape.width / 2, shape.y + shape.height / 2) == pytest.approx((500, 320))
    x1, y1, x2, y2 = ink_box(document(bench), (0, 0, 255))
    assert abs(x2 - x1 - size[0]) <= 8, "the last px of sharp tips are paler"
    assert abs(y2 - y1 - size[1]) <= 8


def test_the_edges_of_a_five_pointed_star_run_on_straight() -> None:
    bench = page(V)
    done(bench, "DrawStar", layerName="s", numPoints=5, radius=100, **BLUE)
    star = document(bench).layer("s")
    assert isinstance(star, ShapeLayer)
    points = [(x * star.width, y * star.height) for x, y in star.points]
    # The second and the last but one corner lie on the line through the points to the left and right.
    assert points[1][1] == pytest.approx(points[2][1], abs=0.1)
    assert points[9][1] == pytest.approx(points[8][1], abs=0.1)


@pytest.mark.parametrize(
    "ends", [(100, 200, 500, 200), (300, 100, 300, 400), (100, 100, 400, 300), (400, 100, 100, 300)]
)
def test_lines_run_between_their_ends(ends: tuple[int, int, int, int]) -> None:
    bench = page(V)
    keys = dict(zip(("startX", "startY", "endX", "endY"), ends, strict=True))
    done(bench, "DrawLine", layerName="l", strokeWidth=4, **keys, **BLUE)
    pixels = render(document(bench))
    for share in (0.05, 0.5, 0.95):
        x = ends[0] + (ends[2] - ends[0]) * share
        y = ends[1] + (ends[3] - ends[1]) * share
        assert tuple(pixels[int(y), int(x)]) == (0, 0, 255)
    x1, y1, x2, y2 = ink_box(document(bench), (0, 0, 255))
    assert (x2 - x1, y2 - y1) == pytest.approx((abs(ends[2] - ends[0]), abs(ends[3] - ends[1])), abs=6)


def test_a_line_without_length_is_refused() -> None:
    bench = page(V)
    step = do(bench, "DrawLine", layerName="l", startX=5, startY=5, endX=5, endY=5, strokeWidth=1, **BLUE)
    assert step.error == "invalid_parameters"


def test_drawings_move_by_their_corner_and_grow_about_their_centre() -> None:
    bench = page(V)
    done(bench, "DrawRectangle", layerName="r", width=200, height=100, **BLUE)
    done(bench, "RepositionDrawing", layerName="r", posX=20, posY=30)
    assert ink_box(document(bench), (0, 0, 255)) == (20, 30, 220, 130)
    done(bench, "ResizeDrawing", layerName="r", width=100, height=100)
    assert ink_box(document(bench), (0, 0, 255)) == (70, 30, 170, 130)


def test_turning_adds_up_and_a_turned_box_moves_by_what_is_seen_of_it() -> None:
    bench = page(V)
    done(bench, "DrawRectangle", layerName="r", width=200, height=100, **BLUE)
    done(bench, "RotateDrawing", layerName="r", angle=30)
    done(bench, "RotateDrawing", layerName="r", angle=60)
    assert document(bench).layer("r").rotation_deg == 90
    assert ink_box(document(bench), (0, 0, 255)) == (450, 220, 550, 420)
    done(bench, "RepositionDrawing", layerName="r", posX=0, posY=0)
    assert ink_box(document(bench), (0, 0, 255)) == (0, 0, 100, 200)


def test_opacity_outline_and_removal_of_drawings() -> None:
    bench = page(V)
    done(bench, "DrawCircle", layerName="c", radius=50, **BLUE)
    done(bench, "OpacityDrawing", layerName="c", opacity=50)
    assert tuple(render(document(bench))[320, 500]) == pytest.approx((127, 127, 255), abs=1)
    done(bench, "StrokeDrawing", layerName="c", strokeWidth=5, red=255, green=0, blue=0)
    red, green, blue = render(document(bench))[320, 450].tolist()
    assert red > 240
    assert green < 150 > blue
    done(bench, "RemoveDrawing", layerName="c")
    assert document(bench).layers == ()
    assert render(document(bench)).min() == 255


# --- text


def text(bench: object, name: str = "t") -> TextLayer:
    layer = document(bench).layer(name)
    assert isinstance(layer, TextLayer)
    return layer


def test_new_text_is_30_pt_arial_black_and_in_the_middle() -> None:
    bench = page()
    done(bench, "CreateText", layerName="t", textString="Hello")
    layer = text(bench)
    assert (layer.size_px, layer.font, layer.color, layer.align) == (30, "Arial", "#000000", "center")
    assert (layer.x + layer.width / 2, layer.y + layer.height / 2) == pytest.approx((500, 320))
    _, xs = np.nonzero(render(document(bench)).min(axis=-1) < 128)
    assert (xs.min() + xs.max() + 1) / 2 == pytest.approx(500, abs=3)
    assert xs.max() - xs.min() == pytest.approx(layer.width, abs=6)


def test_a_text_in_the_middle_grows_there_and_a_placed_one_from_its_corner() -> None:
    bench = page()
    done(bench, "CreateText", layerName="t", textString="Hello")
    done(bench, "ResizeText", layerName="t", fontSize=90)
    assert (text(bench).x + text(bench).width / 2, text(bench).y + text(bench).height / 2) == pytest.approx((500, 320))
    done(bench, "RepositionText", layerName="t", posX=40, posY=50)
    done(bench, "ResizeText", layerName="t", fontSize=30)
    assert (text(bench).x, text(bench).y) == (40, 50)


def test_long_lines_break_at_nine_tenths_of_the_page_and_align_within_their_box() -> None:
    bench = page()
    done(bench, "CreateText", layerName="t", textString="word " * 60 + "\nend")
    assert 750 < text(bench).width <= 900
    centred = render(document(bench))
    done(bench, "AlignText", layerName="t", alignment="right")
    ys, xs = np.nonzero(render(document(bench)).min(axis=-1) < 128)
    last = xs[ys > text(bench).y + text(bench).height - 30]
    assert last.min() > 800, "the word on the last line stands at the right"
    assert (render(document(bench)) != centred).any()


def test_fonts_colours_outlines_opacity_and_turns_of_text() -> None:
    bench = page(V)
    done(bench, "CreateText", layerName="t", textString="Hello")
    done(bench, "ApplyFont", layerName="t", fontName="Playfair Display Bold Italic")
    assert (text(bench).font, text(bench).weight, text(bench).italic) == ("Playfair Display", 700, True)
    done(bench, "ApplyFont", layerName="t", fontName="georgia")
    assert (text(bench).font, text(bench).weight, text(bench).italic) == ("Georgia", 400, False)
    done(bench, "ColorText", layerName="t", red=255, green=0, blue=0)
    assert text(bench).color == "#ff0000"
    done(bench, "StrokeText", layerName="t", strokeWidth=2, **BLUE)
    assert text(bench).stroke.color == "#0000ff"  # type: ignore[union-attr]
    done(bench, "OpacityText", layerName="t", opacity=25)
    assert text(bench).opacity == 0.25
    done(bench, "RotateText", layerName="t", angle=350)
    done(bench, "RotateText", layerName="t", angle=20)
    assert text(bench).rotation_deg == 10
    done(bench, "RemoveText", layerName="t")
    assert document(bench).layers == ()


def test_a_font_that_is_not_there_is_refused_with_those_that_are() -> None:
    declined = action_table().read({"name": "ApplyFont", "arguments": {"layerName": "t", "fontName": "Wingdings"}})
    assert isinstance(declined, Declined)
    assert declined.kind == "invalid_parameters"
    assert "Montserrat" in declined.message


def test_text_is_arranged_before_and_behind() -> None:
    bench = page()
    for name in "abc":
        done(bench, "CreateText", layerName=name, textString=name)
    order = {
        ("b", "front"): "acb",
        ("b", "back"): "bac",
        ("b", "frontward"): "abc",
        ("c", "backward"): "acb",
    }
    for (name, arrangement), expected in order.items():
        done(bench, "ArrangeText", layerName=name, arrangement=arrangement)
        assert "".join(layer.id for layer in document(bench).layers) == expected


# --- objects


def test_pictures_come_in_their_own_size_to_the_middle_or_as_large_as_fits() -> None:
    bench = page(huge_png=picture(4000, 1000))
    done(bench, "ImportObject", fileName="sun.png", layerName="sun")
    assert ink_box(document(bench), (200, 40, 40)) == (400, 270, 600, 370)
    done(bench, "ImportObject", fileName="huge.png", layerName="huge")
    huge = document(bench).layer("huge")
    assert (huge.x, huge.y, huge.width, huge.height) == (0, 195, 1000, 250)


def test_objects_are_found_by_layer_first_and_then_by_file() -> None:
    bench = page(two_png=picture(50, 50))
    done(bench, "ImportObject", fileName="sun.png", layerName="two.png")
    done(bench, "ImportObject", fileName="two.png", layerName="b")
    done(bench, "RepositionObject", fileName="two.png", posX=0, posY=0)
    assert document(bench).layer("two.png").x == 0
    done(bench, "RepositionObject", fileName="sun.png", posX=7, posY=0)
    assert document(bench).layer("two.png").x == 7
    done(bench, "RemoveObject", layerName="b")
    assert [layer.id for layer in document(bench).layers] == ["two.png"]
    assert list(document(bench).assets) == ["sun.png"]


def test_objects_move_by_their_corner_stretch_about_their_centre_fade_and_turn() -> None:
    bench = page(P)
    done(bench, "ImportObject", fileName="sun.png", layerName="sun")
    done(bench, "RepositionObject", fileName="sun", posX=100, posY=100)
    done(bench, "ResizeObject", fileName="sun", width=100, height=200)
    assert ink_box(document(bench), (200, 40, 40)) == (150, 50, 250, 250)
    done(bench, "RotateObject", fileName="sun", angle=90)
    assert hull(document(bench).layer("sun")) == pytest.approx((100, 100, 300, 200))
    done(bench, "OpacityObject", fileName="sun", opacity=0)
    assert render(document(bench)).min() == 255


# --- filters


def test_filters_are_laid_on_in_the_order_of_the_calls() -> None:
    bench = page(P)
    done(bench, "ImportObject", fileName="sun.png", layerName="sun")
    done(bench, "AdjustBW", layerName="sun")
    done(bench, "PhotoFilter", fileName="sun.png", filterType="deep_blue", density=60)
    layer = document(bench).layer("sun")
    assert isinstance(layer, ImageLayer)
    assert [(each.name, each.values) for each in layer.filters] == [
        ("black_white", {}),
        ("photo", {"filterType": "Deep Blue", "density": 60}),
    ]
    red, green, blue = render(document(bench))[320, 500].tolist()
    assert blue > red
    assert blue > green


def test_an_imported_document_is_made_flat_for_a_filter_and_stays_where_it_is() -> None:
    bench = page(V, width=200, height=100)
    done(bench, "SetBackgroundColor", red=250, green=200, blue=0)
    done(bench, "DrawCircle", layerName="c", radius=30, **BLUE)
    done(bench, "SaveDocument", fileName="logo", format="ai")
    done(bench, "CreateDocumentCustom", P, width=400, height=400)
    done(bench, "ImportObject", fileName="logo.ai", layerName="logo")
    done(bench, "RepositionObject", fileName="logo", posX=10, posY=20)
    before = render(document(bench)).astype(int)
    step = done(bench, "AdjustBC", layerName="logo", brightness=0, contrast=0)
    assert "flat" in step.message
    assert [type(layer) for layer in document(bench).layers] == [ImageLayer]
    assert document(bench).groups == ()
    assert np.abs(render(document(bench)) - before).mean() < 0.5
    done(bench, "AdjustBW", layerName="logo.ai")
    grey = render(document(bench))[70, 110]
    assert len(set(grey.tolist())) == 1


@pytest.mark.parametrize(
    ("action", "arguments"),
    [
        ("AdjustBC", {"brightness": 60, "contrast": 20}),
        ("AdjustBW", {}),
        ("AdjustHSL", {"hue": 90, "saturation": 10, "light": 0}),
        ("BlurObject", {"blurAmount": 30}),
        ("PhotoFilter", {"filterType": "Sepia", "density": 80}),
        ("GlassFilter", {"distortion": 10, "smoothness": 3, "scaling": 100}),
        ("GlowFilter", {"graininess": 5, "glowAmount": 10, "clearAmount": 10}),
        ("OceanRippleFilter", {"rippleSize": 8, "rippleMagnitude": 10}),
        ("StainedGlassFilter", {"cellSize": 20, "borderThickness": 3, "lightIntensity": 3}),
        ("PatchWorkFilter", {"squareSize": 5, "relief": 10}),
        ("WatercolorFilter", {"brushDetail": 8, "shadowIntensity": 3, "texture": 2}),
    ],
)
def test_every_filter_changes_the_picture_and_nothing_beside_it(action: str, arguments: dict) -> None:
    y, x = np.mgrid[0:100, 0:200]
    stream = io.BytesIO()
    Image.fromarray(np.stack([x, 2 * y, 255 - x], axis=-1).astype(np.uint8)).save(stream, "PNG")
    bench = page(P, width=400, height=300, grid_png=stream.getvalue())
    done(bench, "ImportObject", fileName="grid.png", layerName="grid")
    before = render(document(bench)).astype(int)
    done(bench, action, layerName="grid", **arguments)
    change = np.abs(render(document(bench)) - before).max(axis=-1)
    assert change[100:200, 100:300].mean() > 3
    outside = change.copy()
    outside[80:220, 80:320] = 0
    assert outside.max() == 0


def test_a_layer_takes_so_many_filters_and_no_more() -> None:
    bench = page(P)
    done(bench, "ImportObject", fileName="sun.png", layerName="sun")
    for _ in range(16):
        done(bench, "AdjustBW", layerName="sun")
    assert do(bench, "AdjustBW", layerName="sun").error == "limit"


# --- what holds for all


def test_a_name_that_is_taken_is_refused() -> None:
    bench = page()
    done(bench, "CreateText", layerName="t", textString="Hello")
    step = do(bench, "ImportObject", fileName="sun.png", layerName="t")
    assert (step.error, step.dependency) == ("dependency", "local")


@pytest.mark.parametrize(
    ("action", "arguments", "word"),
    [
        ("ColorText", {"layerName": "nobody", **BLUE}, "'t'"),
        ("RotateText", {"layerName": "sun", "angle": 5}, "object"),
        ("RotateObject", {"fileName": "t", "angle": 5}, "text"),
        ("RemoveObject", {"fileName": "moon.png"}, "'sun'"),
    ],
)
def test_what_is_missing_is_a_local_dependency_and_the_message_says_what_is_there(
    action: str, arguments: dict, word: str
) -> None:
    bench = page()
    done(bench, "CreateText", layerName="t", textString="Hello")
    done(bench, "ImportObject", fileName="sun.png", layerName="sun")
    before = document(bench)
    step = do(bench, action, **arguments)
    assert (step.error, step.dependency) == ("dependency", "local")
    assert word in step.message
    assert document(bench) is before


def test_without_an_open_document_nothing_can_be_done() -> None:
    bench = workspace()
    step = do(bench, "CreateText", layerName="t", textString="Hello")
    assert (step.error, step.dependency) == ("dependency", "local")
    assert "CreateDocument" in step.message


def test_an_action_that_the_expert_at_work_lacks_is_invalid_and_names_who_has_it() -> None:
    bench = page(L)
    step = do(bench, "DrawCircle", layerName="c", radius=5, **BLUE)
    assert step.error == "invalid_action"
    assert V in step.message
    assert bench.expert == L


@pytest.mark.parametrize("key", ["layerName", "textString"])
def test_blank_names_and_texts_are_refused(key: str) -> None:
    arguments = {"layerName": "t", "textString": "Hello"} | {key: " \u200b"}
    if key == "layerName":
        arguments[key] = "  "
    declined = action_table().read({"name": "CreateText", "arguments": arguments})
    assert isinstance(declined, Declined)
    assert declined.kind == "invalid_parameters"
    assert key in declined.message


def test_sampled_calls_fail_for_nothing_but_what_is_missing() -> None:
    bench = page(V)
    rng = np.random.default_rng(0)
    kinds = []
    for _ in range(400):
        tool = list(action_table())[int(rng.integers(46))]
        kinds.append(do(bench, tool.name, **tool.sample(rng)).error)
    assert set(kinds) == {"", "dependency"}
    assert kinds.count("") > 60


def test_places_beyond_the_limit_are_refused() -> None:
    bench = page(width=100, height=100)
    done(bench, "CreateText", layerName="t", textString="Hello")
    before = document(bench)
    assert do(bench, "RepositionText", layerName="t", posX=5000, posY=0).error == "limit"
    assert document(bench) is before


def test_more_layers_than_a_document_holds_are_refused() -> None:
    bench = page(V)
    for number in range(200):
        done(bench, "DrawCircle", layerName=str(number), radius=5, **BLUE)
    assert do(bench, "DrawCircle", layerName="one more", radius=5, **BLUE).error == "limit"


def test_copies_of_a_workspace_do_not_share_what_happens_next() -> None:
    bench = page()
    other = copy.deepcopy(bench)
    done(bench, "CreateText", layerName="t", textString="Hello")
    assert document(other).layers == ()


def test_pictures_of_a_document_are_kept_once() -> None:
    bench = page()
    for name in "ab":
        done(bench, "ImportObject", fileName="sun.png", layerName=name)
    assert len(document(bench).assets) == 1
    assert {layer.asset for layer in document(bench).layers if isinstance(layer, ImageLayer)} == {"sun.png"}

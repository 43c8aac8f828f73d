"""Both renderers: golden images of every tool, exact erasing, and geometry against equations."""

import numpy as np
import pytest
from canvas_golden import OPERATIONS, RENDERERS, drawing, load

from designgym.envs.canvas.canvas import Canvas
from designgym.envs.canvas.raster import make_raster, regular_polygon, sweep
from designgym.envs.canvas.svg.path import Subpath

each_renderer = pytest.mark.parametrize("renderer", RENDERERS)
each_tool = pytest.mark.parametrize("tool", OPERATIONS)


def drawn(renderer, tool, *operations, erase=False):
    canvas = Canvas(renderer)
    canvas.draw(tool, operations, erase)
    return canvas.read()


def ink_box(image):
    rows, columns = np.nonzero(image == 0)
    return columns.min(), rows.min(), columns.max(), rows.max()


@each_renderer
@each_tool
def test_the_golden_image(renderer, tool):
    assert np.array_equal(drawing(renderer, tool), load(renderer, tool))


@each_renderer
@each_tool
def test_there_is_only_ink_and_paper(renderer, tool):
    image = drawn(renderer, tool, *OPERATIONS[tool])
    assert set(np.unique(image)) == {0, 255}


@each_renderer
@each_tool
def test_erasing_along_the_same_path_leaves_nothing(renderer, tool):
    canvas = Canvas(renderer)
    canvas.draw(tool, OPERATIONS[tool], False)
    assert (canvas.array == 0).any()
    canvas.draw(tool, OPERATIONS[tool], True)
    assert (canvas.array == 255).all()


@each_renderer
@each_tool
def test_a_batch_is_the_same_as_its_operations_one_by_one(renderer, tool):
    one_by_one = Canvas(renderer)
    for operation in OPERATIONS[tool]:
        one_by_one.draw(tool, [operation], False)
    assert np.array_equal(drawn(renderer, tool, *OPERATIONS[tool]), one_by_one.read())


@each_renderer
def test_a_level_line_is_five_pixels_wide(renderer):
    image = drawn(renderer, "draw_lines", {"x1": 100, "y1": 200, "x2": 300, "y2": 200})
    assert np.flatnonzero(image[:, 200] == 0).tolist() == [198, 199, 200, 201, 202]
    upright = drawn(renderer, "draw_lines", {"x1": 200, "y1": 100, "x2": 200, "y2": 300})
    assert np.flatnonzero(upright[200] == 0).tolist() == [198, 199, 200, 201, 202]


@each_renderer
def test_a_dot_is_as_wide_as_a_stroke(renderer):
    assert ink_box(drawn(renderer, "draw_dots", {"x": 50, "y": 70})) == (48, 68, 52, 72)
    point = {"x1": 50, "y1": 70, "x2": 50, "y2": 70}
    assert np.array_equal(drawn(renderer, "draw_lines", point), drawn(renderer, "draw_dots", {"x": 50, "y": 70}))


@each_renderer
def test_a_circle_lies_between_its_radii(renderer):
    image = drawn(renderer, "draw_circles", {"x": 200, "y": 200, "radius": 100})
    rows, columns = np.nonzero(image == 0)
    distance = np.hypot(rows - 200, columns - 200)
    # Pillow's outlines lie inside of the shape, skia's are centred on it; a pixel is let go for rounding.
    low, high = (95, 100) if renderer == "pillow" else (97.5, 102.5)
    assert low - 1 <= distance.min() and distance.max() <= high + 1
    assert abs((image == 0).sum() / (np.pi * (high**2 - low**2)) - 1) < 0.06


@each_renderer
@pytest.mark.parametrize(
    ("start", "end", "quadrant"),
    [(0, 90, (1, 1)), (90, 180, (-1, 1)), (180, 270, (-1, -1)), (270, 360, (1, -1))],
)
def test_angles_run_clockwise_from_three_oclock(renderer, start, end, quadrant):
    box = {"x1": 100, "y1": 100, "x2": 300, "y2": 300}
    image = drawn(renderer, "draw_arcs", {**box, "start_angle": start, "end_angle": end})
    rows, columns = np.nonzero(image == 0)
    inside = ((columns - 200) * quadrant[0] >= -3) & ((rows - 200) * quadrant[1] >= -3)
    assert inside.all() and len(rows) > 500


def test_sweeps():
    def of(start, end):
        return sweep({"start_angle": start, "end_angle": end})

    assert of(0, 90) == (0, 90)
    assert of(90, 0) == (90, 270)
    assert of(-90, 90) == (270, 180)
    assert of(350, 370) == (350, 20)
    assert of(0, 360) == of(0, 720) == (0, 360)
    assert of(10, -350) == (10, 360)
    assert of(45, 45) == (45, 0)


@each_renderer
@pytest.mark.parametrize("tool", ["draw_arcs", "draw_pieslices", "draw_chords"])
def test_a_whole_turn_is_the_ellipse_and_no_turn_is_nothing(renderer, tool):
    box = {"x1": 60, "y1": 80, "x2": 300, "y2": 240}
    whole = drawn(renderer, tool, {**box, "start_angle": 30, "end_angle": 390})
    ellipse = drawn(renderer, "draw_ellipses", box)
    assert (whole != ellipse).sum() <= 0.02 * (ellipse == 0).sum() or tool == "draw_pieslices"
    assert (drawn(renderer, tool, {**box, "start_angle": 30, "end_angle": 30}) == 255).all()


@each_renderer
@pytest.mark.parametrize("tool", ["draw_arcs", "draw_pieslices", "draw_chords"])
@pytest.mark.parametrize("corner", [(200, 100), (100, 200), (100, 100)])
def test_an_arc_of_a_box_without_a_side_is_drawn(renderer, tool, corner):
    arc = {"x1": 100, "y1": 100, "x2": corner[0], "y2": corner[1], "start_angle": 10, "end_angle": 350}
    assert (drawn(renderer, tool, arc) == 0).any()


@pytest.mark.parametrize("tool", ["draw_arcs", "draw_chords"])
def test_skia_draws_an_arc_of_a_flat_box_as_a_straight_stroke(tool):
    # A quarter from three o'clock: from (200, 100) to the middle of the box, (150, 100).
    flat = {"x1": 100, "y1": 100, "x2": 200, "y2": 100, "start_angle": 0, "end_angle": 90}
    assert ink_box(drawn("skia", tool, flat)) == (148, 98, 202, 102)


def test_regular_polygons_stand_on_a_side_and_turn_clockwise():
    square = {"x": 200, "y": 200, "radius": 100, "n_sides": 4, "rotation": 0}
    assert sorted(regular_polygon(square)) == [(129, 129), (129, 271), (271, 129), (271, 271)]
    triangle = {**square, "n_sides": 3}
    assert (200, 100) in regular_polygon(triangle)  # the tip is above
    assert (300, 200) in regular_polygon({**triangle, "rotation": 90})  # and after a quarter turn on the right
    assert (100, 200) in regular_polygon({**triangle, "rotation": -90})


@each_renderer
def test_corners_may_come_in_any_order(renderer):
    for tool in ("draw_rectangles", "draw_ellipses"):
        ways = [(50, 60, 200, 220), (200, 220, 50, 60), (200, 60, 50, 220), (50, 220, 200, 60)]
        images = [drawn(renderer, tool, dict(zip(("x1", "y1", "x2", "y2"), way, strict=True))) for way in ways]
        assert all(np.array_equal(images[0], image) for image in images[1:])


@each_renderer
def test_paths_are_stroked_open_and_closed(renderer):
    canvas = Canvas(renderer)
    canvas.draw_paths([Subpath(((50.0, 50.0), (150.0, 50.0), (150.0, 150.0)), False)], False)
    canvas.draw_paths([Subpath(((250.0, 50.0), (350.0, 50.0), (350.0, 150.0)), True)], False)
    image = canvas.read()
    assert image[50, 100] == image[100, 150] == image[100, 300] == 0
    assert image[100, 100] == 255


@each_renderer
def test_drawing_arrives_in_the_array_that_was_given(renderer):
    rows = np.full((3, 400, 400), 255, np.uint8)
    make_raster(renderer, rows[1]).draw("draw_circles", [{"x": 200, "y": 200, "radius": 50}], False)
    assert (rows[1] == 0).any() and (rows[[0, 2]] == 255).all()


def test_renderers_name_their_version():
    import PIL
    import skia

    assert Canvas("pillow").raster_id == f"pillow {PIL.__version__}"
    assert Canvas("skia").raster_id == f"skia-python {skia.__version__}"


def test_unknown_renderers_are_refused():
    with pytest.raises(ValueError, match="Did you mean 'pillow'"):
        make_raster("pilow", np.zeros((400, 400), np.uint8))

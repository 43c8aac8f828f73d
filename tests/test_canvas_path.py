import math
import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from designgym.envs.canvas.svg.path import COMMANDS, read_path

LOW, HIGH = -2000, 2399


def only(data, **kwargs):
    """The points of the one subpath of path data without an error."""
    read = read_path(data, **kwargs)
    assert read.problem == ""
    (subpath,) = read.subpaths
    return np.array(subpath.points)


def farthest_from(points, curve):
    """The greatest distance of a densely sampled curve from the line through points."""
    start, along = points[:-1], np.diff(points, axis=0)
    length = np.maximum((along**2).sum(1), 1e-30)
    offset = curve[:, None] - start
    share = np.clip((offset * along).sum(2) / length, 0, 1)
    return np.sqrt(((offset - share[..., None] * along) ** 2).sum(2)).min(1).max()


@pytest.mark.parametrize(
    ("compact", "spaced"),
    [
        ("M100 200a100 100 0 01200 0a100 100 0 01-200 0z", "M 100 200 a 100 100 0 0 1 200 0 a 100 100 0 0 1 -200 0 z"),
        ("M100.5.5-.5 200.5 200 200z", "M 100.5 0.5 L -0.5 200.5 L 200 200 z"),
        ("M40,40a20,20 0 1140,0z", "M 40 40 a 20 20 0 1 1 40 0 z"),
        ("M200-20L.5.5.25 300.75z", "M 200 -20 L 0.5 0.5 L 0.25 300.75 z"),
        ("M1.5.5-3e2+4E-1", "M 1.5 0.5 L -300 0.4"),
        ("m10 20 30 40", "M 10 20 L 40 60"),
        ("M10 20H30 50V5 6", "M 10 20 L 30 20 L 50 20 L 50 5 L 50 6"),
        ("\n M10\t20\r\nL 5 , 1\f", "M 10 20 L 5 1"),
    ],
)
def test_compact_forms_draw_what_spaced_ones_do(compact, spaced):
    assert read_path(compact) == read_path(spaced)
    assert not read_path(compact).problem


def test_relative_commands_draw_what_absolute_ones_do():
    relative = "m50 60l10 5h20v-15c5 10 15 10 20 0s15-10 20 0q10 20 20 0t20 0a30 20 15 0 1 40 10z m5 5l1 1"
    absolute = (
        "M50 60L60 65H80V50C85 60 95 60 100 50S115 40 120 50Q130 70 140 50T160 50A30 20 15 0 1 200 60Z M55 65L56 66"
    )
    first, second = read_path(relative), read_path(absolute)
    assert [path.closed for path in first.subpaths] == [path.closed for path in second.subpaths] == [True, False]
    for one, other in zip(first.subpaths, second.subpaths, strict=True):
        assert np.allclose(one.points, other.points, atol=1e-9)


@pytest.mark.parametrize(
    ("large", "clockwise", "centre", "turn_deg"),
    [(0, 0, (200, 100), 90), (0, 1, (100, 200), 90), (1, 0, (100, 200), 270), (1, 1, (200, 100), 270)],
)
def test_the_flags_of_an_arc_choose_among_four(large, clockwise, centre, turn_deg):
    points = only(f"M100 100A100 100 0 {large} {clockwise} 200 200")
    assert np.allclose(np.hypot(*(points - centre).T), 100, atol=1e-9)
    angles = np.unwrap(np.arctan2(*(points - centre).T[::-1]))
    assert math.isclose(abs(math.degrees(angles[-1] - angles[0])), turn_deg, abs_tol=1e-6)
    assert (np.diff(angles) > 0).all() if clockwise else (np.diff(angles) < 0).all()  # y points down
    assert tuple(points[0]) == (100, 100) and tuple(points[-1]) == (200, 200)


def test_radii_too_small_to_reach_the_end_are_scaled_up():
    points = only("M100 100A2 1 0 0 1 300 100")  # twice as wide as high: semi-axes 100 and 50
    x, y = (points - (200, 100)).T
    assert np.allclose((x / 100) ** 2 + (y / 50) ** 2, 1)
    assert y.min() == pytest.approx(-50, abs=0.1) and y.max() == pytest.approx(0, abs=1e-9)


def test_the_rotation_of_an_arc_turns_its_ellipse():
    points = only("M200 100A100 50 90 0 1 200 300")  # upright: semi-axes 50 across and 100 down
    x, y = (points - (200, 200)).T
    assert np.allclose((x / 50) ** 2 + (y / 100) ** 2, 1)
    assert x.max() == pytest.approx(50, abs=0.1)


def test_an_arc_without_radius_is_a_line_and_one_without_way_is_a_dot():
    assert read_path("M10 20A0 50 0 1 1 30 40") == read_path("M10 20L30 40")
    assert read_path("M10 20A50 0 0 1 1 30 40") == read_path("M10 20L30 40")
    assert read_path("M10 20A-50 -40 0 1 1 90 40") == read_path("M10 20A50 40 0 1 1 90 40")
    assert only("M10 20A50 50 0 1 1 10 20").tolist() == [[10, 20], [10, 20]]


def test_a_quadratic_curve_runs_on_its_parabola():
    points = only("M0 0Q50 100 100 0")
    x, y = points.T
    assert np.allclose(y, 2 * x * (1 - x / 100))
    assert y.max() == pytest.approx(50, abs=0.1)


def test_s_and_t_reflect_the_control_point_before_them_and_only_that_of_their_own_kind():
    assert read_path("M0 0C0 50 50 50 50 0S100-50 100 0") == read_path("M0 0C0 50 50 50 50 0C50-50 100-50 100 0")
    assert read_path("M0 0Q25 50 50 0T100 0T150 0") == read_path("M0 0Q25 50 50 0Q75-50 100 0Q125 50 150 0")
    assert read_path("M0 0Q25 50 50 0S90 50 100 0") == read_path("M0 0Q25 50 50 0C50 0 90 50 100 0")
    assert read_path("M0 0C0 50 50 50 50 0T100 0") == read_path("M0 0C0 50 50 50 50 0Q50 0 100 0")
    assert read_path("M0 0L50 0T100 30") == read_path("M0 0L50 0Q50 0 100 30")
    assert read_path("M0 0Q25 50 50 0M50 0T100 0") == read_path("M0 0Q25 50 50 0M50 0Q50 0 100 0")


coordinate = st.floats(-600, 1000)


@given(st.lists(coordinate, min_size=8, max_size=8))
def test_flattened_cubics_stay_within_a_tenth_of_a_pixel(numbers):
    points = only("M{} {}C{} {} {} {} {} {}".format(*(f"{number:.9f}" for number in numbers)))
    p = np.array([float(f"{number:.9f}") for number in numbers]).reshape(4, 2)
    t = np.linspace(0, 1, 1500)[:, None]
    curve = (1 - t) ** 3 * p[0] + 3 * (1 - t) ** 2 * t * p[1] + 3 * (1 - t) * t**2 * p[2] + t**3 * p[3]
    assert farthest_from(points, curve) < 0.101
    assert len(points) < 200


@pytest.mark.parametrize("radius", [0.5, 7, 150, 5_000, 100_000])
def test_an_arc_of_any_size_stays_within_a_tenth_of_a_pixel_near_the_canvas(radius):
    read = read_path(f"M200 0a{radius} {radius} 0 1 1 0 {2 * radius}a{radius} {radius} 0 1 1 0 {-2 * radius}")
    near = 0
    for subpath in read.subpaths:
        points = np.array(subpath.points)
        middles = (points[1:] + points[:-1]) / 2
        off = np.abs(np.hypot(*(middles - (200, radius)).T) - radius)
        assert off.max() < 0.11
        near += (np.abs(middles - 200).max(1) < 300).sum()
    assert 2 <= near < 2_000


def test_flattening_is_as_fine_where_the_transformation_enlarges():
    points = only("M0 0a1 1 0 0 1 2 0", matrix=(100, 0, 0, 100, 100, 200))
    middles = (points[1:] + points[:-1]) / 2
    assert np.abs(np.hypot(*(middles - (200, 200)).T) - 100).max() < 0.1


def test_a_curve_between_far_ends_reaches_the_canvas_where_it_bulges():
    (subpath,) = read_path("M-5000-3000Q5400 200-5000 3400").subpaths  # x = 200 - 5200 s², y = 200 + 3200 s, s in -1..1
    x, y = np.array(subpath.points).T
    assert x.max() > 199.9
    assert np.allclose(x, 200 - 5200 * ((y - 200) / 3200) ** 2, atol=0.2)


def test_lines_that_leave_the_reach_keep_their_direction():
    points = only("M200 200L10200 1200")
    assert points[-1] == pytest.approx((2399, 419.9))


def test_a_far_corner_leaves_no_line_across_the_canvas():
    read = read_path("M-9000 2000L2000 -9000")  # passes the canvas at a distance of 5,000 px
    assert read.subpaths == () and read.problem == ""


def test_parts_within_reach_are_cut_out_of_an_outline():
    read = read_path("M100 100L9000 100L9000 300L100 300Z")
    (subpath,) = read.subpaths  # the two cut ends lie at the right; the start is inside of the part
    assert subpath.points == ((2399, 300), (100, 300), (100, 100), (2399, 100)) and not subpath.closed


def test_what_follows_z_starts_where_its_subpath_started():
    first, second = read_path("M10 20l30 0 0 40zl5 5").subpaths
    assert first.points == ((10, 20), (40, 20), (40, 60)) and first.closed
    assert second.points == ((10, 20), (15, 25)) and not second.closed
    first, second = read_path("M10 20l30 0 0 40zm5 5h1").subpaths
    assert second.points == ((15, 25), (16, 25))


def test_a_line_back_to_the_start_is_not_doubled_by_z():
    assert read_path("M10 20L40 20L40 60L10 20Z") == read_path("M10 20L40 20L40 60Z")
    (back_and_forth,) = read_path("M10 20L40 20Z").subpaths
    assert back_and_forth.points == ((10, 20), (40, 20)) and not back_and_forth.closed


@pytest.mark.parametrize("dot", ["M10 20Z", "M10 20L10 20", "M10 20h0v0", "M10 20Zz", "M10 20q0 0 0 0"])
def test_a_line_without_length_and_a_closed_move_are_dots(dot):
    (subpath,) = read_path(dot).subpaths
    assert subpath.points == ((10, 20), (10, 20)) and not subpath.closed


@pytest.mark.parametrize("data", ["", "  \n", "M10 20", "M10 20M30 40", "m1 1m2 2 "])
def test_moves_alone_draw_nothing(data):
    assert read_path(data).subpaths == () and not read_path(data).problem


@pytest.mark.parametrize(
    ("data", "kept", "problem"),
    [
        ("M10 10L20 20L3", "M10 10L20 20", "expected a number at character 15, where the data end"),
        ("M10 10L20 20 30 ninety 5 5", "M10 10L20 20", "expected a number at character 17 ('ninety')"),
        ("M ninety 10L20 20", "", "expected a number at character 3 ('ninety')"),
        ("M100 200A100 100 0 2 1 300 200z", "", "expected a flag, 0 or 1, at character 20 ('2')"),
        # The flag is 1 and x is .5, so what lacks is the y of a second arc.
        ("M5 5h9A90 90 0 0 1.5 30 9z", "M5 5h9A90 90 0 0 1 .5 30", "expected a number at character 26 ('z')"),
        ("M10 10L20,,20", "", "expected a number at character 11 (',20')"),
        ("M10 10L20 20X5 5", "M10 10L20 20", "expected a command at character 13 ('X5')"),
        ("M10 10h5z 9", "M10 10h5z", "expected a command at character 11 ('9')"),
        ("L10 10", "", "path data begin with M, not L"),
        ("M１２ 3", "", "expected a number at character 2 ('１２')"),
        ("M10 10 NaN 5", "", "expected a command at character 8 ('NaN')"),
    ],
)
def test_what_comes_before_an_error_is_drawn_and_the_error_named(data, kept, problem):
    read = read_path(data)
    assert read.problem == problem
    assert read.subpaths == read_path(kept).subpaths


def test_long_outlines_come_in_pieces_that_overlap_by_a_line():
    corners = [(index % 300, 7 * index % 200) for index in range(4_500)]
    read = read_path("M" + "L".join(f"{x} {y}" for x, y in corners) + "z")
    assert [len(path.points) for path in read.subpaths] == [2_000, 2_000, 506]
    assert not any(path.closed for path in read.subpaths)
    whole = list(read.subpaths[0].points)
    for piece in read.subpaths[1:]:
        assert piece.points[:2] == tuple(whole[-2:])
        whole += piece.points[2:]
    assert whole == [*corners, *corners[:2]]


@pytest.mark.parametrize(
    "data",
    [
        "M0 0" * 250_000,
        "M0 0" + "z" * 10**6,
        "M0 0l" + "0 " * 500_000,
        "M0 0L" + "10 20 " * 160_000,
        "M0 0" + "c1e6 1e6-1e6-1e6 2 2" * 50_000,
        "M0 0" + "a1e6 1 0 1 1 1 1" * 60_000,
    ],
)
def test_a_megabyte_is_drawn_up_to_the_limit_without_a_hang(data):
    begin = time.process_time()
    read = read_path(data)
    assert time.process_time() - begin < 1.5
    assert read.problem.startswith("more than 20,000 points")
    assert sum(len(path.points) for path in read.subpaths) < 20_100


number = st.one_of(
    st.integers(-500, 900).map(str),
    st.floats(allow_nan=False).map(str),
    st.sampled_from(["1e308", "-1e308", "1e999", "-1e999", "1e-320", ".5", "-.5", "1.", "0", "ninety", "inf", "nan"]),
)
near_data = st.lists(
    st.tuples(st.sampled_from([*COMMANDS, *"mlhvcsqtaz", "x"]), st.lists(number, max_size=8)), max_size=12
).map(lambda parts: "M1 2" + "".join(letter + " ".join(numbers) for letter, numbers in parts))
matrices = st.tuples(*[st.floats(-1e9, 1e9)] * 6)


@example("M0 0L1e308 -1e308 1e999 0 -1e999 1e999z", (1, 0, 0, 1, 0, 0))
@example("M0 0A1e-320 1e-300 0 1 1 5 5A1e308 1e-9 1e308 0 1 -1e308 3", (1e9, 1e9, -1e9, 1e9, 1e9, 1e9))
@given(st.one_of(near_data, st.text(max_size=60)), matrices)
def test_whatever_is_written_points_are_finite_and_within_reach(data, matrix):
    for subpath in read_path(data, matrix).subpaths:
        assert 2 <= len(subpath.points) <= 2_000
        for x, y in subpath.points:
            assert LOW <= x <= HIGH and LOW <= y <= HIGH
        assert not subpath.closed or len(set(subpath.points)) >= 3

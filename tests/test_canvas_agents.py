"""Scripted drawing agents: that what they draw grows out of the shape, fits the page, and is the same every time."""

from __future__ import annotations

import copy
import gzip
import json
import math
import pickle
from collections import deque
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import designgym  # noqa: F401 - registers the environments
from designgym.agents import table
from designgym.agents.drawing.attach import attachments
from designgym.agents.drawing.choose import ideas
from designgym.agents.drawing.enclosed import enclosed, widest
from designgym.agents.drawing.fit import fit, marks
from designgym.agents.drawing.joining import joined
from designgym.agents.drawing.marks import Ring, Spot, Stroke, calls, simplified
from designgym.agents.drawing.page import kept_on_page
from designgym.agents.drawing.placing import placed
from designgym.agents.drawing.quickdraw_file import read_quickdraw
from designgym.agents.drawing.repertoire import SKETCHES
from designgym.agents.drawing.sketch import Path as SketchPath
from designgym.agents.drawing.sketch import Sketch, dot, oval, path
from designgym.agents.drawing.wobble import unsteady
from designgym.agents.grow import drawing_of
from designgym.agents.join_ends import joining_lines, reaches
from designgym.agents.quickdraw import batched
from designgym.envs.canvas.pillow_raster import PillowRaster
from designgym.envs.canvas.stimuli.stimulus import stimulus, stimulus_ids
from designgym.envs.canvas.tools import OPERATIONS, tool_table
from designgym.errors import UserError
from designgym.eval.runner import run
from designgym.tools import Accepted

CANVAS = "designgym/CanvasDrawing-v0"
BANK = tuple(stimulus_ids("test"))
FRAGMENTS = tuple(stimulus_ids("test", ("is",)))


@pytest.fixture(scope="module")
def env() -> Any:
    made = gym.make(CANVAS, split="test")
    yield made
    made.close()


def play(env: Any, agent: Any, task: str) -> tuple[list[dict[str, Any]], dict[str, Any], np.ndarray]:
    """Play a task to its end: the calls, the last info and the last image (400 x 400)."""
    observation, info = env.reset(options={"task": task})
    made = []
    ended = False
    while not ended:
        made.append(copy.deepcopy(agent(observation, info)))
        observation, _, ended, _, info = env.step(made[-1])
        assert not info["error"], (made[-1], observation["text"])
        assert info["malformed"] == 0
    return made, info, observation["image"][:, :, 0]


def grown_share(image: np.ndarray, shape: np.ndarray) -> float:
    """Share of the new ink that is connected (eight neighbours) to new ink within 2 px of the shape, by flood fill."""
    new = {(int(y), int(x)) for y, x in zip(*np.nonzero((image < 128) & (shape >= 128)), strict=True)}
    old = {(int(y), int(x)) for y, x in zip(*np.nonzero(shape < 128), strict=True)}
    around = [(dy, dx) for dy in range(-2, 3) for dx in range(-2, 3)]
    queue = deque(at for at in new if any((at[0] + dy, at[1] + dx) in old for dy, dx in around))
    reached = set(queue)
    while queue:
        y, x = queue.popleft()
        for at in ((y + dy, x + dx) for dy in (-1, 0, 1) for dx in (-1, 0, 1)):
            if at in new and at not in reached:
                reached.add(at)
                queue.append(at)
    return len(reached) / len(new)


def coordinates(call: dict[str, Any]) -> list[float]:
    """All coordinates and extents of a drawing call."""
    found: list[float] = []
    for operations in call["arguments"].values():
        for operation in operations if isinstance(operations, list) else []:
            if "points" in operation:
                found += [value for point in operation["points"] for value in point]
            elif "radius" in operation and "x" in operation:
                found += [operation[axis] + side * operation["radius"] for axis in "xy" for side in (-1, 1)]
            else:
                found += [value for key, value in operation.items() if key[0] in "xy"]
    return found


# ------------------------------------------------------------ grow


@pytest.mark.parametrize("task", BANK)
def test_a_drawing_grows_out_of_every_shape_of_the_bank(env: Any, task: str) -> None:
    made, info, image = play(env, table.build("grow", env), task)
    assert info["end"] == "finished" and info["title"][0].isupper()
    assert len(made) <= 12
    assert len({call["name"] for call in made[:-1]}) >= 2
    assert all(0 <= value <= 399 for call in made[:-1] for value in coordinates(call))
    assert info["added_ink"] >= 2000
    assert grown_share(image, stimulus(task).pixels) >= 0.8
    assert info["reward/figural/connected"] >= 1 - 0.2**2  # by the reward's own components, 80 % or more


def test_hardly_two_shapes_of_the_bank_become_the_same_thing() -> None:
    titles = [drawing_of(task)[-1]["arguments"]["label"] for task in BANK]
    assert len(set(titles)) == 30


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_other_seeds_draw_other_things_that_grow_as_well(env: Any, seed: int) -> None:
    other = [task for task in BANK if drawing_of(task, seed) != drawing_of(task)]
    assert len(other) >= 15
    for task in other[seed::4]:
        _, _, image = play(env, table.build("grow", env, seed), task)
        assert grown_share(image, stimulus(task).pixels) >= 0.8


@pytest.mark.parametrize("renderer", ["pillow", "skia"])
def test_shapes_that_no_sketch_was_made_for_are_drawn_on_too(renderer: str) -> None:
    env = gym.make(CANVAS, split="validation", renderer=renderer)
    agent = table.build("grow", env)
    for task in stimulus_ids("validation")[:24]:
        made, info, image = play(env, agent, task)
        assert info["end"] == "finished" and len(made) <= 12
        assert all(0 <= value <= 399 for call in made[:-1] for value in coordinates(call))
        assert grown_share(image, stimulus(task).pixels) >= 0.8, (task, info["title"])


def test_there_is_an_idea_for_any_object_even_one_without_room_for_a_face() -> None:
    for task in ("train-ot-000062", "train-ot-000519", "train-ot-000595"):  # a thin cactus, a crown, a flat hat
        assert ideas(stimulus(task))[0].marks


def test_what_it_does_depends_on_seed_task_and_calls_left_alone(env: Any) -> None:
    agent = table.build("grow", env, 1)
    info = [{"task": task, "calls_left": float(left)} for left in (300, 299, 298) for task in ("is05", "ot03")]
    mixed = [agent({}, one) for one in info]
    fresh = [table.build("grow", env, 1)({}, one) for one in reversed(info)]
    assert mixed == fresh[::-1]
    assert pickle.loads(pickle.dumps(agent))({}, info[0]) == mixed[0]


def test_an_unsteady_hand_draws_the_same_thing_otherwise(env: Any) -> None:
    steady, shaky = drawing_of("is01"), drawing_of("is01", 0, 3.0)
    assert steady[-1] == shaky[-1]
    assert steady != shaky and shaky == drawing_of("is01", 0, 3.0)
    _, _, (straight, bent) = zip(
        *(play(env, table.build("grow", env, wobble=w), "is01") for w in (0.0, 3.0)), strict=True
    )
    both = np.count_nonzero((straight < 128) & (bent < 128))
    assert both > 0.25 * np.count_nonzero(straight < 128)  # strokes of 5 px, some px off
    assert both < 0.9 * np.count_nonzero(straight < 128)


def test_the_wobble_is_the_standard_deviation_of_the_error() -> None:
    rng = np.random.default_rng(0)
    strayed = unsteady([Spot(200, 200)] * 4000, 5.0, rng)
    errors = np.array([(spot.x - 200, spot.y - 200) for spot in strayed if isinstance(spot, Spot)])
    assert errors.std() == pytest.approx(5.0, rel=0.03)
    assert abs(errors.mean()) < 0.2


def test_an_unsteady_stroke_keeps_its_corners_and_stays_on_the_page() -> None:
    corner = Stroke(np.array([[2.0, 2.0], [2.0, 120.0], [90.0, 120.0]]))
    (strayed,) = unsteady([corner], 2.0, np.random.default_rng(1))
    assert isinstance(strayed, Stroke)
    assert np.hypot(*(strayed.points - [2.0, 120.0]).T).min() < 8
    assert strayed.points.min() >= 0
    (ring,) = unsteady([Stroke(corner.points, closed=True)], 2.0, np.random.default_rng(1))
    assert isinstance(ring, Stroke) and ring.points[0] == pytest.approx(ring.points[-1])


# ------------------------------------------------------------ fitting


ARROW = Sketch(
    "An arrow", seed=("M 100 100 L 200 100 L 200 160",), parts=(path("M 200 160 V 300"), oval(50, 60, 10), dot(1, 2))
)


def shape_of(data: str) -> Any:
    return SketchPath(data).subpaths


def test_a_sketch_on_its_own_seed_stays_where_it_was_drawn() -> None:
    place = fit(ARROW, shape_of(ARROW.seed[0]))
    assert place is not None and place.misfit == pytest.approx(0, abs=1e-9)
    stroke, ring, spot = marks(ARROW, place)
    assert isinstance(stroke, Stroke) and stroke.points[[0, -1]] == pytest.approx(np.array([[200, 160], [200, 300]]))
    assert ring == Ring(pytest.approx(50), pytest.approx(60), pytest.approx(10), pytest.approx(10))  # type: ignore[arg-type]
    assert spot == Spot(pytest.approx(1), pytest.approx(2))  # type: ignore[arg-type]


def test_a_sketch_follows_a_shape_that_is_larger_elsewhere_mirrored_and_drawn_backwards() -> None:
    # The seed mirrored, twice as large: from its other end (-200, 160) -> (0, 320) to (-100, 100) -> (200, 200).
    place = fit(ARROW, shape_of("M 0 320 L 0 200 L 200 200"))
    assert place is not None and place.mirrored and place.misfit == pytest.approx(0, abs=1e-9)
    stroke, ring, _ = marks(ARROW, place)
    assert isinstance(stroke, Stroke) and stroke.points[[0, -1]] == pytest.approx(np.array([[0, 320], [0, 600]]))
    assert ring == Ring(*(pytest.approx(value) for value in (300, 120, 20, 20)))  # type: ignore[arg-type]


def test_a_sketch_is_bent_until_its_seed_lies_on_the_shape() -> None:
    place = fit(ARROW, shape_of("M 100 100 L 210 95 L 200 165"))
    assert place is not None and 0 < place.misfit < 0.2
    stroke = marks(ARROW, place)[0]
    assert isinstance(stroke, Stroke) and stroke.points[0] == pytest.approx([200, 165], abs=0.5)


def test_a_sketch_is_not_turned_upside_down() -> None:
    assert fit(ARROW, shape_of("M 100 100 L 200 100 L 200 40")) is not None  # as well mirrored and turned a little less
    tower = Sketch("A tower", seed=("M 100 300 V 100 L 130 60 L 160 100 V 300",), parts=(dot(0, 0),))
    assert fit(tower, shape_of("M 100 100 V 300 L 130 340 L 160 300 V 100")) is None


def test_a_sketch_needs_as_many_strokes_as_its_seed_has() -> None:
    assert fit(ARROW, shape_of("M 100 100 L 200 100 L 200 160 M 0 0 H 50")) is None


def test_every_sketch_fits_the_shape_it_was_made_for() -> None:
    for sketch in SKETCHES:
        place = fit(sketch, shape_of(" ".join(sketch.seed)))
        assert place is not None and place.misfit < 1e-6, sketch.title
        assert abs(place.factor - 1) < 1e-6, sketch.title


def test_what_leaves_the_page_is_squeezed_beside_the_shape_and_the_shape_stays() -> None:
    shape = np.array([[50.0, 50.0], [194.0, 150.0]])
    inside = Stroke(np.array([[60.0, 60.0], [190.0, 140.0]]))
    # From 194 to the margin at 394 are 200 px, where 400 would be needed: all beyond 194 is halved.
    beyond = Stroke(np.array([[194.0, 100.0], [594.0, 100.0]]))
    ring = Ring(394.0, 100.0, 20.0, 20.0)
    kept = kept_on_page([inside, beyond, ring], shape)
    assert isinstance(kept[0], Stroke) and kept[0].points == pytest.approx(inside.points)
    assert isinstance(kept[1], Stroke) and kept[1].points == pytest.approx(np.array([[194, 100], [394, 100]]))
    assert kept[2] == Ring(294.0, 100.0, 10.0, 20.0)


def test_lines_lose_the_points_that_change_nothing_and_keep_their_corners() -> None:
    line = np.array([[0, 0], [10, 0.2], [20, 0], [20, 10], [20, 20]], float)
    assert simplified(line).tolist() == [[0, 0], [20, 0], [20, 20]]
    assert len(simplified(line, 0.1)) == 4


def test_each_kind_of_mark_has_its_tool() -> None:
    corners = np.array([[0, 0], [10.5, 0], [10, 9.4]])
    made = calls(
        [Stroke(corners[:2]), Stroke(corners), Stroke(corners, True), Ring(5, 6, 3, 3), Ring(9, 9, 4, 2), Spot(1, 2)],
        "T",
    )
    corner = [[0, 0], [11, 0], [10, 9]]
    assert made == (
        {"name": "draw_lines", "arguments": {"lines": [{"x1": 0, "y1": 0, "x2": 11, "y2": 0}]}},
        {"name": "draw_polylines", "arguments": {"polylines": [{"points": corner, "closed": False}]}},
        {"name": "draw_polygons", "arguments": {"polygons": [{"points": corner}]}},
        {"name": "draw_circles", "arguments": {"circles": [{"x": 5, "y": 6, "radius": 3}]}},
        {"name": "draw_ellipses", "arguments": {"ellipses": [{"x1": 5, "y1": 7, "x2": 13, "y2": 11}]}},
        {"name": "draw_dots", "arguments": {"dots": [{"x": 1, "y": 2}]}},
        {"name": "drawing_finished", "arguments": {"label": "T"}},
    )  # fmt: skip


def test_whatever_is_attached_begins_at_an_open_end() -> None:
    for task in ("is01", "is07", "is20"):
        shape = stimulus(task)
        page = np.full((400, 400), 255, np.uint8)
        for attachment in attachments(shape):
            page[:] = 255
            raster = PillowRaster(page)
            for call in calls(attachment.marks, "")[:-1]:
                accepted = tool_table().read(call)
                assert isinstance(accepted, Accepted)
                raster.draw(call["name"], accepted.arguments[OPERATIONS[call["name"]]], False)
            ys, xs = np.nonzero(page == 0)
            nearest = min(float(np.hypot(xs - x, ys - y).min()) for x, y in shape.open_ends)
            assert nearest <= 2, (task, attachment.title)


def test_the_widest_room_is_where_ink_cuts_paper_off() -> None:
    ink = np.zeros((60, 60), bool)
    ink[10, 10:31] = ink[30, 10:31] = ink[10:31, 10] = ink[10:31, 30] = True  # a frame around 19 x 19 px
    ink[40, 40:50] = True  # a line that encloses nothing
    room = enclosed(ink)
    assert room.sum() == 19 * 19 and room[11:30, 11:30].all()
    circle = widest(room)
    assert circle is not None and (circle.x, circle.y, circle.radius) == (20, 20, 9)
    ink[10, 20] = False  # a gap: the paper inside belongs to the page
    assert widest(enclosed(ink)) is None


@pytest.mark.parametrize(
    "name, settings, words",
    [
        ("grow", {"interface": "svg"}, "interface=\"tools\""),
        ("grow", {"vocabulary": "dots"}, "there are draw_dots"),
        ("grow", {"stimulus": None}, "stimulus=\"bank\""),
        ("grow", {"subject": "a snail"}, "subject is 'a snail'"),
        ("join-ends", {"stimulus": None}, "stimulus=\"bank\""),
        ("join-ends", {"vocabulary": "dots"}, "there are draw_dots"),
    ],
)  # fmt: skip
def test_conditions_that_an_agent_does_not_play_are_refused(name: str, settings: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        table.build(name, gym.make(CANVAS, **settings))


def test_other_environments_and_wobbles_out_of_range_are_refused(env: Any) -> None:
    elsewhere = gym.make("designgym/AestheticLocalization-v0")
    for name in ("grow", "join-ends"):
        with pytest.raises(UserError, match=f"'{name}' draws on a canvas, which AestheticLocalization does not"):
            table.build(name, elsewhere)
        for wobble in (-1.0, math.nan, 1000.0):
            with pytest.raises(UserError, match="wobble"):
                table.build(name, env, wobble=wobble)


def test_the_runner_plays_them(env: Any, tmp_path: Path) -> None:
    (trial,) = run(table.build("grow", env), CANVAS, {"split": "test"}, tasks=["is05"])
    assert trial.reward is not None and trial.reward > 0.25


# ------------------------------------------------------------ join-ends


def test_joining_the_ends_earns_the_whole_reward_on_every_fragment() -> None:
    env = gym.make(CANVAS, split="test", reward="closure", kinds=("is",))
    agent = table.build("join-ends", env)
    for task in FRAGMENTS:
        made, info, _ = play(env, agent, task)
        assert len(made) == 2 and info["reward/closure"] == 1.0, task


def test_errors_of_the_hand_cost_some_of_the_reward() -> None:
    env = gym.make(CANVAS, split="test", reward="closure", kinds=("is",))
    means = []
    for wobble in (2.0, 8.0, 20.0):
        agent = table.build("join-ends", env, wobble=wobble)
        means.append(np.mean([play(env, agent, task)[1]["reward/closure"] for task in FRAGMENTS]))
    assert means[0] > means[1] + 0.1 > means[2] + 0.2


def test_ends_are_paired_so_that_the_lines_are_shortest_together() -> None:
    page = np.full((400, 400), 255, np.uint8)
    ends = ((100.0, 100.0), (200.0, 100.0), (200.0, 130.0), (100.0, 130.0))
    assert joined(ends, page) == (((100, 100), (100, 130)), ((200, 100), (200, 130)))
    # The nearest pair, the two in the middle, would leave 300 px for the others.
    row = ((50.0, 200.0), (150.0, 200.0), (200.0, 200.0), (350.0, 200.0))
    assert sum(math.dist(*line) for line in joined(row, page)) == 250


def test_with_an_odd_number_of_ends_one_has_two_partners() -> None:
    page = np.full((400, 400), 255, np.uint8)
    lines = joined(((100.0, 100.0), (120.0, 100.0), (300.0, 100.0)), page)
    assert {frozenset(line) for line in lines} == {
        frozenset({(100.0, 100.0), (120.0, 100.0)}),
        frozenset({(120.0, 100.0), (300.0, 100.0)}),
    }


def test_a_line_that_would_lie_on_ink_runs_beside_it() -> None:
    page = np.full((400, 400), 255, np.uint8)
    page[198:203, 120:180] = 0
    ((start, *corners, end),) = joined(((100.0, 200.0), (200.0, 200.0)), page)
    assert (start, end) == ((100, 200), (200, 200))
    assert [abs(y - 200) for _, y in corners] == [12, 12]
    page[:] = 255
    page[150:250, 148:153] = 0  # a stroke to be crossed
    assert joined(((100.0, 200.0), (200.0, 200.0)), page) == (((100, 200), (200, 200)),)


def test_a_shape_without_open_ends_is_finished_at_once() -> None:
    env = gym.make(CANVAS, split="test")
    made, _, _ = play(env, table.build("join-ends", env), "ot08")
    assert [call["name"] for call in made] == ["drawing_finished"]


# ------------------------------------------------------------ quickdraw


HOUSE = {
    "word": "house",
    "key_id": "1",
    "recognized": True,
    "drawing": [[[0, 255, 255, 0, 0], [100, 100, 255, 255, 100]], [[0, 128, 255], [100, 0, 100]], [[60], [200]]],
}
RAW = {"word": "stick", "drawing": [[[10.5, 11.25, 12.0], [400.0, 800.0, 1400.5], [0, 16, 35]]]}


def write(folder: Path, *lines: Any, name: str = "drawings.ndjson") -> Path:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n"
    file = folder / name
    file.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
    return file


@pytest.mark.parametrize("name", ["drawings.ndjson", "drawings.ndjson.gz"])
def test_simplified_and_raw_drawings_are_read(tmp_path: Path, name: str) -> None:
    found = read_quickdraw(write(tmp_path, HOUSE, "", RAW, name=name))
    house, stick = found.drawings
    assert (house.word, house.key_id, stick.word, stick.key_id) == ("house", "1", "stick", "")
    assert house.strokes[1].tolist() == [[0, 100], [128, 0], [255, 100]]
    assert stick.strokes[0].tolist() == [[10.5, 400.0], [11.25, 800.0], [12.0, 1400.5]]
    assert found.bad == ()


def test_lines_without_a_drawing_are_left_out_and_named(tmp_path: Path) -> None:
    bad = [
        "{",
        "[]",
        json.dumps({"drawing": HOUSE["drawing"]}),
        json.dumps({"word": "x", "drawing": []}),
        json.dumps({"word": "x", "drawing": [[[1, 2], [3]]]}),
        json.dumps({"word": "x", "drawing": [[[True], [3]]]}),
        '{"word": "x", "drawing": [[[NaN], [3]]]}',
        '{"word": "x", "drawing": [[[1e999], [3]]]}',
        json.dumps({"word": "x", "drawing": [[[10**400], [3]]]}),
        json.dumps({"word": "x", "drawing": [[["4"], [3]]]}),
        json.dumps({"word": "x", "drawing": [[[], []]]}),
        json.dumps({"word": "x", "drawing": {"0": 1}}),
        "\u00ff\udcff".encode("utf-8", "surrogatepass").decode("latin-1"),
        "[" * 100_000,
    ]
    found = read_quickdraw(write(tmp_path, *bad, HOUSE, {**HOUSE, "recognized": False}))
    assert [number for number, _ in found.bad] == list(range(1, len(bad) + 1))
    assert len(found.drawings) == 1 and found.unrecognized == 1


def test_files_that_cannot_be_used_are_refused_in_a_sentence(tmp_path: Path, env: Any) -> None:
    with pytest.raises(UserError, match=r"cannot be read: No such file"):
        read_quickdraw(tmp_path / "nowhere.ndjson")
    with pytest.raises(UserError, match=r"no drawing that can be used \(line 2: it is no JSON\)"):
        read_quickdraw(write(tmp_path, "", "{"))
    with pytest.raises(UserError, match="1 drawings, none of them recognised"):
        read_quickdraw(write(tmp_path, {**HOUSE, "recognized": False}))
    cut = write(tmp_path, HOUSE, RAW, name="cut.gz")
    cut.write_bytes(cut.read_bytes()[:-12])
    with pytest.raises(UserError, match="cannot be read"):
        read_quickdraw(cut)
    with pytest.raises(UserError, match=r"no drawing of 'horse'\. Did you mean 'house'"):
        table.build("quickdraw", env, drawings=str(write(tmp_path, HOUSE)), word="horse")
    with pytest.raises(UserError, match="needs the option 'drawings'"):
        table.build("quickdraw", env)


def test_a_drawing_lies_on_an_open_end_in_its_own_proportions_within_the_page() -> None:
    slim = [np.array([[0.0, 0.0], [3.0, 1000.0]]), np.array([[1.0, 500.0], [2.0, 510.0]])]
    square = [np.array(list(zip(*stroke, strict=True)), float) for stroke in HOUSE["drawing"]]  # type: ignore[call-overload]
    for task in BANK:
        shape = stimulus(task)
        targets = np.array(shape.open_ends or [point for sub in shape.subpaths for point in sub.points])
        for strokes in (slim, square):
            there = placed(strokes, shape)
            points = np.concatenate(there)
            assert points.min() >= 5 and points.max() <= 394
            scale = np.ptp(there[0], axis=0) / np.ptp(strokes[0], axis=0)
            assert scale[0] == pytest.approx(scale[1])
            assert np.ptp(points, axis=0).max() > 100
            apart = np.hypot(*(points[:, None] - targets).transpose(2, 0, 1))
            assert apart.min() < 1e-6


def test_on_a_blank_page_and_for_a_single_point_there_is_a_place_too() -> None:
    assert placed([np.array([[7.0, 7.0]])], None)[0].tolist() == [[199.5, 199.5]]
    (line,) = placed([np.array([[0.0, 0.0], [10.0, 0.0]])], None)
    assert line.tolist() == [[29.5, 199.5], [369.5, 199.5]]
    assert len(placed([np.array([[7.0, 7.0]])], stimulus("is01"))) == 1


def test_a_drawing_is_replayed_a_few_strokes_a_call_and_finished_with_its_word(tmp_path: Path, env: Any) -> None:
    spokes = {"word": "sun", "drawing": [[[128, 10 * i], [128, 255]] for i in range(8)]}
    agent = table.build("quickdraw", env, drawings=str(write(tmp_path, spokes)))
    made, info, _ = play(env, agent, "is09")
    assert [len(call["arguments"].get("polylines", ())) for call in made] == [3, 3, 2, 0]
    assert info["title"] == "sun" and info["added_ink"] > 1000
    ends = [line["points"][1][0] for call in made[:-1] for line in call["arguments"]["polylines"]]
    assert ends == sorted(ends)  # in the order in which they were drawn
    assert pickle.loads(pickle.dumps(agent))({}, {"task": "is09", "calls_left": 300.0}) == made[0]


def test_with_few_calls_each_has_more_strokes(tmp_path: Path) -> None:
    env = gym.make(CANVAS, split="test", max_calls=3)
    agent = table.build(
        "quickdraw", env, drawings=str(write(tmp_path, {"word": "x", "drawing": [[[0, i], [i, 9]] for i in range(9)]}))
    )
    made, info, _ = play(env, agent, "is01")
    assert [len(call["arguments"].get("polylines", ())) for call in made] == [5, 4, 0]
    assert info["end"] == "finished"


def test_long_drawings_keep_within_the_tools_limits(tmp_path: Path, env: Any) -> None:
    rng = np.random.default_rng(0)
    scribbles = [rng.uniform(0, 255, (2, 4500)).tolist() for _ in range(4)]
    agent = table.build("quickdraw", env, drawings=str(write(tmp_path, {"word": "scribble", "drawing": scribbles})))
    made, _, _ = play(env, agent, "is01")
    sizes = [[len(line["points"]) for line in call["arguments"]["polylines"]] for call in made[:-1]]
    assert max(map(max, sizes)) <= 2000 and max(map(sum, sizes)) <= 10_000


def test_few_calls_hold_no_more_points_than_the_tool_takes() -> None:
    calls = batched([{"points": [[1, 2]] * 2000}] * 8, most_calls=1)
    assert [len(call["arguments"]["polylines"]) for call in calls] == [5, 3]


def test_the_choice_is_a_function_of_seed_and_task_and_the_word_narrows_it(tmp_path: Path, env: Any) -> None:
    words = [{**HOUSE, "word": f"w{index % 5}", "key_id": str(index)} for index in range(50)]
    file = str(write(tmp_path, *words))
    chosen = {
        seed: [table.build("quickdraw", env, seed, drawings=file).chosen(task).key_id for task in BANK]
        for seed in (0, 0, 1)
    }  # type: ignore[attr-defined]
    assert len(set(chosen[0])) > 10 and chosen[0] != chosen[1]
    assert chosen[0] == [table.build("quickdraw", env, 0, drawings=file).chosen(task).key_id for task in BANK]  # type: ignore[attr-defined]
    narrowed = table.build("quickdraw", env, drawings=file, word="w3")
    assert {narrowed.chosen(task).word for task in BANK} == {"w3"}  # type: ignore[attr-defined]


def test_the_user_hears_of_lines_that_were_left_out(tmp_path: Path, env: Any) -> None:
    file = write(tmp_path, HOUSE, "{", RAW, *["[]"] * 6)
    with pytest.warns(
        UserWarning, match=r"7 lines hold no drawing and were left out: 2 \(it is no JSON\), 4 .* and 2 more"
    ):
        table.build("quickdraw", env, drawings=str(file))


# ------------------------------------------------------------ random


def test_the_random_agent_draws_valid_shapes_around_points_of_the_page(env: Any) -> None:
    agent = table.build("random", env, 3)
    tools = set()
    for task in BANK[:12]:
        observation, info = env.reset(options={"task": task})
        ended = False
        while not ended:
            call = agent(observation, info)
            observation, _, ended, _, info = env.step(call)
            assert info["error"] in ("", "dependency")  # it undoes where there is nothing to undo
            assert info["malformed"] == 0
            tools.add(call["name"])
            for operations in call["arguments"].values():
                for operation in operations if isinstance(operations, list) else []:
                    points = operation.get("points", [[value for key, value in operation.items() if key[0] in "xy"]])
                    assert all(0 <= value <= 399 for point in points for value in point)
    assert len(tools) == 14


def test_lines_drawn_one_by_one_go_from_left_to_right_and_then_it_finishes():
    env = gym.make("designgym/CanvasDrawing-v0", kinds=["is"], reward="closure")
    task = next(task for task in env.unwrapped.task_ids() if len(stimulus(task).open_ends) == 4)
    agent = table.build("join-ends", env, one_by_one=True)
    observation, info = env.reset(options={"task": task})
    calls, over = [], False
    while not over:
        calls.append(agent(observation, info))
        observation, reward, over, _, info = env.step(calls[-1])
    lines = [call["arguments"]["lines"] for call in calls[:-1]]
    assert [len(line) for line in lines] == [1, 1] and calls[-1]["name"] == "drawing_finished"
    starts = [(line[0]["x1"], line[0]["y1"]) for line in lines]
    assert starts == sorted(starts) and all(line[0]["x1"] <= line[0]["x2"] for line in lines)
    assert reward == pytest.approx(1.0)


def test_a_line_that_missed_is_drawn_anew_and_one_that_reached_is_not():
    tasks = [task for task in stimulus_ids("train", ("is",))[:150] if len(stimulus(task).open_ends) == 2]
    again = 0
    for task in tasks:
        ends = sorted(stimulus(task).open_ends)
        always = joining_lines(task, 0, 12.0, True, 1.0)
        hits = [all(reaches(line, end) for end in ends) for line in always]
        assert not any(hits[:-1]) and (hits[-1] or len(always) == 3)
        assert joining_lines(task, 0, 12.0, True, 0.0) == always[:1]
        again += len(always) > 1
    assert again > len(tasks) / 4


def test_an_end_is_reached_by_ink_up_to_eight_px_away():
    line = ([100, 100], [200, 100])
    assert reaches(line, (150, 110.5)) and not reaches(line, (150, 110.6))
    assert reaches(line, (210.5, 100)) and not reaches(line, (211, 100))


@pytest.mark.parametrize(
    ("options", "words"),
    [({"retry": 2}, "probability"), ({"retry": 0.5}, "one_by_one"), ({"short": 0.5}, "less than .5")],
)
def test_a_retry_that_cannot_be_is_refused(options, words):
    env = gym.make("designgym/CanvasDrawing-v0", kinds=["is"])
    with pytest.raises(UserError, match=words):
        table.build("join-ends", env, **options)


def test_a_hand_that_stops_short_leaves_its_share_of_the_way_open_at_both_ends():
    task = next(task for task in stimulus_ids("train", ("is",)) if len(stimulus(task).open_ends) == 2)
    ((ax, ay), (bx, by)) = sorted(stimulus(task).open_ends)
    ((start, end),) = joining_lines(task, 0, 0.0, True, 0.0, 0.25)
    assert start == pytest.approx([ax + (bx - ax) / 4, ay + (by - ay) / 4], abs=1)
    assert end == pytest.approx([bx - (bx - ax) / 4, by - (by - ay) / 4], abs=1)

"""Starting shapes: the bank stays what it is, fragments enclose nothing, the splits are disjoint and reproducible."""

from __future__ import annotations

import copy
import hashlib
import json
import pickle
import re
import subprocess
import sys

import numpy as np
import numpy.typing as npt
import pytest

from designgym.envs.canvas.skia_raster import SkiaRaster
from designgym.envs.canvas.stimuli.clearance import keep_apart
from designgym.envs.canvas.stimuli.open_ends import open_ends
from designgym.envs.canvas.stimuli.stimulus import Stimulus, stimulus, stimulus_ids
from designgym.envs.canvas.stimuli.strokes import arc, backwards, box, chain, curve, line, mirrored, path_data, rounded
from designgym.envs.canvas.stimuli.subjects import BANK_SUBJECTS, SUBJECTS, subject_of
from designgym.envs.canvas.stimuli.walk import Walk
from designgym.envs.canvas.svg.path import Subpath, read_path

BANK = stimulus_ids("test")

PROGRAMS = "fc901a0dcf66d2c529aa18b249b4c7a157f32b2739ef3d2b1e0fc6f76189beef"
PIXELS = "f8e3a9354aa2a032833fba7921b28fd654da9fdb43d56c8ec20668f354a962ea"
GENERATED = "929a410bf1116cea72587789245f5b9e2251ace6b168754209947f1297e1ce30"


def sha256(*parts: bytes) -> str:
    return hashlib.sha256(b"".join(parts)).hexdigest()


def programs(tasks: list[str]) -> str:
    return sha256(json.dumps([[task, stimulus(task).name, stimulus(task).paths] for task in tasks]).encode())


def ink(shape: Stimulus) -> npt.NDArray[np.bool_]:
    return shape.pixels == 0


def margin(shape: Stimulus) -> int:
    ys, xs = np.nonzero(ink(shape))
    return int(min(xs.min(), ys.min(), 399 - xs.max(), 399 - ys.max()))


def flooded(paper: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """The paper that can be reached from the corner, up, down, left and right: whole runs at a time."""
    reached = np.zeros_like(paper)
    reached[0, 0] = paper[0, 0]
    while True:
        before = reached.sum()
        for _ in range(2):  # along the rows, then along the columns
            runs = np.cumsum(~paper, axis=1) + np.arange(len(paper))[:, None] * (paper.shape[1] + 1)
            found = np.zeros(runs.max() + 1, bool)
            found[runs[reached]] = True
            reached = (found[runs] & paper).T
            paper = paper.T
        if reached.sum() == before:
            return reached


def encloses_nothing(shape: Stimulus) -> bool:
    ys, xs = np.nonzero(ink(shape))
    paper = ~ink(shape)[ys.min() - 1 : ys.max() + 2, xs.min() - 1 : xs.max() + 2]
    return bool((flooded(paper) == paper).all())


def page(*paths: str) -> Stimulus:
    return Stimulus("page", "is", "", paths)


def test_the_flood_of_these_tests_finds_a_closed_shape_and_passes_an_open_one() -> None:
    assert not encloses_nothing(page("M 100 100 H 200 V 200 H 100 Z"))
    assert encloses_nothing(page("M 100 100 H 200 V 200 H 100 V 110"))
    assert not encloses_nothing(page("M 100 100 H 200 V 200 H 100 V 105"))


def test_the_bank_has_twenty_fragments_and_ten_named_objects_in_order() -> None:
    assert list(BANK) == [f"is{n:02d}" for n in range(1, 21)] + [f"ot{n:02d}" for n in range(1, 11)]
    for task in BANK:
        shape = stimulus(task)
        assert (shape.id, shape.kind) == (task, task[:2])
        assert bool(shape.name) == (shape.kind == "ot")


def test_the_programs_of_the_bank_are_the_frozen_ones() -> None:
    assert programs(list(BANK)) == PROGRAMS, "Results on another bank do not compare: this needs a new version."


def test_the_pixels_of_the_bank_are_the_frozen_ones() -> None:
    assert sha256(*(stimulus(task).pixels.tobytes() for task in BANK)) == PIXELS, "See the programs' test."


@pytest.mark.parametrize("task", BANK)
def test_a_stimulus_of_the_bank_is_black_on_white_and_leaves_room(task: str) -> None:
    shape = stimulus(task)
    assert shape.pixels.shape == (400, 400) and shape.pixels.dtype == np.uint8
    assert set(np.unique(shape.pixels)) == {0, 255}
    assert 300 <= ink(shape).sum() <= 6000
    assert margin(shape) >= 40
    ys, xs = np.nonzero(ink(shape))
    side = max(np.ptp(xs), np.ptp(ys)) + 1
    assert (60 <= side <= 192) if shape.kind == "is" else (140 <= side <= 228)


@pytest.mark.parametrize("task", stimulus_ids("test", ["is"]))
def test_a_fragment_of_the_bank_is_one_to_three_open_strokes_that_enclose_nothing(task: str) -> None:
    shape = stimulus(task)
    assert 1 <= len(shape.subpaths) == len(shape.paths) <= 3
    assert not any(subpath.closed for subpath in shape.subpaths)
    assert len(shape.open_ends) >= 2
    assert encloses_nothing(shape)


def test_no_two_stimuli_of_the_bank_are_alike() -> None:
    drawn = [ink(stimulus(task)) for task in BANK]
    for index, one in enumerate(drawn):
        for other in drawn[index + 1 :]:
            assert (one & other).sum() < 0.5 * min(one.sum(), other.sum())


def test_open_ends_are_where_strokes_stop_alone() -> None:
    assert stimulus("is05").open_ends == ((164.0, 184.0), (108.0, 184.0))
    # The branch of the twig starts on the stem: of its ends only the far one is open.
    assert stimulus("is13").open_ends == ((104.0, 252.0), (288.0, 146.0), (146.0, 138.0))
    assert stimulus("ot03").open_ends == ((200.0, 94.0), (160.0, 282.0))  # ferrule and handle of the umbrella


def subpath(*points: tuple[float, float], closed: bool = False) -> Subpath:
    return Subpath(points, closed)


def test_an_end_is_open_from_more_than_a_strokes_width_on() -> None:
    post = subpath((100, 50), (100, 150))
    assert open_ends([post, subpath((106, 100), (180, 100))]) == ((100, 50), (100, 150), (106, 100), (180, 100))
    assert open_ends([post, subpath((105, 100), (180, 100))]) == ((100, 50), (100, 150), (180, 100))


def test_an_end_that_comes_back_to_its_own_stroke_is_not_open() -> None:
    # A six: the last point lies 4 px beside the first leg.
    six = subpath((100, 50), (100, 200), (150, 200), (150, 120), (104, 120))
    assert open_ends([six]) == ((100, 50),)


def test_short_and_closed_strokes_have_the_open_ends_that_they_should() -> None:
    assert open_ends([subpath((10, 10), (18, 10))]) == ((10, 10), (18, 10))
    assert open_ends([subpath((10, 10), (90, 10), (90, 90), closed=True)]) == ()


def test_a_stimulus_is_what_skia_draws_with_single_enclosed_pixels_inked() -> None:
    for task in ("is09", "ot01"):
        drawn = np.full((400, 400), 255, np.uint8)
        paths = [found for path in stimulus(task).paths for found in read_path(path).subpaths]
        SkiaRaster(drawn).draw_paths(paths, erase=False)
        for y, x in np.argwhere(drawn != stimulus(task).pixels):
            assert stimulus(task).pixels[y, x] == 0
            assert not drawn[[y - 1, y + 1, y, y], [x, x, x - 1, x + 1]].any()
    assert (drawn != stimulus("ot01").pixels).sum() == 2  # where the glasses' temples meet the rims


def test_pixels_cannot_be_written_to_and_copies_share_or_make_them_anew() -> None:
    shape = stimulus("ot04")
    with pytest.raises(ValueError, match="read-only"):
        shape.pixels[0, 0] = 0
    assert copy.deepcopy(shape) is copy.copy(shape) is shape
    pickled = pickle.dumps(shape)
    assert len(pickled) < 2000
    again = pickle.loads(pickled)
    assert again == shape and not again.pixels.flags.writeable
    assert np.array_equal(again.pixels, shape.pixels)


def test_path_data_that_cannot_be_read_are_refused() -> None:
    with pytest.raises(ValueError, match="'page' has path data that cannot be read: expected a number"):
        _ = page("M 10 10 L 20").pixels


def test_ids_of_generated_stimuli_take_turns_and_are_not_listed() -> None:
    ids = stimulus_ids("train")
    assert len(ids) == 100_000 and len(stimulus_ids("validation")) == 10_000
    assert ids[:4] == ["train-is-000000", "train-ot-000000", "train-is-000001", "train-ot-000001"]
    assert ids[-1] == "train-ot-049999"
    assert sys.getsizeof(ids) < 200
    with pytest.raises(IndexError):
        ids[100_000]


def test_ids_find_themselves_and_nothing_else() -> None:
    for kinds in (("is", "ot"), ("is",), ("ot",)):
        ids = stimulus_ids("validation", kinds)
        assert len(ids) == 5000 * len(kinds)
        assert all(
            ids.index(ids[position]) == position and ids[position] in ids for position in (0, 1, 77, -1 % len(ids))
        )
    only = stimulus_ids("train", ["ot"])
    for stranger in ("train-is-000000", "validation-ot-000000", "train-ot-050000", "train-ot-1", "ot01", "", 3, None):
        assert stranger not in only
    with pytest.raises(ValueError, match="none of train-ot-000000 to train-ot-049999"):
        only.index("train-is-000000")
    with pytest.raises(ValueError):
        only.index("train-ot-000003", 5)


def test_kinds_choose_and_their_order_does_not_matter() -> None:
    assert list(stimulus_ids("test", ["ot"])) == [f"ot{n:02d}" for n in range(1, 11)]
    assert stimulus_ids("test", ["ot", "is"]) == BANK
    assert stimulus_ids("train", ("ot", "is")) == stimulus_ids("train")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("dev",), "split is 'dev'; it must be one of 'train', 'validation', 'test'."),
        (("test", "is"), "kinds is 'is'; it must be a list"),
        (("train", []), "kinds is []; it must be a list"),
        (("train", ["is", "xx"]), "kinds is ['is', 'xx']; it must be a list"),
    ],
)
def test_an_unknown_split_or_kind_is_refused(arguments: tuple[object, ...], sentence: str) -> None:
    with pytest.raises(ValueError, match=re.escape(sentence)):
        stimulus_ids(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("task", ["is21", "ot00", "IS01", "test-is-000000", "train-is-050000", "train-1", "nothing"])
def test_an_unknown_id_is_refused_with_the_known_ones(task: str) -> None:
    with pytest.raises(ValueError, match=f"Task '{task}' does not exist; ids are 'is01' to 'is20', 'ot01' to 'ot10'"):
        stimulus(task)


@pytest.mark.parametrize("split", ["train", "validation"])
def test_generated_fragments_are_open_enclose_nothing_and_leave_room(split: str) -> None:
    for task in stimulus_ids(split, ["is"])[:300]:
        shape = stimulus(task)
        assert 1 <= len(shape.paths) <= 3 and shape.name == ""
        assert len(shape.open_ends) >= 2, task
        assert encloses_nothing(shape), task
        assert margin(shape) >= 12 and 300 <= ink(shape).sum() <= 6000, task


@pytest.mark.parametrize("split", ["train", "validation"])
def test_generated_objects_are_not_those_of_the_bank_and_leave_room(split: str) -> None:
    shapes = [stimulus(task) for task in stimulus_ids(split, ["ot"])[:300]]
    for shape in shapes:
        assert margin(shape) >= 12 and 300 <= ink(shape).sum() <= 6500, shape.id
    names = {shape.name for shape in shapes}
    assert len(names) >= 12
    assert not names & {stimulus(task).name for task in BANK}


def test_coordinates_of_generated_programs_are_tenths() -> None:
    for task in stimulus_ids("train")[:60]:
        for path in stimulus(task).paths:
            assert re.fullmatch(r"M( \d+(\.\d)?){2}( L( \d+(\.\d)?){2}| C( \d+(\.\d)?){6})+( Z)?", path), path


def test_train_validation_and_test_share_no_picture() -> None:
    hashes = [
        sha256(np.packbits(stimulus(task).pixels).tobytes())
        for task in (*stimulus_ids("train")[:1000], *stimulus_ids("validation")[:1000], *BANK)
    ]
    assert len(set(hashes)) == 2030


def test_generated_programs_are_the_same_in_every_process_and_the_frozen_ones() -> None:
    tasks = [*stimulus_ids("train")[:120], *stimulus_ids("validation")[:120]]
    code = (
        "import hashlib, json, sys\n"
        "from designgym.envs.canvas.stimuli.stimulus import stimulus\n"
        "tasks = json.load(sys.stdin)\n"
        "found = [[task, stimulus(task).name, stimulus(task).paths] for task in reversed(tasks)][::-1]\n"
        "print(hashlib.sha256(json.dumps(found).encode()).hexdigest())\n"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], input=json.dumps(tasks), capture_output=True, text=True, check=True
    )
    assert run.stdout.strip() == programs(tasks) == GENERATED, "Training on other shapes needs a new version."


def test_strokes_are_path_data_worked_by_hand() -> None:
    assert path_data(line((0, 0), (1.04, -0.04), (2, 30))) == "M 0 0 L 1 0 L 2 30"
    there = curve((0, 0), (1, 0), (2, 1), (2, 2))
    assert path_data(backwards(there)) == "M 2 2 C 2 1 1 0 0 0"
    assert path_data(backwards(chain(line((9, 9), (5, 5)), there))) == "M 2 2 C 2 1 1 0 0 0 L 5 5 L 9 9"
    assert path_data(mirrored(line((0, 0), (5, 3), (0, 9)))) == "M 0 0 L 5 3 L 0 9 L -5 3 L 0 0 Z"
    # A quarter of a circle of 100 px: control points 55.2 px along the tangents.
    assert path_data(arc((0, 0), 100, 0, 90)) == "M 100 0 C 100 55.2 55.2 100 0 100"
    assert path_data(arc((10, 0), 100, 90, -90, radius_y=50)) == "M 10 50 C 65.2 50 110 27.6 110 0"
    assert path_data(rounded([(0, 0), (50, 0), (50, 40)], 10)) == "M 0 0 L 40 0 C 45.5 0 50 4.5 50 10 L 50 40"
    assert box([line((3, -2), (0, 8)), line((1, 1), (4, 1))]) == (0, -2, 4, 8)


def test_a_walk_goes_where_it_says() -> None:
    walk = Walk((10, 20)).forward(30).turn(90).forward(5)
    assert walk.at == pytest.approx((40, 25)) and walk.heading_deg == 90
    half_turn = Walk((0, 0)).bend(50, 180)
    assert half_turn.at == pytest.approx((0, 100)) and half_turn.heading_deg == 180
    assert Walk((0, 0)).bend(50, -90).at == pytest.approx((50, -50))


def test_strokes_that_come_near_themselves_or_another_do_not_keep_apart() -> None:
    assert keep_apart([line((0, 0), (100, 0)), line((0, 20), (100, 20))])
    assert not keep_apart([line((0, 0), (100, 0)), line((50, 10), (50, 90))])
    assert keep_apart([line((0, 0), (100, 0)), line((50, 10), (50, 90))], joined=True)
    assert not keep_apart([line((0, 0), (100, 0), (100, 60), (0, 60), (0, 8))], joined=True)


def test_every_stimulus_of_the_bank_has_a_target_that_is_not_its_object() -> None:
    assert set(BANK_SUBJECTS) == set(BANK)
    assert len(set(BANK_SUBJECTS.values())) == 30
    for task in BANK:
        name = stimulus(task).name
        assert not name or name.casefold() not in subject_of(task).casefold()
    assert all(re.match(r"an? \w", phrase) for phrase in (*BANK_SUBJECTS.values(), *SUBJECTS))


def test_targets_of_generated_stimuli_depend_on_the_id_and_use_the_whole_list() -> None:
    tasks = stimulus_ids("train")[:2000]
    given = [subject_of(task) for task in tasks]
    assert set(given) == set(SUBJECTS) and len(SUBJECTS) == len(set(SUBJECTS)) >= 60
    assert given == [subject_of(task) for task in tasks]
    names = {stimulus(task).name for task in stimulus_ids("train", ["ot"])[:300]}
    assert not any(re.search(rf"\b{name}\b", phrase) for name in names for phrase in SUBJECTS)

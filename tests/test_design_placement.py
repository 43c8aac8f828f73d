"""The setting ``placement`` of design actions: what its tasks hold, who solves it, and what a mistake costs."""

import hashlib
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from designgym.agents.table import build
from designgym.envs.design.briefs.brief import Brief
from designgym.envs.design.env import DesignActions
from designgym.envs.design.placement import PICTURES, POSITIONS, SIZES, TEXTS, PlacementTasks
from designgym.errors import UserError
from designgym.eval.runner import make, run
from designgym.tasks import SPLITS

DESIGN = "designgym/DesignActions-v0"
SMALL = {"briefs": "placement", "image_size": 64, "max_calls": 6, "split": "validation"}
SOURCE = PlacementTasks()


def rewards_of(agent: str, tasks: int = 40, kwargs: dict | None = None, **options: float) -> np.ndarray:
    kwargs = SMALL | (kwargs or {})
    env = make(DESIGN, kwargs)
    results = run(build(agent, env, **options), DESIGN, kwargs, list(env.unwrapped.task_ids()[:tasks]))
    assert not any(result.failure for result in results)
    return np.array([result.reward for result in results])


def content_of(task: str) -> tuple[object, ...]:
    brief = Brief.from_dict(SOURCE.task(task).brief)
    return brief.texts[0].content, brief.visuals[0].name, brief.texts[0].position, brief.visuals[0].position


def test_no_combination_is_in_two_tasks_or_splits() -> None:
    from designgym.envs.design.placement import _combinations, _number

    numbers = [_number(task) for split in SPLITS for task in SOURCE.ids(split)]
    assert len(numbers) == len(set(numbers)) == sum(SIZES.values())
    dealt = _combinations()
    assert len(set(dealt)) == len(dealt) == len(TEXTS) * len(PICTURES) * 9 * 8 >= len(numbers)
    assert SIZES["train"] >= 1_000


def test_every_text_picture_and_place_comes_up_in_a_split() -> None:
    found = [content_of(task) for task in SOURCE.ids("test")[:600]]
    for index, known in enumerate((TEXTS, PICTURES, POSITIONS, POSITIONS)):
        counts = Counter(each[index] for each in found)
        assert set(counts) == set(known)
        assert max(counts.values()) < 3 * 600 / len(known)
    assert all(each[2] != each[3] for each in found)


def test_a_task_names_text_picture_file_and_both_places() -> None:
    for task in SOURCE.ids("train")[:20]:
        made = SOURCE.task(task)
        text, picture, *_ = content_of(task)
        assert f"“{text}”" in made.query and str(picture) in made.query
        assert [file.name for file in made.files] == [f"{picture}.png"]
        assert f"- {picture}.png: {picture}" in made.instruction
        assert made.query.count("page") == 2
        assert len(made.questions) == 6 and len(made.asked) == 12


def test_another_process_makes_the_same_tasks() -> None:
    script = (
        "import hashlib; from designgym.envs.design.placement import PlacementTasks as P; t = P().task('test-000123'); "
        "print(hashlib.sha256(repr((t.query, t.questions, t.brief)).encode() + t.files[0].data).hexdigest())"
    )
    task = SOURCE.task("test-000123")
    here = hashlib.sha256(repr((task.query, task.questions, task.brief)).encode() + task.files[0].data).hexdigest()
    there = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert there.stdout.strip() == here


@pytest.mark.parametrize("wrong", ["train-037000", "test-2", "validation-002000", "", "poster-000001"])
def test_an_id_of_no_task_is_refused(wrong: str) -> None:
    with pytest.raises(UserError, match="ids go from train-000000 to train-036999"):
        SOURCE.task(wrong)


@pytest.mark.parametrize("mode", ["interactive", "plan"])
def test_the_scripted_hand_solves_every_task_in_six_calls_or_one_plan(mode: str) -> None:
    assert rewards_of("placer", 60, {"mode": mode, "max_calls": 6 if mode == "interactive" else 1}).min() == 1


def test_the_designer_of_whole_briefs_solves_it_too() -> None:
    assert rewards_of("designer", 12, {"max_calls": 40}).min() == 1


def test_whoever_looks_at_no_brief_gets_nothing() -> None:
    assert rewards_of("blank").max() == 0
    assert rewards_of("random").max() == 0
    assert rewards_of("template", 12, {"max_calls": 40}).mean() < 0.1


def test_who_leaves_both_in_the_middle_misses_two_of_six_points_or_less_where_one_belongs_there() -> None:
    middle = rewards_of("placer", short=1.0)
    asked = [content_of(task)[2:] for task in SOURCE.ids("validation")[:40]]
    for reward, places in zip(middle, asked, strict=True):
        # Both are there, and the text, on top, is whole; the picture may be covered.
        points = 3 + ("center" in places)
        assert points / 6 - 1e-9 <= reward <= (points + 1) / 6 + 1e-9


def test_a_part_in_another_place_costs_one_point_of_six() -> None:
    task = next(t for t in SOURCE.ids("test") if content_of(t)[2:] == ("top left", "bottom right"))
    env = DesignActions(split="test", briefs="placement", image_size=64)
    file = SOURCE.task(task).files[0].name
    text = content_of(task)[0]
    for x, expected in ((60, 1.0), (700, 5 / 6)):
        env.reset(options={"task": task})
        for name, arguments in (
            ("CreateDocument", {"docType": "postcard"}),
            ("ImportObject", {"fileName": file, "layerName": "p"}),
            ("RepositionObject", {"fileName": "p", "posX": 760, "posY": 440}),
            ("CreateText", {"layerName": "t", "textString": text}),
            ("RepositionText", {"layerName": "t", "posX": x, "posY": 60}),
            ("finish", {}),
        ):
            _, reward, terminated, _, info = env.step({"name": name, "arguments": arguments})
            assert not info["error"]
        assert terminated and reward == pytest.approx(expected)


def test_a_hasty_hand_scores_between_the_middle_and_the_perfect_one() -> None:
    hasty = rewards_of("placer", 60, short=0.5, wobble=0.1)
    assert rewards_of("placer", 60, short=1.0).mean() + 0.05 < hasty.mean() < 0.95
    assert np.array_equal(hasty, rewards_of("placer", 60, short=0.5, wobble=0.1))
    assert not np.array_equal(hasty, rewards_of("placer", 60, seed=1, short=0.5, wobble=0.1))
    assert rewards_of("placer", mistake=1.0).max() < 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"short": 1.5}, "short is 1.5; it must be from 0 to 1"),
        ({"wobble": -0.1}, "wobble is -0.1; it must be 0 or more"),
        ({"mistake": float("nan")}, "mistake is nan; it must be from 0 to 1"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, float], message: str) -> None:
    with pytest.raises(UserError, match=message):
        build("placer", make(DESIGN, SMALL), **options)


def test_the_hand_refuses_other_briefs() -> None:
    with pytest.raises(UserError, match="make the environment with briefs='placement'"):
        build("placer", make(DESIGN, {}))

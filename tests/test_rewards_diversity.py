"""How unlike the drawings of a group are: what is the same thing again, what is not, and where it is paid."""

import dataclasses

import gymnasium as gym
import numpy as np
import pytest
from drawn import arc, bar, disc, episode, line

import designgym  # noqa: F401 - registers the environments
from designgym.agents import table
from designgym.errors import UserError
from designgym.eval.groups import scored_in_groups
from designgym.eval.runner import run
from designgym.rewards.base import UnsuitableReward
from designgym.rewards.diversity import Diversity, NeedsGroup
from designgym.rewards.table import resolve

BOWL = [arc(185, 200, 84, 10, 170)]
CANVAS = "designgym/CanvasDrawing-v0"


def house(x=100, y=100, size=100, flip=1):
    def at(*points):
        return line(*[(x + flip * size * a, y + size * b) for a, b in points])

    return [at((0, 0), (1, 0), (1, 1), (0, 1), (0, 0)), at((0, 0), (0.5, -0.6), (1, 0)), at((0.6, 1), (0.6, 0.5))]


FACE = [arc(200, 200, 80, 0, 360), disc(170, 180, 8), disc(230, 180, 8), arc(200, 210, 40, 20, 160)]
CROSS = [bar(190, 50, 210, 350), bar(50, 190, 350, 210)]


def values(*drawings, group="a", groups=None):
    found = [episode(*drawn, stimulus=None) for drawn in drawings]
    named = [dataclasses.replace(e, group=g) for e, g in zip(found, groups or [group] * len(found), strict=True)]
    return [score.value for score in Diversity().score_batch(named)]


def test_the_same_drawing_again_moved_larger_or_mirrored_is_hardly_another_one():
    assert values(house(), house()) == pytest.approx([0, 0], abs=1e-9)
    assert values(house(), house(200, 180)) == pytest.approx([0, 0], abs=1e-9)
    assert max(values(house(), house(size=200))) < 0.15  # strokes stay 5 px wide
    assert max(values(house(), house(x=300, flip=-1))) < 0.05


def test_other_things_are_far_apart_and_each_drawing_has_its_mean_distance():
    apart = {(a, b): values(a_, b_)[0] for a, a_ in THINGS.items() for b, b_ in THINGS.items()}
    assert all(apart[a, b] > 0.25 for a in THINGS for b in THINGS if a != b)
    mean = [np.mean([apart[a, b] for b in THINGS if a != b]) for a in THINGS]
    assert values(*THINGS.values()) == pytest.approx(mean)


THINGS = {"house": house(), "face": FACE, "cross": CROSS}


def test_a_group_of_one_idea_scores_below_a_group_of_several():
    assert max(values(FACE, FACE, FACE, house())[:3]) < min(values(FACE, CROSS, house()))


def test_null_drawings_get_0_and_are_not_among_the_others():
    assert values([], house(), FACE, [line((10, 10), (40, 10))]) == [0, *values(house(), FACE), 0]
    assert values([], house()) == [0.0, 0.0]


def test_groups_are_apart_and_who_has_none_or_is_alone_is_not_scored():
    drawings, groups = [house(), FACE, house(), house(), FACE, CROSS], ["a", "b", "a", "b", "", "c"]
    found = values(*drawings, groups=groups)
    apart = values(FACE, house())[0]
    assert found[:4] == pytest.approx([0, apart, 0, apart]) and found[4:] == [None, None]


def test_ink_of_the_shape_does_not_count():
    drawn = [dataclasses.replace(episode(*each, stimulus=BOWL), group="a") for each in (house(), FACE)]
    alone = [dataclasses.replace(episode(*each, stimulus=None), group="a") for each in (house(), FACE)]
    assert Diversity().score_batch(drawn)[0].value == pytest.approx(Diversity().score_batch(alone)[0].value, abs=0.1)


def test_one_alone_says_what_to_do_and_other_pages_are_refused():
    with pytest.raises(NeedsGroup, match=r"came alone. Give several episodes the same 'group'"):
        Diversity().score(episode(*FACE, stimulus=BOWL))
    page = dataclasses.replace(episode(*FACE, stimulus=BOWL), truth={"bbox": None})
    for score in (Diversity().score, lambda one: Diversity().score_batch([one])):
        with pytest.raises(UnsuitableReward, match="asks for no drawing"):
            score(page)


@pytest.mark.parametrize("reward", ["diversity", [("figural", 1.0), ("diversity", 0.2)]])
def test_an_environment_refuses_it_and_says_where_it_belongs(reward):
    with pytest.raises(ValueError, match="compares the drawings of a group, and an environment plays one alone"):
        gym.make(CANVAS, reward=reward)


def test_in_a_sum_it_is_scored_with_its_group():
    drawn = [dataclasses.replace(episode(*each, stimulus=BOWL), group="a") for each in (house(), FACE)]
    total = resolve([("figural", 1.0), ("diversity", 0.5)]).score_batch(drawn)
    for both, one, other in zip(
        total, resolve("figural").score_batch(drawn), Diversity().score_batch(drawn), strict=True
    ):
        assert both.value == pytest.approx(one.value + 0.5 * other.value)
        assert both.components["diversity"] == other.value


def test_recorded_trials_of_a_task_are_a_group(tmp_path):
    env = gym.make(CANVAS, split="test")
    for name, many in (("grow", False), ("random", True)):
        run(table.build(name, env), CANVAS, {"split": "test", "max_calls": 12}, ["is01", "is02"], out=tmp_path / name,
            replicates=2)  # fmt: skip
        scores = scored_in_groups(tmp_path / name / "traces.jsonl", "diversity")
        assert sorted(scores) == ["is01", "is01~1", "is02", "is02~1"]
        assert all((score.value > 0.05) == many for score in scores.values())  # grow draws the same thing again
    run(table.build("grow", env), CANVAS, {"split": "test"}, ["is01", "is02"], out=tmp_path / "once")
    with pytest.raises(UserError, match="no two episodes of one group"):
        scored_in_groups(tmp_path / "once" / "traces.jsonl", "diversity")

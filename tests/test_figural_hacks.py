"""The figural reward against drawings that mean to please it, over the whole bank and a hundred generated shapes."""

from __future__ import annotations

import json
from functools import cache

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image, ImageDraw

import designgym  # noqa: F401 - registers the environments
from designgym.agents import table
from designgym.envs.canvas.stimuli.stimulus import stimulus, stimulus_ids
from designgym.episode import Episode
from designgym.rewards.added_ink import added_ink, near
from designgym.rewards.figural import Figural

CANVAS = "designgym/CanvasDrawing-v0"
BANK, MADE = tuple(stimulus_ids("test")), tuple(stimulus_ids("validation")[:100])
WIDTH = 5


def circle(x, y, radius, first=0, last=360):
    angles = np.radians(np.linspace(first, last, 40))
    return [(x + radius * np.cos(angles)).tolist(), (y + radius * np.sin(angles)).tolist()]


PEOPLE = [
    {"word": "cat", "drawing": [
        circle(120, 140, 90), [[45, 60, 95], [95, 20, 58]], [[145, 180, 195], [58, 20, 95]], circle(90, 125, 10),
        circle(150, 125, 10), [[110, 130, 120, 110], [155, 155, 165, 155]], [[20, 90], [150, 160]],
        [[20, 90], [180, 172]], [[150, 220], [160, 150]], [[150, 220], [172, 180]], circle(120, 165, 22, 20, 160),
    ]},
    {"word": "flower", "drawing": [
        *[circle(128 + 45 * np.cos(k), 80 + 45 * np.sin(k), 22) for k in np.arange(6) * np.pi / 3],
        circle(128, 80, 22), [[128, 125, 128, 122], [147, 180, 215, 250]], circle(150, 200, 25, 90, 330),
    ]},
    {"word": "house", "drawing": [
        [[50, 50, 200, 200], [110, 230, 230, 110]], [[30, 125, 220], [120, 40, 120]], [[100, 100, 140, 140],
        [230, 170, 170, 230]], circle(165, 150, 15), circle(75, 150, 15), [[160, 160, 180, 180], [70, 45, 45, 85]],
    ]},
]  # fmt: skip
"""Drawings as people make them, in the Quick, Draw! format: strokes of x and of y."""


def scored(task, image):
    shape = stimulus(task)
    image = np.minimum(image, shape.pixels)
    return Figural().score(Episode(CANVAS, "test", task, image, shape.pixels, truth={"open_ends": []})).value


def page(*strokes, width=WIDTH):
    image = Image.new("L", (400, 400), 255)
    for points in strokes:
        ImageDraw.Draw(image).line([tuple(point) for point in np.asarray(points, float).tolist()], 0, width)
    return np.asarray(image)


def played(env, agent, task):
    observation, info = env.reset(options={"task": task})
    over = False
    while not over:
        observation, reward, over, _, info = env.step(agent(observation, info))
    return reward


@cache
def of_agent(name, tasks, **options):
    """The scores of an agent's drawings."""
    found = []
    for split in ("test", "validation"):
        env = gym.make(CANVAS, split=split, disable_env_checker=True)
        agent = table.build(name, env, **options)
        found += [played(env, agent, task) for task in tasks if (split == "test") == (task in BANK)]
    return np.array(found)


@pytest.fixture(scope="module", params=["some", pytest.param("all", marks=pytest.mark.slow)])
def tasks(request):
    """The bank, and after it every fifth of a hundred generated shapes, or all of them."""
    return (*BANK, *MADE[:: 5 if request.param == "some" else 1])


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A file of people's drawings."""
    path = tmp_path_factory.mktemp("drawings") / "people.ndjson"
    path.write_text("".join(json.dumps({**each, "recognized": True}) + "\n" for each in PEOPLE), encoding="utf-8")
    return str(path)


def nothing(task, rng):
    return page()


def dot(task, rng):
    return page([(300, 100), (303, 103)])


def stimulus_again(task, rng):
    return stimulus(task).pixels


def stimulus_aside(task, rng):
    return np.minimum.reduce([np.roll(stimulus(task).pixels, (aside, aside), (0, 1)) for aside in (-6, 6)])


def line_far_from_it(task, rng):
    return page([(5, 394), (394, 394)])


def scribble(task, rng):
    return page(rng.uniform(0, 400, (30, 2)))


def some_long_lines(task, rng):
    ink = np.argwhere(stimulus(task).pixels == 0)[:, ::-1]
    middles, angles = ink[rng.integers(len(ink), size=4)], rng.uniform(0, np.pi, 4)
    halves = 250 * np.stack([np.cos(angles), np.sin(angles)], 1)
    return page(*[(middle - half, middle + half) for middle, half in zip(middles, halves, strict=True)])


def black(task, rng):
    return np.zeros((400, 400), np.uint8)


def border(task, rng):
    return page([(6, 6), (393, 6), (393, 393), (6, 393), (6, 6)])


def net(task, rng):
    return page(*[line for at in range(15, 400, 30) for line in ([(0, at), (400, at)], [(at, 0), (at, 400)])])


def hatching(task, rng):
    return page(*[[(at - 400, 400), (at, 0)] for at in range(0, 800, 36)])


def many_dots(task, rng):
    return page(*[(at, at + 3) for at in rng.uniform(0, 400, (250, 2))])


def copied_stroke(task, rng):
    start, step = rng.uniform(50, 200, 2), rng.uniform(-60, 60, 2)
    return page(*[np.array([start, start + step]) + 4 * k * np.array([3, 1]) for k in range(14)])


HACKS = (
    nothing, dot, stimulus_again, stimulus_aside, line_far_from_it, scribble, some_long_lines, black, border, net,
    hatching, many_dots, copied_stroke,
)  # fmt: skip


def of_hack(hack, tasks):
    rng = np.random.default_rng(3)
    return np.array([scored(task, hack(task, rng)) for task in tasks])


@pytest.mark.parametrize("hack", HACKS)
def test_a_hack_scores_less_than_half_of_what_modest_drawings_do(hack, tasks, people):
    scores = of_hack(hack, tasks)
    for drawings in (of_agent("grow", tasks), of_agent("quickdraw", tasks, drawings=people)):
        assert scores.mean() < drawings.mean() / 2
        assert np.mean(scores < drawings) >= 0.95


@pytest.mark.parametrize("hack", [nothing, dot, stimulus_again])
def test_what_adds_nothing_scores_nothing(hack):
    assert not of_hack(hack, BANK).any()


def test_drawings_made_for_the_shape_score_above_those_laid_over_it_and_these_above_those_laid_anywhere(tasks, people):
    rng = np.random.default_rng(4)
    anywhere = []
    for number, task in enumerate(tasks):
        strokes = [np.array(stroke).T * 0.8 for stroke in PEOPLE[number % len(PEOPLE)]["drawing"]]
        aside = rng.uniform(0, 190, 2)
        anywhere.append(scored(task, page(*[stroke + aside for stroke in strokes])))
    quick = of_agent("quickdraw", tasks, drawings=people).mean()
    assert of_agent("grow", tasks).mean() > 1.3 * quick
    assert quick > 1.3 * np.mean(anywhere)


def test_a_drawing_traced_again_a_pixel_aside_does_not_pay_on_average_but_may_where_it_looks_new():
    env = gym.make(CANVAS, split="test", disable_env_checker=True)
    agent = table.build("grow", env)
    once, wide = [], []
    for task in BANK:
        once.append(played(env, agent, task))
        ink = added_ink(env.unwrapped.episode())[0]
        around = near(ink, 1)  # every stroke 7 px wide instead of 5, about half as much ink again
        assert 1.3 < around.sum() / ink.sum() < 1.6
        wide.append(scored(task, np.where(around, 0, 255).astype(np.uint8)))
    raised = np.array(wide) - once
    assert raised.mean() < 0
    # A known weakness: the reference drawings' strokes are 5 px wide, so novelty takes wider ones for unlike.
    assert np.mean(raised > 0.02) < 0.4 and raised.max() < 0.3


def test_retracing_changes_nothing_and_thicker_strokes_do_not_pay():
    rng = np.random.default_rng(5)
    for task in BANK[::3]:
        strokes = [rng.uniform(50, 350, 2) + np.array(circle(0, 0, radius)).T for radius in (30, 50, 20)]
        assert scored(task, page(*strokes, *strokes)) == scored(task, page(*strokes))
        assert scored(task, page(*strokes, width=9)) <= scored(task, page(*strokes)) + 0.05

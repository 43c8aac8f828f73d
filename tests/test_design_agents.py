"""Scripted designers: that the pages they make do what briefs ask, or nothing of it."""

from __future__ import annotations

import itertools
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

import designgym  # noqa: F401 - registers the environments
from designgym.agents import table
from designgym.agents.design.arrange import TYPE, arrange
from designgym.agents.design.room import Block, row_and_column, stacked
from designgym.agents.design.setting import Face, broken
from designgym.envs.design.briefs.brief import PAGE_PX, TYPES
from designgym.envs.design.briefs.generate import brief, task_ids, type_of
from designgym.envs.design.env import DesignActions
from designgym.errors import UserError
from designgym.rewards.judges.meanings import POSITIONS, at_position

TASKS = [task for type in TYPES for task in [id for id in task_ids("test")[:60] if type_of(id) == type][:3]]
LATO = Face("Lato", True)


def play(env: Any, agent: Any, task: str) -> tuple[float, dict[str, Any], list[Any]]:
    """Play a task to its end: the reward, the last info and the calls."""
    observation, info = env.reset(options={"task": task})
    agent.begin(env, info)
    made, ended, reward = [], False, 0.0
    while not ended:
        made.append(agent(observation, info))
        observation, reward, ended, _, info = env.step(made[-1])
        assert not info["error"], (made[-1], observation["text"])
    return float(reward), info, made


@pytest.mark.parametrize("mode", ["interactive", "plan"])
def test_the_designer_fulfils_briefs_of_all_types_without_an_error(mode):
    env = DesignActions(split="test", mode=mode)
    agent = table.build("designer", env)
    played = [play(env, agent, task) for task in TASKS]
    assert np.mean([reward for reward, _, _ in played]) >= 0.95
    assert all(info["error_free"] for _, info, _ in played)


@pytest.mark.parametrize(("name", "most"), [("template", 0.05), ("template-guess", 0.5), ("blank", 0.05)])
def test_pages_that_ignore_the_brief_earn_little(name, most):
    for mode in ("interactive", "plan"):
        env = DesignActions(split="test", mode=mode)
        agent = table.build(name, env)
        assert np.mean([play(env, agent, task)[0] for task in TASKS]) <= most


def test_a_guessed_page_has_every_picture_and_earns_by_them():
    env = DesignActions(split="test")
    agent = table.build("template-guess", env)
    earned = []
    for task in TASKS:
        earned.append(play(env, agent, task)[0])
        document = env.workspace.design
        assert document is not None
        names = {layer.name for layer in document.layers}
        assert {file.name for file in env.tasks.task(task).files} <= names
    assert np.mean(earned) >= 0.1


def test_episodes_under_way_at_once_do_not_mix():
    envs = [DesignActions(split="test", reward="vqa") for _ in range(2)]
    agent = table.build("designer", envs[0])
    starts = [env.reset(options={"task": task}) for env, task in zip(envs, TASKS, strict=False)]
    for env, (_, info) in zip(envs, starts, strict=True):
        agent.begin(env, info)
    made: list[list[Any]] = [[], []]
    for turn in itertools.count():
        which = turn % 2
        try:
            made[which].append(agent(*starts[which]))
        except RuntimeError:
            break
    alone = table.build("designer", envs[0])
    assert made[1][: len(made[0]) - 1] == play(envs[0], alone, TASKS[1])[2][: len(made[0]) - 1]


def test_designers_refuse_environments_without_actions():
    canvas = gym.make("designgym/CanvasDrawing-v0")
    for name in ("designer", "template", "template-guess"):
        with pytest.raises(UserError, match=f"The agent '{name}' makes pages by design actions"):
            table.build(name, canvas)
    assert table.build("blank", canvas).about == "finishes at once"  # type: ignore[attr-defined]


@pytest.mark.parametrize("position", POSITIONS)
def test_rows_and_columns_are_those_that_positions_mean(position):
    row, column = row_and_column(position)
    centre = [{"top": 1 / 6, "left": 1 / 6, "center": 0.5, "bottom": 5 / 6, "right": 5 / 6, "": 0.1}[it]
              for it in (column, row)]  # fmt: skip
    assert at_position((centre[0], centre[1]), position)


def test_texts_break_where_the_sense_does_else_evenly():
    assert broken("Snow Much Fun! The lift stopped.", LATO, 50, 420).text == "Snow Much Fun!\nThe lift stopped."
    assert broken("one two three four", LATO, 50, 300).text == "one two\nthree four"
    assert broken("one two", LATO, 50, 900).text == "one two"
    assert broken("incomprehensibilities", LATO, 50, 100) is None


def test_blocks_in_one_column_are_moved_apart_within_their_thirds():
    top, middle = Block("top", 0, 100, 300), Block("center", 0, 100, 260)
    assert stacked([top, middle], 900, 30, 20)
    assert middle.top - top.top - 300 >= 20 - 1e-6
    assert top.top == 30 and 300 <= middle.top + 130 <= 600
    assert not stacked([Block("top", 0, 100, 620), Block("center", 0, 100, 500)], 900, 30, 20)
    aside = Block("center", 200, 300, 500)
    assert stacked([Block("top", 0, 100, 300), aside], 900, 30, 20)
    assert aside.top == 200


@pytest.mark.parametrize("task", [f"train-{number:06d}" for number in range(40)])
def test_nothing_lies_on_anything_else_or_off_the_page(task):
    asked = brief(task)
    page = arrange(asked, [1.2] * len(asked.visuals), LATO, Face("Lato"))
    assert page is not None
    boxes = [(t.left, t.top, t.left + t.lines.width, t.top + t.lines.height) for t in page.texts]
    boxes += [(p.left, p.top, p.left + p.width, p.top + p.height) for p in page.pictures if p.part.size != "full"]
    width, height = PAGE_PX[asked.type]
    for x1, y1, x2, y2 in boxes:
        assert x1 >= 0 and y1 >= 0 and x2 <= width and y2 <= height
    for one, two in itertools.combinations(boxes, 2):
        assert one[2] <= two[0] or two[2] <= one[0] or one[3] <= two[1] or two[3] <= one[1]
    sizes = {text.part.size: text.size_px for text in page.texts if text.part.size}
    ordered = sorted(sizes, key=lambda size: TYPE[size])
    assert all(sizes[b] >= 1.15 * sizes[a] for a, b in itertools.pairwise(ordered))

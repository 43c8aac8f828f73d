"""The speed of design actions: an edit of a 600 x 900 page against drawing the page anew, the judge, and episodes.

    python benchmarks/design.py [--rounds 15] [--seed 0]

An edit is an action that is read, carried out and drawn on the page in full size; observed, the page is also shown in a
square of 448 px. Beside each stands the plain way: the same action, then the whole page drawn from its files, with
pictures decoded before or not. Variants take turns within a round, so that load from elsewhere falls on all of them
alike; figures are medians of this process's CPU time. Only ratios are comparable between machines. Exits with 1 if a
bar is missed.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import gymnasium as gym
import numpy as np

import designgym
from designgym.agents.table import build
from designgym.envs.design.perform import perform
from designgym.envs.design.sandbox import File
from designgym.envs.design.tools import action_table
from designgym.envs.design.view import Views
from designgym.envs.design.workspace import Workspace
from designgym.episode import Episode
from designgym.graphics.assets import forget_pictures
from designgym.graphics.document import Document
from designgym.graphics.render import Renderer, render
from designgym.pool.embedded import embedded
from designgym.rewards.judges.base import Given, Page
from designgym.rewards.judges.questions import Item, flat
from designgym.rewards.judges.scene import SceneJudge
from designgym.tools import Accepted

ENV = "designgym/DesignActions-v0"
WIDTH, HEIGHT, SIDE_PX, PICTURE_PX = 600, 900, 448, 800
SECOND = "second.png"
TURN = 5
"""Runs of a variant in a row."""
BRIEFS = 12
"""Test briefs whose episodes are played and whose pages are judged."""
FEW, MANY = 10, 100
"""Layers that lie untouched beside those that are edited."""

EDIT_MS, OBSERVED_MS, FULL_MS = 1.5, 6.0, 25.0
TIMES_FASTER = 20.0
"""An edit against the page drawn from its files."""
MOST_OF_FEW = 2.0
"""An edit beside ``MANY`` layers may cost so many times one beside ``FEW``."""
QUESTIONS_A_SECOND = 2000.0

Call = dict[str, Any]
Edit = Callable[[int], Call]
Run = Callable[[int], object]


def call(name: str, **arguments: Any) -> Call:
    """An action of the vector graphic editor, who has drawings, texts and objects."""
    return {"name": name, "arguments": {"expert": "vector_graphic_editor", **arguments}}


def poster(beside: int) -> list[Call]:
    """Calls that make a poster: a picture (most briefs have one) large and small, texts, a badge, and layers beside."""
    calls = [
        call("CreateDocumentCustom", width=WIDTH, height=HEIGHT),
        call("SetBackgroundColor", red=244, green=239, blue=230),
        call("DrawRectangle", layerName="panel", width=600, height=260, red=38, green=70, blue=83),
        call("RepositionDrawing", layerName="panel", posX=0, posY=0),
        call("ImportObject", layerName="picture", fileName="picture.png"),
        call("ResizeObject", fileName="picture", width=300, height=300),
        call("RepositionObject", fileName="picture", posX=20, posY=290),
        call("ImportObject", layerName="small", fileName="picture.png"),
        call("ResizeObject", fileName="small", width=120, height=120),
        call("RepositionObject", fileName="small", posX=400, posY=400),
        call("DrawStar", layerName="badge", numPoints=9, radius=60, red=231, green=111, blue=81),
        call("RepositionDrawing", layerName="badge", posX=460, posY=180),
        call("CreateText", layerName="title", textString="Summer Jazz\nNights"),
        call("ApplyFont", layerName="title", fontName="Abril Fatface"),
        call("ResizeText", layerName="title", fontSize=60),
        call("ColorText", layerName="title", red=244, green=239, blue=230),
        call("RepositionText", layerName="title", posX=40, posY=30),
        call("CreateText", layerName="line", textString="Open air, all evening"),
        call("RepositionText", layerName="line", posX=40, posY=200),
    ]
    for number in range(beside):
        x, y = 14 + 29 * (number % 20), 640 + 48 * (number // 20)
        if number % 2:
            calls.append(call("CreateText", layerName=f"{number}", textString=f"{number}"))
            calls.append(call("ResizeText", layerName=f"{number}", fontSize=20))
            calls.append(call("RepositionText", layerName=f"{number}", posX=x, posY=y))
        else:
            calls.append(call("DrawCircle", layerName=f"{number}", radius=12, red=42, green=157, blue=143))
            calls.append(call("RepositionDrawing", layerName=f"{number}", posX=x, posY=y))
    return calls


EDITS: dict[str, Edit] = {
    "colour the title": lambda n: call("ColorText", layerName="title", red=n % 200, green=120, blue=60),
    "move the title": lambda n: call("RepositionText", layerName="title", posX=30 + n % 20, posY=30),
    "resize the title": lambda n: call("ResizeText", layerName="title", fontSize=50 + n % 12),
    "turn the line": lambda n: call("RotateText", layerName="line", angle=1 + n % 5),
    "move the badge": lambda n: call("RepositionDrawing", layerName="badge", posX=440 + n % 20, posY=180),
    "resize the badge": lambda n: call("ResizeDrawing", layerName="badge", width=100 + n % 20, height=110),
    "move the small picture": lambda n: call("RepositionObject", fileName="small", posX=400 + n % 20, posY=400),
    "move the large picture": lambda n: call("RepositionObject", fileName="picture", posX=20 + n % 20, posY=290),
    "fade the large picture": lambda n: call("OpacityObject", fileName="picture", opacity=60 + n % 30),
    "colour the page": lambda n: call("SetBackgroundColor", red=200 + n % 50, green=239, blue=230),
}


class Bench:
    """A workspace in which one action after the other is carried out, and its page drawn."""

    def __init__(self, beside: int) -> None:
        names = {"picture.png": "noto/camel", SECOND: "noto/mushroom"}
        self._space = Workspace({name: File(name, embedded().png(id, PICTURE_PX)) for name, id in names.items()})
        self._table = action_table()
        self._views = Views(SIDE_PX)
        for each in poster(beside):
            self.act(each)
        self._renderer = Renderer(self.document)

    @property
    def document(self) -> Document:
        """The open one."""
        document = self._space.document
        assert document is not None
        return document

    def act(self, action: Call) -> None:
        """Carry out an action, which must succeed."""
        read = self._table.read(action)
        assert isinstance(read, Accepted), read
        step = perform(self._space, read.name, read.arguments)
        assert not step.error, step

    def edited(self, action: Call) -> np.ndarray:
        """The page after an action, drawn where it changed."""
        self.act(action)
        self._renderer.update(self.document)
        return self._renderer.image()

    def observed(self, action: Call) -> np.ndarray:
        """Likewise, and shown in its square."""
        self.edited(action)
        return self._views.square(self.document, "one")

    def anew(self, action: Call) -> np.ndarray:
        """The page after an action, all of it drawn."""
        self.act(action)
        return render(self.document)

    def uncached(self, action: Call | None = None) -> np.ndarray:
        """Likewise, its pictures read from their files."""
        if action is not None:
            self.act(action)
        forget_pictures()
        return render(self.document)

    def is_exact(self) -> bool:
        """Whether the page that was kept up to date is the same as one drawn anew."""
        self._renderer.update(self.document)
        return np.array_equal(self._renderer.image(), render(self.document))


def medians(variants: dict[str, Run], rounds: int) -> dict[str, float]:
    """Median milliseconds of CPU time per variant, which take turns of five runs within each round."""
    times: dict[str, list[float]] = {name: [] for name in variants}
    for number in range(-TURN, rounds * TURN, TURN):  # the first round warms up and does not count
        for name, run in variants.items():
            for step in range(TURN):
                start = time.process_time_ns()
                run(number + step + TURN)
                if number >= 0:
                    times[name].append((time.process_time_ns() - start) / 1e6)
    return {name: statistics.median(values) for name, values in times.items()}


def edit_costs(few: Bench, many: Bench, rounds: int) -> dict[str, dict[str, float]]:
    """For each edit its milliseconds in each way."""
    found: dict[str, dict[str, float]] = {}
    for name, edit in EDITS.items():
        found[name] = medians(
            {
                "edit": lambda number: few.edited(edit(number)),  # noqa: B023 (called within the loop)
                "observed": lambda number: few.observed(edit(number)),  # noqa: B023
                "many": lambda number: many.observed(edit(number)),  # noqa: B023
                "anew": lambda number: few.anew(edit(number)),  # noqa: B023
                "uncached": lambda number: few.uncached(edit(number)),  # noqa: B023
            },
            rounds,
        )
    return found


def played(agent: str, tasks: Sequence[str], seed: int) -> tuple[int, list[Episode], float]:
    """Steps taken, the episodes, and the CPU time in the environment, resets and scoring included, seconds."""
    env = gym.make(ENV, split="test", disable_env_checker=True)
    player = build(agent, env, seed)
    steps, spent, episodes = 0, 0.0, []
    for number, task in enumerate(tasks):
        start = time.process_time()
        observation, info = env.reset(seed=seed + number, options={"task": task})
        spent += time.process_time() - start
        if hasattr(player, "begin"):
            player.begin(env, info)
        ended = False
        while not ended:
            action = player(observation, info)
            start = time.process_time()
            observation, _, terminated, truncated, info = env.step(action)
            spent += time.process_time() - start
            ended = terminated or truncated
            steps += 1
        episodes.append(env.unwrapped.episode())  # type: ignore[attr-defined]
    return steps, episodes, spent


def judged(episodes: Sequence[Episode], rounds: int) -> float:
    """Questions a second of the exact judge, about pages that it sees for the first time; the median of the rounds."""
    judge, rates = SceneJudge(), []
    for _ in range(rounds):
        asked, start = 0, time.process_time()
        for episode in episodes:
            given = {name: Given(known["caption"], known["sha256"]) for name, known in episode.truth["files"].items()}
            questions = flat([Item.from_dict(each) for each in episode.truth["questions"]])
            judge.answer(Page(episode.image, episode.document, given), questions)
            asked += len(questions)
        rates.append(asked / (time.process_time() - start))
    return statistics.median(rates)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()

    few, many = Bench(FEW), Bench(MANY)
    costs = edit_costs(few, many, arguments.rounds)
    exact = few.is_exact() and many.is_exact()
    few.act(call("ImportObject", layerName="another", fileName=SECOND))
    few.act(call("ResizeObject", fileName="another", width=200, height=200))
    another = medians({"": lambda _: few.uncached()}, arguments.rounds)[""]
    env = gym.make(ENV, split="test", disable_env_checker=True)
    ids = env.unwrapped.task_ids("test")  # type: ignore[attr-defined]
    tasks = [ids[number * len(ids) // BRIEFS] for number in range(BRIEFS)]
    plays = {}
    for agent in ("designer", "random"):
        played(agent, tasks, arguments.seed)  # fonts, pictures and briefs are loaded and drawn once
        plays[agent] = played(agent, tasks, arguments.seed)
    rate = judged(plays["designer"][1], arguments.rounds)

    packages = ", ".join(f"{name} {version(name)}" for name in ("skia-python", "pillow", "numpy"))
    print(f"designgym {designgym.__version__}, Python {platform.python_version()}, {packages}, {platform.machine()}; "
          f"seed {arguments.seed}, medians of {arguments.rounds} interleaved rounds, CPU time")  # fmt: skip
    print(f"\n{f'one edit of {WIDTH} x {HEIGHT} px, ms':30}{'edit':>8}{'observed':>10}{f'of {MANY}/{FEW}':>12}"
          f"{'anew':>8}{'uncached':>10}{'x anew':>8}{'x uncached':>12}")  # fmt: skip
    for name, ms in costs.items():
        print(f"{name:30}{ms['edit']:8.3f}{ms['observed']:10.3f}{ms['many'] / ms['observed']:12.2f}"
              f"{ms['anew']:8.2f}{ms['uncached']:10.2f}{ms['anew'] / ms['edit']:8.1f}"
              f"{ms['uncached'] / ms['edit']:12.1f}")  # fmt: skip
    print()
    for agent, (steps, episodes, seconds) in plays.items():
        print(f"{ENV}, {agent}: {steps / seconds:,.0f} steps/s ({steps} steps of {len(episodes)} episodes, "
              "with resets and scores)")  # fmt: skip

    usual = {way: statistics.median(ms[way] for ms in costs.values()) for way in ("edit", "observed", "uncached")}
    most_of_few = max(ms["many"] / ms["observed"] for ms in costs.values())
    slowest = max(costs, key=lambda name: costs[name]["edit"])
    print(f"The slowest edit is to {slowest}; bars hold for the median of the {len(costs)} kinds.")
    print(f"With a second picture of 200 px a full uncached render takes {another:.1f} ms.")
    bars = (
        ("one edit, ms", usual["edit"], EDIT_MS, False),
        ("with its scaled observation, ms", usual["observed"], OBSERVED_MS, False),
        ("a full uncached render, ms", usual["uncached"], FULL_MS, False),
        ("times faster than that", usual["uncached"] / usual["edit"], TIMES_FASTER, True),
        (f"cost beside {MANY} layers, of that beside {FEW}", most_of_few, MOST_OF_FEW, False),
        ("questions/s of the exact judge", rate, QUESTIONS_A_SECOND, True),
    )  # fmt: skip
    print()
    for name, value, bar, least in bars:
        print(f"{name:62}{value:10,.2f}   at {'least' if least else 'most'} {bar:,g}")
    if not exact:
        print("The edited page differs from a fresh one.", file=sys.stderr)
    missed = [name for name, value, bar, least in bars if (value < bar if least else value > bar)]
    if missed:
        print(f"Missed: {'; '.join(missed)}.", file=sys.stderr)
    return 0 if exact and not missed else 1


if __name__ == "__main__":
    sys.exit(main())

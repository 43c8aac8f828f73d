"""The speed of canvas drawing: steps a second of one environment, of several copies, and of a plain implementation.

    python benchmarks/step_canvas.py [--rounds 9] [--seed 0]

A step is one call of a drawing tool; the twelve tools are equally frequent, their shapes some 20 to 140 px wide, as in
drawings. The environments are made by ``gym.make``, grey, with the reward at the end. The plain implementation is what
one would write first: an RGB image of Pillow's, copied whole for undo, copied again to paste the shape, and made an
array; it checks nothing.

The cases take turns, so that load from elsewhere falls on all of them alike; figures of different machines cannot be
compared, ratios within one run can. CPU time, except for processes, whose work only the clock on the wall shows.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable, Iterator
from importlib.metadata import version
from itertools import cycle
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import SyncVectorEnv
from PIL import Image, ImageDraw

import designgym
from designgym.envs.canvas.stimuli.stimulus import stimulus
from designgym.envs.canvas.tools import OPERATIONS

ENV_ID = "designgym/CanvasDrawing-v0"
RENDERERS = ("pillow", "skia")
COPIES = (1, 2, 4, 8)
TRIAL = 100
"""Calls after which a trial starts anew, where nothing else is said."""
LONG = {"max_calls": 10_000, "split": "test"}
UNDO = {"name": "undo_last_action", "arguments": {}}

Call = dict[str, Any]
Measure = Callable[[], tuple[int, float]]
"""Does some steps; returns how many and the seconds that they took."""


def operation(tool: str, rng: np.random.Generator) -> dict[str, Any]:
    """One operation such as drawings consist of."""

    def whole(low: int, high: int) -> int:
        return int(rng.integers(low, high))

    x, y = whole(40, 360), whole(40, 360)
    if tool == "draw_dots":
        return {"x": x, "y": y}
    if tool == "draw_lines":
        return {"x1": x, "y1": y, "x2": whole(0, 400), "y2": whole(0, 400)}
    if tool in ("draw_polylines", "draw_polygons"):
        points = [[x + whole(-60, 60), y + whole(-60, 60)] for _ in range(whole(3, 9))]
        return {"points": points}
    if tool == "draw_regular_polygons":
        return {"x": x, "y": y, "radius": whole(10, 60), "n_sides": whole(3, 9), "rotation": whole(0, 360)}
    if tool == "draw_circles":
        return {"x": x, "y": y, "radius": whole(10, 70)}
    x, y = whole(5, 330), whole(5, 330)
    box = {"x1": x, "y1": y, "x2": x + whole(20, 140), "y2": y + whole(20, 140)}
    if tool == "draw_rounded_rectangles":
        return {**box, "radius": whole(4, 15)}
    if tool in ("draw_arcs", "draw_pieslices", "draw_chords"):
        start = whole(0, 360)
        return {**box, "start_angle": start, "end_angle": start + whole(20, 330)}
    return box


def calls(operations: int, seed: int, count: int = 20) -> list[Call]:
    """So many calls of each tool, shuffled; every fifth erases."""
    rng = np.random.default_rng(seed)
    made = [
        {"name": tool, "arguments": {key: [operation(tool, rng) for _ in range(operations)], "erase": k % 5 == 4}}
        for tool, key in OPERATIONS.items()
        for k in range(count)
    ]
    return [made[k] for k in rng.permutation(len(made))]


def paint(draw: ImageDraw.ImageDraw, tool: str, o: dict[str, Any], ink: Any) -> None:
    """An operation, the plain way."""
    box = (o["x1"], o["y1"], o["x2"], o["y2"]) if "x1" in o else (0, 0, 0, 0)
    if tool == "draw_dots":
        draw.ellipse((o["x"] - 2, o["y"] - 2, o["x"] + 2, o["y"] + 2), fill=ink)
    elif tool == "draw_lines":
        draw.line(box, fill=ink, width=5)
    elif tool == "draw_polylines":
        draw.line([tuple(point) for point in o["points"]], fill=ink, width=5, joint="curve")
    elif tool == "draw_polygons":
        draw.polygon([tuple(point) for point in o["points"]], outline=ink, width=5)
    elif tool == "draw_regular_polygons":
        draw.regular_polygon((o["x"], o["y"], o["radius"]), o["n_sides"], o["rotation"], outline=ink, width=5)
    elif tool == "draw_rectangles":
        draw.rectangle(box, outline=ink, width=5)
    elif tool == "draw_rounded_rectangles":
        draw.rounded_rectangle(box, o["radius"], outline=ink, width=5)
    elif tool == "draw_circles":
        x, y, radius = o["x"], o["y"], o["radius"]
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), outline=ink, width=5)
    elif tool == "draw_ellipses":
        draw.ellipse(box, outline=ink, width=5)
    elif tool == "draw_arcs":
        draw.arc(box, o["start_angle"], o["end_angle"], fill=ink, width=5)
    elif tool == "draw_pieslices":
        draw.pieslice(box, o["start_angle"], o["end_angle"], outline=ink, width=5)
    else:
        draw.chord(box, o["start_angle"], o["end_angle"], outline=ink, width=5)


class Plain:
    """The same step, written without a thought of speed."""

    def __init__(self) -> None:
        self.shape = Image.fromarray(stimulus("is01").pixels).convert("RGB")
        self.mask = Image.fromarray(255 - stimulus("is01").pixels)
        self.reset()

    def reset(self) -> None:
        """An empty drawing."""
        self.drawing = Image.new("RGB", self.shape.size, "white")
        self.before: list[Image.Image] = []

    def step(self, call: Call) -> np.ndarray[Any, Any]:
        """Draw, and return what is to be seen."""
        arguments = call["arguments"]
        self.before.append(self.drawing.copy())
        draw = ImageDraw.Draw(self.drawing)
        ink: Any = (255, 255, 255) if arguments["erase"] else (0, 0, 0)
        for one in arguments[OPERATIONS[call["name"]]]:
            paint(draw, call["name"], one, ink)
        seen = self.drawing.copy()
        seen.paste(self.shape, mask=self.mask)
        return np.asarray(seen)


def timed(step: Callable[[Any], Any], actions: Iterator[Any], count: int, clock: Callable[[], float]) -> float:
    """Seconds for so many steps."""
    chosen = [next(actions) for _ in range(count)]
    start = clock()
    for action in chosen:
        step(action)
    return clock() - start


def trials(env: Any, pool: list[Call]) -> Measure:
    """A trial of ``TRIAL`` calls from an empty canvas; the reset is not counted."""
    actions = cycle(pool)

    def measure() -> tuple[int, float]:
        env.reset()
        return TRIAL, timed(env.step, actions, TRIAL, time.process_time)

    return measure


def calls_in(renderer: str, already: int, pool: list[Call]) -> Measure:
    """Steps of a trial that has had so many calls before."""
    env, actions, left = gym.make(ENV_ID, renderer=renderer, **LONG), cycle(pool), 0

    def measure() -> tuple[int, float]:
        nonlocal left
        if left <= 0:
            env.reset(seed=0)
            timed(env.step, actions, already, time.process_time)
            left = max(50, already // 4)
        left -= 50
        return 50, timed(env.step, actions, 50, time.process_time)

    return measure


def undoing(renderer: str, depth: int, pool: list[Call]) -> Measure:
    """Undo where so many calls can be undone; what is drawn between is not counted."""
    env, actions = gym.make(ENV_ID, renderer=renderer, **LONG), cycle(pool)

    def measure() -> tuple[int, float]:
        env.reset(seed=0)
        timed(env.step, actions, depth - 1, time.process_time)
        spent = 0.0
        for _ in range(40):
            env.step(next(actions))
            spent += timed(env.step, iter([UNDO]), 1, time.process_time)
        return 40, spent

    return measure


def together(envs: Any, pool: list[Call], clock: Callable[[], float]) -> Measure:
    """Steps of several copies, each counted."""
    actions = cycle([tuple(pool[(k + 7 * n) % len(pool)] for n in range(envs.num_envs)) for k in range(len(pool))])

    def measure() -> tuple[int, float]:
        envs.reset()
        return TRIAL * envs.num_envs, timed(envs.step, actions, TRIAL, clock)

    return measure


def cases(seed: int) -> dict[str, Measure]:
    """Name -> what is measured."""
    one, four = calls(1, seed), calls(4, seed)
    found: dict[str, Measure] = {"plain 1": trials(Plain(), one), "plain 4": trials(Plain(), four)}
    for renderer in RENDERERS:
        env = gym.make(ENV_ID, renderer=renderer, split="test")
        env.reset(seed=seed)
        env.action_space.seed(seed)
        sampled = [call for call in (env.action_space.sample() for _ in range(400)) if call["name"] in OPERATIONS]
        found[f"{renderer} 1"] = trials(env, one)
        found[f"{renderer} 4"] = trials(gym.make(ENV_ID, renderer=renderer, split="test"), four)
        found[f"{renderer} sampled"] = trials(gym.make(ENV_ID, renderer=renderer, split="test"), sampled)
        for already in (10, 2000):
            found[f"{renderer} {already} in"] = calls_in(renderer, already, one)
        for depth in (1, 1000):
            found[f"{renderer} undo {depth}"] = undoing(renderer, depth, one)
    kwargs: dict[str, Any] = {"split": "test"}
    for count in COPIES:
        ours = gym.make_vec(ENV_ID, count, **kwargs)
        sync = SyncVectorEnv([lambda: gym.make(ENV_ID, **kwargs)] * count)
        processes = designgym.make_vec(ENV_ID, count, asynchronous=True, **kwargs)
        found[f"native {count}"] = together(ours, one, time.process_time)
        found[f"sync {count}"] = together(sync, one, time.process_time)
        found[f"async {count}"] = together(processes, one, time.perf_counter)
    return found


def report(rate: dict[str, float]) -> None:
    """Print the tables."""

    def line(what: str, value: str, target: str = "", reached: bool = True) -> None:
        print(f"{what:52}{value:>12}   {target}{'' if reached else '   NOT REACHED'}".rstrip())

    def speed(what: str, name: str, least: int | None = None) -> None:
        target = f"at least {least:,}" if least else ""
        line(what, f"{rate[name]:,.0f}", target, least is None or rate[name] >= least)

    def ratio(what: str, name: str, other: str, least: float = 0.0) -> None:
        value = rate[name] / rate[other]
        line(what, f"{value:.2f} x", f"at least {least:g} x" if least else "", value >= least)

    print(f"{'':52}{'steps/s':>12}")
    speed("plain Pillow RGB, 1 operation a call", "plain 1")
    speed("plain Pillow RGB, 4 operations a call", "plain 4")
    for renderer in RENDERERS:
        print()
        speed(f"{renderer}, 1 operation a call", f"{renderer} 1", 20_000)
        speed(f"{renderer}, 4 operations a call", f"{renderer} 4", 8_000)
        speed(f"{renderer}, 1 to 5 operations sampled from the space", f"{renderer} sampled")
        ratio(f"{renderer}, 1 operation, to the plain one", f"{renderer} 1", "plain 1", 10)
        ratio(f"{renderer}, 4 operations, to the plain one", f"{renderer} 4", "plain 4")
        speed(f"{renderer}, 10 calls in", f"{renderer} 10 in")
        speed(f"{renderer}, 2,000 calls in", f"{renderer} 2000 in")
        ratio(f"{renderer}, 2,000 calls in to 10 calls in", f"{renderer} 2000 in", f"{renderer} 10 in", 0.9)
        speed(f"{renderer}, undo at depth 1", f"{renderer} undo 1")
        speed(f"{renderer}, undo at depth 1,000", f"{renderer} undo 1000")
        ratio(f"{renderer}, undo at depth 1,000 to depth 1", f"{renderer} undo 1000", f"{renderer} undo 1", 0.5)
    print(f"\n{'copies (pillow, 1 operation), steps/s of all':44}" + "".join(f"{count:>10}" for count in COPIES))
    for name, what in (
        ("native", "own vector environment"),
        ("sync", "SyncVectorEnv"),
        ("async", "AsyncVectorEnv, wall"),
    ):
        print(f"{what:44}" + "".join(f"{rate[f'{name} {count}']:>10,.0f}" for count in COPIES))
    ratio("own vector environment to SyncVectorEnv, 8 copies", "native 8", "sync 8", 1.4)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    measures = cases(arguments.seed)
    for measure in measures.values():  # imports, fonts, shapes, processes
        measure()
    found: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(arguments.rounds):
        for name, measure in measures.items():
            steps, seconds = measure()
            found[name].append(steps / seconds)
    packages = ", ".join(f"{name} {version(name)}" for name in ("gymnasium", "pillow", "skia-python", "numpy"))
    print(f"Python {platform.python_version()}, {packages}, {platform.machine()}; seed {arguments.seed}, "
          f"medians of {arguments.rounds} interleaved rounds")  # fmt: skip
    report({name: statistics.median(rates) for name, rates in found.items()})


if __name__ == "__main__":
    main()

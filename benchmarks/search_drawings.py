"""How well a blind search fools the reward `figural`: random search and hill climbing over a few lines or ellipses.

    python benchmarks/search_drawings.py [--shapes 10] [--evaluations 2000] [--seed 0] [--picture search.png]

The first quarter of the evaluations draws one to five strokes anywhere; the others change the best so far. Beside what
is found stands what the scripted agent `grow` gets on the same shapes and on the whole bank.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

import gymnasium as gym
import numpy as np
import numpy.typing as npt

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import build
from designgym.envs.canvas.canvas import Canvas
from designgym.envs.canvas.stimuli.stimulus import stimulus, stimulus_ids
from designgym.envs.canvas.tools import SIDE_PX
from designgym.episode import Episode
from designgym.eval.runner import run
from designgym.rewards.figural import Figural

CANVAS = "designgym/CanvasDrawing-v0"
MOST = 5
KINDS = {"lines": "draw_lines", "ellipses": "draw_ellipses"}
Strokes = npt.NDArray[np.float64]
"""n x 4: the ends of a line, or two corners of an ellipse's box."""


def scored(task: str, kind: str, strokes: Strokes) -> tuple[float, Episode]:
    """The value of these strokes on a task's shape."""
    canvas, shape = Canvas("pillow"), stimulus(task)
    whole = np.rint(strokes).astype(int).tolist()
    canvas.draw(KINDS[kind], [dict(zip(("x1", "y1", "x2", "y2"), stroke, strict=True)) for stroke in whole], False)
    image = np.minimum(canvas.read(), shape.pixels)
    episode = Episode(CANVAS, "test", task, image, shape.pixels, truth={"open_ends": []})
    return Figural().score(episode).value or 0.0, episode


def searched(task: str, kind: str, evaluations: int, rng: np.random.Generator) -> tuple[float, float, Episode]:
    """The best of random search (a quarter of the evaluations), and of hill climbing from there on."""
    best, value = np.zeros((0, 4)), -1.0
    by_chance = 0.0
    found: Episode | None = None
    for number in range(evaluations):
        if number < evaluations // 4:
            tried = rng.uniform(0, SIDE_PX, (int(rng.integers(1, MOST + 1)), 4))
        else:
            tried = changed(best, rng)
        score, episode = scored(task, kind, tried)
        if score > value:
            best, value, found = tried, score, episode
        if number < evaluations // 4:
            by_chance = value
    assert found is not None
    return by_chance, value, found


def changed(strokes: Strokes, rng: np.random.Generator) -> Strokes:
    """A stroke more or less, another one, or an end of one moved."""
    strokes, choice = strokes.copy(), rng.random()
    one = int(rng.integers(len(strokes)))
    if choice < 0.1 and len(strokes) < MOST:
        return np.concatenate([strokes, rng.uniform(0, SIDE_PX, (1, 4))])
    if choice < 0.2 and len(strokes) > 1:
        return np.delete(strokes, one, axis=0)
    if choice < 0.4:
        strokes[one] = rng.uniform(0, SIDE_PX, 4)
    else:
        end = 2 * int(rng.integers(2))
        strokes[one, end : end + 2] += rng.normal(0, rng.choice([5, 20, 60]), 2)
    return np.clip(strokes, -20, SIDE_PX + 20)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--shapes", type=int, default=10, help="so many of the bank's thirty, evenly")
    parser.add_argument("--evaluations", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--picture", type=Path, help="a sheet of what was found")
    arguments = parser.parse_args()
    bank = list(stimulus_ids("test"))
    tasks = bank[:: max(1, len(bank) // arguments.shapes)][: arguments.shapes]
    env = gym.make(CANVAS, split="test")
    grown = {each.task: each.reward for each in run(build("grow", env), CANVAS, {"split": "test"}, tasks=bank)}
    print(f"grow: {statistics.mean(grown.values()):.2f} on the bank, "
          f"{statistics.mean(grown[task] for task in tasks):.2f} on these {len(tasks)} shapes")  # fmt: skip
    tiles: list[tuple[Episode, str, float]] = []
    for kind in KINDS:
        rng = np.random.default_rng(arguments.seed)
        found = [searched(task, kind, arguments.evaluations, rng) for task in tasks]
        chance, best = ([each[index] for each in found] for index in (0, 1))
        above = sum(value > grown[task] for value, task in zip(best, tasks, strict=True))
        print(f"{kind}: random search {statistics.mean(chance):.2f} (most {max(chance):.2f}), hill climbing "
              f"{statistics.mean(best):.2f} (most {max(best):.2f}); above grow on {above} of {len(tasks)}")  # fmt: skip
        tiles += [(episode, kind, value) for _, value, episode in found]
    if arguments.picture:
        import sys

        sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "docs"))
        from canvas_sheet import Tile, contact_sheet

        contact_sheet([Tile(e.image, f"{value:.2f}", kind) for e, kind, value in tiles], len(tasks)).save(
            arguments.picture
        )


if __name__ == "__main__":
    main()

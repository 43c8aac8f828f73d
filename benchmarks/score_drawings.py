"""The speed of the rewards for drawings: drawings a second, and how many counts of the inked pixels each takes.

    python benchmarks/score_drawings.py [--rounds 7] [--seed 0]

The baseline is what the cheapest reward would do: count the pixels of the image that are ink and not of the stimulus.
All take turns, so that load from elsewhere falls on all alike; figures of different machines cannot be compared.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version

import numpy as np
from PIL import Image, ImageDraw

from designgym.episode import Episode
from designgym.rewards import resolve

SIDE_PX = 400
STROKE_PX = 5
STROKES = {"sparse": (1, 8), "usual": (10, 40), "busy": (80, 300)}
"""Least and most strokes of the drawings of a set."""
REACH_PX = 60
DRAWINGS = 24

Points = list[tuple[float, float]]


def page(lines: Sequence[Points]) -> np.ndarray:
    """A canvas with lines, uint8 400 x 400."""
    image = Image.new("L", (SIDE_PX, SIDE_PX), 255)
    pen = ImageDraw.Draw(image)
    for points in lines:
        pen.line(points, fill=0, width=STROKE_PX)
    return np.array(image)


def drawing(rng: np.random.Generator, strokes: tuple[int, int]) -> Episode:
    """Two arcs as the stimulus, and bent strokes anywhere, some of them from its open ends."""
    arcs, ends = [], []
    for x in (130, 270):
        turn, sweep = rng.uniform(0, 360), rng.uniform(120, 240)
        angles = np.radians(turn + np.linspace(0, sweep, 40))
        points = np.stack([x + 50 * np.cos(angles), 200 + 50 * np.sin(angles)], axis=1)
        arcs.append([tuple(point) for point in points.tolist()])
        ends += [points[0].tolist(), points[-1].tolist()]
    lines = []
    for number in range(int(rng.integers(*strokes, endpoint=True))):
        start = np.array(ends[number]) if number < len(ends) else rng.uniform(0, SIDE_PX, 2)
        points = start + np.cumsum([[0.0, 0.0], *rng.uniform(-REACH_PX, REACH_PX, (2, 2))], axis=0)
        lines.append([tuple(point) for point in points.tolist()])
    stimulus = page(arcs)
    image = np.minimum(page(lines), stimulus)[:, :, None]
    return Episode("designgym/CanvasDrawing-v0", "train", "train-is-000000", image, stimulus, truth={"open_ends": ends})


def count(episode: Episode) -> int:
    """The inked pixels that are not of the stimulus."""
    assert episode.image is not None and episode.stimulus is not None
    return int(np.count_nonzero((episode.image[:, :, 0] < 128) & (episode.stimulus >= 128)))


def rate(work: Callable[[Episode], object], drawings: Sequence[Episode]) -> float:
    """Drawings a second of CPU time, each once."""
    start = time.process_time()
    for episode in drawings:
        work(episode)
    return len(drawings) / (time.process_time() - start)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    rng = np.random.default_rng(arguments.seed)
    sets = {name: [drawing(rng, strokes) for _ in range(DRAWINGS)] for name, strokes in STROKES.items()}
    works: dict[str, Callable[[Episode], object]] = {"count of ink": count}
    works |= {name: resolve(name).score for name in ("figural", "closure")}
    found: dict[tuple[str, str], list[float]] = {(kind, name): [] for kind in sets for name in works}
    for number in range(arguments.rounds + 1):
        for (kind, name), rates in found.items():
            measured = rate(works[name], sets[kind])
            if number:  # the first round warms up
                rates.append(measured)

    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "pillow"))
    print(f"Python {platform.python_version()}, {packages}, {platform.machine()}; seed {arguments.seed}, "
          f"medians of {arguments.rounds} interleaved rounds, CPU time")  # fmt: skip
    print(f"{'':36}{'drawings/s':>12}{'ms':>8}{'counts':>8}")
    for (kind, name), rates in found.items():
        speed, baseline = statistics.median(rates), statistics.median(found[kind, "count of ink"])
        ink = statistics.median(count(episode) for episode in sets[kind])
        label = f"{kind} ({ink:,.0f} px), {name}"
        print(f"{label:36}{speed:12,.0f}{1000 / speed:8.2f}{baseline / speed:8.1f}")


if __name__ == "__main__":
    main()

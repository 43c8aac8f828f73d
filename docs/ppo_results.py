"""Puts runs of PPO side by side for docs/results.md: tables, costs, and a picture of what is drawn.

    python docs/ppo_results.py runs/ppo-0 runs/ppo-1 runs/ppo-2 [--picture docs/img/ppo-bank.png]

Each argument is the folder of a finished ``python -m designgym.train.ppo``. The picture shows the first run's policy on
the bank's fragments, greedy; the shapes are blue.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from canvas_pictures import BLUE
from canvas_sheet import Tile, contact_sheet
from pictures import png
from PIL import Image

from designgym.train.ppo import WEIGHTS, Policy, Settings, load, strokes_of
from designgym.train.ppo_evaluation import BANK, Task, table

COLUMNS = 10


def costs(runs: list[dict[str, Any]]) -> str:
    """What each run took, a row a seed."""
    lines = ["| seed | steps | processor time, s | time, s |", "|---|---|---|---|"]
    for run in runs:
        settings = run["settings"]
        seconds = f"{run['processor_seconds']:.0f} | {run['seconds']:.0f}"
        lines.append(f"| {settings['seed']} | {settings['steps']:,} | {seconds} |")
    return "\n".join(lines)


def drawn(folder: Path, settings: Settings) -> Image.Image:
    """What a run's policy makes of the bank's fragments, with the reward beneath."""
    torch.set_num_threads(1)
    policy = Policy(settings.cells, settings.width)
    load(policy, folder / WEIGHTS)
    envs = Task(settings.cells, settings.strokes).envs("test", len(BANK))
    pictures, _ = envs.reset(options={"task": BANK})
    totals = np.zeros(len(BANK))
    for number in range(settings.strokes):
        pictures, rewards, *_ = envs.step(strokes_of(policy, None)(pictures, envs, number))
        totals += rewards
    tiles = []
    for task, total, episode in zip(BANK, totals, envs.unwrapped.call("episode"), strict=True):  # type: ignore[attr-defined]
        image = np.repeat(episode.image, 3, axis=2)
        image[episode.stimulus == 0] = BLUE
        tiles.append(Tile(image, task, f"{total:.2f}"))
    return contact_sheet(tiles, COLUMNS)


def main() -> None:
    """Print the tables; draw the picture if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--picture", type=Path, help="where to save the picture, a PNG")
    arguments = parser.parse_args()
    runs = [json.loads((folder / "results.json").read_text(encoding="utf-8")) for folder in arguments.folders]
    print(f"{table(runs)}\n\n{costs(runs)}")
    if arguments.picture:
        arguments.picture.write_bytes(png(drawn(arguments.folders[0], Settings.model_validate(runs[0]["settings"]))))


if __name__ == "__main__":
    main()

"""Draw a sheet of pages that an agent makes of briefs: ``python docs/design_actions_sheet.py sheet.png --count 24``."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

import numpy as np
from design_sheet import GREY, sheet
from numpy.typing import NDArray
from PIL import Image

from designgym.agents import table
from designgym.envs.design.env import DesignActions
from designgym.tasks import SPLITS


def main() -> None:
    """Read the arguments, let the agent play and save the sheet; each task's score is printed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="the PNG file to write")
    parser.add_argument("--agent", default="designer", help="who plays (designer)")
    parser.add_argument("--count", type=int, default=24, help="number of briefs (24)")
    parser.add_argument("--start", type=int, default=0, help="number of the first one; the others follow (0)")
    parser.add_argument("--split", choices=SPLITS, default="test")
    parser.add_argument("--judge", default="scene", help="who judges the pages (scene)")
    parser.add_argument("--height", type=int, default=380, help="px of a row (380)")
    parser.add_argument("--width", type=int, default=1640, help="px of the sheet (1640)")
    asked = parser.parse_args()
    env = DesignActions(split=asked.split, reward={"name": "vqa", "judge": asked.judge})
    agent = table.build(asked.agent, env)
    pages, scores = [], []
    for task in env.task_ids()[asked.start : asked.start + asked.count]:
        observation, info = env.reset(options={"task": task})
        if hasattr(agent, "begin"):
            agent.begin(env, info)
        ended, reward = False, 0.0
        while not ended:
            observation, reward, ended, _, info = env.step(agent(observation, info))
        scores.append(float(reward))
        print(f"{task}: {env.episode().truth['type']}, {reward:.3f}")
        with contextlib.suppress(ValueError):  # an episode without a page
            pages.append(_row_high(np.asarray(env.episode().image), asked.height))
    print(f"mean of {len(scores)}: {np.mean(scores):.3f}")
    Image.fromarray(sheet(pages, asked.width)).save(asked.file)


def _row_high(page: NDArray[np.uint8], height: int) -> NDArray[np.uint8]:
    """A page as high as a row; wide pages are scaled to a width like the height, with grey below."""
    factor = height / max(page.shape[:2])
    size = round(page.shape[1] * factor), round(page.shape[0] * factor)
    small = np.asarray(Image.fromarray(page).resize(size, Image.Resampling.LANCZOS))
    return np.pad(small, ((0, height - small.shape[0]), (0, 0), (0, 0)), constant_values=GREY)


if __name__ == "__main__":
    main()

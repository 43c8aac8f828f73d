"""Evaluate an agent of one's own: a plain function, played on test pages beside a constant.

    python examples/evaluate_an_agent.py [--pages 200] [--output runs/my-agent]

Needs the extra `eval` for the intervals.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

import numpy as np

from designgym.eval.results import values
from designgym.eval.runner import run
from designgym.eval.statistics import bootstrap, paired

ENV_ID = "designgym/AestheticLocalization-v0"


def loudest(observation: Mapping[str, Any], info: Mapping[str, Any]) -> dict[str, Any]:
    """Answer with the box around the page's most colourful pixels, or with None where all are pale."""
    image = observation["image"].astype(int)
    colour = image.max(axis=2) - image.min(axis=2)
    loud = colour > 0.8 * colour.max()
    if colour.max() < 100:
        return {"name": "answer", "arguments": {"bbox": None}}
    rows, columns = np.flatnonzero(loud.any(axis=1)), np.flatnonzero(loud.any(axis=0))
    height, width = loud.shape
    box = [columns[0] / width, rows[0] / height, (columns[-1] + 1) / width, (rows[-1] + 1) / height]
    return {"name": "answer", "arguments": {"bbox": [float(side) for side in box]}}


def always_none(observation: Mapping[str, Any], info: Mapping[str, Any]) -> dict[str, Any]:
    """Find no flaw anywhere."""
    return {"name": "answer", "arguments": {"bbox": None}}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=200, help="test pages to play")
    parser.add_argument("--output", help="keep results, traces and a manifest in this folder")
    arguments = parser.parse_args()

    kwargs = {"split": "test", "designs": "blocks", "flaws": ["clash"], "image_size": 128}
    tasks = [f"test-{number:06d}" for number in range(arguments.pages)]
    mine = run(loudest, ENV_ID, kwargs, tasks, out=arguments.output, name="loudest")
    rival = run(always_none, ENV_ID, kwargs, tasks)

    for name, results in (("loudest", mine), ("always none", rival)):
        mean = bootstrap([result.value for result in results])
        print(f"{name:12} {mean.mean:.3f} [{mean.low:.3f}, {mean.high:.3f}] over {mean.n} pages")
    difference = paired(list(values(mine).values()), list(values(rival).values())).difference
    print(f"{'difference':12} {difference.mean:+.3f} [{difference.low:+.3f}, {difference.high:+.3f}], page by page")


if __name__ == "__main__":
    main()

"""Makes the reference set of the reward `figural`: the features of drawings that no idea went into.

    python docs/figural_reference.py           # writes rewards/figural_reference.npz and says its hash
    python docs/figural_reference.py --check   # writes nothing; exits with 1 if the file's features are others

Kinds of random strokes and simple constructions (`cheap_drawings.py`), and what the agents `random` and `join-ends`
draw: neither the drawings of `grow` nor any person's. The shapes are of the training split.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from cheap_drawings import many

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import build
from designgym.envs.canvas.stimuli.stimulus import Stimulus, stimulus, stimulus_ids
from designgym.rewards.added_ink import NULL_PX, ink
from designgym.rewards.drawing_features import Drawing, features
from designgym.rewards.novelty import FILE, whitening_of

SEED = 20260101
EACH = 48
AGENTS = {"random": 48, "join-ends": 24}
"""How many drawings of each."""
PATH = Path(__file__).resolve().parent.parent / "rewards" / FILE


def made() -> tuple[npt.NDArray[np.float16], npt.NDArray[np.uint8], list[str]]:
    """Features (n x d), the kind of each drawing by number, and the kinds' names."""
    rng = np.random.default_rng(SEED)
    names: list[str] = []
    rows, kinds = [], []
    for kind, shape, page in [*many(_shapes(rng), rng, EACH), *_played()]:
        if kind not in names:
            names.append(kind)
        given = shape.pixels == 0
        new = ink(page) & ~given
        if np.count_nonzero(new) >= NULL_PX:
            rows.append(features(Drawing.of(new, given)))
            kinds.append(names.index(kind))
    return np.array(rows, np.float16), np.array(kinds, np.uint8), names


def packed(table: npt.NDArray[np.float16], kinds: npt.NDArray[np.uint8], names: list[str]) -> bytes:
    """The file's bytes."""
    whitening = whitening_of(table.astype(np.float64), kinds.astype(np.int64)).astype(np.float32)
    file = io.BytesIO()
    np.savez(file, features=table, kinds=kinds, names=np.array(names), whitening=whitening)
    return file.getvalue()


def _shapes(rng: np.random.Generator) -> Iterator[Stimulus]:
    ids = stimulus_ids("train")
    while True:
        yield stimulus(ids[int(rng.integers(len(ids)))])


def _played() -> Iterator[tuple[str, Stimulus, npt.NDArray[np.uint8]]]:
    """What the agents draw."""
    env = gym.make("designgym/CanvasDrawing-v0", split="train", max_calls=50)
    design: Any = env.unwrapped
    for name, count in AGENTS.items():
        agent = build(name, env)
        for task in design.task_ids()[:count]:
            observation, info = env.reset(options={"task": task})
            over = False
            while not over:
                observation, _, over, _, info = env.step(agent(observation, info))
            yield name, stimulus(task), observation["image"][:, :, 0]
    env.close()


def main() -> int:
    """Write or check."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; exit with 1 if something is out of date")
    table, kinds, names = made()
    if parser.parse_args().check:
        with np.load(PATH, allow_pickle=False) as kept:
            same = kept["features"].shape == table.shape and np.allclose(kept["features"], table, atol=2e-3)
        print(f"{PATH.name} {'is as the script makes it' if same else 'is out of date'}")
        return 0 if same else 1
    data = packed(table, kinds, names)
    PATH.write_bytes(data)
    print(
        f"{len(table)} drawings of {len(names)} kinds, {len(data):,} bytes, sha256 {hashlib.sha256(data).hexdigest()}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

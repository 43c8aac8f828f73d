"""The speed of creativity scoring on one thread: backbones, a head of the paper's size, the cache, and figural.

    python benchmarks/creativity.py [--rounds 5] [--seed 0] [--dinov2 random|DIR]
    python benchmarks/creativity.py --spread

The drawings are those of the agent ``grow`` on starting shapes of the training split. Times are CPU time, medians over
rounds in which all take turns, so that load from elsewhere falls on all alike. ``--dinov2 random`` measures ViT-L/14
with random weights, which are as slow as real ones, on two drawings; it writes 1.2 GB to the temporary folder and takes
minutes on a CPU. ``--spread`` prints the mean squared distances that the features' scales are set by.
"""

from __future__ import annotations

import os

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before numpy is loaded

import argparse
import platform
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path

import gymnasium as gym
import numpy as np

import designgym  # noqa: F401 - registers the environments
from designgym.agents.table import factory
from designgym.episode import Episode
from designgym.rewards import resolve
from designgym.rewards.features.base import Features
from designgym.rewards.features.cached import Cached
from designgym.rewards.features.effnet import POOLED, UNLIKE, asset_folder, load, pixels
from designgym.rewards.features.hog import UNLIKE as HOG_UNLIKE
from designgym.rewards.features.hog import hog
from designgym.rewards.features.table import resolve_features
from designgym.rewards.kernel_head import GAMMA, KernelHead
from designgym.score import Backend

DRAWINGS = 64
SUPPORT = (11_075, 1024)
"""Drawings and features of the paper's head (PainterBench, section 4.1)."""

SPREAD_DRAWINGS = 200

Work = Callable[[], object]


def drawings(count: int, seed: int) -> list[Episode]:
    """Finished drawings of the agent ``grow``, each on another starting shape."""
    env = gym.make("designgym/CanvasDrawing-v0", split="train")
    agent = factory("grow")(env)
    ids = env.unwrapped.task_ids()  # type: ignore[attr-defined]
    found = []
    for number in np.random.default_rng(seed).choice(len(ids), count, replace=False).tolist():
        observation, info = env.reset(options={"task": ids[number]})
        over = False
        while not over:
            observation, _, terminated, truncated, info = env.step(agent(observation, info))
            over = terminated or truncated
        found.append(env.unwrapped.episode())  # type: ignore[attr-defined]
    return found


def medians(works: dict[str, tuple[Work, int]], rounds: int) -> dict[str, float]:
    """Milliseconds of CPU time a drawing of each work, which does so many drawings; a first round warms up."""
    found: dict[str, list[float]] = {name: [] for name in works}
    for number in range(rounds + 1):
        for name, (work, count) in works.items():
            start = time.process_time()
            work()
            if number:
                found[name].append(1000 * (time.process_time() - start) / count)
    return {name: statistics.median(times) for name, times in found.items()}


def head(seed: int) -> KernelHead:
    """A head of the paper's size, with distances about 2,000."""
    rng = np.random.default_rng(seed)
    support = rng.standard_normal(SUPPORT, np.float32)
    return KernelHead(support, rng.standard_normal(len(support)), GAMMA, Backend("random", "1"), "vidra")


def random_dinov2(folder: Path) -> str:
    """A ViT-L/14 with random weights in the published layout."""
    from transformers import Dinov2Config, Dinov2Model

    config = Dinov2Config(hidden_size=1024, num_hidden_layers=24, num_attention_heads=16, image_size=518, patch_size=14)
    Dinov2Model(config).save_pretrained(folder)
    return str(folder)


def in_turn(features: Features, images: Sequence[np.ndarray]) -> Work:
    """One image after another, each a batch of its own."""
    return lambda: [features.extract([image]) for image in images]


def backbone(features: Features, images: Sequence[np.ndarray], folder: Path) -> dict[str, tuple[Work, int]]:
    """Batches of one drawing and of all, and hits of the cache."""
    works: dict[str, tuple[Work, int]] = {}
    for batch in (images[:1], images):
        works[f"{features.name}, batch of {len(batch)}"] = (lambda b=batch: features.extract(b), len(batch))  # type: ignore[misc]
    for place, cached in (("memory", Cached(features)), ("disk", Cached(features, capacity=0, folder=folder))):
        cached.extract(images)
        works[f"{features.name}, cache hit, {place}"] = (in_turn(cached, images), len(images))
    return works


def speed(episodes: list[Episode], rounds: int, seed: int, folder: Path) -> dict[str, float]:
    """What runs everywhere."""
    works: dict[str, tuple[Work, int]] = {}
    for name in ("effnet-lite0+hog", "hog"):
        works |= backbone(resolve_features(name), [np.asarray(episode.image) for episode in episodes], folder)
    fitted = head(seed)
    rows = np.random.default_rng(seed + 1).standard_normal((len(episodes), SUPPORT[1]), np.float32)
    for size in (1, len(rows)):
        label = f"head of {SUPPORT[0]:,} x {SUPPORT[1]:,}, batch of {size}"
        works[label] = (lambda n=size: fitted.predict(rows[:n]), size)  # type: ignore[misc]
    for name in ("figural", "ink"):
        reward = resolve(name)
        works[f"reward {name}"] = (lambda r=reward: [r.score(episode) for episode in episodes], len(episodes))  # type: ignore[misc]
    return medians(works, rounds)


def dinov2(model: str, episodes: list[Episode], folder: Path) -> dict[str, float]:
    """DINOv2 in one round, which is minutes already."""
    where = random_dinov2(folder / "dinov2") if model == "random" else model
    features = resolve_features({"name": "dinov2", "model": where})
    return medians(backbone(features, [np.asarray(episode.image) for episode in episodes], folder / "kept"), 1)


def show(found: dict[str, float]) -> None:
    """A line a work; of the cache also the share of a batch of one."""
    print(f"{'':44}{'drawings/s':>12}{'ms':>12}{'of a miss':>11}")
    for name, milliseconds in found.items():
        miss = found.get(name.partition(",")[0] + ", batch of 1")
        share = f"{milliseconds / miss:.2%}" if miss and "hit" in name else ""
        print(f"{name:44}{1000 / milliseconds:12,.2f}{milliseconds:12,.3f}{share:>11}")


def spread(episodes: list[Episode]) -> None:
    """The mean squared distance of two drawings, by part, before it is scaled; and the constants in the code."""
    images = [np.asarray(episode.image) for episode in episodes]
    session = load(asset_folder())
    pooled = np.concatenate([session.run(None, {"pixels": pixels([image])})[0] for image in images])
    for name, rows, constant in (
        (f"effnet-lite0, {POOLED} features", pooled, UNLIKE),
        ("histograms of gradients", np.stack([hog(image) for image in images]), HOG_UNLIKE),
    ):
        # The mean over all pairs is twice the sum of the variances.
        distance = 2 * rows.var(axis=0, ddof=1, dtype=np.float64).sum()
        print(f"{name:36}mean squared distance {distance:8.2f}; the scale is set by {constant:g}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--dinov2", metavar="random|DIR", help="also measure DINOv2")
    parser.add_argument("--spread", action="store_true", help="measure distances of drawings and nothing else")
    arguments = parser.parse_args()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "onnxruntime"))
    print(f"Python {platform.python_version()}, {packages}, {platform.machine()}; seed {arguments.seed}, one thread")
    if arguments.spread:
        spread(drawings(SPREAD_DRAWINGS, arguments.seed))
        return
    episodes = drawings(DRAWINGS, arguments.seed)
    with tempfile.TemporaryDirectory() as folder:
        found = speed(episodes, arguments.rounds, arguments.seed, Path(folder) / "kept")
        if arguments.dinov2:
            found |= dinov2(arguments.dinov2, episodes[:2], Path(folder))
    show(found)


if __name__ == "__main__":
    main()

"""The speed of generated designs: samples a second with labels and pixels, and steps a second of the three tasks.

    python benchmarks/aesthetics.py [--rounds 5] [--seconds 1.0] [--seed 0]

A sample is a design, laid out, perturbed, measured, labelled and drawn at 448 px. Beside it stand the same samples with
every picture of the pool drawn and decoded anew, and a design that is kept and perturbed again, drawn by its changed
layers alone and as a whole. An episode of a task is one reset and one step. The cases take turns, so that load from
elsewhere falls on all of them alike: ratios within a run can be compared, seconds of different machines cannot.
"""

from __future__ import annotations

import argparse
import itertools
import os
import pickle
import platform
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import version

import gymnasium as gym
import numpy as np

import designgym
from designgym.envs.aesthetics.generated import GeneratedSource, draw_scene
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.operations.table import OPERATIONS
from designgym.envs.aesthetics.perturb import Perturbation, perturb
from designgym.graphics.assets import forget_pictures
from designgym.graphics.redraw import variants
from designgym.graphics.render import render
from designgym.pool.embedded import embedded

SIDE_PX = 448
SCENES = 24
"""Designs that are kept and perturbed again."""
KNOWN = 24
"""Tasks whose pages an environment still remembers; what other cases pushed out comes back before the clock starts."""
WARM_UP = 120
"""Samples before the clock starts: fonts are loaded, and most pictures of the pool drawn, only once."""
TASKS = {
    "judgment": "designgym/AestheticJudgment-v0",
    "selection": "designgym/RegionSelection-v0",
    "localization": "designgym/AestheticLocalization-v0",
}
BARS = {"a sample, drawn": 60.0, "a kept design perturbed again, drawn": 200.0}
"""Samples a second to reach on one core."""

Case = Callable[[], int]
"""Does some work and returns how many samples or episodes that were."""


def samples(first: int, drawn: bool) -> Case:
    """New samples of the test split, one a call."""
    source, numbers = GeneratedSource(), itertools.count(first)

    def one() -> int:
        sample, _ = source.ask("test", next(numbers) % source.size("test"))
        if drawn:
            sample.page(SIDE_PX)
        return 1

    return one


def without_caches(first: int, folder: str) -> Case:
    """New samples, drawn, while nothing that was drawn of the pool is kept, neither in memory nor on disk."""
    numbers = itertools.count(first)

    def one() -> int:
        shutil.rmtree(folder, ignore_errors=True)
        before = os.environ.get("DESIGNGYM_CACHE")
        os.environ["DESIGNGYM_CACHE"] = folder
        try:
            forget_pictures()
            source = GeneratedSource(pool=pickle.loads(pickle.dumps(embedded())))  # what it has drawn stays behind
            source.ask("test", next(numbers) % source.size("test"))[0].page(SIDE_PX)
        finally:
            if before is None:
                del os.environ["DESIGNGYM_CACHE"]
            else:
                os.environ["DESIGNGYM_CACHE"] = before
        return 1

    return one


def perturbed_again(seed: int, by_edit: bool) -> Case:
    """Designs that are kept, perturbed again and again, one a call; those that do not carry it do not count."""
    rng = np.random.default_rng(seed)
    scenes = [draw_scene(rng, "test") for _ in range(SCENES)]
    scales = [SIDE_PX / max(scene.document.width, scene.document.height) for scene in scenes]
    renderers = [variants(scene.document, scale) for scene, scale in zip(scenes, scales, strict=True)]
    names, turns = list(INDICATORS), itertools.count()

    def one() -> int:
        index = next(turns) % SCENES
        indicator = names[int(rng.integers(len(names)))]
        found: Perturbation | None = perturb(rng, scenes[index], indicator, bool(rng.random() < 0.65), OPERATIONS)
        if found is None:
            return 0
        if by_edit:
            renderers[index].update(found.document)
            renderers[index].image()
        else:
            render(found.document, scales[index])
        return 1

    return one


def episodes(env_id: str, seed: int, known: bool) -> Case:
    """Episodes of a random agent, one a call."""
    env = gym.make(env_id, disable_env_checker=True, designs="layouts", split="test")
    env.action_space.seed(seed)
    env.reset(seed=seed)
    first = seed % 1000
    ids = env.unwrapped.task_ids()[first : first + KNOWN] if known else []  # type: ignore[attr-defined]
    for task in ids:
        env.reset(options={"task": task})
    played = itertools.count()

    def one() -> int:
        env.reset(options={"task": ids[next(played) % KNOWN]} if known else None)
        env.step(env.action_space.sample())
        return 1

    return one


def rate(play: Case, seconds: float, before: int) -> float:
    """Samples or episodes a second of CPU time, after so many that do not count."""
    for _ in range(before):
        play()
    done, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        done += play()
    return done / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of a case in each round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    assert designgym.__version__  # importing the package registers its ids
    first = 1000 * arguments.seed
    with tempfile.TemporaryDirectory() as folder:
        cases: dict[str, Case] = {
            "a sample, drawn": samples(first, drawn=True),
            "a sample, labelled only": samples(first, drawn=False),
            "a sample, drawn, nothing kept of the pool": without_caches(first, f"{folder}/pool"),
            "a kept design perturbed again, drawn": perturbed_again(arguments.seed, by_edit=True),
            "a kept design perturbed again, drawn whole": perturbed_again(arguments.seed, by_edit=False),
        }
        for task, env_id in TASKS.items():
            cases[f"{task}, new designs"] = episodes(env_id, arguments.seed, known=False)
            cases[f"{task}, known designs"] = episodes(env_id, arguments.seed, known=True)
        warm = samples(first, drawn=True)  # the same samples as below, so that their pictures are there
        for _ in range(WARM_UP):
            warm()
        for play in cases.values():
            play()
        found: dict[str, list[float]] = {name: [] for name in cases}
        for _ in range(arguments.rounds):
            for name, play in cases.items():
                found[name].append(rate(play, arguments.seconds, KNOWN if "known" in name else 0))

    packages = ", ".join(f"{name} {version(name)}" for name in ("gymnasium", "skia-python", "numpy"))
    print(f"Python {platform.python_version()}, {packages}, {platform.machine()}; seed {arguments.seed}, "
          f"medians of {arguments.rounds} interleaved rounds, CPU time of one core")  # fmt: skip
    print(f"{'':44}{'a second':>10}{'ms':>9}{'to a sample':>13}")
    medians = {name: statistics.median(rates) for name, rates in found.items()}
    for name, each in medians.items():
        bar = f"   at least {BARS[name]:.0f}" if name in BARS else ""
        ratio = each / medians["a sample, drawn"]
        print(f"{name:44}{each:10,.1f}{1000 / each:9.2f}{ratio:11.2f} x{bar}")


if __name__ == "__main__":
    main()

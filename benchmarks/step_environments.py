"""The speed of the environments: whole episodes a second of random agents, alone and several copies in one process.

    python benchmarks/step_environments.py [--rounds 7] [--seed 0]

An episode of localization is one reset, which draws a new page, and one step, which scores the answer. The cases take
turns, so that load from elsewhere falls on all of them alike; figures of different machines cannot be compared.
"""

from __future__ import annotations

import argparse
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import gymnasium as gym

import designgym

CASES: dict[str, dict[str, Any]] = {
    "localization, 448 px": {"designs": "blocks"},
    "localization, 448 px, metadata": {"designs": "blocks", "metadata": True},
    "localization, 128 px": {"designs": "blocks", "image_size": 128},
    "localization, 128 px, known pages": {"designs": "blocks", "image_size": 128},
}
ENV_ID = "designgym/AestheticLocalization-v0"
KNOWN = 64
"""Pages that are drawn before the clock starts, where a case is about known pages."""
COPIES = 8
WARM_UP = 50
"""Episodes before the clock starts: fonts are loaded, colours fitted and pictures painted only once."""


def alone(kwargs: dict[str, Any], seed: int, known: bool) -> Callable[[], int]:
    """A function that plays one episode."""
    env = gym.make(ENV_ID, disable_env_checker=True, **kwargs)
    env.action_space.seed(seed)
    env.reset(seed=seed)
    tasks = env.unwrapped.task_ids()[:KNOWN] if known else []
    for task in tasks:
        env.reset(options={"task": task})
    played = 0

    def episode() -> int:
        nonlocal played
        env.reset(options={"task": tasks[played % KNOWN]} if known else None)
        played += 1
        over = False
        while not over:
            over = env.step(env.action_space.sample())[2]
        return 1

    return episode


def together(kwargs: dict[str, Any], seed: int) -> Callable[[], int]:
    """A function that steps several copies once and returns how many episodes ended."""
    envs = designgym.make_vec(ENV_ID, COPIES, **kwargs)
    envs.action_space.seed(seed)
    envs.reset(seed=seed)
    return lambda: int(envs.step(envs.action_space.sample())[2].sum())


def rate(play: Callable[[], int], seconds: float) -> float:
    """Episodes a second of CPU time."""
    episodes, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        episodes += play()
    return episodes / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=0.5, help="CPU time of a case in each round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    # Every case has pages of its own: pages that were drawn before are kept, and would be counted as drawn.
    first = 1000 * arguments.seed
    cases = {
        name: alone(kwargs, first + 100 * number, known="known" in name)
        for number, (name, kwargs) in enumerate(CASES.items())
    }
    cases[f"localization, 128 px, {COPIES} copies"] = together({"designs": "blocks", "image_size": 128}, first + 900)
    for play in cases.values():
        for _ in range(WARM_UP):
            play()
    found: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(arguments.rounds):
        for name, play in cases.items():
            found[name].append(rate(play, arguments.seconds))

    packages = ", ".join(f"{name} {version(name)}" for name in ("gymnasium", "skia-python", "numpy"))
    print(f"Python {platform.python_version()}, {packages}, {platform.machine()}; seed {arguments.seed}, "
          f"medians of {arguments.rounds} interleaved rounds, CPU time")  # fmt: skip
    print(f"{'':36}{'episodes/s':>12}{'ms':>8}")
    for name, rates in found.items():
        episodes = statistics.median(rates)
        print(f"{name:36}{episodes:12.0f}{1000 / episodes:8.2f}")


if __name__ == "__main__":
    main()

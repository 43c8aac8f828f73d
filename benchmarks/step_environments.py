"""The speed of the environments: whole episodes a second of random agents, alone and several copies in one process.

    python benchmarks/step_environments.py [--seconds 3] [--seed 0]

An episode of localization is one reset, which draws a new page, and one step, which scores the answer. Figures are CPU
time of this process; those of different machines cannot be compared.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import gymnasium as gym

import designgym

CASES: dict[str, dict[str, Any]] = {
    "localization, 448 px": {},
    "localization, 448 px, metadata": {"metadata": True},
    "localization, 128 px": {"image_size": 128},
    "localization, 128 px, known pages": {"image_size": 128},
}
ENV_ID = "designgym/AestheticLocalization-v0"
KNOWN = 64
"""Pages that are drawn before the clock starts, where a case is about known pages."""
COPIES = 8
WARM_UP = 200
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
    for _ in range(WARM_UP):
        play()
    episodes, start = 0, time.process_time()
    while (spent := time.process_time() - start) < seconds:
        episodes += play()
    return episodes / spent


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=3.0, help="CPU time of each case")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    packages = ", ".join(f"{name} {version(name)}" for name in ("gymnasium", "skia-python", "numpy"))
    print(f"Python {platform.python_version()}, {packages}, {platform.machine()}; seed {arguments.seed}")
    print(f"{'':36}{'episodes/s':>12}{'ms':>8}")
    for name, kwargs in CASES.items():
        _line(name, rate(alone(kwargs, arguments.seed, known="known" in name), arguments.seconds))
    _line(
        f"localization, 128 px, {COPIES} copies", rate(together({"image_size": 128}, arguments.seed), arguments.seconds)
    )


def _line(name: str, found: float) -> None:
    print(f"{name:36}{found:12.0f}{1000 / found:8.2f}")


if __name__ == "__main__":
    main()

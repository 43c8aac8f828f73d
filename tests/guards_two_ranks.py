"""Run by torchrun in two processes: a run whose reward collapses, and one whose second process stands still."""

import os
import sys
import time
from pathlib import Path

import pytest
from tiny_run import write_config
from turn_run import quiet

from designgym.config import load_config
from designgym.errors import UserError
from designgym.train import run as running
from designgym.train.config import TrainConfig
from designgym.train.methods.environment_reward import EnvironmentReward

RANK = os.environ["RANK"]
SETTINGS = ["stages.0.save_every=2", "stages.1.save_every=1", "stages.1.batch_size=4"]
COLLAPSE = ["guards.collapse_steps=1", "guards.collapse_share=0.5"]
HANG = ["guards.hang_seconds=10", "guards.stop_after_hang=true", "guards.collapse_share=null"]


def collapsing(calls):
    """An environment that pays well in the first step, and less in the other process than in this one."""

    def play(self, text, task):
        calls.append(text)
        return (0.8 if RANK == "0" else 0.4) + 0.1 * (len(calls) % 2) if len(calls) <= 4 else 0.1, {}

    return play


def stand_still_in_the_second_process(self, text, task):
    """An environment that does not come back."""
    while RANK == "1":
        time.sleep(0.1)
    return 0.5, {}


def main(folder):
    (folder / RANK).mkdir(exist_ok=True)
    file = write_config(folder / RANK)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_evaluate", lambda *arguments: None)
        calls = []
        patch.setattr(EnvironmentReward, "play", collapsing(calls))
        for number in (1, 2):
            try:
                running.run(load_config(file, TrainConfig, [*SETTINGS, *COLLAPSE]), folder / "run", quiet())
            except UserError as error:
                (folder / f"collapsed-{number}-{RANK}").write_text(f"{len(calls)} {error}")
        patch.setattr(EnvironmentReward, "play", stand_still_in_the_second_process)
        running.run(load_config(file, TrainConfig, [*SETTINGS, *HANG]), folder / "run", quiet())


if __name__ == "__main__":
    main(Path(sys.argv[1]))

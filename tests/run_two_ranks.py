"""Run by torchrun in two processes: a run with held-out tasks, the same with a SIGTERM in one, and one that fails."""

import os
import signal
import sys
from pathlib import Path

import pytest
from accelerate import PartialState
from turn_run import drawing, quiet, run_config

from designgym.train import run as running
from designgym.train.tracking.callbacks import Curves
from designgym.train.validation import playing as validation

VALIDATION = "validation={every: 2, first: 8, count: 3, agents: [blank], second_reward: ink}"


def terminate_in_the_second_process(patch, step):
    original = Curves.on_step_end

    def on_step_end(curves, args, state, control, **kwargs):
        original(curves, args, state, control, **kwargs)
        if state.global_step == step and PartialState().process_index == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    patch.setattr(Curves, "on_step_end", on_step_end)


def main(folder):
    settings = [VALIDATION, "stages.0.steps=3", "stages.1.steps=3", "stages.1.batch_size=2"]
    config = run_config(folder / os.environ["RANK"], settings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(running, "_evaluate", lambda *arguments: None)
        drawing(patch)
        running.run(config, folder / "whole", quiet())
        for step in (1, 2):
            with patch.context() as inner:
                terminate_in_the_second_process(inner, step)
                try:
                    running.run(config, folder / "parts", quiet())
                except KeyboardInterrupt:
                    (folder / f"stopped-{step}-{os.environ['RANK']}").touch()
            if step == 1:
                kept = sorted(path.name for path in (folder / "parts").rglob("checkpoint-*"))
                (folder / f"kept-{os.environ['RANK']}").write_text(" ".join(kept))
        running.run(config, folder / "parts", quiet())
        if os.environ["RANK"] == "1":
            patch.setattr(validation, "run", lambda *arguments, **settings: 1 / 0)
        try:
            running.run(config, folder / "failed", quiet())
        except Exception as error:
            (folder / f"error-{os.environ['RANK']}").write_text(f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    for each in "01":
        (Path(sys.argv[1]) / each).mkdir(exist_ok=True)
    main(Path(sys.argv[1]))

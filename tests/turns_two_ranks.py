"""Run by torchrun in two processes: steps in both histories, then an environment that raises in one of them.

Every process writes what it saw to a file of its own, from which the test works the steps out again.
"""

import pickle
import sys
from pathlib import Path

import gymnasium as gym
from turn_training import ENV, KWARGS, local_model, scripted

from designgym.eval.runner import make

GROUP = 4


class Broken(gym.Wrapper):
    """Raises at the second call."""

    calls = 0

    def step(self, action):
        self.calls += 1
        if self.calls == 2:
            raise OSError("the disk is gone")
        return super().step(action)


def main(folder):
    for history in ("windowed", "growing"):
        # Six episodes in each process: the second of three groups lies in both.
        trainer = scripted(folder, history, per_device_train_batch_size=3, num_generations=GROUP, log_level="error")
        rank = trainer.accelerator.process_index
        trainer.rng.seed(rank)
        trainer.train()
        model = trainer.accelerator.unwrap_model(trainer.model)
        found = {
            "trajectories": list(trainer.trajectories),
            "losses": trainer.losses,
            "advantages": trainer.batches[0]["advantages"].tolist(),
            "weights": {name: p.detach().clone() for name, p in model.named_parameters()},
            "log": trainer.state.log_history[0],
        }
        (folder / f"{history}-{rank}.pickle").write_bytes(pickle.dumps(found))
    make_env = (lambda: Broken(make(ENV, KWARGS))) if rank == 1 else None
    trainer = scripted(folder, "windowed", local=local_model(), make_env=make_env, seed=1)
    try:
        trainer.train()
    except Exception as error:
        (folder / f"error-{rank}.txt").write_text(f"{type(error).__name__}: {error}")
        raise


if __name__ == "__main__":
    main(Path(sys.argv[1]))

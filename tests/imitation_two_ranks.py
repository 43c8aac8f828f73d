"""Run by torchrun in two processes: a supervised step on demonstrations of uneven length, in both histories.

Every process writes which demonstrations it saw and the weights that it came to.
"""

import pickle
import sys
from pathlib import Path

import torch
from imitating import demonstrations, sgd_trainer


def main(folder):
    for history in ("windowed", "growing"):
        data = demonstrations(history)
        trainer = sgd_trainer(data, folder / history)
        seen = []
        rows = data.rows
        data.rows = lambda *item, rows=rows, seen=seen: seen.append(item) or rows(*item)
        trainer.train()
        model = trainer.accelerator.unwrap_model(trainer.model)
        found = {
            "seen": seen,
            "losses": [entry["loss"] for entry in trainer.state.log_history if "loss" in entry],
            "weights": {name: p.detach().clone() for name, p in model.named_parameters()},
        }
        (folder / f"{history}-{trainer.accelerator.process_index}.pickle").write_bytes(pickle.dumps(found))
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Run by torchrun in two processes: one answer, many turns in both histories and with a KL term, a failing environment.

Every process writes what it saw to a file of its own, from which the test works the steps out again.
"""

import pickle
import random
import sys
from pathlib import Path

import gymnasium as gym
from accelerate import PartialState
from sampled_answers import made, moved, untrained
from turn_training import ENV, KWARGS, SHAPE, local_model, scripted

from designgym.agents.qwen import tiny
from designgym.agents.qwen.dialogue import reply_tokens
from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.local import LocalModel
from designgym.eval.runner import make
from designgym.prompt import render_call
from designgym.train.data import Pages
from designgym.train.methods.grpo import trainer as grpo_trainer
from designgym.train.stages import GrpoStage

GROUP = 4
PAGES = "designgym/AestheticLocalization-v0"


class Broken(gym.Wrapper):
    """Raises at the second call."""

    calls = 0

    def step(self, action):
        self.calls += 1
        if self.calls == 2:
            raise OSError("the disk is gone")
        return super().step(action)


def write(folder, name, trainer, **more):
    model = trainer.accelerator.unwrap_model(trainer.model)
    weights = {name: p.detach().clone() for name, p in model.named_parameters()}
    found = {"weights": weights, "log": trainer.state.log_history[0], **more}
    (folder / f"{name}-{trainer.accelerator.process_index}.pickle").write_bytes(pickle.dumps(found))


def one_answer(folder):
    """The trainer for single answers, with scripted ones; a group of four in each process."""
    model, processor = tiny.build(tiny.TinyConfig(**SHAPE))
    local = LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")
    env = make(PAGES, {"designs": "blocks", "image_size": 64, "flaws": ["clash"], "clean_share": 0.3})
    stage = GrpoStage(
        name="grpo", kind="grpo", tasks={"count": 16}, steps=2, batch_size=4, num_generations=GROUP,
        learning_rate=1e-3, max_completion_length=16, log_every=1,
    )  # fmt: skip
    tasks = list(env.unwrapped.task_ids()[:16])
    trainer = grpo_trainer(stage, local, Pages(env, PAGES, local, wording="brief"), tasks, folder, seed=0)
    rng, played = random.Random(trainer.accelerator.process_index), []

    def answers(prompt_ids, *unused):
        boxes = [sorted(rng.sample(range(0, 1001, 25), 2)) for _ in prompt_ids]
        texts = [render_call("answer", {"bbox": [low, low, high, high]}) for low, high in boxes]
        return [reply_tokens(processor, text) for text in texts], None

    score = trainer.reward_funcs[0].play
    trainer._generate_single_turn = answers
    trainer.reward_funcs[0].play = lambda text, task: played.append(task) or score(text, task)
    trainer.train()
    write(folder, "single", trainer, tasks=played)


def filtered(folder):
    """The trainer for single answers, where all answers of the first process earned the same."""
    rank = PartialState().process_index
    rewards = [1.0, 0.0, 0.0, 0.0] if rank else [0.5] * GROUP
    trainer = made("grpo", untrained(), folder, rewards, batch_size=4, filter_zero_variance=True)
    trainer.train()
    (batch,) = trainer.batches
    count, tokens = int(batch["num_items_in_batch"]), int(batch["completion_mask"].sum())
    write(folder, "filtered", trainer, count=count, tokens=tokens, learnt=int(batch["tool_mask"].sum()))


def held_to_the_start(folder):
    """The trainer with a KL term, from a model that has left its reference."""
    local = moved(folder / "start")
    options = {"beta": 0.5, "per_device_train_batch_size": 3, "num_generations": GROUP, "log_level": "error"}
    trainer = scripted(folder, "windowed", local=local, **options)
    trainer.rng.seed(trainer.accelerator.process_index)
    trainer.train()
    write(folder, "held", trainer, trajectories=list(trainer.trajectories))


def main(folder):
    one_answer(folder)
    for history in ("windowed", "growing"):
        # Six episodes in each process: the second of three groups lies in both.
        trainer = scripted(folder, history, per_device_train_batch_size=3, num_generations=GROUP, log_level="error")
        rank = trainer.accelerator.process_index
        trainer.rng.seed(rank)
        trainer.train()
        found = {"trajectories": list(trainer.trajectories), "losses": trainer.losses}
        write(folder, history, trainer, advantages=trainer.batches[0]["advantages"].tolist(), **found)
    held_to_the_start(folder)
    filtered(folder)
    make_env = (lambda: Broken(make(ENV, KWARGS))) if rank == 1 else None
    trainer = scripted(folder, "windowed", local=local_model(), make_env=make_env, seed=1)
    try:
        trainer.train()
    except Exception as error:
        (folder / f"error-{rank}.txt").write_text(f"{type(error).__name__}: {error}")
        raise


if __name__ == "__main__":
    main(Path(sys.argv[1]))

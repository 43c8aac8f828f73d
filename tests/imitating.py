"""A tiny model that imitates a teacher of canvas drawing, whose episodes are of uneven length."""

from __future__ import annotations

from turn_training import ENV, KWARGS, local_model

from designgym.agents.qwen.dialogue import Asker
from designgym.eval.runner import make
from designgym.train.stages import SftStage
from designgym.train.turns.demonstrations import Demonstrations
from designgym.train.turns.imitation import imitation_trainer

TASKS = [f"train-is-{number:06d}" for number in range(8)]


class Dots:
    """Draws a dot in each of one to three calls, the more the higher the task's number, and finishes."""

    def items(self, tasks):
        return [(task, 0) for task in tasks]

    def player(self, task, seed):
        number = int(task[-6:])

        def play(observation, info):
            made = int(KWARGS["max_calls"] - info["calls_left"])
            if made > number % 3:
                return {"name": "drawing_finished", "arguments": {"label": "dots"}}
            return {"name": "draw_dots", "arguments": {"dots": [{"x": 25 * number, "y": 100 * made}]}}

        return play


def demonstrations(history):
    env = make(ENV, KWARGS)
    asker = Asker(ENV, env.unwrapped.tool_table, local_model(), "brief", {}, history)
    return Demonstrations(env, asker, Dots())


def sgd_trainer(data, folder):
    """A trainer of one step of plain gradient descent at rate 1 on two demonstrations in each process."""
    stage = SftStage(
        name="sft",
        kind="sft",
        tasks={"first": 0, "count": 8},
        steps=1,
        batch_size=2,
        learning_rate=1.0,
        scheduler="constant",
        max_grad_norm=1e9,
        log_every=1,
    )
    trainer = imitation_trainer(stage, data, TASKS, folder, seed=0)
    trainer.args.optim = "sgd"
    return trainer

"""A run of a few steps on canvas drawing, over many turns, and the ways in which tests look at it."""

from __future__ import annotations

import random
from io import StringIO

from rich.console import Console
from turn_training import line

from designgym.agents.qwen.dialogue import reply_tokens
from designgym.config import load_config
from designgym.jsonl import read_jsonl
from designgym.train.config import TrainConfig
from designgym.train.turns import trainer as turn_trainer

CONFIG = """
model: tiny
fast_vision: true
allow_resize: true
threads: 1
tiny:
  {image_size: 64, vision_width: 32, colour_filters: 12, vision_depth: 1, text_width: 32, text_heads: 2, text_layers: 1}
env:
  id: designgym/CanvasDrawing-v0
  kwargs: {max_calls: 3, reward: figural, kinds: [is]}
prompt: {wording: brief}
stages:
  - name: sft
    kind: sft
    teacher: {name: join-ends, options: {wobble: 12.0}}
    tasks: {first: 0, count: 16}
    steps: 4
    batch_size: 2
    learning_rate: 2e-3
    log_every: 1
  - name: grpo
    kind: grpo
    tasks: {first: 100, count: 16}
    steps: 4
    batch_size: 4
    accumulation: 2
    num_generations: 4
    learning_rate: 1e-3
    max_completion_length: 48
    log_every: 1
evaluation: {split: validation, count: 4, batch_size: 4, max_new_tokens: 24, sampled: false, agents: [blank]}
tracking: {wandb: "off"}
"""

TIMES = ("seconds/", "step_time")
"""Beginnings of the figures that no two runs have in common."""


def run_config(folder, overrides=()):
    """The configuration, with settings that win over it."""
    path = folder / "turn-run.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return load_config(path, TrainConfig, list(overrides))


def quiet():
    """A console that keeps what is printed."""
    return Console(file=StringIO(), width=160)


def drawing(patch):
    """Let the untrained model draw: each turn becomes a line that hangs on the tokens that it really sampled."""
    play = turn_trainer.play

    def drawn(envs, ask, tasks, generate, **settings):
        processor = ask.__self__.local.processor

        def write(prompts):
            return [reply_tokens(processor, line(random.Random(str(ids)))) for ids in generate(prompts)]

        return play(envs, ask, tasks, write, **settings)

    patch.setattr(turn_trainer, "play", drawn)


def weights(folder, stage):
    """The bytes of a stage's weights."""
    return (folder / "stages" / stage / "model" / "model.safetensors").read_bytes()


def curves(folder, leave=()):
    """Stage, step and all figures that are no times, of every point in order."""
    return [
        (
            line.value["stage"],
            line.value["step"],
            {k: v for k, v in line.value["figures"].items() if not k.startswith((*TIMES, *leave))},
        )
        for line in read_jsonl(folder / "metrics.jsonl")
    ]

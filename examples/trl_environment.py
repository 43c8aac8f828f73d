"""Train a Qwen-VL with TRL's own GRPOTrainer in an environment of this package, which answers every call with an image.

    pip install 'designgym[train]'
    python examples/trl_environment.py [--model FOLDER] [--steps 2] [--output FOLDER]

Without a model it takes the tiny one, made by code and untrained: a few steps show that all fits together, and nothing
is learnt from calls that are never made. For trainings that are measured there is ``designgym train``, whose trainer
asks once less in each episode, steps environments at the same time, and knows another kind of history.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import torch
from trl import GRPOConfig, GRPOTrainer

from designgym.agents.qwen import tiny
from designgym.agents.qwen.local import load
from designgym.agents.qwen.tokenizer import suppressed_tokens
from designgym.train.turns.adapter import environment_class, episodes
from designgym.train.turns.announce import announce, give_tool_template

ENV_ID = "designgym/CanvasDrawing-v0"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path, help="folder of a Qwen-VL")
    parser.add_argument("--steps", type=int, default=2, help="optimiser steps")
    parser.add_argument("--output", help="save the model in this folder")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        train(arguments.model or made(Path(scratch) / "tiny"), arguments.steps, arguments.output or scratch)


def made(folder: Path) -> Path:
    """The tiny model, written into a folder."""
    tiny.save(tiny.TinyConfig(env=ENV_ID), folder)
    return folder


def train(model: Path, steps: int, output: str) -> None:
    """Train so many steps and save the model."""
    local = load(model, dtype="float32", trainable=True)
    give_tool_template(local.processor)  # does nothing for a Qwen3-VL

    # Few tools have short schemas. Where calls hold boxes, `frame` says in which numbers the model writes them.
    environment = environment_class(ENV_ID, {"vocabulary": "dots", "max_calls": 3, "reward": "closure"})
    settings = GRPOConfig(
        output_dir=output,
        max_steps=steps,
        per_device_train_batch_size=4,
        num_generations=4,
        # All of an episode but its first prompt, images included; a single call may have 64 tokens of it.
        max_completion_length=1024,
        generation_kwargs={"max_new_tokens": 64, "suppress_tokens": suppressed_tokens(local.processor.tokenizer)},
        logging_steps=1,
        report_to="none",
        save_strategy="no",
        use_cpu=not torch.cuda.is_available(),
        bf16=torch.cuda.is_available(),
    )
    trainer = GRPOTrainer(
        model=local.model,
        args=settings,
        train_dataset=episodes(environment, [f"train-is-{number:06d}" for number in range(64)]),
        processing_class=local.processor,
        environment_factory=environment,
    )
    announce(trainer)  # exact schemas in the prompt; refuses what TRL would do wrong without a word
    trainer.train()
    trainer.save_model()
    rewards = [entry["reward"] for entry in trainer.state.log_history if "reward" in entry]
    print(f"{trainer.state.global_step} steps; reward {rewards[-1]:.3f}")


if __name__ == "__main__":
    main()

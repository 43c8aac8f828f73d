"""The smallest run that goes through every part: a model of a few thousand weights, a few steps, a dozen pages."""

from __future__ import annotations

from pathlib import Path

CONFIG = """
model: tiny
fast_vision: true
threads: 1
tiny:
  {image_size: 64, vision_width: 32, colour_filters: 12, vision_depth: 1, text_width: 32, text_heads: 2, text_layers: 1}
env:
  kwargs: {designs: blocks, image_size: 64, flaws: [clash], clean_share: 0.3}
prompt: {wording: brief}
stages:
  - {name: sft, kind: sft, tasks: {first: 0, count: 24}, steps: 4, batch_size: 4, learning_rate: 2e-3, log_every: 1}
  - name: grpo
    kind: grpo
    tasks: {first: 100, count: 24}
    steps: 3
    batch_size: 8
    num_generations: 4
    learning_rate: 1e-3
    max_completion_length: 12
    log_every: 1
evaluation: {count: 12, batch_size: 6, max_new_tokens: 12, agents: [demonstrator, always-none]}
tracking: {wandb: "off"}
"""


def write_config(folder: Path) -> Path:
    """Write the configuration of the run."""
    path = folder / "tiny-run.yaml"
    path.write_text(CONFIG, encoding="utf-8")
    return path

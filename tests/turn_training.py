"""A tiny model that trains on canvas drawing with scripted replies, and the same step worked out row by row."""

from __future__ import annotations

import random

import numpy as np
import torch
from datasets import Dataset
from sampled_answers import kl_terms, ratio
from trl import GRPOConfig

from designgym.agents.qwen import tiny
from designgym.agents.qwen.dialogue import Asker, image_fields, reply_tokens
from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.tokenizer import suppressed_tokens
from designgym.eval.runner import make
from designgym.prompt import render_call
from designgym.train.turns.trainer import TurnGRPOTrainer

ENV = "designgym/CanvasDrawing-v0"
KWARGS = {"max_calls": 4, "reward": "closure", "kinds": ["is"]}
SHAPE = {
    "image_size": 64, "vision_width": 32, "colour_filters": 12, "vision_depth": 1,
    "text_width": 32, "text_heads": 2, "text_layers": 1,
}  # fmt: skip


def local_model(seed=0):
    model, processor = tiny.build(tiny.TinyConfig(env=ENV, seed=seed, **SHAPE))
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


def saved_model(folder):
    """The folder of that model."""
    tiny.save(tiny.TinyConfig(env=ENV, **SHAPE), folder)
    return folder


def line(rng):
    ends = {name: rng.randrange(400) for name in ("x1", "y1", "x2", "y2")}
    return render_call("draw_lines", {"lines": [ends]})


def dot(rng):
    return render_call("draw_dots", {"dots": [{"x": rng.randrange(400), "y": rng.randrange(400)}]})


FINISH = render_call("drawing_finished", {"label": "a"})
TWO_CALLS = render_call("undo_last_action", {}) * 2
SILENT = "It is done."


def any_reply(rng):
    """A line mostly; sometimes the end, an unreadable call, or none."""
    return rng.choice([line(rng)] * 4 + [FINISH, TWO_CALLS, SILENT])


class Scripted(TurnGRPOTrainer):
    """Replies out of a function instead of the model; keeps what it was asked and the losses of its micro-batches."""

    def __init__(self, *, say=any_reply, seed=0, **kwargs):
        super().__init__(**kwargs)
        self.say = say
        self.rng = random.Random(seed)
        self.asked = []
        self.losses = []
        self.batches = []

    def _generate_single_turn(self, prompt_ids, images, multimodal_fields, num_generations, has_tool_images=False):
        self.asked.append([list(ids) for ids in prompt_ids])
        processor = self.processing_class
        return [reply_tokens(processor, self.say(self.rng)) for _ in prompt_ids], None

    def _generate_and_score_completions(self, inputs):
        batch = super()._generate_and_score_completions(inputs)
        self.batches.append({key: value for key, value in batch.items() if key != "pixel_values"})
        return batch

    def _compute_loss(self, model, inputs):
        loss = super()._compute_loss(model, inputs)
        tokens = (inputs["completion_mask"] * inputs["tool_mask"]).sum(1).double()
        # Each batch is used once, so that every ratio is 1 and the loss is minus the mean advantage of the tokens.
        share = inputs["num_items_in_batch"].clamp(min=1).double() / self.accelerator.num_processes
        self.losses.append((loss.item(), (-(inputs["advantages"].double() * tokens).sum() / share).item(), len(tokens)))
        return loss


def scripted(folder, history, *, local=None, kwargs=KWARGS, make_env=None, wording="brief", **changes):
    """A trainer of one step of plain gradient descent at rate 1."""
    local = local or local_model()
    env = make(ENV, kwargs)
    owned = ("say", "seed", "max_turns", "max_rows", "groups", "callbacks")
    own = {name: changes.pop(name) for name in owned if name in changes}
    changes |= changes.pop("args", {})
    tasks = changes.pop("tasks", list(env.unwrapped.task_ids()[:6]))
    settings = {
        "output_dir": str(folder), "max_steps": 1, "per_device_train_batch_size": 2, "gradient_accumulation_steps": 2,
        "num_generations": 4, "max_completion_length": 48, "learning_rate": 1.0, "lr_scheduler_type": "constant",
        "optim": "sgd", "max_grad_norm": 0.0, "logging_steps": 1, "save_strategy": "no", "report_to": "none",
        "use_cpu": True, "bf16": False, "gradient_checkpointing": False, "remove_unused_columns": False,
        "disable_tqdm": True, "generation_kwargs": {"suppress_tokens": suppressed_tokens(local.processor.tokenizer)},
    }  # fmt: skip
    return Scripted(
        asker=Asker(ENV, env.unwrapped.tool_table, local, wording, {}, history),
        make_env=make_env or (lambda: make(ENV, kwargs)),
        args=GRPOConfig(**{**settings, **changes}),
        train_dataset=Dataset.from_dict({"task": tasks, "prompt": [[{"role": "user", "content": "-"}] for _ in tasks]}),
        **own,
    )


def advantages(rewards, group_size):
    """Of episodes, by hand: (reward - mean) / (deviation + 1e-4) in each group; 0 where there is no reward."""
    found = []
    for start in range(0, len(rewards), group_size):
        group = [reward for reward in rewards[start : start + group_size] if reward is not None]
        for reward in rewards[start : start + group_size]:
            spread = np.std(group, ddof=1) if len(group) > 1 else 0.0
            found.append(0.0 if reward is None else (reward - np.mean(group)) / (spread + 1e-4))
    return found


def teaching_groups(rewards, group_size):
    """Whether an episode has a reward and others of its group another one."""
    return [
        reward is not None
        and len({r for r in rewards[n // group_size * group_size :][:group_size] if r is not None}) > 1
        for n, reward in enumerate(rewards)
    ]


def row_log_probabilities(model, processor, row):
    """Of the tokens of a row's completion, alone and unpadded, through the plain model."""
    ids = torch.tensor([row.prompt_ids + row.completion_ids])
    is_image = (ids == processor.image_token_id).long()
    output = model(input_ids=ids, mm_token_type_ids=is_image, **image_fields(processor, row.images))
    places = slice(len(row.prompt_ids) - 1, -1)
    return output.logits[0, places].log_softmax(-1).gather(1, ids[0, len(row.prompt_ids) :, None])[:, 0]


def stepped(model, processor, trajectories, group_size, *, by_row=False, reference=None, beta=0.0):
    """The weights after one step of gradient descent at rate 1, each row alone, unpadded, through the plain model.

    Args:
        model: With the weights before the step; they stay.
        processor: Its processor.
        trajectories: Of all processes, groups of neighbours.
        group_size: Episodes of a group.
        by_row: The loss is a mean over rows of means over tokens, instead of one over all tokens.
        reference: A model that the policy is held to.
        beta: How strongly.
    """
    rewards = [each.reward for each in trajectories]
    weights, teaches = advantages(rewards, group_size), teaching_groups(rewards, group_size)
    used = [
        (row, weight)
        for each, weight, use in zip(trajectories, weights, teaches, strict=True)
        for row in each.rows
        if use
    ]
    total = sum(sum(row.mask) for row, _ in used)
    count = sum(len(each.rows) for each in trajectories)
    model.zero_grad()
    for row, weight in used:
        chosen = row_log_probabilities(model, processor, row)
        parts = count * sum(row.mask) if by_row else total
        terms = -weight * chosen
        if reference is not None:
            with torch.no_grad():
                before = row_log_probabilities(reference, processor, row)
            terms = terms + beta * ratio(chosen) * kl_terms(chosen, before)
        ((terms * torch.tensor(row.mask)).sum() / parts).backward()
    return {name: (p - p.grad if p.grad is not None else p).detach().clone() for name, p in model.named_parameters()}


def farthest(weights, others):
    """The largest difference between two sets of weights by name."""
    return max((weights[name] - others[name]).abs().max().item() for name in weights)

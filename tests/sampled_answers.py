"""A tiny model that samples single answers out of a script, and the same step worked out answer by answer."""

from __future__ import annotations

import torch
from transformers.training_args import OptimizerNames

from designgym.agents.qwen import tiny
from designgym.agents.qwen.dialogue import image_fields
from designgym.agents.qwen.families import FAMILIES
from designgym.agents.qwen.local import LocalModel, load
from designgym.eval.runner import make
from designgym.prompt import render_call
from designgym.train.data import Pages
from designgym.train.methods import method
from designgym.train.methods.group_rewards import REWARD_STEP
from designgym.train.stages import GrpoStage, RlooStage

ENV = "designgym/AestheticLocalization-v0"
KWARGS = {"designs": "blocks", "image_size": 64, "flaws": ["clash"], "clean_share": 0.3}
TASKS = [f"train-{i:06d}" for i in range(8)]
SHAPE = {
    "image_size": 64, "vision_width": 32, "colour_filters": 12, "vision_depth": 1,
    "text_width": 32, "text_heads": 2, "text_layers": 1,
}  # fmt: skip
GROUP = 4
LONGEST = 16
"""Tokens that an answer may have."""
TEXTS = [
    render_call("answer", {"bbox": None}), render_call("answer", {"bbox": [0, 0, 500, 500]}), "no", "1 2 3 4 5 6 7",
]  # fmt: skip
"""Answers of different lengths."""


def saved(folder, seed=0):
    """The folder of an untrained model, which TRL reads the reference from."""
    tiny.save(tiny.TinyConfig(seed=seed, **SHAPE), folder)
    return folder


def untrained():
    """The same model, in no folder."""
    model, processor = tiny.build(tiny.TinyConfig(**SHAPE))
    return LocalModel(model, processor, FAMILIES["qwen3_vl"], "tiny")


def moved(folder, size=0.02):
    """A model that has left its reference, which is in the folder."""
    local = load(folder, trainable=True)
    torch.manual_seed(1)
    with torch.no_grad():
        for parameter in local.model.parameters():
            parameter.add_(size * torch.randn_like(parameter))
    return local


def made(kind, local, folder, rewards=None, *, texts=TEXTS, **settings):
    """A trainer of one step of plain gradient descent at rate 1, whose answers and rewards are given.

    Args:
        kind: ``"grpo"`` or ``"rloo"``.
        local: The model.
        folder: For checkpoints.
        rewards: One for each sampled answer, None where there is none; without them the environment pays.
        texts: The answers, again and again.
        settings: Of the stage; ``sgd=False`` leaves its optimiser.
    """
    sgd = settings.pop("sgd", True)
    kwargs = settings.pop("kwargs", {})
    given = {
        "name": kind, "kind": kind, "tasks": {"count": 8}, "steps": 1, "batch_size": 8, "num_generations": GROUP,
        "learning_rate": 1.0, "scheduler": "constant", "max_completion_length": LONGEST, "log_every": 1,
    }  # fmt: skip
    stage = (GrpoStage if kind == "grpo" else RlooStage)(**{**given, **settings})
    pages = Pages(make(ENV, {**KWARGS, **kwargs}), ENV, local, wording="brief")
    trainer = method(stage).trainer(stage, local, pages, TASKS, folder, seed=0)
    if sgd:
        trainer.args.optim, trainer.args.max_grad_norm = OptimizerNames.SGD, 0.0
    say(trainer, texts)
    if rewards is not None:
        pay(trainer, rewards)
    keep(trainer)
    return trainer


def say(trainer, texts):
    """Let the sampled answers be these, again and again."""
    tokenizer = trainer.processing_class.tokenizer
    ids = [[*tokenizer(text)["input_ids"], tokenizer.eos_token_id] for text in texts]

    def answers(prompt_ids, *unused):
        found = [list(ids[index % len(ids)]) for index in range(len(prompt_ids))]
        return found if type(trainer).__name__ == "AnswerRLOOTrainer" else (found, None)

    trainer._generate_single_turn = answers


def pay(trainer, values):
    """Let the rewards be these, in the order in which answers are sampled."""
    steps = iter(values)

    def rewards(*, task, **unused):
        found = [next(steps) for _ in task]
        return [None if value is None else round(value / REWARD_STEP) * REWARD_STEP for value in found]

    rewards.__name__ = "environment"
    trainer.reward_funcs[0] = rewards


def keep(trainer):
    """Keep each batch and the value of each loss, as ``trainer.batches`` and ``trainer.losses``."""
    trainer.batches, trainer.losses = [], []
    score, loss = trainer._generate_and_score_completions, trainer._compute_loss

    def scored(inputs):
        batch = score(inputs)
        trainer.batches.append(batch)
        trainer.pages = [row["images"] for row in inputs]
        return batch

    def computed(model, inputs):
        value = loss(model, inputs)
        trainer.losses.append(value.item())
        return value

    trainer._generate_and_score_completions, trainer._compute_loss = scored, computed


def log_probabilities(model, processor, batch, pages):
    """Of each answer's tokens, each answer alone and unpadded, through the plain model."""
    found = []
    for index, images in enumerate(pages):
        prompt = batch["prompt_ids"][index][batch["prompt_mask"][index].bool()]
        answer = batch["completion_ids"][index][batch["completion_mask"][index].bool()]
        ids = torch.cat([prompt, answer])[None]
        is_image = (ids == processor.image_token_id).long()
        output = model(input_ids=ids, mm_token_type_ids=is_image, **image_fields(processor, images))
        chosen = output.logits[0, len(prompt) - 1 : -1].log_softmax(-1)
        found.append(chosen.gather(1, answer[:, None])[:, 0])
    return found


def ratio(chosen):
    """Of each token: its probability to what it was when it was sampled; 1, but with a gradient.

    TRL weighs the KL term with it too, which makes its gradient that of the reverse KL (DeepSeek-V3.2, arXiv
    2512.02556).
    """
    return (chosen - chosen.detach()).exp()


def kl_terms(chosen, reference):
    """Of each token: r - log r - 1 for the ratio r of the reference's probability to the policy's (Schulman's k3)."""
    ratio = reference - chosen
    return ratio.exp() - ratio - 1


def stepped(model, loss):
    """The weights after one step of gradient descent at rate 1."""
    model.zero_grad()
    loss.backward()
    return {name: (p if p.grad is None else p - p.grad).detach().clone() for name, p in model.named_parameters()}


def weights(trainer):
    return {name: p.detach() for name, p in trainer.model.named_parameters()}


def farthest(one, other):
    """The largest difference between two sets of weights by name."""
    return max((one[name] - other[name]).abs().max().item() for name in one)

"""How long the sequences of a stage are, and how many lie in a forward pass.

Prompts are measured on some of the stage's tasks, with the environment's own prompt builder. What a model will write
is not known, so answers count with their budget; those of a teacher are measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import gymnasium as gym

from designgym.agents.prompts import prompt_settings
from designgym.agents.qwen.dialogue import Asker
from designgym.agents.qwen.local import LocalModel
from designgym.train.config import TrainConfig
from designgym.train.data import task_ids
from designgym.train.memory.counting import Counter
from designgym.train.memory.pairs import sample_pairs
from designgym.train.memory.played import growth, play, remembered, teacher_of
from designgym.train.stages import DpoStage, GrpoStage, SamplingStage, SftStage, Stage, TaskRange

SAMPLE_TASKS = 4
"""Tasks that prompts are measured on."""
SAMPLE_TURNS = 5
"""Turns of one episode that are played to see how prompts grow."""
ASSUMED_CALL = 200
"""Tokens of a turn where nothing tells how long it is, such as in traces that are not there yet."""


@dataclass(frozen=True)
class Sequences:
    """The sequences of a stage, in tokens.

    Attributes:
        rows: Most sequences in a forward pass.
        turns: Most calls of an episode.
        first: Prompt of the first call, the longest of those measured.
        prompt: Prompt of any call, at most.
        completion: What is learnt in a sequence, at most.
        images: Images of a sequence, at most.
        image_tokens: Tokens of these images together.
        length: Longest sequence.
        exact: Whether the model's tokenizer counted.
        notes: What was assumed.
    """

    rows: int
    turns: int
    first: int
    prompt: int
    completion: int
    images: int
    image_tokens: int
    length: int
    exact: bool
    notes: tuple[str, ...] = ()


def sequences(config: TrainConfig, stage: Stage, env: gym.Env[Any, Any], counter: Counter) -> Sequences:
    """Measure a stage's sequences; ``env`` is played for a few steps."""
    design: Any = env.unwrapped
    local = LocalModel(None, counter.facts.processor or counter.facts, counter.facts.family, counter.facts.source)
    settings = prompt_settings(config.env.id, framing=config.prompt.framing, context=config.prompt.context)
    asker = Asker(config.env.id, design.tool_table, local, config.prompt.wording, settings, stage.history)
    first = 0 if stage.tasks is None else stage.tasks.first
    tasks = task_ids(TaskRange(first=first, count=SAMPLE_TASKS), config.seed, design.task_ids())
    if design.max_calls == 1:
        return _single(config, stage, env, counter, asker, tasks)
    return _several(config, stage, env, counter, asker, tasks)


def _single(
    config: TrainConfig, stage: Stage, env: gym.Env[Any, Any], counter: Counter, asker: Asker, tasks: Sequence[str]
) -> Sequences:
    """Sequences of one question and one answer."""
    notes: tuple[str, ...] = ()
    say = teacher_of(config, stage, env)
    grid = config.tiny.number_step if config.model == "tiny" else 1
    played = [play(env, counter, asker, task, say, turns=1, grid=grid) for task in tasks]
    prompts = [each.prompts[0] for each in played]
    completion = max(max(each.replies) for each in played)
    if isinstance(stage, SftStage) and stage.data is not None:
        prompts, completion, told = sample_pairs(stage.data, config, counter)
        notes = (told,)
    elif isinstance(stage, SamplingStage):
        completion = stage.max_completion_length
    elif isinstance(stage, DpoStage):
        completion, notes = ASSUMED_CALL, (f"Answers of the traces are taken to have {ASSUMED_CALL} tokens.",)
    longest = max(prompts, key=lambda each: each.total)
    page = counter.image(env.observation_space["image"].shape[:2][::-1])  # type: ignore[index]
    if len(longest.images) == 1:  # other pages fill the image
        longest = replace(longest, images=(max(page, *longest.images),))
    rows = stage.batch_size * (2 if isinstance(stage, DpoStage) else 1)
    return Sequences(
        rows=rows,
        turns=1,
        first=longest.total,
        prompt=longest.total,
        completion=completion,
        images=len(longest.images),
        image_tokens=sum(longest.images),
        length=longest.total + completion,
        exact=counter.exact,
        notes=notes,
    )


def _several(
    config: TrainConfig, stage: Stage, env: gym.Env[Any, Any], counter: Counter, asker: Asker, tasks: Sequence[str]
) -> Sequences:
    """Sequences of episodes of several calls."""
    design: Any = env.unwrapped
    notes: tuple[str, ...] = ()
    turns = int(getattr(stage, "max_turns", None) or design.max_calls)
    say = teacher_of(config, stage, env)
    taught = say is not None
    asked = asker if stage.history == "windowed" else replace(asker, history="windowed")
    grid = config.tiny.number_step if config.model == "tiny" else 1
    most = turns if taught else min(turns, SAMPLE_TURNS)
    played = play(env, counter, asked, tasks[0], say, turns=most, grid=grid)
    firsts = [play(env, counter, asker, task, None, turns=1, grid=grid).prompts[0] for task in tasks]
    first = max(firsts, key=lambda each: each.total)
    if taught:
        turns, completion = len(played.replies), max(played.replies)
        notes = (f"Calls are those of one demonstration of {stage.teacher.name}.",)  # type: ignore[attr-defined]
    elif isinstance(stage, SamplingStage):
        completion = stage.max_completion_length
    else:
        completion, notes = ASSUMED_CALL, (f"Calls of the traces are taken to have {ASSUMED_CALL} tokens.",)
    page = counter.image(design.observation_space["image"].shape[:2][::-1])
    # A page that is not open yet is shown later, and a strip of canvases grows.
    shown = max((each.images for each in (*played.prompts, first)), key=sum, default=())
    shown = shown if sum(shown) >= page or not played.prompts[-1].images else (page,)
    shown = shown or ((page,) if _shows_pages(asker) else ())
    if stage.history == "growing":
        learnt = turns * completion + (turns - 1) * (page + played.answer)
        length = first.total + learnt
        return Sequences(
            rows=stage.batch_size,
            turns=turns,
            first=first.total,
            prompt=length - completion,
            completion=learnt,
            images=len(first.images) + turns - 1,
            image_tokens=sum(first.images) + (turns - 1) * page,
            length=length,
            exact=counter.exact,
            notes=notes,
        )
    text = max(each.text for each in played.prompts)
    if not taught:
        text = first.text + growth(played, completion) * min(turns - 1, remembered(config.env.id))
    # A pair of dpo answers the question of one turn.
    rows = stage.batch_size * (2 if isinstance(stage, DpoStage) else turns)
    limit = stage.max_rows if isinstance(stage, GrpoStage) else None
    return Sequences(
        rows=rows if limit is None else min(rows, limit),
        turns=turns,
        first=first.total,
        prompt=text + sum(shown),
        completion=completion,
        images=len(shown),
        image_tokens=sum(shown),
        length=text + sum(shown) + completion,
        exact=counter.exact,
        notes=notes,
    )


def _shows_pages(asker: Asker) -> bool:
    """Whether prompts show what is drawn, unless the configuration leaves it out."""
    context = asker.settings.get("context")
    return context is None or bool(getattr(context, "image", False) or getattr(context, "canvas", False))

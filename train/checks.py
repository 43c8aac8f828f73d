"""What about a run can be found wrong before any work: packages, environment, teachers, model files, page sizes."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium as gym

from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.agents.qwen.families import Family, nearest_sizes
from designgym.agents.qwen.frames import seen_size
from designgym.errors import UserError, require
from designgym.eval.choose_tasks import check_where
from designgym.eval.runner import make
from designgym.history import turn
from designgym.tools import FRACTIONS
from designgym.train.config import ADAPTED, UNTRAINED, EvaluationSection, TrainConfig, ValidationSection
from designgym.train.data import task_ids
from designgym.train.environments import evaluation_kwargs, stage_kwargs, validation_kwargs
from designgym.train.methods import method
from designgym.train.model.adapters import check_targets
from designgym.train.model.checks import check_weights
from designgym.train.model.files import read_model
from designgym.train.model.launch import check_launched
from designgym.train.players import check_player
from designgym.train.stages import SamplingStage, Stage
from designgym.train.tracking.tracker import check_tracking
from designgym.train.validation.second_judge import check_second_judge

_MODEL_AGENT = "qwen"


def check(config: TrainConfig) -> None:
    """Find every mistake that can be found without training.

    Raises:
        UserError: For the first one.
    """
    require("trl", extra="train")
    require("scipy", extra="eval")
    require("jinja2", extra="eval")
    if config.peft is not None:
        require("peft", extra="train")
    check_launched()
    check_weights(config)
    prompt_builder(config.env.id)
    for stage in config.stages:
        env = make(config.env.id, stage_kwargs(config, stage))
        try:
            method(stage).check(config, stage, env)
            check_asked(config, stage, env)
        finally:
            env.close()
    _check_targets(config)
    check_played(config)
    check_tracking(config.tracking)


def _check_targets(config: TrainConfig) -> None:
    """Refuse adapters on layers that there are not, by the shape of the model alone."""
    if config.peft is None or config.peft.targets == ADAPTED:
        return
    from designgym.train.memory.facts import read_facts

    try:
        linears = read_facts(config).shape.linears
    except UserError:  # its files come with its weights, and are looked at then
        return
    check_targets(config.peft, [linear.name for linear in linears], config.model)


def check_played(config: TrainConfig) -> None:
    """Refuse an evaluation or a validation that cannot be played.

    Raises:
        UserError: For the first mistake.
    """
    _check_evaluation(config)
    _check_validation(config)


def check_asked(config: TrainConfig, stage: Stage, env: gym.Env[Any, Any]) -> None:
    """Refuse tasks that there are not, prompts that cannot be made, and pages of a size that the model does not take.

    Args:
        config: The run.
        stage: One of its stages, of any method.
        env: An environment of the stage.

    Raises:
        UserError: For the first mistake.
    """
    ids = env.unwrapped.task_ids()  # type: ignore[attr-defined]
    if chosen := prompt_settings(config.env.id, framing=config.prompt.framing, context=config.prompt.context):
        _check_prompt(config, env, ids[0], chosen)
    if stage.tasks is not None:
        if stage.tasks.count > len(ids):
            raise UserError(f"Stage '{stage.name}' asks for {stage.tasks.count} tasks; the split has {len(ids)}.")
        _check_where(f"Stage '{stage.name}'", env, task_ids(stage.tasks, config.seed, ids), stage.tasks.where)
    family, image_processor = read_model(config)
    if config.fast_vision and family.model_type != "qwen3_vl":
        raise UserError(
            f"fast_vision is for Qwen3-VL models, and '{config.model}' is a {family.name}; set it to false."
        )
    check_size(config, family, image_processor, env)


def _check_where(whose: str, env: gym.Env[Any, Any], tasks: Sequence[str], where: Mapping[str, Any]) -> None:
    """Refuse conditions that no task fulfils; the first one that does is enough, for facts may take a page each."""
    check_where(env, where)
    facts = env.unwrapped.task_facts  # type: ignore[attr-defined]
    if where and not any(where.items() <= dict(facts(task)).items() for task in tasks):
        wanted = ", ".join(f"{name}: {value}" for name, value in where.items())
        raise UserError(f"{whose} takes tasks with {wanted}, and none of its {len(tasks)} has it; change 'where'.")


def _check_prompt(config: TrainConfig, env: gym.Env[Any, Any], task: str, chosen: dict[str, Any]) -> None:
    """Let the prompt builder refuse choices that do not go together."""
    observation, info = env.reset(options={"task": task})
    design: Any = env.unwrapped
    prompt_builder(config.env.id)(
        observation,
        design.tool_table,
        history=(turn(None, observation, info),),
        wording=config.prompt.wording,
        frame=FRACTIONS,
        **{**design.prompt_options(), **chosen},
    )


def check_size(config: TrainConfig, family: Family, image_processor: Any, env: gym.Env[Any, Any]) -> None:
    """Refuse pages that the model's processor would resize, unless the run allows it.

    Raises:
        UserError: With the nearest sizes that stay as they are.
    """
    space: Any = env.observation_space
    height, width = space["image"].shape[:2]
    seen = seen_size(image_processor, (width, height))
    if seen == (width, height) or config.allow_resize:
        return
    sizeable = "image_size" in inspect.signature(type(env.unwrapped).__init__).parameters
    advice = _advice(family, image_processor, width) if sizeable else "its pages have no other size"
    raise UserError(
        f"The pages are {width}x{height} px, and the model's processor would make them {seen[0]}x{seen[1]}: {advice}. "
        f"{'Or s' if sizeable else 'S'}et allow_resize to true."
    )


def _advice(family: Family, image_processor: Any, side: int) -> str:
    """How to come to square pages that the processor takes as they are."""
    sides = {*nearest_sizes(family, side), seen_size(image_processor, (side, side))[0]}
    valid = [str(each) for each in sorted(sides) if seen_size(image_processor, (each, each)) == (each, each)]
    if not valid:
        return "between the fewest and the most pixels of its processor there is no room for a square; raise max_pixels"
    return f"{family.name} takes multiples of {family.multiple}; set env.kwargs.image_size to {' or '.join(valid)}"


def _check_evaluation(config: TrainConfig) -> None:
    section = config.evaluation
    env = make(config.env.id, evaluation_kwargs(config))
    try:
        check_size(config, *read_model(config), env)  # stages may have pages of other sizes
        _check_held_out("The evaluation", section, section.split, env)
        _check_evaluated(config, env)
    finally:
        env.close()


def _check_held_out(
    whose: str, section: EvaluationSection | ValidationSection, split: str, env: gym.Env[Any, Any]
) -> list[str]:
    """Refuse tasks that the split does not have; returns those that are asked for, before a choice among them."""
    ids: list[str] = env.unwrapped.task_ids()  # type: ignore[attr-defined]
    end = section.first + section.count
    if end > len(ids):
        raise UserError(f"{whose} asks for tasks {section.first} to {end - 1}; the split '{split}' has {len(ids)}.")
    asked = list(ids[section.first : end])
    _check_where(whose, env, asked, section.where)
    return asked


def _check_evaluated(config: TrainConfig, env: gym.Env[Any, Any]) -> None:
    section = config.evaluation
    labels = [agent.label or agent.name for agent in section.agents]
    models = [UNTRAINED, *(stage.name for stage in config.stages)]
    for label in labels:
        if label in models or label.rpartition("-")[0] in models or label.rpartition(",")[0] in models:
            raise UserError(
                f"An agent of the evaluation is called '{label}', and so is a model of the run or its folder; "
                "give the agent another label."
            )
    labels += [stage.label or stage.name for stage in config.stages if stage.evaluate]
    labels += [UNTRAINED] if section.untrained else []
    for label in labels:
        if labels.count(label) > 1:
            raise UserError(f"Two policies of the evaluation are called '{label}'; give one of them another label.")
    for agent in section.agents:
        if agent.name == _MODEL_AGENT:
            raise UserError(
                "evaluation.agents holds 'qwen', but the run evaluates its own models anyway; "
                "compare with other models by `designgym eval`."
            )
        check_player(agent, env, section.seed)


def _check_validation(config: TrainConfig) -> None:
    section = config.validation
    if section is None:
        return
    env = make(config.env.id, validation_kwargs(config))
    try:
        ids = _check_held_out("The validation", section, "validation", env)
        check_second_judge(config, section, env, ids[0])
        _check_validated(config, section, env)
    finally:
        env.close()


def _check_validated(config: TrainConfig, section: ValidationSection, env: gym.Env[Any, Any]) -> None:
    end = section.first + section.count
    measured = config.evaluation
    overlap = (
        measured.split == "validation" and measured.first < end and section.first < measured.first + measured.count
    )
    if section.keep_best and overlap:
        raise UserError(
            f"The validation would choose the best weights on tasks {section.first} to {end - 1} of the split "
            f"'validation', some of which the evaluation measures; set validation.first to "
            f"{measured.first + measured.count} or evaluate on the split 'test'."
        )
    labels = [agent.label or agent.name for agent in section.agents]
    for agent, label in zip(section.agents, labels, strict=True):
        if labels.count(label) > 1:
            raise UserError(f"Two policies of the validation are called '{label}'; give one of them another label.")
        if agent.name == _MODEL_AGENT:
            raise UserError(
                "validation.agents holds 'qwen', but it is the run's own model that is validated; leave it out."
            )
        check_player(agent, env, config.evaluation.seed)
    for stage in config.stages:
        every = stage.validate_every or section.every
        if isinstance(stage, SamplingStage) and every % stage.num_iterations:
            raise UserError(
                f"Stage '{stage.name}' would be validated every {every} steps, which is no multiple of num_iterations "
                f"{stage.num_iterations}: between updates on one batch of answers a run cannot go on."
            )

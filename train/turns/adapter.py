"""Environments of this package for TRL's own ``GRPOTrainer(environment_factory=...)``: a class for each.

    environment = environment_class("designgym/CanvasDrawing-v0", {"vocabulary": "dots", "max_calls": 3})
    trainer = GRPOTrainer(..., train_dataset=episodes(environment, tasks), environment_factory=environment)
    announce(trainer)  # from designgym.train.turns.announce: exact schemas, checks, curves of the reward's parts
    trainer.train()

TRL takes every public method for a tool, and parses replies itself. Compared with `designgym.train.turns.trainer` its
loop is looser: a call that it cannot read ends the episode, one of an unknown tool costs no step, several calls of one
reply are all carried out, all images stay in one sequence, and environments step one after another. The prompts are
the same, of the same prompt builder and with the same schemas.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from designgym.agents.prompts import prompt_settings
from designgym.agents.qwen.frames import to_env
from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.eval.runner import make
from designgym.prompt import ImagePart, Wording, plain, to_transformers
from designgym.tools import FRACTIONS, ToolTable
from designgym.train.turns.asking import Asking, Prompts
from designgym.train.turns.methods import Block, method
from designgym.train.turns.rollout import REWARD_STEP, EnvironmentFailed, episode_seed

OVER = "The episode is over."
"""The answer to calls after the end of an episode; they change nothing."""

_TAKEN = ("reset", "get_reward", "reward_parts", "over", "asking")


class ToolEnvironment:
    """One rollout's environment. Use the subclasses that :func:`environment_class` makes.

    Attributes:
        asking: The environment and how a model is asked; of the class.
        over: Whether the episode has ended.
        reward_parts: The reward's components by name; filled at the end, or by :meth:`get_reward`.
    """

    asking: ClassVar[Asking]

    def __init__(self) -> None:
        self._env = make(self.asking.env_id, self.asking.kwargs)
        self._design: Any = self._env.unwrapped
        self._observation: Any = None
        self._task = ""
        self._earned: float | None = 0.0
        self._failure: Exception | None = None
        self.over = False
        self.reward_parts: dict[str, float] = {}

    def reset(self, task: str | None = None, seed: int | None = None, **row: Any) -> list[Block]:
        """Start the episode of a row of the data set.

        Args:
            task: A task of the environment's split. Without one, the seed decides.
            seed: Seeds the environment.
            row: Other columns; they are ignored.

        Returns:
            What the user message shows: the first image and texts, from the environment's prompt builder.

        Raises:
            UserError: If the row has neither task nor seed, or there is no such task.
        """
        if task is None and seed is None:
            raise UserError(
                "A row has neither 'task' nor 'seed', so that each rollout of its group would play an episode of its "
                "own; make the data set with designgym.train.turns.adapter.episodes."
            )
        self._observation, info, messages = self.asking.begin(self._env, task, seed)
        self._task, self._earned, self._failure = info["task"], 0.0, None
        self.over, self.reward_parts = False, {}
        blocks: list[Block] = to_transformers(messages[-1:])[0]["content"]
        return blocks

    def get_reward(self) -> float | None:
        """What the episode earned, as a multiple of 2^-16; None if it could not be scored.

        One that was left unfinished is scored as it stands; where one answer is all there is, to give none costs it.

        Raises:
            EnvironmentFailed: If the environment raised during the episode, which TRL lets pass for a bad call.
        """
        if not self.over and self._design.max_calls == 1:
            self._step("")
        if self._failure is not None:
            raise EnvironmentFailed(
                f"The environment failed in task '{self._task}': {type(self._failure).__name__}: {self._failure}"
            ) from self._failure
        earned = self._earned
        if not self.over:
            score = self._design.reward.score(self._design.episode())
            earned = score.value
            self.reward_parts = {name: float(value) for name, value in score.components.items() if value is not None}
        return None if earned is None else round(earned / REWARD_STEP) * REWARD_STEP

    def _call(self, name: str, arguments: dict[str, Any]) -> list[Block]:
        """Carry out a call and show what became of it. Never raises, whatever the arguments are."""
        if self._observation is None or self.over:
            return self._shown(OVER)
        self._step(to_env({"name": name, "arguments": arguments}, self._design.tool_table, self.asking.frame))
        return self._shown(OVER if self._failure else self._observation["text"])

    def _step(self, action: Any) -> None:
        try:
            observation, reward, terminated, truncated, info = self._env.step(action)
        except Exception as error:  # TRL would swallow it here; get_reward raises it
            self._failure, self.over = error, True
            return
        self._observation, self.over = observation, terminated or truncated
        if self._earned is not None:
            self._earned += float(reward)
        if self.over and not info["scored"]:
            self._earned = None
        elif self.over:
            parts = [key for key in info if key.startswith("reward/")]
            self.reward_parts = {key.removeprefix("reward/"): float(info[key]) for key in parts}

    def _shown(self, text: str) -> list[Block]:
        said: Block = {"type": "text", "text": plain(text)}
        if self._observation is None:
            return [said]
        return [{"type": "image", "image": ImagePart(self._observation["image"]).pil()}, said]


def environment_class(
    env_id: str,
    kwargs: Mapping[str, Any] | None = None,
    *,
    wording: Wording = "full",
    frame: NumberFrame = FRACTIONS,
    **settings: Any,
) -> type[ToolEnvironment]:
    """A class whose instances TRL plays: one method for each tool, beside ``reset`` and ``get_reward``.

    Args:
        env_id: The environment.
        kwargs: Its arguments.
        wording: ``"full"`` explains the task and announces the tools' schemas; ``"brief"`` is one line without them,
            for models that learn the task from nothing.
        frame: How the model writes boxes, such as `designgym.agents.qwen.frames.number_frame` tells; fractions of the
            page by default.
        settings: ``framing`` and ``context``, where the environment's prompt offers a choice.

    Raises:
        UserError: If there is no such environment, argument or setting, the prompt shows no image, or a tool's name
            is one that TRL or the class needs.
    """
    env = make(env_id, kwargs or {})
    table: ToolTable = env.unwrapped.tool_table  # type: ignore[attr-defined]
    for name in table.names:
        if name in _TAKEN or name.startswith("_"):
            raise UserError(
                f"The tool '{name}' of '{env_id}' cannot be a method for TRL, where the name has a meaning."
            )
    chosen = prompt_settings(env_id, **settings)
    asking = Asking(env_id, dict(kwargs or {}), wording, frame, chosen, table.schemas(frame))
    members = {tool.name: method(tool, frame) for tool in table}
    name = env_id.rpartition("/")[2].partition("-v")[0]
    made = type(name, (ToolEnvironment,), {**members, "asking": asking, "__module__": __name__})
    _, _, messages = asking.begin(env, None, 0)
    if not any(isinstance(part, ImagePart) for part in messages[-1].parts):
        raise UserError("The first prompt shows no image, and TRL needs one in each; keep 'canvas' in the context.")
    return made


def episodes(environment: type[ToolEnvironment], tasks: Sequence[str], *, seed: int = 0) -> Any:
    """A ``datasets.Dataset`` with a row a task: its ``prompt``, to whose user message ``reset`` adds, and its seed.

    Args:
        environment: Made by :func:`environment_class`.
        tasks: Task ids.
        seed: With a task's id it makes the row's seed.
    """
    from datasets import Dataset

    columns = {"task": list(tasks), "seed": [episode_seed(seed, task) for task in tasks]}
    return Dataset.from_dict(columns).with_transform(Prompts(environment.asking))

"""Demonstrations: episodes of a teacher as what a model would have been shown and would have written in them.

An episode is played when it is read, in the environment and through the model's own dialogue, so that its tokens are
those of the local agent and of reinforcement. A data set holds a task and a seed for each; images never pass through
Arrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import gymnasium as gym

from designgym.agents.base import Action, Agent, Beginning, Reply
from designgym.agents.qwen.dialogue import Asker, Dialogue, TokenRow, reply_tokens
from designgym.train.data import CACHE_BYTES
from designgym.train.turns.rollout import episode_seed
from designgym.train.written import written

Item = tuple[str, int]
"""A task, and which of its teacher's demonstrations."""


class DemonstrationFailed(RuntimeError):
    """A teacher or an environment raised while a demonstration was played; its cause says how."""


class TurnTeacher(Protocol):
    """Whom a model imitates over many turns."""

    def items(self, tasks: Sequence[str]) -> list[Item]:
        """The demonstrations that there are of these tasks; a teacher that brings its own tasks ignores them."""
        ...

    def player(self, task: str, seed: int) -> Agent:
        """Who plays a demonstration: an agent as `designgym.agents.base` says, in one episode of one environment."""
        ...


class Demonstrations:
    """The training rows of demonstrations. The first ones played are kept.

    Args:
        env: An environment of several calls; used for nothing else meanwhile.
        asker: How the model is asked and read.
        teacher: Who plays.
        number_step: Grid of the model's numbers; what the teacher does is rounded to it. 1 for all models but the tiny
            one, whose vocabulary has no finer numbers.
        kept_bytes: Most bytes of images that are kept; beyond it episodes are played again.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        asker: Asker,
        teacher: TurnTeacher,
        *,
        number_step: int = 1,
        kept_bytes: int = CACHE_BYTES,
    ) -> None:
        self.env = env
        self.asker = asker
        self.teacher = teacher
        self.number_step = number_step
        self.kept_bytes = kept_bytes
        self._kept: dict[Item, tuple[TokenRow, ...]] = {}
        self._bytes = 0

    def rows(self, task: str, seed: int) -> tuple[TokenRow, ...]:
        """What is learnt from a demonstration: a row a turn, or one in all.

        Raises:
            DemonstrationFailed: If it cannot be played.
        """
        if (task, seed) not in self._kept:
            try:
                rows = tuple(self.play(task, seed).rows())
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"
                raise DemonstrationFailed(f"Demonstration {seed} of task '{task}' failed: {problem}") from error
            images = {id(image): image for row in rows for image in row.images}.values()
            size = sum(image.width * image.height * len(image.getbands()) for image in images)
            if self._bytes + size > self.kept_bytes:
                return rows
            self._kept[task, seed] = rows
            self._bytes += size
        return self._kept[task, seed]

    def play(self, task: str, seed: int) -> Dialogue:
        """Play a demonstration to its end.

        Raises:
            ValueError: If the teacher takes a turn that holds more than one call.
        """
        observation, info = self.env.reset(seed=episode_seed(seed, task), options={"task": task})
        player = self.teacher.player(task, seed)
        if isinstance(player, Beginning):
            player.begin(self.env, info)
        dialogue = self.asker.dialogue(self.env.unwrapped.prompt_options)  # type: ignore[attr-defined]
        dialogue.saw(observation, info)
        while True:
            text = self._text(player(observation, info), dialogue)
            reply = dialogue.wrote(reply_tokens(self.asker.local.processor, text))
            action = reply.calls[0] if reply.calls else reply.text
            observation, _, terminated, truncated, info = self.env.step(action)
            if terminated or truncated:
                return dialogue
            dialogue.saw(observation, info, action)

    def _text(self, turn: Action | Reply | str, dialogue: Dialogue) -> str:
        """How the model would write the teacher's turn."""
        form: dict[str, Any] = {"settings": self.asker.settings, "options": dialogue.options}
        return written(turn, self.asker.tools, dialogue.frame, **form, number_step=self.number_step)

    def dataset(self, items: Sequence[Item]) -> Any:
        """A ``datasets.Dataset`` of demonstrations that are played when they are read: ``{"rows": TokenRow, ...}``."""
        from datasets import Dataset

        columns = {"task": [task for task, _ in items], "seed": [seed for _, seed in items]}
        return Dataset.from_dict(columns).with_transform(_Rows(self))

    def __getstate__(self) -> dict[str, Any]:
        # For fingerprints of data sets and for processes that prepare batches: they need neither weights nor pictures.
        asker = replace(self.asker, local=replace(self.asker.local, model=None))
        return {**self.__dict__, "asker": asker, "_kept": {}, "_bytes": 0}


class _Rows:
    """The transform of a data set: tasks and seeds to rows."""

    def __init__(self, demonstrations: Demonstrations) -> None:
        self.demonstrations = demonstrations

    def __call__(self, batch: dict[str, list[Any]]) -> dict[str, list[Any]]:
        items = zip(batch["task"], batch["seed"], strict=True)
        return {"rows": [self.demonstrations.rows(task, seed) for task, seed in items]}

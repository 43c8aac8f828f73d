"""The base environment: the contract that every environment of the package keeps, implemented once.

An environment is a subclass that declares its tools and fills in a few hooks; steps, errors, budget, splits, seeding,
rewards, ``info`` and snapshots come from here. The contract, in short:

* An action is one tool call, ``{"name": str, "arguments": {...}}``. A bad call never raises and changes nothing: it
  costs the step, is explained in ``observation["text"]``, and ``info["error"]`` names its kind.
* After ``max_calls`` steps the episode ends by itself, scored as it stands (``info["end"] == "budget"``). It ends with
  ``terminated``; ``truncated`` is always False.
* Randomness comes from ``self.np_random`` alone and only chooses the task: a task's content is a function of its id.
* Exceptions are for misuse of the interface and say what to do.
"""

from __future__ import annotations

import copy
import inspect
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Generic, Literal, get_args

import gymnasium as gym
import numpy as np
import numpy.typing as npt

from designgym.episode import Call, Episode
from designgym.errors import UserError
from designgym.nearest import did_you_mean, nearest
from designgym.score import Reward
from designgym.spaces import ToolCall, Unicode
from designgym.state import Content, Facts, Outcome, Run, Snapshot
from designgym.tasks import SPLITS, Split
from designgym.tools import Accepted, Declined, ToolTable

RewardMode = Literal["terminal", "dense"]
Observation = dict[str, Any]

MAX_CALLS = 10_000


class MisuseError(UserError, ValueError):
    """A wrong argument of an environment; the message names the value and what is allowed."""


class UnknownArgument(UserError, TypeError):
    """A keyword that an environment does not have."""


class DesignEnv(gym.Env[Observation, dict[str, Any]], Generic[Content]):
    """Base of all environments; a subclass sets ``env_id`` and implements the hooks below.

    ``Content`` is the subclass's own state of an episode. It must be picklable and deep-copyable, and nothing else
    about the episode may be kept on ``self``; snapshots are exact for that reason.

    Args:
        tool_table: The tools; the action space is made of them.
        image_shape: Height, width and channels of the image in observations, px.
        reward: What scores the episode. ``gym.make`` takes a name, a list of names with weights or a reward object; see
            :func:`designgym.rewards.table.resolve`.
        split: ``"train"``, ``"validation"`` or ``"test"``; their tasks are disjoint.
        reward_mode: ``"terminal"`` pays at the end; ``"dense"`` pays the change of the score at every step.
        max_calls: Steps after which the episode ends by itself, 1 to 10,000.
        render_mode: None or ``"rgb_array"``.
        task_length: Most characters of the question.
        text_length: Most characters of what the environment says.
        identity: The subclass's own arguments that decide what a task holds; a snapshot fits only where they are equal.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 2}  # noqa: RUF012 (Gymnasium's own form)
    env_id: ClassVar[str]

    def __new__(cls, *args: Any, **kwargs: Any) -> DesignEnv[Any]:
        """Refuse unknown keywords by naming the nearest known one, for every subclass's own signature."""
        known = [name for name in inspect.signature(cls.__init__).parameters if name != "self"]
        for name in kwargs:
            if name not in known:
                raise UnknownArgument(f"{cls.__name__} has no argument {name!r}.{did_you_mean(name, known)}")
        return super().__new__(cls)

    def __init__(
        self,
        *,
        tool_table: ToolTable,
        image_shape: tuple[int, int, int],
        reward: Reward,
        split: Split,
        reward_mode: RewardMode,
        max_calls: int,
        render_mode: str | None,
        task_length: int = 1000,
        text_length: int = 2000,
        identity: tuple[Any, ...] = (),
    ):
        _check_choice("split", split, SPLITS)
        _check_choice("reward_mode", reward_mode, get_args(RewardMode))
        if render_mode is not None:
            _check_choice("render_mode", render_mode, self.metadata["render_modes"])
        if isinstance(max_calls, bool) or not isinstance(max_calls, int) or not 1 <= max_calls <= MAX_CALLS:
            raise MisuseError(f"max_calls is {max_calls!r}; it must be a whole number from 1 to {MAX_CALLS}.")
        if getattr(reward, "of_groups", False):
            raise MisuseError(
                f"The reward {reward.name!r} compares the drawings of a group, and an environment plays one alone. "
                "Train with it as 'group_rewards' of a stage, or score recorded episodes with its score_batch."
            )
        self.tool_table = tool_table
        self.reward = reward
        self.split = split
        self.reward_mode = reward_mode
        self.max_calls = max_calls
        self.render_mode = render_mode
        self.action_space = ToolCall(tool_table)
        self.observation_space = gym.spaces.Dict(
            image=gym.spaces.Box(0, 255, image_shape, np.uint8),
            task=Unicode(task_length),
            text=Unicode(text_length),
        )
        self._text_length = text_length
        self._identity = (self.env_id, split, reward.name, reward.backend, reward_mode, max_calls, *identity)
        self._run: Run[Content] | None = None
        self._unchecked = True

    # ------------------------------------------------------------------ hooks

    @abstractmethod
    def task_ids(self, split: Split | None = None) -> Sequence[str]:
        """The ids of a split's tasks (default: the environment's own); perhaps a lazy sequence."""

    @abstractmethod
    def begin(self, task: str) -> Content:
        """The state at the start of a task; a pure function of the id."""

    @abstractmethod
    def call(self, content: Content, call: Accepted) -> Outcome:
        """Carry out a call whose arguments have been checked; changes ``content`` unless the outcome has an error."""

    @abstractmethod
    def picture(self, content: Content) -> npt.NDArray[np.uint8]:
        """What is to be seen now, of the observation's shape: an array of its own, which the agent may keep."""

    @abstractmethod
    def facts(self, content: Content) -> Facts:
        """Question, truth and document, for rewards."""

    def scored_picture(self, content: Content) -> npt.NDArray[np.uint8]:
        """What rewards and records look at: an array of its own, by default what is to be seen now."""
        return self.picture(content)

    def question(self, content: Content) -> str:
        """What is asked; an environment whose :meth:`facts` cost something gives it by itself."""
        return "\n".join(self.facts(content).questions)

    def task_facts(self, task: str) -> Mapping[str, Any]:
        """What is known of a task unplayed, such as its kind: a pure function of the id, to choose tasks by."""
        return {}

    def hand_over(self, task: str) -> Any:
        """What it cost something to make of a task, for :meth:`take_over` in another process; None if nothing did."""
        return None

    def take_over(self, task: str, made: Any) -> None:
        """Use what an environment with the same arguments made of a task, instead of making it again."""

    def refused(self, content: Content, call: Declined) -> None:
        """Take note of a call that could not be read; nothing that is seen or scored may change."""

    def standing_text(self, content: Content) -> str:
        """What the environment says at every step, below the result of the last one."""
        return ""

    def starting_info(self, content: Content) -> dict[str, Any]:
        """What ``info`` holds at the reset: fresh floats, strings and lists."""
        return {}

    def step_info(self, content: Content) -> dict[str, Any]:
        """What ``info`` holds at the reset and at every step: fresh floats, strings and lists."""
        return {}

    def ending_info(self, content: Content) -> dict[str, Any]:
        """What ``info`` holds once the episode is over: fresh floats, strings and lists."""
        return {}

    # ------------------------------------------------------- Gymnasium's methods

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start an episode.

        Args:
            seed: Restarts the generator that chooses tasks.
            options: ``{"task": id}`` plays that task instead of the one drawn (one is drawn all the same, so that later
                episodes do not depend on it).

        Raises:
            MisuseError: For options that are no dict, an unknown one, or a task that is not one of this split.
        """
        info = self.start_episode(seed=seed, options=options)
        return self.observe(), info

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out one call; see the module for what happens to bad ones.

        Raises:
            gymnasium.error.ResetNeeded: Before the first reset and after the end of an episode.
        """
        reward, terminated, info = self.advance(action)
        return self.observe(), reward, terminated, False, info

    # ------------------- the same without observations, for vector environments that take those of all copies at once

    def start_episode(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> dict[str, Any]:
        """Start an episode as :meth:`reset` does and return its info."""
        chosen = self.chosen_task(options)
        super().reset(seed=seed)
        ids = self.task_ids()
        drawn = ids[int(self.np_random.integers(len(ids)))]
        task = drawn if chosen is None else chosen
        content = self.begin(task)
        question = self.question(content)
        self._run = run = Run(task=task, question=question, content=content, calls=[], text="")
        run.text = self._say(run, "")
        if self._unchecked:
            # A reward that cannot score this environment says so now, and not after an episode of hundreds of calls.
            if check := getattr(self.reward, "check", None):
                check(self.episode())
            self._unchecked = False
        return self._info(run, "") | self.starting_info(content)

    def chosen_task(self, options: dict[str, Any] | None) -> str | None:
        """The task that the options of a reset choose; None if they choose none. Raises as :meth:`reset` does."""
        if options is not None and not isinstance(options, dict):
            raise MisuseError(f'The options of reset are {options!r}; write them as {{"task": id}}.')
        for name in options or {}:
            if name != "task":
                raise MisuseError(f"reset has no option {name!r}; the only one is 'task'.")
        task = options["task"] if options else None
        ids = self.task_ids()
        if task is not None and task not in ids:
            raise MisuseError(
                f"No task {task!r} in the split {self.split!r}. Its ids look like {ids[0]!r}, up to {ids[-1]!r}; "
                "a task of another split needs an environment made with that split."
            )
        return task

    def advance(self, action: Any) -> tuple[float, bool, dict[str, Any]]:
        """Carry out one call as :meth:`step` does; return reward, whether the episode is over, and info."""
        run = self._running("step")
        if run.end:
            raise gym.error.ResetNeeded(f"The episode is over ({run.end}); call reset() before the next step().")
        read = self.tool_table.read(action)
        if isinstance(read, Declined):
            outcome = Outcome(read.message, read.kind)
            self.refused(run.content, read)
            arguments = {}  # those that were refused may be of any size; nothing of them is kept
        else:
            outcome = self.call(run.content, read)
            arguments = read.arguments
        run.calls.append(Call(read.name, arguments, outcome.error, len(run.calls)))
        run.end = outcome.end or ("budget" if len(run.calls) >= self.max_calls else "")
        told = f"Error ({outcome.error}): {outcome.text}" if outcome.error and not outcome.verbatim else outcome.text
        run.text = self._say(run, told)
        info = self._info(run, outcome.error)
        reward = self._pay(run, info)
        if run.end:
            info["end"] = run.end
            info.update(self.ending_info(run.content))
        return reward, bool(run.end), info

    def observe(self) -> Observation:
        """The observation of the episode as it stands."""
        task, text = self.words()
        return {"image": self.picture(self._running("observe").content), "task": task, "text": text}

    def words(self) -> tuple[str, str]:
        """``task`` and ``text`` of the observation as it stands."""
        run = self._running("observe")
        return run.question, run.text

    def render(self) -> npt.NDArray[np.uint8] | None:
        """The picture, uint8 H x W x 3; None (with a warning) if the environment was made without a render mode."""
        run = self._running("render")
        if self.render_mode is None:
            gym.logger.warn(
                "render() was called on an environment without a render mode; "
                f'make it with gym.make("{self.env_id}", render_mode="rgb_array").'
            )
            return None
        image = self.picture(run.content)
        return image if image.shape[2] == 3 else np.repeat(image, 3, axis=2)

    # ------------------------------------------------------- what agents and trainers use

    def prompt_options(self) -> dict[str, Any]:
        """What the environment's prompt builder needs to know beside observation and tools; keywords of it."""
        return {}

    @property
    def tools(self) -> list[dict[str, Any]]:
        """OpenAI function schemas of the tools."""
        return self.tool_table.schemas()

    def episode(self) -> Episode:
        """What has happened so far, as plain data; holds the truth, so it is for rewards and records only."""
        run = self._running("episode")
        image = self.scored_picture(run.content)
        image.flags.writeable = False
        return self._told(run, image)

    def _told(self, run: Run[Content], image: npt.NDArray[np.uint8] | None) -> Episode:
        facts = self.facts(run.content)
        return Episode(
            env_id=self.env_id,
            split=self.split,
            task=run.task,
            image=image,
            stimulus=facts.stimulus,
            document=facts.document,
            questions=facts.questions,
            truth=facts.truth,
            calls=tuple(run.calls),
        )

    def get_state(self) -> Snapshot:
        """The whole state, independent of what happens to the environment afterwards; may be pickled."""
        return Snapshot(
            identity=self._identity,
            run=copy.deepcopy(self._run),
            np_random=copy.deepcopy(self._np_random),
            np_random_seed=self._np_random_seed,
        )

    def set_state(self, state: Snapshot) -> None:
        """Return to a state; may be done any number of times with one snapshot.

        Raises:
            MisuseError: If the snapshot is of an environment with other arguments.
        """
        if not isinstance(state, Snapshot) or state.identity != self._identity:
            found = state.identity if isinstance(state, Snapshot) else type(state).__name__
            raise MisuseError(f"This state is of {found}, but the environment is {self._identity}.")
        self._run = copy.deepcopy(state.run)
        self._np_random = copy.deepcopy(state.np_random)
        self._np_random_seed = state.np_random_seed

    # ------------------------------------------------------------------ inside

    def _running(self, method: str) -> Run[Content]:
        if self._run is None:
            raise gym.error.ResetNeeded(f"There is no episode yet; call reset() before {method}().")
        return self._run

    def _say(self, run: Run[Content], result: str) -> str:
        where = f"Calls left: {self.max_calls - len(run.calls)}."
        if run.end:
            where = "No calls left: the episode is over." if run.end == "budget" else "The episode is over."
        lines = (result, where, self.standing_text(run.content))
        return "\n".join(filter(None, lines))[: self._text_length]

    def _info(self, run: Run[Content], error: str) -> dict[str, Any]:
        calls_left = float(self.max_calls - len(run.calls))
        return {"error": error, "calls_left": calls_left, "task": run.task, **self.step_info(run.content)}

    def _pay(self, run: Run[Content], info: dict[str, Any]) -> float:
        """The step's reward; writes its parts into ``info`` wherever something is scored."""
        if not run.end and self.reward_mode == "terminal":
            return 0.0
        # Some pages are drawn for rewards alone, larger than they are observed.
        seen = getattr(self.reward, "reads_image", True)
        score = self.reward.score(self.episode() if seen else self._told(run, None))
        for name, value in score.components.items():
            info[f"reward/{name}"] = 0.0 if value is None else float(value)
        info["scored"] = score.value is not None
        if score.value is None:
            return 0.0  # a failed judge is no bad score: training masks what was not scored
        earned = score.value - run.paid if self.reward_mode == "dense" else score.value
        run.paid = score.value
        return float(earned)


def _check_choice(name: str, value: Any, known: Sequence[str]) -> None:
    if value not in known:
        close = nearest(value, known) if isinstance(value, str) else None
        hint = f" Did you mean {close!r}?" if close else ""
        raise MisuseError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, known))}.{hint}")

"""Text as the action: a JSON tool call, or whatever a model wrote, read by the package's parser."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from designgym.env import MisuseError
from designgym.parse import parse_calls, single_call
from designgym.prompt import render_call
from designgym.spaces import ToolCall, Unicode
from designgym.tools import MAX_JSON_CHARACTERS, Declined, ToolTable
from designgym.values import show


class CallText(Unicode):
    """Text of at most ``max_length`` characters; samples are calls of a table's tools, written as models write them.

    Args:
        table: The tools.
        max_length: Most characters.
        seed: Seed of the space's own generator.
    """

    def __init__(
        self,
        table: ToolTable,
        max_length: int = MAX_JSON_CHARACTERS,
        seed: int | np.random.Generator | None = None,
    ):
        self.table = table
        super().__init__(max_length, seed)

    def sample(self, mask: None = None, probability: None = None) -> str:
        """A random valid call as text. There is nothing to mask."""
        if mask is not None or probability is not None:
            raise ValueError("CallText.sample takes neither mask nor probability; ToolCall.sample does.")
        space = ToolCall(self.table, self.np_random)
        while True:
            call = space.sample()
            text = render_call(call["name"], call["arguments"])
            if len(text) <= self.max_length:
                return text

    def __repr__(self) -> str:
        return f"CallText({', '.join(self.table.names)})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CallText) and (self.table, self.max_length) == (other.table, other.max_length)


class JsonActions(gym.ActionWrapper[Any, str, Any], gym.utils.RecordConstructorArgs):
    r"""Act by text: one tool call as JSON, or a model's reply that holds one.

    The action space is text of up to a million characters; ``action_space.sample()`` gives a valid call. Text is read
    by the rules of :mod:`designgym.parse`, as agents and training read it: reasoning, prose and code fences around the
    call are put up with. Text that holds no call, several, or one that cannot be read costs the step as
    ``info["error"] == "format"``, changes nothing, and ``observation["text"]`` says what was wrong. Text above the
    limit of characters is ``limit``. Nothing raises.

    Works on every environment of this package.

    Example:
        >>> import gymnasium as gym
        >>> import designgym
        >>> from designgym.envs.wrappers import JsonActions
        >>> env = JsonActions(gym.make("designgym/CanvasDrawing-v0", max_calls=3))
        >>> observation, info = env.reset(seed=0)
        >>> call = '{"name": "draw_dots", "arguments": {"dots": [{"x": 200, "y": 200}]}}'
        >>> observation, reward, terminated, truncated, info = env.step(f"I start with a dot. {call}")
        >>> observation["text"]
        'OK\nCalls left: 2.'
        >>> observation, reward, terminated, truncated, info = env.step("I would rather not draw.")
        >>> info["error"], observation["text"]
        ('format', 'Error (format): The reply holds no tool call.\nCalls left: 1.')

    Change log:
     * v0.1.0 - Initially added
    """

    def __init__(self, env: gym.Env[Any, dict[str, Any]]):
        """Read text.

        Args:
            env: An environment of this package whose actions are tool calls.

        Raises:
            MisuseError: For another kind of environment.
        """
        gym.utils.RecordConstructorArgs.__init__(self)
        gym.ActionWrapper.__init__(self, env)
        if not isinstance(env.action_space, ToolCall):
            raise MisuseError(f"JsonActions needs an environment of tool calls; the actions are {env.action_space}.")
        self.table = env.action_space.table
        self.action_space = CallText(self.table)

    def action(self, action: str) -> Any:
        """The call in a text, or one declined with the reason why it cannot be read."""
        if not isinstance(action, str):
            return Declined("format", f"An action is text with one tool call; got {show(action)}.")
        if len(action) > MAX_JSON_CHARACTERS:
            return Declined("limit", f"The text has {len(action)} characters; at most {MAX_JSON_CHARACTERS} are read.")
        call, problem = single_call(parse_calls(action, self.table))
        return Declined("format", problem) if call is None else call.action

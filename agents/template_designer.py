"""A designer that ignores the brief but for its type: the same decent page for every poster, and so on.

It shows how much of a score comes from a page that merely looks finished; ``blank`` in this module hands in an empty
one.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import gymnasium as gym

from designgym.agents.base import Action, Info, Observation
from designgym.agents.design import calls
from designgym.envs.design.env import DesignActions
from designgym.errors import UserError

INK = (38, 52, 73)
ACCENT = (232, 93, 61)
PAPER = (244, 239, 230)
FACE, TEXT_FACE = "Montserrat Bold", "Montserrat"

_TEXTS: dict[str, tuple[str, str, str]] = {
    "book cover": ("The Open Door", "A story of beginnings", "Alex Morgan"),
    "business card": ("Morgan Studio", "Ideas made visible", "hello@morgan.example"),
    "postcard": ("Greetings!", "Wish you were here", "See you soon"),
    "poster": ("Open Day", "Come and see what we make", "Saturday, 10 to 4"),
}


class Template:
    """Makes the page of the brief's type.

    Args:
        mode: ``"interactive"``, or ``"plan"``.
        empty: An empty page instead.
    """

    def __init__(self, mode: str = "interactive", empty: bool = False) -> None:
        self.mode = mode
        self.empty = empty
        self.about = "hands in an empty page" if empty else "makes the same page for every brief of a type"
        self._left: dict[str, list[Action]] = {}

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Look up what is asked for, and nothing more. Several episodes may be under way at once."""
        type = env.unwrapped.tasks.type_of(info["task"])  # type: ignore[attr-defined]
        made = [calls.call("CreateDocument", docType=type)] if self.empty else template(type)
        self._left[info["task"]] = [*made, calls.finish()]

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The next call of the episode that ``begin`` announced."""
        left = self._left.get(info["task"])
        if not left:
            raise RuntimeError("The template designer was asked before begin(env, info); call that after every reset.")
        action = calls.as_plan(left) if self.mode == "plan" else left.pop(0)
        if self.mode == "plan" or not left:
            del self._left[info["task"]]
        return copy.deepcopy(dict(action))


def build(env: gym.Env[Any, Any], seed: int = 0) -> Template:
    """The template designer for an environment of design actions.

    Raises:
        UserError: If the environment is no workbench.
    """
    return Template(mode_of(env, "template"))


def blank(env: gym.Env[Any, Any], seed: int = 0) -> Template:
    """Hands in an empty page of the type that is asked for.

    Raises:
        UserError: If the environment is no workbench.
    """
    return Template(mode_of(env, "blank"), empty=True)


def mode_of(env: gym.Env[Any, Any], name: str) -> str:
    """The mode of a workbench.

    Raises:
        UserError: If the environment is none.
    """
    bench: Any = env.unwrapped
    if not isinstance(bench, DesignActions):
        raise UserError(
            f"The agent '{name}' makes pages by design actions, which {type(bench).__name__} does not have. "
            "Use 'random' or an agent made for it."
        )
    return bench.mode


def texts_of(type: str) -> tuple[str, str, str]:
    """A title, a line and a last line such as pages of a type have them."""
    return _TEXTS.get(type, _TEXTS["poster"])


def template(type: str) -> list[Action]:
    """The calls that make the page of a type, without the delivery."""
    title, line, last = texts_of(type)
    return (
        _wide(type, title, line, last) if type in ("business card", "postcard") else _upright(type, title, line, last)
    )


def _upright(type: str, title: str, line: str, last: str) -> list[Action]:
    return [
        *calls.new_page(type, PAPER),
        *calls.circle("disc", 648, 690, 400, ACCENT),
        *calls.circle("ring", 648, 690, 250, PAPER),
        *calls.rectangle("bar", 0, 1290, 1296, 438, INK),
        *_text("title", title, FACE, 120, PAPER, 96, 1345),
        *_text("line", line, TEXT_FACE, 54, PAPER, 100, 1500),
        *_text("last", last, TEXT_FACE, 44, PAPER, 100, 1590),
    ]


def _wide(type: str, title: str, line: str, last: str) -> list[Action]:
    return [
        *calls.new_page(type, PAPER),
        *calls.rectangle("bar", 0, 0, 320, 640, INK),
        *calls.circle("disc", 160, 320, 96, ACCENT),
        *calls.circle("ring", 160, 320, 56, INK),
        *_text("title", title, FACE, 68, INK, 386, 210),
        *_text("line", line, TEXT_FACE, 34, INK, 388, 310),
        *_text("last", last, TEXT_FACE, 28, ACCENT, 388, 370),
    ]


def _text(name: str, words: str, font: str, size: float, color: Sequence[int], left: float, top: float) -> list[Action]:
    return calls.text(name, words, font, size, color, "left", left, top)

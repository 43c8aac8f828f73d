"""The tiny tokenizer's texts for design actions in the setting ``placement``: its prompts, results and calls.

They are taken from played episodes in both modes and both kinds of history. What is the same in all of them, the pieces
between texts, files, places and numbers, becomes a token each, and so do texts, files and places; so one set of merges
serves every way to play. Coordinates are px of the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from designgym.agents.placer import Placer
from designgym.agents.prompts import prompt_builder
from designgym.agents.qwen.vocabulary import Vocabulary
from designgym.boxes import NumberFrame
from designgym.envs.design.asking import PLACES
from designgym.envs.design.briefs.brief import PAGE_PX
from designgym.envs.design.briefs.naming import with_article
from designgym.envs.design.env import DesignActions
from designgym.envs.design.experts import EXPERTS
from designgym.envs.design.placement import HEADS, PICTURES, POSITIONS, TEXTS, TYPE, file_of
from designgym.envs.design.prompt_settings import Context
from designgym.envs.design.settings import Mode
from designgym.history import Turn, turn
from designgym.prompt import render_call

_FRAME = NumberFrame("thousand")
_PAGE = " x ".join(map(str, PAGE_PX[TYPE]))
_PAGE_MARK = "\0"
"""Stands for the page's size, whose numbers are always the same ones."""
_EPISODES = 8
"""Played in each mode: enough that every way to put a brief comes up, which a test makes sure of."""
_OFF_THE_PAGE = f", partly off the page of {_PAGE} px.\n"
"""What is said of a part that the scripted hand, who plays these episodes, never lays there."""


def vocabulary() -> Vocabulary:
    """The texts; coordinates are px from 0 to the page's width."""
    played = _played()
    phrases = (*_parts(), *(piece for text in played for piece in _pieces(text)), _OFF_THE_PAGE, *EXPERTS)
    # The roles come so often that each becomes a token; what else is read in every round is a phrase anyway.
    corpus = ("system\nuser\nassistant\n",) * 1000 + tuple(_episode("interactive", 0)) + tuple(_episode("plan", 0))
    return Vocabulary(corpus, tuple(dict.fromkeys(phrases)), PAGE_PX[TYPE][0])


@cache
def _parts() -> tuple[str, ...]:
    """What differs between tasks, except for numbers."""
    files = (file_of(picture).name for picture in PICTURES)
    captions = (f": {picture}\n" for picture in PICTURES)
    places = (f" {PLACES[position]}." for position in POSITIONS)
    return (*HEADS, *TEXTS, *files, *map(with_article, PICTURES), *captions, *places)


def _pieces(text: str) -> list[str]:
    """What stands between numbers and the parts that differ."""
    known = "|".join(map(re.escape, sorted(_parts(), key=len, reverse=True)))
    pieces = re.split(f"{known}|[0-9]+", text.replace(_PAGE, _PAGE_MARK))
    return [piece.replace(_PAGE_MARK, _PAGE) for piece in pieces if len(piece.encode()) > 1]


def _played() -> tuple[str, ...]:
    """Prompts in the brief wording, calls and results of played episodes, in a fixed order."""
    modes: tuple[Mode, ...] = ("interactive", "plan")
    return tuple(text for mode in modes for number in range(_EPISODES) for text in _episode(mode, number))


def _episode(mode: Mode, number: int) -> Iterator[str]:
    env, hand = DesignActions(mode=mode, briefs="placement", image_size=32, max_calls=6), Placer(mode)
    observation, info = env.reset(options={"task": env.task_ids()[number]})
    hand.begin(env, info)
    history = [turn(None, observation, info)]
    ended = False
    while not ended:
        yield from _prompts(env, observation, history)
        action = hand(observation, info)
        yield render_call(action["name"], dict(action["arguments"]))
        observation, _, ended, _, info = env.step(action)
        yield f"{observation['text']}\n"  # as it is told in a growing conversation, before its markup
        history.append(turn(action, observation, info))


def _prompts(env: DesignActions, observation: Mapping[str, Any], history: list[Turn]) -> Iterator[str]:
    """The brief prompt with and without the calls so far."""
    build = prompt_builder(env.env_id)
    for told in (False, True):
        context = Context(history=told)
        options = {**env.prompt_options(), "context": context}
        messages = build(observation, env.tool_table, history=history, wording="brief", frame=_FRAME, **options)
        yield from (message.text for message in messages)

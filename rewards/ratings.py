"""Structured ratings by a language model behind a chat endpoint: whole numbers from 1 to 5 for named aspects."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from designgym.endpoint import ChatClient, Endpoint, EndpointDownError, EndpointError
from designgym.prompt import Message, message
from designgym.strict_json import JsonError, loads

LEAST, MOST = 1, 5
MOST_TOKENS = 1024
TRIES = 2
"""How often the model is asked for ratings that can be read."""

_OBJECT = re.compile(r"\{[^{}]*\}")


def read_ratings(reply: str, aspects: Sequence[str]) -> dict[str, int] | None:
    """The ratings of a reply: its last JSON object, with a whole number from 1 to 5 for each aspect and no other key.

    >>> read_ratings('I think {"originality": 4, "elaboration": 2}', ("originality", "elaboration"))
    {'originality': 4, 'elaboration': 2}
    """
    found = _OBJECT.findall(reply)
    if not found:
        return None
    try:
        said = loads(found[-1])
    except JsonError:
        return None
    if not isinstance(said, Mapping) or set(said) != set(aspects):
        return None
    if any(isinstance(rate, bool) or not isinstance(rate, int) or not LEAST <= rate <= MOST for rate in said.values()):
        return None
    return {aspect: int(said[aspect]) for aspect in aspects}


def scaled(rating: float) -> float:
    """A rating from 1 to 5 as a number from 0 to 1."""
    return (rating - LEAST) / (MOST - LEAST)


def form(aspects: Sequence[str]) -> str:
    """How a model is to answer, in words."""
    example = json.dumps(dict.fromkeys(aspects, 3))
    return (
        f"Rate each from {LEAST} (not at all) to {MOST} (completely), in whole numbers. You may think first; end with "
        f"one JSON object of exactly this form: {example}"
    )


class Rater:
    """Asks a model for ratings; can be pickled.

    Args:
        model: The model's name at the endpoint.
        url: Base address of an OpenAI-compatible endpoint.
        key_variable: Environment variable that holds its key.
        timeout_s: Longest silence of the endpoint, seconds.
    """

    def __init__(self, model: str, url: str, key_variable: str, timeout_s: float) -> None:
        self.endpoint = Endpoint(url, model, key_variable, timeout_s, temperature=0.0, max_tokens=MOST_TOKENS)
        self._client: ChatClient | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {"endpoint": self.endpoint, "_client": None}

    def rate(self, aspects: Sequence[str], asked: Sequence[Message]) -> dict[str, int] | None:
        """The ratings; None if the model declined, was not reached, or gave none that can be read.

        Raises:
            UserError: If the endpoint is down or will never answer such a request.
        """
        self._client = self._client or ChatClient(self.endpoint)
        asked = list(asked)
        for _ in range(TRIES):
            try:
                reply = self._client.ask(asked)
            except EndpointDownError:
                raise
            except EndpointError:
                return None
            ratings = read_ratings(reply, aspects)
            if ratings is not None:
                return ratings
            asked += [message("assistant", reply), message("user", f"That cannot be read. {form(aspects)}")]
        return None

"""A chat endpoint that speaks OpenAI's protocol: patient with faults that pass, clear about those that stay.

Any server with ``POST <url>/chat/completions`` will do: vLLM, llama.cpp, SGLang, OpenAI and their like. The key comes
from an environment variable alone, and stands in no file, log or message.
"""

from __future__ import annotations

import os
import random
import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from designgym.errors import UserError, require
from designgym.prompt import Message, to_openai

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP states after which the same request may well succeed."""
LONGEST_WAIT_S = 60.0
"""No wait between two tries is longer, whatever the server asks for."""
MAX_FAILURES = 8
"""So many requests in a row that fail for good mean that the endpoint is down."""
_BODY = 300  # characters of an error's body that are shown


class EndpointError(Exception):
    """A request that failed for good, after all its tries; the next one may succeed."""


class RefusedError(EndpointError):
    """The model, or a filter before it, declined to answer."""


class EndpointDownError(UserError):
    """Nothing that was asked lately was answered: it makes no sense to go on."""


@dataclass(frozen=True)
class Endpoint:
    """Where a model is asked, and how patiently.

    Attributes:
        url: Base address, such as ``http://localhost:8000/v1``.
        model: The model's name there.
        key_variable: Environment variable that holds the key; where it is not set, no key is sent.
        timeout_s: Longest silence of the server, seconds.
        tries: How often a request is sent at most.
        backoff_s: Wait after the first failure; it doubles with each, and is shortened by up to a half at random.
        temperature: Of sampling.
        max_tokens: Longest answer.
    """

    url: str
    model: str
    key_variable: str = "OPENAI_API_KEY"
    timeout_s: float = 120.0
    tries: int = 5
    backoff_s: float = 1.0
    temperature: float = 0.7
    max_tokens: int = 1024

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UserError(f"'{self.url}' is no endpoint; write its base address, such as http://localhost:8000/v1.")
        if parts.username or parts.password:
            raise UserError("The endpoint's address holds a password; put the key into an environment variable.")
        if not self.model:
            raise UserError("The endpoint needs the name of a model; name it with --model.")
        if self.tries < 1 or self.timeout_s <= 0 or self.backoff_s < 0:
            raise UserError(
                f"An endpoint needs at least 1 try and a timeout above 0, not {self.tries} and {self.timeout_s:g} s."
            )


class ChatClient:
    """Asks an endpoint; may be used by several threads at once.

    Args:
        endpoint: Whom to ask.
        pause: Waits so many seconds; a test may count instead.

    Attributes:
        faults: How often each fault came: HTTP states, ``timeout``, ``connection``, ``broken``, ``refused``.
    """

    def __init__(self, endpoint: Endpoint, pause: Callable[[float], object] = time.sleep) -> None:
        httpx2: Any = require("httpx2", extra="train")
        self.endpoint = endpoint
        self.faults: Counter[str] = Counter()
        self._key = os.environ.get(endpoint.key_variable, "")
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        # Redirects stay unfollowed (httpx2's default): the key must not travel to another host.
        self._http = httpx2.Client(headers=headers, timeout=endpoint.timeout_s)
        self._pause = pause
        self._random = random.Random()  # for waits alone: nothing that is written depends on it
        self._lock = threading.Lock()
        self._failed_in_a_row = 0

    def ask(self, messages: Sequence[Message]) -> str:
        """What the model answers.

        Raises:
            RefusedError: If it declined.
            EndpointError: If no try gave an answer.
            EndpointDownError: If that happened to `MAX_FAILURES` requests in a row.
            UserError: If the endpoint will never answer such a request: a wrong address, key or model.
        """
        body = {
            "model": self.endpoint.model,
            "messages": to_openai(messages),
            "temperature": self.endpoint.temperature,
            "max_tokens": self.endpoint.max_tokens,
        }
        fault = ""
        for number in range(self.endpoint.tries):
            if number:
                self._pause(self._wait(number, fault))
            answer, fault = self._try(body)
            if answer is not None:
                with self._lock:
                    self._failed_in_a_row = 0
                return answer
        with self._lock:
            self._failed_in_a_row += 1
            down = self._failed_in_a_row >= MAX_FAILURES
        said = f"{self.endpoint.url} gave no answer in {self.endpoint.tries} tries; the last ended with: {fault}."
        if down:
            raise EndpointDownError(f"{said} {MAX_FAILURES} requests in a row failed so; is the server running?")
        raise EndpointError(said)

    def close(self) -> None:
        """Close the connections."""
        self._http.close()

    def _try(self, body: dict[str, Any]) -> tuple[str | None, str]:
        """The answer, or None and what went wrong."""
        httpx2: Any = require("httpx2", extra="train")
        try:
            response = self._http.post(f"{self.endpoint.url.rstrip('/')}/chat/completions", json=body)
        except httpx2.TimeoutException:
            return self._fault("timeout", f"no answer within {self.endpoint.timeout_s:g} s")
        except httpx2.HTTPError as error:
            return self._fault("connection", f"{type(error).__name__}: {self._safe(str(error))}")
        if response.status_code in PASSING:
            asked = response.headers.get("retry-after", "")
            return self._fault(
                str(response.status_code), f"HTTP {response.status_code}{f', retry after {asked}' if asked else ''}"
            )
        if response.status_code != 200:
            self._count(str(response.status_code))
            text = self._safe(response.text)
            if response.status_code == 400 and re.search("content_filter|content_policy|safety", text):
                raise RefusedError(f"The endpoint's filter refused the request: {text}")
            raise UserError(f"{self.endpoint.url} refuses the request with HTTP {response.status_code}: {text}")
        try:
            message = response.json()["choices"][0]["message"]
            content, refusal = message.get("content"), message.get("refusal")
        except (ValueError, KeyError, IndexError, TypeError, AttributeError):
            return self._fault("broken", f"no chat completion: {self._safe(response.text)}")
        if isinstance(content, list):  # some servers answer in parts
            content = "".join(part.get("text", "") for part in content if isinstance(part, dict))
        if refusal or not isinstance(content, str) or not content.strip():
            self._count("refused")
            raise RefusedError(f"The model declined: {self._safe(str(refusal or 'it wrote nothing'))}")
        return content, ""

    def _fault(self, kind: str, words: str) -> tuple[None, str]:
        self._count(kind)
        return None, words

    def _count(self, kind: str) -> None:
        with self._lock:
            self.faults[kind] += 1

    def _wait(self, number: int, fault: str) -> float:
        """Seconds before the next try: what the server asked for, or twice as long each time, never all at once."""
        if asked := re.search(r"retry after (\d+(?:\.\d+)?)$", fault):
            return min(LONGEST_WAIT_S, float(asked[1]))
        longest = min(LONGEST_WAIT_S, self.endpoint.backoff_s * 2 ** (number - 1))
        return longest * self._random.uniform(0.5, 1.0)

    def _safe(self, text: str) -> str:
        """The beginning of a foreign text, without the key that some servers repeat."""
        text = " ".join(text.split())
        if self._key:
            text = text.replace(self._key, "***")
        return text[:_BODY]

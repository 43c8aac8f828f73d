"""A chat endpoint that speaks OpenAI's protocol: patient with faults that pass, clear about those that stay.

Any server with ``POST <url>/chat/completions`` will do: vLLM, `transformers serve`, llama.cpp, OpenRouter, OpenAI and
their like. It is asked through the official client. The key comes from an environment variable alone, and stands in no
file, log or message.
"""

from __future__ import annotations

import os
import random
import re
import threading
import time
import weakref
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from designgym.completion import Completion, NoCompletion, read_completion
from designgym.endpoint_settings import Endpoint
from designgym.errors import UserError, require
from designgym.pace import Pace, wait_s
from designgym.prompt import Message, to_openai

__all__ = [
    "MAX_FAILURES",
    "BadRequestError",
    "ChatClient",
    "Endpoint",
    "EndpointDownError",
    "EndpointError",
    "OutOfTimeError",
    "RefusedError",
    "WrongEndpointError",
]

PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
"""HTTP states after which the same request may well succeed."""
OF_THE_REQUEST = frozenset({400, 413, 422})
"""HTTP states that are about what was asked; another request may succeed."""
MAX_FAILURES = 8
"""So many requests in a row that fail for good mean that the endpoint is down."""
_BODY = 300  # characters of an error's body that are shown
_FILTER = re.compile("content_filter|content_policy|safety")


class EndpointError(Exception):
    """A request that failed for good, after all its tries; the next one may succeed."""


class RefusedError(EndpointError):
    """The model, or a filter before it, declined to answer."""


class OutOfTimeError(EndpointError):
    """There was no answer within the time that the caller had."""


class EndpointDownError(UserError):
    """Nothing that was asked lately was answered: it makes no sense to go on."""


class WrongEndpointError(UserError):
    """The endpoint will answer nothing: a wrong address, key or model."""


class BadRequestError(UserError):
    """The endpoint will never answer this request; it may answer others."""


class ChatClient:
    """Asks an endpoint; may be used by several threads at once.

    Args:
        endpoint: Whom to ask.
        pause: Waits so many seconds; a test may count instead.

    Attributes:
        faults: How often each fault came: HTTP states, ``timeout``, ``connection``, ``broken``, ``refused``.
    """

    def __init__(self, endpoint: Endpoint, pause: Callable[[float], object] = time.sleep) -> None:
        self._openai: Any = require("openai", extra="chat")
        self.endpoint = endpoint
        self.faults: Counter[str] = Counter()
        self._key = os.environ.get(endpoint.key_variable, "")
        if self._key and self._key in f"{endpoint.url} {endpoint.model} {endpoint.extra}":
            # Settings are written into manifests and reports.
            raise UserError("The endpoint's settings hold the key itself; leave it to the environment variable alone.")
        # Only the named variable counts: the client would take key, organisation and project from others.
        omitted = self._openai.Omit()
        self._headers = {"OpenAI-Organization": omitted, "OpenAI-Project": omitted}
        if not self._key:
            self._headers["Authorization"] = omitted
        self._client = self._openai.OpenAI(
            api_key=self._key or "none",
            base_url=endpoint.url,
            timeout=endpoint.timeout_s,
            max_retries=0,  # it is tried again here, where tries are counted
            # Redirects stay unfollowed: the key must not travel to another host.
            http_client=self._openai.DefaultHttpxClient(follow_redirects=False, timeout=endpoint.timeout_s),
        )
        weakref.finalize(self, self._client.close)
        self._pause = pause
        self._pace = Pace(endpoint.requests_per_minute)
        self._random = random.Random()  # for waits alone: nothing that is written depends on it
        self._lock = threading.Lock()
        self._failed_in_a_row = 0

    def ask(self, messages: Sequence[Message]) -> str:
        """What the model answers.

        Raises:
            RefusedError: If it declined, or wrote nothing.
            EndpointError: If no try gave an answer.
            EndpointDownError: If that happened to `MAX_FAILURES` requests in a row.
            UserError: If the endpoint will never answer such a request: a wrong address, key or model.
        """
        said = self.complete(to_openai(messages))
        if said.refusal or not said.text.strip():
            if not said.refusal:
                self._count("refused")
            raise RefusedError(f"The model declined: {said.refusal or 'it wrote nothing'}")
        return said.text

    def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[Any] = (), within_s: float | None = None
    ) -> Completion:
        """What comes back for a conversation: text, tool calls or a refusal, with what it took.

        Args:
            messages: In OpenAI's form, see `designgym.prompt.to_openai`.
            tools: OpenAI function schemas that the model may call; none by default.
            within_s: Seconds after which it is too late; None sets no limit beside timeout and tries.

        Raises:
            OutOfTimeError: If ``within_s`` passed.
            EndpointError: If no try gave an answer.
            EndpointDownError: If that happened to `MAX_FAILURES` requests in a row.
            BadRequestError: If the endpoint will never answer this request.
            WrongEndpointError: If it will never answer any.
        """
        point = self.endpoint
        body: dict[str, Any] = {"model": point.model, "messages": list(messages)}
        body |= {"temperature": point.temperature} if point.temperature is not None else {}
        body |= {"max_tokens": point.max_tokens} if point.max_tokens is not None else {}
        body |= {"tools": list(tools)} if tools else {}
        body |= point.extra
        start, fault, asked_for = time.monotonic(), "", ""
        for number in range(point.tries):
            waits = self._pace.turn() + (wait_s(number, point.backoff_s, asked_for, self._random) if number else 0.0)
            left = float("inf") if within_s is None else within_s - (time.monotonic() - start)
            if waits >= left:
                raise OutOfTimeError(f"{point.url} gave no answer within {within_s:g} s{_last(fault)}.")
            if waits > 0:
                self._pause(waits)
            answer, fault, asked_for = self._try(body, min(point.timeout_s, left - waits))
            if answer is not None:
                with self._lock:
                    self._failed_in_a_row = 0
                return answer.took(requests=number + 1, seconds=time.monotonic() - start)
        with self._lock:
            self._failed_in_a_row += 1
            down = self._failed_in_a_row >= MAX_FAILURES
        said = f"{point.url} gave no answer in {point.tries} tries{_last(fault)}."
        if down:
            raise EndpointDownError(f"{said} {MAX_FAILURES} requests in a row failed so; is the server running?")
        raise EndpointError(said)

    def check(self) -> None:
        """Find out, before any work, whether somebody answers at the address, and takes the key.

        Raises:
            WrongEndpointError: If nobody does.
        """
        openai = self._openai
        try:
            options = {"headers": self._headers, "timeout": min(self.endpoint.timeout_s, 10.0)}
            self._client.get("/models", cast_to=object, options=options)
        except openai.APIConnectionError as error:  # among them timeouts
            cause = self._safe(str(error.__cause__ or error))
            raise WrongEndpointError(
                f"Nobody answers at {self.endpoint.url} ({cause}). Start the server, or mend the address."
            ) from None
        except openai.APIStatusError as error:
            if error.status_code in (401, 403):
                self._refused(error.status_code, error.response)
        except ValueError:
            pass  # somebody answered; what does not list its models may still chat

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def _try(self, body: dict[str, Any], timeout_s: float) -> tuple[Completion | None, str, str]:
        """The answer; or None, what went wrong and the wait that the server asks for."""
        openai = self._openai
        try:
            data = self._client.post(
                "/chat/completions", body=body, cast_to=object, options={"headers": self._headers, "timeout": timeout_s}
            )
        except openai.APITimeoutError:
            return self._fault("timeout", f"no answer within {timeout_s:g} s")
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            return self._fault("connection", f"{type(cause).__name__}: {self._safe(str(cause))}")
        except openai.APIStatusError as error:
            return self._refused(error.status_code, error.response)
        except ValueError as error:  # the body is no JSON
            return self._fault("broken", f"no chat completion: {self._safe(str(error))}")
        try:
            answer = read_completion(data, self._without_key)
        except NoCompletion:
            return self._fault("broken", f"no chat completion: {self._safe(str(data))}")
        if answer.refusal:
            self._count("refused")
        return answer, "", ""

    def _refused(self, status: int, response: Any) -> tuple[Completion | None, str, str]:
        """What an HTTP state other than success means."""
        if status in PASSING:
            asked_for = str(response.headers.get("retry-after", ""))
            told = f", retry after {self._safe(asked_for)}" if asked_for else ""
            return *self._fault(str(status), f"HTTP {status}{told}")[:2], asked_for
        self._count(str(status))
        text = self._safe(response.text)
        if status == 400 and _FILTER.search(text):
            self._count("refused")
            return Completion(refusal=f"the endpoint's filter refused the request: {text}", finish="filter"), "", ""
        kind = BadRequestError if status in OF_THE_REQUEST else WrongEndpointError
        unset = not self._key and status in (401, 403)
        hint = f" No key was sent: {self.endpoint.key_variable} is not set." if unset else ""
        raise kind(f"{self.endpoint.url} refuses the request with HTTP {status}: {text}{hint}")

    def _fault(self, kind: str, words: str) -> tuple[None, str, str]:
        self._count(kind)
        return None, words, ""

    def _count(self, kind: str) -> None:
        with self._lock:
            self.faults[kind] += 1

    def _without_key(self, text: str) -> str:
        """A foreign text without the key, which some servers repeat."""
        return text.replace(self._key, "***") if self._key else text

    def _safe(self, text: str) -> str:
        """The beginning of a foreign text."""
        return self._without_key(" ".join(text.split()))[:_BODY]


def _last(fault: str) -> str:
    return f"; the last ended with: {fault}" if fault else ""

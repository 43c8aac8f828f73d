"""What a chat endpoint sends back, as plain data: text, tool calls, refusal, and what it took."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


class NoCompletion(ValueError):
    """What came is no chat completion."""


@dataclass(frozen=True)
class Completion:
    """One answer of a model.

    Attributes:
        text: What it wrote.
        calls: Its tool calls as they came, unchecked: ``{"name": ..., "arguments": ...}``, the arguments usually a
            JSON string.
        reasoning: What it thought, where the server tells that apart.
        refusal: Why it declined; empty if it did not.
        finish: Why it ended: ``"stop"``, ``"tool_calls"``, ``"length"`` where it was cut off at the most tokens, or
            another word of the server's.
        prompt_tokens: Length of what was asked, as the server counts; None if it does not tell.
        completion_tokens: Length of the answer, likewise.
        requests: How often it was asked for, failures included.
        seconds: From asking to the answer, waits and failures included.
    """

    text: str = ""
    calls: tuple[Mapping[str, Any], ...] = ()
    reasoning: str = ""
    refusal: str = ""
    finish: str = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    requests: int = 1
    seconds: float = 0.0

    @property
    def cut_off(self) -> bool:
        """Whether it ended at the most tokens."""
        return self.finish == "length"

    def took(self, *, requests: int, seconds: float) -> Completion:
        """The same with what it took."""
        return dataclasses.replace(self, requests=requests, seconds=seconds)


def read_completion(data: Any, clean: Callable[[str], str] = str) -> Completion:
    """Read the body of an answer.

    Args:
        data: Its JSON.
        clean: Applied to every text that is kept.

    Raises:
        NoCompletion: If it is no chat completion.
    """
    try:
        choice = data["choices"][0]
        message = choice["message"]
        content, calls = message.get("content"), message.get("tool_calls") or ()
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise NoCompletion(str(error)) from error
    finish = str(choice.get("finish_reason") or "stop")
    refusal = message.get("refusal") or ("its filter withheld the answer" if finish == "content_filter" else "")
    used = data.get("usage") if isinstance(data.get("usage"), Mapping) else {}
    return Completion(
        text=clean(_text(content)),
        calls=tuple(_call(call, clean) for call in calls) if isinstance(calls, list) else (),
        reasoning=clean(_text(message.get("reasoning_content") or message.get("reasoning"))),
        refusal=clean(" ".join(str(refusal).split())[:300]),
        finish=finish,
        prompt_tokens=_count(used.get("prompt_tokens")),
        completion_tokens=_count(used.get("completion_tokens")),
    )


def _text(content: Any) -> str:
    if isinstance(content, list):  # some servers answer in parts
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, Mapping))
    return content if isinstance(content, str) else ""


def _call(call: Any, clean: Callable[[str], str]) -> dict[str, Any]:
    """Name and arguments of a call; what is no call at all has neither, and the environment says so."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return {}
    found = {key: function[key] for key in ("name", "arguments") if key in function}
    return {key: clean(value) if isinstance(value, str) else value for key, value in found.items()}


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None

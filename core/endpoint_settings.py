"""Where a model is asked, how, and how patiently: the settings of a chat endpoint, checked."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from designgym.errors import UserError

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]*")


@dataclass(frozen=True)
class Endpoint:
    """A chat endpoint and how to use it.

    Attributes:
        url: Base address, such as ``http://localhost:8000/v1``.
        model: The model's name there.
        key_variable: Environment variable that holds the key; where it is not set, no key is sent.
        timeout_s: Longest silence of the server, seconds.
        tries: How often a request is sent at most.
        backoff_s: Wait after the first failure; it doubles with each, and is shortened by up to a half at random.
        temperature: Of sampling; None leaves it to the server, for models that refuse to be told.
        max_tokens: Longest answer; None leaves it to the server.
        requests_per_minute: Most requests a minute, evenly spread; None sets no limit.
        extra: Further fields of each request, such as ``{"top_p": 0.9}``.
    """

    url: str
    model: str
    key_variable: str = "OPENAI_API_KEY"
    timeout_s: float = 120.0
    tries: int = 5
    backoff_s: float = 1.0
    temperature: float | None = 0.7
    max_tokens: int | None = 1024
    requests_per_minute: float | None = None
    extra: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.username or parts.password or parts.query:
            raise UserError(
                "The endpoint's address holds a password or a query, where keys do not belong; "
                "put the key into an environment variable."
            )
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UserError(f"'{self.url}' is no endpoint; write its base address, such as http://localhost:8000/v1.")
        if not self.model:
            raise UserError("The endpoint needs the name of a model; name it with --model.")
        if not _VARIABLE.fullmatch(self.key_variable):
            # The value stays unsaid: who mistakes the option for the key has written the key.
            raise UserError("The key's variable must be the name of an environment variable, such as OPENAI_API_KEY.")
        if self.tries < 1 or self.timeout_s <= 0 or self.backoff_s < 0:
            raise UserError(
                f"An endpoint needs at least 1 try and a timeout above 0, not {self.tries} and {self.timeout_s:g} s."
            )
        if self.requests_per_minute is not None and self.requests_per_minute <= 0:
            raise UserError(f"{self.requests_per_minute:g} requests a minute are none; it must be above 0, or null.")

"""Why an action could not be carried out: its kind, a sentence, and for a dependency whose it is."""

from __future__ import annotations

from typing import Literal

from designgym.tools import ErrorKind

Dependency = Literal["", "local", "global"]
"""``local``: something that the expert's own document lacks. ``global``: a file that no expert has saved."""


class Failed(Exception):
    """An action that cannot be carried out; nothing has changed."""

    def __init__(self, kind: ErrorKind, message: str, dependency: Dependency = ""):
        super().__init__(message)
        self.kind: ErrorKind = kind
        self.message = message
        self.dependency = dependency


def lacking(message: str, dependency: Dependency = "local") -> Failed:
    """What a missing layer, document or file leads to."""
    return Failed("dependency", message, dependency)

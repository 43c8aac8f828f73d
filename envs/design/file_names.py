"""Which names files of an episode may have: plain ones, so that none can mean anything else anywhere."""

from __future__ import annotations

import re

MAX_FILE_NAME = 120

_DEVICES = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9]|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
_FORBIDDEN = frozenset('/\\:*?"<>|~$')


def problem_of(name: str) -> str:
    """Why a name is none of a file in the episode's folder: a path, a device, a control sign; empty if it is one."""
    if len(name) > MAX_FILE_NAME or len(name.encode("utf-8", "replace")) > 2 * MAX_FILE_NAME:
        return f"is too long (at most {MAX_FILE_NAME} characters)"
    if not name.strip(" ."):
        return "is no name"
    if any(character in _FORBIDDEN for character in name) or name.startswith("-"):
        return "has signs that stand for paths, devices or options"
    if not name.isprintable():
        return "has control signs"
    if name[0] in " ." or name[-1] in " .":
        return "begins or ends with a space or full stop"
    if _DEVICES.fullmatch(name):
        return "is the name of a device"
    return ""

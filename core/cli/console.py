"""Where commands print to."""

from __future__ import annotations

import sys

from rich.console import Console

PIPED_WIDTH = 160
"""Columns where there is no terminal to ask: wide enough that a program reading along finds ids in one piece."""


def stdout() -> Console:
    """Return a console on standard output that prints texts as they are: brackets are no markup."""
    return Console(width=None if sys.stdout.isatty() else PIPED_WIDTH, markup=False, highlight=False, emoji=False)

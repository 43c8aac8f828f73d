"""`designgym version`."""

from __future__ import annotations

from rich.table import Table

from designgym.cli.console import stdout
from designgym.manifest import PACKAGES, checkout, versions


def print_versions() -> None:
    """Print the versions that a manifest would name."""
    found = versions()
    table = Table(box=None, show_header=False, pad_edge=False)
    for name in ("python", *PACKAGES):
        table.add_row(name, found.get(name, "not installed"))
    state = checkout()
    if state is not None:
        table.add_row("commit", state.commit + (" with uncommitted changes" if state.dirty else ""))
    stdout().print(table)

"""How the effective settings of a configuration are printed, for `--dry-run`."""

from __future__ import annotations

import json
from typing import Any

from rich.table import Table

from designgym.config import Loaded


def settings_table(loaded: Loaded[Any]) -> Table:
    """Return a table of every setting: key, value, and where it comes from (file and line, ``--set``, ``default``)."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("setting", no_wrap=True)
    table.add_column("value", overflow="fold")
    table.add_column("from", overflow="fold", style="dim")
    for setting in loaded.settings:
        table.add_row(setting.key, _yaml(setting.value), setting.origin)
    return table


def _yaml(value: Any) -> str:
    """Return a value in a form that could stand after ``--set`` again."""
    if isinstance(value, str) or value is None:
        return "null" if value is None else value
    return json.dumps(value, ensure_ascii=False, default=str)

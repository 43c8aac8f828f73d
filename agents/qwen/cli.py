"""The command ``designgym model tiny``."""

from __future__ import annotations

import shutil
from pathlib import Path

from designgym.cli.console import stdout
from designgym.config import load_config
from designgym.errors import UserError


def tiny(out: Path, overrides: list[str]) -> int:
    """Write the tiny Qwen3-VL into a new folder.

    Args:
        out: The folder; it must not exist, or be empty.
        overrides: ``key=value`` settings of `designgym.agents.qwen.tiny.TinyConfig`.

    Returns:
        The exit code.

    Raises:
        UserError: If a setting is wrong, or the folder is in use or cannot be written.
    """
    from designgym.agents.qwen.tiny import TinyConfig, save

    config = load_config(None, TinyConfig, overrides)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"'{out}' exists and is not an empty folder; choose another one.")
    part = out.with_name(f".{out.name}.part")
    try:
        part.mkdir(parents=True)
        save(config, part)
        if out.is_dir():
            out.rmdir()
        part.rename(out)
    except OSError as error:
        raise UserError(f"The model cannot be written to '{out}': {error.strerror}.") from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
    stdout().print(f"Wrote an untrained tiny Qwen3-VL (structured initialisation, seed {config.seed}) to {out}.")
    return 0

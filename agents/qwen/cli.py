"""The command ``designgym model tiny``."""

from __future__ import annotations

from pathlib import Path

from designgym.atomic import folder_written_whole
from designgym.cli.console import stdout
from designgym.config import load_config
from designgym.errors import UserError, require


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
    require("transformers", extra="train")
    from safetensors import SafetensorError

    from designgym.agents.qwen.tiny import TinyConfig, save

    config = load_config(None, TinyConfig, overrides)
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"'{out}' exists and is not an empty folder; choose another one.")
    try:
        with folder_written_whole(out) as part:
            save(config, part)
    except (OSError, SafetensorError) as error:
        raise UserError(f"The model cannot be written to '{out}': {getattr(error, 'strerror', error)}.") from error
    stdout().print(f"Wrote an untrained tiny Qwen3-VL (structured initialisation, seed {config.seed}) to {out}.")
    return 0

"""The command ``designgym train``."""

from __future__ import annotations

import errno
import logging
import os
import shutil
import sys
from pathlib import Path

from designgym.cli.console import stdout
from designgym.cli.settings import settings_table
from designgym.config import read_config
from designgym.errors import UserError
from designgym.train.config import TrainConfig

FULL = (errno.ENOSPC, errno.EDQUOT)
"""Errors of a full disk, and of a used-up quota."""
SPARE_BYTES = 100_000
"""A disk with less room than this is full for a run."""


def run(config: str, overrides: list[str], output: Path | None, dry_run: bool) -> int:
    """Train by a configuration, or only check it.

    Args:
        config: A YAML file, or the name of a configuration that ships with the package.
        overrides: ``key=value`` settings that win over the file.
        output: The run's folder; wins over the configuration's ``output``, whose default is ``runs/<name>``.
        dry_run: Check everything and print the settings instead of training.

    Returns:
        The exit code.

    Raises:
        UserError: For anything that is found wrong before any work.
    """
    loaded = read_config(config, TrainConfig, overrides)
    folder = output or loaded.config.output or Path("runs") / loaded.name
    console = stdout()
    # As soon as it is imported, by PEFT, it says which faster kernels a CPU could have.
    logging.getLogger("bitsandbytes").setLevel(logging.ERROR)
    from designgym.train.checks import check
    from designgym.train.folder import check_folder

    check(loaded.config)
    check_folder(folder, loaded.config)
    if dry_run:
        console.print(settings_table(loaded))
        console.print(f"All is well; the run would be in {folder}.")
        return 0
    from designgym.train.run import run as train

    try:
        train(loaded.config, folder, console)
    except KeyboardInterrupt:
        console.print(f"Interrupted. The same command goes on with the run in {folder}.")
        raise
    except Exception as error:
        if not _disk_is_full(error, folder):
            raise
        print(f"designgym: The disk of '{folder}' is full. Make room; the same command goes on there.", file=sys.stderr)
        return 1
    return 0


def _disk_is_full(error: BaseException, folder: Path) -> bool:
    """Whether a full disk is why something failed: each library says so in its own way, and some do not say it."""
    chain: BaseException | None = error
    while chain is not None:
        if getattr(chain, "errno", None) in FULL or any(os.strerror(number) in str(chain) for number in FULL):
            return True
        chain = chain.__cause__ or chain.__context__
    if isinstance(error, UserError):  # which says what is wrong, and it is something else
        return False
    return folder.is_dir() and shutil.disk_usage(folder).free < SPARE_BYTES

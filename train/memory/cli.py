"""The command ``designgym train plan``."""

from __future__ import annotations

import logging
from pathlib import Path

from designgym.cli.console import stdout
from designgym.config import read_config
from designgym.errors import UserError
from designgym.train.config import TrainConfig


def run(
    config: str,
    overrides: list[str],
    gpus: int | None,
    nodes: int | None,
    gpu_memory: float | None,
    sharding: str | None,
    accelerate: str | None,
) -> int:
    """Print what a run needs of its machines.

    Args:
        config: A YAML file, or the name of a configuration that ships with the package.
        overrides: ``key=value`` settings that win over the file.
        gpus: GPUs of a node.
        nodes: Nodes.
        gpu_memory: Memory of a GPU, GiB.
        sharding: How training is cut over them.
        accelerate: A configuration of accelerate, or the name of one that ships with the package.

    Returns:
        The exit code.

    Raises:
        UserError: If the run cannot work there, after the plan was printed as far as there is one.
    """
    loaded = read_config(config, TrainConfig, overrides)
    from designgym.train.memory.machines import machines
    from designgym.train.memory.plan import plan
    from designgym.train.memory.report import show

    logging.getLogger("bitsandbytes").setLevel(logging.CRITICAL)  # it tells of kernels for CPUs when peft imports it
    path = None if accelerate is None else Path(accelerate)
    made = plan(loaded.config, machines(gpus, nodes, gpu_memory, sharding, path))
    show(stdout(), made)
    if made.problems:
        raise UserError("\n".join(made.problems))
    return 0

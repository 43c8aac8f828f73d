"""`designgym train`: to run a configuration, which is meant where no other word comes first, and to plan one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from designgym.cli.command import group, run
from designgym.cli.once import OnceCommand

RUN = "run"
"""The command that is meant by `designgym train CONFIG`."""


class RunUnlessNamed(TyperGroup):
    """A group in which arguments without a command's name in front belong to `RUN`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the name in front where it is left out."""
        if not args or (args[0] not in self.commands and args[0] not in ctx.help_option_names):
            args = [RUN, *args]
        return super().parse_args(ctx, args)


train = group("Fine-tune models: `designgym train CONFIG` runs a configuration.", cls=RunUnlessNamed)

Config = Annotated[str, typer.Argument(help="A YAML file, or the name of a bundled configuration (quickstart).")]
Overrides = Annotated[
    list[str],
    typer.Option("--set", metavar="KEY=VALUE", help="Set one setting, such as training.steps=5; may be repeated."),
]


@train.command(RUN, cls=OnceCommand)
def train_run(
    config: Config,
    overrides: Overrides = [],  # noqa: B006 - typer copies it
    output: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the run.")] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only check, and print every setting and where it comes from.")
    ] = False,
) -> None:
    """Fine-tune a model on an environment, evaluate it on held-out tasks and write a report."""
    run("designgym.train.cli:run", config=config, overrides=overrides, output=output, dry_run=dry_run)


@train.command("plan", cls=OnceCommand)
def train_plan(
    config: Config,
    overrides: Overrides = [],  # noqa: B006
    gpus: Annotated[int | None, typer.Option(metavar="N", min=1, help="GPUs of a node.")] = None,
    nodes: Annotated[int | None, typer.Option(metavar="N", min=1, help="Nodes.")] = None,
    gpu_memory: Annotated[
        float | None, typer.Option(metavar="GIB", min=1, help="Memory of a GPU; that of the one here, or 80.")
    ] = None,
    sharding: Annotated[
        str | None, typer.Option(metavar="NAME", help="How training is cut over GPUs: ddp, fsdp2, zero2 or zero3.")
    ] = None,
    accelerate: Annotated[
        str | None, typer.Option(metavar="FILE", help="Read GPUs, nodes and sharding from accelerate's file.")
    ] = None,
) -> None:
    """Tell what a run needs: memory of a GPU, tokens, batches; refuse what cannot work. Nothing is trained."""
    run(
        "designgym.train.memory.cli:run",
        config=config,
        overrides=overrides,
        gpus=gpus,
        nodes=nodes,
        gpu_memory=gpu_memory,
        sharding=sharding,
        accelerate=accelerate,
    )

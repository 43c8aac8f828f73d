"""`designgym configs`: the files of configurations that ship with the package."""

from __future__ import annotations

from typing import Annotated

import typer

from designgym.cli.command import group
from designgym.cli.once import OnceCommand
from designgym.config_file import bundled_folder, bundled_names
from designgym.errors import UserError
from designgym.nearest import did_you_mean

configs = group("Find the configurations that ship with the package.")


@configs.command("path", cls=OnceCommand)
def path(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Such as accelerate/fsdp2; designgym list has them all.")],
) -> None:
    """Print the path of a bundled configuration, to be copied or handed to another program."""
    names = bundled_names()
    known = name.removesuffix(".yaml")
    if known not in names:
        raise UserError(f"There is no bundled configuration '{name}'.{did_you_mean(known, names)}")
    typer.echo(bundled_folder() / f"{known}.yaml")

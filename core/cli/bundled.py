"""`designgym configs`: the files of configurations that ship with the package."""

from __future__ import annotations

from typing import Annotated

import typer

from designgym.cli.command import group, run
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
    run("designgym.cli.bundled:print_path", name=name)


def print_path(name: str) -> None:
    """Print where a bundled configuration lies.

    Raises:
        UserError: If there is none of that name.
    """
    names = bundled_names()
    known = name.removesuffix(".yaml")
    if known not in names:
        raise UserError(f"There is no bundled configuration '{name}'.{did_you_mean(known, names)}")
    typer.echo(bundled_folder() / f"{known}.yaml")

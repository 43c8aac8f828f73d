"""What every command is made with: its group, and that its work is loaded when it runs."""

from __future__ import annotations

from typing import Any, NoReturn

import typer
from typer.core import TyperGroup

from designgym.cli.loading import load
from designgym.errors import UserError

_APP = {"no_args_is_help": True, "add_completion": False, "pretty_exceptions_enable": False, "rich_markup_mode": "rich"}


def group(help: str, cls: type[TyperGroup] = TyperGroup) -> typer.Typer:
    """A group of commands, which shows its help when it is called alone."""
    return typer.Typer(help=help, cls=cls, **_APP)  # type: ignore[arg-type]


def run(function: str, /, **arguments: Any) -> NoReturn:
    """Load a function by its import string, call it and exit with the code that it returns, or 0."""
    code = load(function)(**arguments)
    raise typer.Exit(code or 0)


def only(context: typer.Context, option: str, known: set[str]) -> None:
    """Refuse options that say nothing beside one of several uses of a command."""
    for parameter in context.command.params:
        given = context.get_parameter_source(str(parameter.name))
        if parameter.name not in known and given is not None and given.name == "COMMANDLINE":
            raise UserError(f"{parameter.opts[-1]} says nothing beside {option}; leave one of them out.")

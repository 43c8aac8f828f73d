"""A command that refuses an option given twice, where the last one would win in silence."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand


class OnceCommand(TyperCommand):
    """Typer's command, except that an option with a single value may stand only once."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the arguments; a repeated option is a usage error."""
        _, _, given = self.make_parser(ctx).parse_args(args=list(args))
        seen: set[str] = set()
        for parameter in given:
            if parameter.param_type_name != "option" or getattr(parameter, "multiple", False):
                continue
            if parameter.name in seen:
                raise typer.BadParameter("it stands twice; give it once.", ctx, param_hint=f"'{parameter.opts[-1]}'")
            seen.add(parameter.name)
        return super().parse_args(ctx, args)

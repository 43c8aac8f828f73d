"""Whether the installed TRL has the methods that the trainers here replace: private ones, which may change."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from designgym.errors import UserError


def check_methods(trainer: type, methods: Mapping[str, tuple[str, ...]], what: str) -> None:
    """Refuse a trainer of TRL whose methods take other parameters than those that were counted on.

    Args:
        trainer: A trainer of TRL.
        methods: Names of its methods with their parameters, ``self`` included.
        what: What needs them, as the sentence begins.

    Raises:
        UserError: For the first method that differs.
    """
    for name, parameters in methods.items():
        found = tuple(inspect.signature(getattr(trainer, name)).parameters)
        if found != parameters:
            raise UserError(
                f"{what} needs TRL's {trainer.__name__}.{name}({', '.join(parameters)}), and the installed one "
                f"takes ({', '.join(found)}); pip install 'trl==1.16.*'."
            )

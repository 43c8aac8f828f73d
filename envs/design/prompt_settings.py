"""What of the workbench's prompt can be chosen: how the task is framed, and what is shown in each round."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from designgym.errors import UserError
from designgym.nearest import did_you_mean

Framing = Literal["canonical", "criteria"]
"""``criteria`` adds what a finished page is looked at for."""


@dataclass(frozen=True)
class Context:
    """What a model is shown in each round beside brief, files and the result of its last call.

    Attributes:
        history: The latest calls with their results.
        image: An image of the open document's page.
        layers: The open document's layers as JSON, where the environment tells them (``layers=True``).
    """

    history: bool = True
    image: bool = True
    layers: bool = True


WHOLE_CONTEXT = Context()

COMPONENTS = tuple(field.name for field in fields(Context))
"""The names of the context's components."""


@dataclass(frozen=True)
class PromptSettings:
    """The choices as a configuration writes them, checked.

    Attributes:
        framing: ``"canonical"`` or ``"criteria"``.
        context: Which components are shown: some, all or none of ``"history"``, ``"image"`` and ``"layers"``.

    Raises:
        UserError: For an unknown framing or component, or one given twice.
    """

    framing: Framing = "canonical"
    context: Sequence[str] = COMPONENTS

    def __post_init__(self) -> None:
        check_framing(self.framing)
        names = self.context
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise UserError(f"context is {names!r}; it must be a list of some of {', '.join(COMPONENTS)}, or [].")
        for name in names:
            if name not in COMPONENTS:
                raise UserError(f"context has no component {name!r}.{did_you_mean(str(name), COMPONENTS)}")
        if len(set(names)) != len(names):
            raise UserError(f"context is {list(names)}; name each component once.")
        # One order whatever was written, so that equal settings are equal.
        object.__setattr__(self, "context", tuple(name for name in COMPONENTS if name in names))

    def keywords(self) -> dict[str, Any]:
        """The choices as :func:`designgym.envs.design.prompt.build_prompt` takes them."""
        return {"framing": self.framing, "context": Context(**{name: name in self.context for name in COMPONENTS})}


def check_framing(framing: str) -> None:
    """Refuse an unknown framing.

    Raises:
        UserError: If it is none of :data:`Framing`.
    """
    if framing not in get_args(Framing):
        raise UserError(f"There is no framing {framing!r}.{did_you_mean(str(framing), get_args(Framing))}")

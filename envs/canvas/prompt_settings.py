"""What of the canvas environment's prompt can be chosen: how the task is framed, and what is shown in each round.

These are manipulations of PainterBench's harness (section 4.4) that leave the environment as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from designgym.errors import UserError
from designgym.nearest import did_you_mean

Framing = Literal["canonical", "depictive", "example"]
"""``depictive`` adds that a viewer must be able to tell what the drawing shows; ``example`` adds an example to that."""


@dataclass(frozen=True)
class Context:
    """What a model is shown in each round beside task, instruction and the result of its last call.

    Attributes:
        history: The ten latest calls with their results.
        canvas: An image of the current canvas.
        strip: An image of the three latest canvases side by side.
    """

    history: bool = True
    canvas: bool = True
    strip: bool = True


WHOLE_CONTEXT = Context()
"""All that PainterBench's primary study shows (section 3)."""

COMPONENTS = tuple(field.name for field in fields(Context))
"""The names of the context's components."""


@dataclass(frozen=True)
class PromptSettings:
    """The choices as a configuration writes them, checked.

    Attributes:
        framing: ``"canonical"``, ``"depictive"`` or ``"example"``.
        context: Which components are shown: some, all or none of ``"history"``, ``"canvas"`` and ``"strip"``.

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
        """The choices as :func:`designgym.envs.canvas.prompt.build_prompt` takes them."""
        return {"framing": self.framing, "context": Context(**{name: name in self.context for name in COMPONENTS})}


def check_framing(framing: str) -> None:
    """Refuse an unknown framing.

    Raises:
        UserError: If it is none of :data:`Framing`.
    """
    if framing not in get_args(Framing):
        raise UserError(f"There is no framing {framing!r}.{did_you_mean(str(framing), get_args(Framing))}")

"""What of the aesthetics environments' prompts can be chosen: how the answer is asked for, and what is shown.

These are the manipulations of AesEval-Bench (section 3.1 and Table 9); they leave the environment as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from designgym.errors import UserError
from designgym.nearest import did_you_mean

Framing = Literal["tool", "original", "optimized"]
"""``tool`` asks for a call of ``answer``. The other two ask for an answer in words, after Table 9: ``original``
directly, ``optimized`` after looking step by step."""


@dataclass(frozen=True)
class Context:
    """What a model is shown beside the question.

    Attributes:
        image: The page.
        explanation: What the indicator means.
        metadata: The design's elements as JSON, where the environment gives them (``metadata=True``).
    """

    image: bool = True
    explanation: bool = True
    metadata: bool = True


WHOLE_CONTEXT = Context()

COMPONENTS = tuple(field.name for field in fields(Context))
"""The names of the context's components."""


@dataclass(frozen=True)
class PromptSettings:
    """The choices as a configuration writes them, checked.

    Attributes:
        framing: ``"tool"``, ``"original"`` or ``"optimized"``.
        context: What is shown: some of ``"image"``, ``"explanation"`` and ``"metadata"``, image or metadata among them.

    Raises:
        UserError: For an unknown framing or component, one given twice, or neither image nor metadata.
    """

    framing: Framing = "tool"
    context: Sequence[str] = COMPONENTS

    def __post_init__(self) -> None:
        check_framing(self.framing)
        names = self.context
        if isinstance(names, str) or not isinstance(names, Sequence):
            raise UserError(f"context is {names!r}; it must be a list of some of {', '.join(COMPONENTS)}.")
        for name in names:
            if name not in COMPONENTS:
                raise UserError(f"context has no component {name!r}.{did_you_mean(str(name), COMPONENTS)}")
        if len(set(names)) != len(names):
            raise UserError(f"context is {list(names)}; name each component once.")
        if not {"image", "metadata"} & set(names):
            raise UserError(f"context is {list(names)}; the design must be shown as 'image', 'metadata' or both.")
        # One order whatever was written, so that equal settings are equal.
        object.__setattr__(self, "context", tuple(name for name in COMPONENTS if name in names))

    def keywords(self) -> dict[str, Any]:
        """The choices as :func:`designgym.envs.aesthetics.prompt.build_prompt` takes them."""
        return {"framing": self.framing, "context": Context(**{name: name in self.context for name in COMPONENTS})}


def check_framing(framing: str) -> None:
    """Refuse an unknown framing.

    Raises:
        UserError: If it is none of :data:`Framing`.
    """
    if framing not in get_args(Framing):
        raise UserError(f"There is no framing {framing!r}.{did_you_mean(str(framing), get_args(Framing))}")

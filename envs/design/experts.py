"""The three design experts of GraphicTown: each has a program of its own, with its own actions and open document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from designgym.parameters import Path, Refused
from designgym.scalars import Choice
from designgym.values import show

Expert = Literal["photo_editor", "vector_graphic_editor", "layout_designer"]

EXPERTS: tuple[Expert, ...] = get_args(Expert)

FIRST_EXPERT: Expert = "layout_designer"
"""Who acts before any expert was named."""

TASKS: dict[Expert, str] = {
    "photo_editor": "edits pictures: colours, filters, and text on them",
    "vector_graphic_editor": "draws shapes, and arranges pictures and text",
    "layout_designer": "lays out pictures, text and QR codes on the page that is delivered",
}
"""What each is there for, in words (GraphicBench, section 3)."""


def folded(name: str) -> str:
    """A name without what people write differently: case, spaces, underscores and hyphens."""
    return "".join(c for c in name.casefold() if c not in " _-")


@dataclass(frozen=True)
class Folded(Choice):
    """One of some strings, whatever its case, spaces, underscores and hyphens; canonical is the option's spelling."""

    def check(self, value: object, path: Path, skipped: list[str]) -> str:
        """See the class."""
        if isinstance(value, str) and len(value) <= 100:
            known = {folded(option): option for option in self.options}
            value = known.get(folded(value), value)
        return super().check(value, path, skipped)


@dataclass(frozen=True)
class ExpertName(Folded):
    """The name of an expert who has the action; any other name is ``invalid_expert`` or ``invalid_action``."""

    def check(self, value: object, path: Path, skipped: list[str]) -> str:
        """The expert's canonical name."""
        name = expert_named(value)
        if name is None:
            raise Refused("", f"There is no expert {show(value)}; there are {', '.join(EXPERTS)}.", "invalid_expert")
        if name not in self.options:
            raise Refused("", f"The {name} does not have this action; {_listed(self.options)} has.", "invalid_action")
        return name


def expert_named(value: object) -> Expert | None:
    """The expert that a name means, if any."""
    if not isinstance(value, str) or len(value) > 100:
        return None
    return next((expert for expert in EXPERTS if folded(expert) == folded(value)), None)


def _listed(names: tuple[str, ...]) -> str:
    return " or ".join((", ".join(names[:-1]), names[-1]) if len(names) > 1 else names)

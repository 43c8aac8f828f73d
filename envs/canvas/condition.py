"""Which variant of the task is played: the manipulations of PainterBench (section 4.4) that change the environment.

Framing and context change what a model is told; they are chosen in the prompt.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

from designgym.envs.canvas.raster import Renderer
from designgym.envs.canvas.tools import Interface, Vocabulary
from designgym.nearest import nearest

Kind = Literal["is", "ot"]
Axes = Literal["none", "outside", "over"]

LISTED = "listed"
MAX_SUBJECT_CHARACTERS = 200


@dataclass(frozen=True)
class Condition:
    """The arguments of canvas drawing that decide what is drawn on, with what, and what is seen.

    Attributes:
        interface: ``"tools"``, or ``"svg"`` for ``draw_svg`` in place of the drawing tools.
        vocabulary: ``"full"``, or ``"dots"`` for ``draw_dots`` alone.
        stimulus: ``"bank"`` starts with the task's shape; None with a blank canvas.
        subject: What is to be drawn: None leaves the choice to the agent, ``"listed"`` takes the task's target out of a
            fixed list, and any other text is the subject itself, such as ``"a snail"``.
        renderer: ``"pillow"``, or ``"skia"`` for clean geometry.
        channels: 1 (grey) or 3 (RGB).
        axes: Pixel coordinates on the image: ``"none"``, ``"outside"`` (the image grows to 448 x 448) or ``"over"``.
        kinds: Which stimuli are played: ``"is"`` (incomplete shapes), ``"ot"`` (outlines of objects) or both.
    """

    interface: Interface = "tools"
    vocabulary: Vocabulary = "full"
    stimulus: Literal["bank"] | None = "bank"
    subject: str | None = None
    renderer: Renderer = "pillow"
    channels: int = 1
    axes: Axes = "none"
    kinds: Sequence[Kind] = ("is", "ot")

    def __post_init__(self) -> None:
        _one_of("interface", self.interface, get_args(Interface))
        _one_of("vocabulary", self.vocabulary, get_args(Vocabulary))
        _one_of("stimulus", self.stimulus, ("bank", None))
        _one_of("renderer", self.renderer, get_args(Renderer))
        _one_of("axes", self.axes, get_args(Axes))
        if isinstance(self.channels, bool) or self.channels not in (1, 3):
            raise ValueError(f"channels is {self.channels!r}; it must be 1 (grey) or 3 (RGB).")
        if self.interface == "svg" and self.vocabulary != "full":
            raise ValueError('vocabulary="dots" leaves one of the drawing tools, which interface="svg" does not have.')
        subject = self.subject
        if subject is not None and (not isinstance(subject, str) or not 0 < len(subject) <= MAX_SUBJECT_CHARACTERS):
            raise ValueError(
                f"subject is {subject!r}; it must be None, 'listed' or a text of 1 to {MAX_SUBJECT_CHARACTERS} "
                "characters, such as 'a snail'."
            )
        kinds = self.kinds
        if isinstance(kinds, str) or not isinstance(kinds, Sequence) or not kinds or len(set(kinds)) != len(kinds):
            raise ValueError(f"kinds is {kinds!r}; it must be a list of 'is' and 'ot', or of one of them.")
        for kind in kinds:
            _one_of("kinds", kind, get_args(Kind))
        # One order whatever was written, so that equal conditions are equal.
        object.__setattr__(self, "kinds", tuple(kind for kind in get_args(Kind) if kind in kinds))


def _one_of(name: str, value: Any, known: Sequence[Any]) -> None:
    if not isinstance(value, str | None) or value not in known:
        close = nearest(value, [word for word in known if word]) if isinstance(value, str) else None
        hint = f" Did you mean {close!r}?" if close else ""
        raise ValueError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, known))}.{hint}")

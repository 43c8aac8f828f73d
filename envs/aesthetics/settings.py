"""What an aesthetics environment asks about which designs: its arguments, checked."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from designgym.env import MisuseError
from designgym.envs.aesthetics.blocks.flaws import KINDS
from designgym.envs.aesthetics.blocks.item import Settings as BlockSettings
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.nearest import did_you_mean

TaskKind = Literal["judgment", "selection", "localization"]
"""Is there an issue; in which of four regions; in which box (AesEval-Bench, section 3.1)."""

Protocol = Literal["strict", "release"]
"""``strict`` is AesEval-Bench as the paper describes it, ``release`` as the released code evaluates it."""

CLEAN_SHARES: dict[TaskKind, float] = {"judgment": 0.5, "selection": 0.25, "localization": 0.35}
"""The share of designs that are good in the respect asked about, by default. At these shares no answer that ignores the
design wins under the default rewards: yes and no earn 1/2 each; A, B, C, D, "None" and "any region but None" 1/4 each;
None earns 0.35 and the best fixed box about as much."""

GENERATED = ("layouts", "layouts-ood", "blocks")
"""Designs that are made by code; everything else that ``designs`` may name is a folder of data."""

BLOCK_ELEMENTS = (3, 6)


@dataclass(frozen=True)
class Settings:
    """What is asked about which designs.

    Attributes:
        task: ``"judgment"``, ``"selection"`` or ``"localization"``.
        designs: ``"layouts"``: generated posters, cards, covers and posts; ``"layouts-ood"``: those with compound
            flaws that training never shows; ``"blocks"``: simple square pages of a few elements; or the path of a
            data folder.
        indicators: What is asked about, names of ``designgym.envs.aesthetics.indicators.INDICATORS``; None means all
            that the designs have.
        clean_share: Share of designs that are good in the respect asked about, 0 to 1. None takes the share at which no
            constant policy wins: 0.5 for judgment, 0.25 for selection, 0.35 for localization. Only data that is
            perturbed on demand has a choice; other data has the share it has.
        image_size: Side of the square picture, px, 32 to 2048. The page's longer side fills it.
        metadata: Whether the text of the observation holds the design's elements as JSON.
        protocol: ``"strict"`` follows the paper. ``"release"`` follows the released evaluation: a flawed design offers
            its box and three others and never None, and of several harmed elements only the first is the truth.
        flaws: For blocks only: kinds of flaw, from ``designgym.envs.aesthetics.blocks.flaws.KINDS``; None means all.
        elements: For blocks only: least and greatest number of elements, 1 to 8; None means 3 to 6.

    Raises:
        MisuseError: If a value makes no sense.
    """

    task: TaskKind
    designs: str = "layouts"
    indicators: tuple[str, ...] | None = None
    clean_share: float | None = None
    image_size: int = 448
    metadata: bool = False
    protocol: Protocol = "strict"
    flaws: tuple[str, ...] | None = None
    elements: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        _one_of("task", self.task, get_args(TaskKind))
        _one_of("protocol", self.protocol, get_args(Protocol))
        if not isinstance(self.metadata, bool):
            raise MisuseError(f"metadata is {self.metadata!r}; it must be True or False.")
        self._set("designs", _designs(self.designs))
        self._set("indicators", self._indicators())
        if self.clean_share is None and self.designs in GENERATED:
            self._set("clean_share", CLEAN_SHARES[self.task])
        if self.designs == "blocks":
            self._set("flaws", tuple(KINDS) if self.flaws is None else self.flaws)
            self._set("elements", BLOCK_ELEMENTS if self.elements is None else self.elements)
            block = self.block_settings()
            self._set("flaws", block.flaws)
            self._set("elements", block.elements)
            return
        for name in ("flaws", "elements"):
            if (value := getattr(self, name)) is not None:
                raise MisuseError(f'{name} is {value!r}, which only designs="blocks" has; leave it out.')
        _check_plain(self.clean_share, self.image_size)

    def block_settings(self) -> BlockSettings:
        """The settings of simple pages."""
        try:
            return BlockSettings(self.flaws, self.clean_share, self.image_size, self.elements)  # type: ignore[arg-type]
        except ValueError as error:
            raise MisuseError(f"These designs cannot be made: {error}") from error

    def _indicators(self) -> tuple[str, ...] | None:
        chosen = self.indicators
        if chosen is None:
            return None
        if self.designs == "blocks":
            raise MisuseError(f'indicators is {chosen!r}; of designs="blocks" choose the flaws instead.')
        if not isinstance(chosen, list | tuple) or not chosen:
            raise MisuseError(f"indicators is {chosen!r}; it must be a list of names, such as ['color-contrast'].")
        for name in chosen:
            if name not in INDICATORS:
                raise MisuseError(f"There is no indicator {name!r}.{did_you_mean(str(name), INDICATORS)}")
        if len(set(chosen)) < len(chosen):
            raise MisuseError(f"indicators is {chosen!r}; name each indicator once.")
        # One order whatever was written, so that equal settings are equal.
        return tuple(name for name in INDICATORS if name in chosen)

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)


def _designs(value: Any) -> str:
    """The name of generated designs, or the path of a folder."""
    if isinstance(value, Path):
        value = str(value)
    if not isinstance(value, str):
        raise MisuseError(f"designs is {value!r}; it must be one of {', '.join(map(repr, GENERATED))}, or a path.")
    if value not in GENERATED and not Path(value).exists():
        raise MisuseError(
            f"designs is {value!r}; it must be one of {', '.join(map(repr, GENERATED))}, or the path of a data folder, "
            f"and there is no such path.{did_you_mean(value, GENERATED)}"
        )
    return value


def _one_of(name: str, value: Any, known: tuple[str, ...]) -> None:
    if value not in known:
        raise MisuseError(
            f"{name} is {value!r}; it must be one of {', '.join(map(repr, known))}.{did_you_mean(str(value), known)}"
        )


def _check_plain(share: Any, size: Any) -> None:
    """The checks that simple pages do by themselves."""
    if share is not None and (isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 1):
        raise MisuseError(f"clean_share is {share!r}; it must be a number from 0 to 1.")
    if isinstance(size, bool) or not isinstance(size, int) or not 32 <= size <= 2048:
        raise MisuseError(f"image_size is {size!r}; it must be a whole number from 32 to 2048 px.")


NAMES = tuple(field.name for field in fields(Settings))
"""The settings' names in order."""

"""From the name of designs to a supply of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from designgym.envs.aesthetics.blocks.flaws import KINDS
from designgym.envs.aesthetics.blocks.item import Settings as BlockSettings
from designgym.envs.aesthetics.blocks.source import FULL_NAMES, BlockSource
from designgym.envs.aesthetics.sample import Source
from designgym.envs.aesthetics.sources.resolve import kind_of_folder, resolve_source
from designgym.errors import UserError
from designgym.nearest import did_you_mean
from designgym.train.aesthetics_data.settings import DataSettings
from designgym.train.aesthetics_data.supply import Counted, MadeToOrder, Numbers, Supply, count

BLOCK_KINDS = {
    name: tuple(k for k, (_, short) in KINDS.items() if FULL_NAMES[short] == name) for name in FULL_NAMES.values()
}
"""Indicator -> the flaws of simple pages that harm it."""

GENERATED = ("layouts", "blocks")


def check_source(settings: DataSettings) -> None:
    """Find out, without opening anything, whether there are such designs.

    Raises:
        UserError: If not.
    """
    name = settings.source
    if name == "blocks":
        if missing := [indicator for indicator in settings.indicators if not BLOCK_KINDS[indicator]]:
            known = ",".join(indicator for indicator, kinds in BLOCK_KINDS.items() if kinds)
            raise UserError(f"Simple pages have no flaws of {', '.join(missing)}; choose --indicators {known}.")
    elif name == "layouts-ood":
        raise UserError("The flaws of 'layouts-ood' are kept out of training; choose another --source.")
    elif name not in GENERATED:
        if not Path(name).exists():
            raise UserError(
                f"--source '{name}' is neither one of {', '.join(GENERATED)} nor the path of a data folder."
                f"{did_you_mean(name, GENERATED)}"
            )
        kind_of_folder(name)


def counted(settings: DataSettings, seen: Callable[[int, int], object]) -> Numbers | None:
    """What `designgym.train.aesthetics_data.supply.count` finds in stored designs; None for those made to order.

    Args:
        settings: What is asked for.
        seen: Is told how many designs of how many were counted.
    """
    return count(_stored(settings), settings, seen) if _is_stored(settings) else None


def open_supply(settings: DataSettings, numbers: Numbers | None) -> Supply:
    """The designs that the settings name.

    Args:
        settings: What is asked for.
        numbers: What `counted` returned.

    Raises:
        UserError: If there are too few.
    """
    if _is_stored(settings):
        assert numbers is not None, "stored designs are counted first"
        return Counted(_stored(settings), numbers)
    made = MadeToOrder(partial(_blocks if settings.source == "blocks" else _resolved, settings), settings)
    made.check()
    return made


def _is_stored(settings: DataSettings) -> bool:
    return settings.source not in GENERATED and kind_of_folder(settings.source) != "crello"


def _resolved(settings: DataSettings, indicator: str, clean: bool) -> Source:
    share = 1.0 if clean else 0.0
    return resolve_source(settings.source, indicators=(indicator,), clean_share=share, strict=settings.strict)


def _blocks(settings: DataSettings, indicator: str, clean: bool) -> Source:
    return BlockSource(BlockSettings(BLOCK_KINDS[indicator], 1.0 if clean else 0.0))


def _stored(settings: DataSettings) -> Source:
    return resolve_source(settings.source, indicators=settings.indicators, strict=settings.strict)

"""Skeletons: which arrangement a page has and with which parameters, drawn so that each belongs to one split."""

from __future__ import annotations

from typing import Any

import numpy as np

from designgym.layout.arrangement import COMMON, Arrangement
from designgym.layout.brief import Brief, LayoutError
from designgym.layout.columns import COLUMNS
from designgym.layout.dealing import split_of
from designgym.layout.framed import FRAMED
from designgym.layout.sides import SIDES
from designgym.layout.typographic import TYPOGRAPHIC
from designgym.tasks import Split

ARRANGEMENTS: dict[str, Arrangement] = {
    arrangement.name: arrangement for arrangement in (*COLUMNS, *SIDES, *FRAMED, *TYPOGRAPHIC)
}
"""Name -> family of layouts."""


def sample_skeleton(
    rng: np.random.Generator, brief: Brief, split: Split | None
) -> tuple[Arrangement, dict[str, Any], str]:
    """Draw an arrangement that suits a brief, its parameters and its name.

    Args:
        rng: Source of randomness.
        brief: What the page holds.
        split: The split to which the skeleton belongs; any if None.

    Returns:
        The arrangement, its parameters, and the skeleton's name, which holds all that decides the layout but the texts.
    """
    suiting = _suiting(brief)
    weights = np.cumsum([arrangement.weight for arrangement in suiting])
    while True:  # a skeleton of another split is thrown away: about 10 tries for the small splits
        arrangement = suiting[int(np.searchsorted(weights, rng.random() * weights[-1], side="right"))]
        choices = {**COMMON, **arrangement.choices}
        draws = rng.random(len(choices))
        parameters = {
            name: values[int(draw * len(values))] for (name, values), draw in zip(choices.items(), draws, strict=True)
        }
        skeleton = _name(brief, arrangement.name, parameters)
        if split is None or split_of(skeleton) == split:
            return arrangement, parameters, skeleton


def _suiting(brief: Brief) -> list[Arrangement]:
    suiting = [arrangement for arrangement in ARRANGEMENTS.values() if arrangement.suits(brief)]
    if not suiting:
        raise LayoutError(
            f"No arrangement holds {len(brief.pictures)} pictures and {len(brief.details)} details on a "
            f"{brief.format.name}; use at most 6 pictures and 4 details."
        )
    return suiting


def _name(brief: Brief, arrangement: str, parameters: dict[str, Any]) -> str:
    content = "".join(
        letter if value else "-"
        for letter, value in (("t", brief.title), ("s", brief.subtitle), ("b", brief.body), ("c", brief.call))
    )
    values = ",".join(f"{name}={value}" for name, value in sorted(parameters.items()))
    return f"{brief.format.name}/{arrangement}/{content}{len(brief.details)}{len(brief.pictures)}/{values}"

"""Skeletons: which arrangement a page has and with which parameters, drawn so that each belongs to one split."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

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
    weights = np.cumsum([arrangement.weight for arrangement in suiting]).tolist()
    while True:  # a skeleton of another split is thrown away: about 10 tries for the small splits
        arrangement = suiting[bisect_right(weights, rng.random() * weights[-1])]
        choices, counts, order, words = _choices(arrangement.name)
        picks = (rng.random(len(counts)) * counts).astype(np.intp).tolist()
        skeleton = _name(brief, arrangement.name, ",".join([words[at][picks[at]] for at in order]))
        if split is None or split_of(skeleton) == split:
            parameters = {name: values[pick] for (name, values), pick in zip(choices.items(), picks, strict=True)}
            return arrangement, parameters, skeleton


@cache
def _choices(
    arrangement: str,
) -> tuple[dict[str, tuple[Any, ...]], NDArray[np.float64], tuple[int, ...], tuple[tuple[str, ...], ...]]:
    """An arrangement's choices, how many each has, their order by name, and how a skeleton's name writes each value."""
    choices = {**COMMON, **ARRANGEMENTS[arrangement].choices}
    names = list(choices)
    counts = np.array([len(values) for values in choices.values()], np.float64)
    order = tuple(sorted(range(len(names)), key=names.__getitem__))
    return choices, counts, order, tuple(tuple(f"{n}={value}" for value in values) for n, values in choices.items())


def _suiting(brief: Brief) -> list[Arrangement]:
    suiting = [arrangement for arrangement in ARRANGEMENTS.values() if arrangement.suits(brief)]
    if not suiting:
        raise LayoutError(
            f"No arrangement holds {len(brief.pictures)} pictures and {len(brief.details)} details on a "
            f"{brief.format.name}; use at most 6 pictures and 4 details."
        )
    return suiting


def _name(brief: Brief, arrangement: str, values: str) -> str:
    content = "".join(
        letter if value else "-"
        for letter, value in (("t", brief.title), ("s", brief.subtitle), ("b", brief.body), ("c", brief.call))
    )
    return f"{brief.format.name}/{arrangement}/{content}{len(brief.details)}{len(brief.pictures)}/{values}"

"""How far two annotators agree on yes or no: percent, and Cohen's kappa (Cohen 1960)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from designgym.envs.aesthetics.indicators import INDICATORS


@dataclass(frozen=True)
class Agreed:
    """How far two annotators agree.

    Attributes:
        items: Number of things that both labelled.
        percent: Share of them on which they agree, 0 to 1.
        kappa: Cohen's kappa, up to 1; 0 is chance. None where both gave one and the same label throughout.
    """

    items: int
    percent: float
    kappa: float | None


def cohen(pairs: Sequence[tuple[bool, bool]]) -> Agreed:
    """Agreement of two annotators over the pairs of their labels.

    Raises:
        ValueError: For no pairs.
    """
    if not pairs:
        raise ValueError("Agreement over nothing does not exist; give at least one pair of labels.")
    n = len(pairs)
    same = sum(one == two for one, two in pairs) / n
    ones, twos = sum(one for one, _ in pairs) / n, sum(two for _, two in pairs) / n
    chance = ones * twos + (1 - ones) * (1 - twos)
    return Agreed(n, same, (same - chance) / (1 - chance) if chance < 1 else None)


def by_indicator(one: Mapping[tuple[str, str], bool], two: Mapping[tuple[str, str], bool]) -> dict[str, Agreed]:
    """Agreement on what both labelled: of all indicators together under ``"all"``, then of each.

    Args:
        one: Design and indicator to label.
        two: The other's.
    """
    found: dict[str, Agreed] = {}
    both = [question for question in one if question in two]
    for name in ("all", *INDICATORS):
        pairs = [(one[question], two[question]) for question in both if name in ("all", question[1])]
        if pairs:
            found[name] = cohen(pairs)
    return found

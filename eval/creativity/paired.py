"""Two agents, or an agent under two conditions, on the same shapes (PainterBench, section 4.4)."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from designgym.eval.statistics import Interval, Paired, paired

Values = Mapping[str, Sequence[float | None]]
"""Shape -> the values of its replicates, in the same order on both sides."""


@dataclass(frozen=True)
class ByStimulus:
    """The first less the second.

    Attributes:
        test: The mean difference with its interval over shapes, and a sign-flip permutation test of whole shapes.
        d: Mean over standard deviation of the pairs' differences; None where they do not vary.
        pairs: Number of pairs.
        stimuli: Number of shapes with a pair.
        left_out: Shapes that only one side has values for.
    """

    test: Paired
    d: float | None
    pairs: int
    stimuli: int
    left_out: int

    @property
    def difference(self) -> Interval:
        """The mean difference with its interval."""
        return self.test.difference


def by_stimulus(first: Values, second: Values, seed: int = 0) -> ByStimulus:
    """Compare pairs of drawings of the same shape and replicate; whole shapes are resampled.

    A shape with unequal numbers of replicates makes one pair, of the means of both sides. The paper's d agrees with
    single pairs: of its comparison of interfaces, 0.07 / .43 is what the standard deviations in its Table 7 make of a
    pair's difference.

    Args:
        first: See :data:`Values`; None counts as missing.
        second: Likewise.
        seed: Of the bootstrap.
    """
    left: list[float] = []
    right: list[float] = []
    where: list[str] = []
    shared = [shape for shape in first if shape in second]
    used = 0
    for shape in shared:
        sides = [[v for v in values[shape] if v is not None and v == v] for values in (first, second)]
        if not all(sides):
            continue
        whole = len(first[shape]) == len(second[shape])
        pairs = (
            [(a, b) for a, b in zip(first[shape], second[shape], strict=True) if _present(a) and _present(b)]
            if whole
            else [(float(np.mean(sides[0])), float(np.mean(sides[1])))]
        )
        used += bool(pairs)
        for a, b in pairs:
            left.append(float(a))  # type: ignore[arg-type]
            right.append(float(b))  # type: ignore[arg-type]
            where.append(shape)
    differences = np.array(left) - np.array(right)
    sd = float(differences.std(ddof=1)) if len(differences) > 1 else 0.0
    d = float(differences.mean()) / sd if sd > 1e-12 else None
    everywhere = len(set(itertools.chain(first, second)))
    return ByStimulus(paired(left, right, seed, clusters=where), d, len(left), used, everywhere - used)


def _present(value: float | None) -> bool:
    return value is not None and value == value

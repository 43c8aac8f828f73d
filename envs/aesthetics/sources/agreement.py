"""How far annotators agree: percent agreement, Fleiss' kappa and Krippendorff's alpha for categories without order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from designgym.krippendorff import alpha, coincidences

Ratings = Iterable[Sequence[Hashable]]
"""For each thing that was rated the ratings that it got, in any order; missing ones are left out."""


def percent_agreement(ratings: Ratings) -> float | None:
    """The mean share of pairs of annotators that agree, over the things that two or more of them rated; 0 to 1.

    None if there is no such pair.
    """
    shares = []
    for values in ratings:
        pairs = len(values) * (len(values) - 1)
        if pairs:
            shares.append(sum(count * (count - 1) for count in Counter(values).values()) / pairs)
    return sum(shares) / len(shares) if shares else None


def fleiss_kappa(ratings: Ratings) -> float | None:
    """Fleiss' kappa (Fleiss 1971, "Measuring nominal scale agreement among many raters"), up to 1; 0 is chance.

    None where it is not defined: things that were rated by different numbers of annotators or by fewer than two, no
    things, or one category throughout.
    """
    counted = [Counter(values) for values in ratings]
    raters = {sum(counts.values()) for counts in counted}
    if len(raters) != 1 or min(raters) < 2:
        return None
    (number,) = raters
    observed = sum(
        sum(count * (count - 1) for count in counts.values()) / (number * (number - 1)) for counts in counted
    ) / len(counted)
    totals: Counter[Hashable] = sum(counted, Counter())
    expected = sum((count / (number * len(counted))) ** 2 for count in totals.values())
    return (observed - expected) / (1 - expected) if expected < 1 else None


def krippendorff_alpha(ratings: Ratings) -> float | None:
    """Krippendorff's alpha for categories without order, see :mod:`designgym.krippendorff`.

    Things with fewer than two ratings are left out. None where it is not defined: nothing rated twice, or one category
    throughout.
    """
    counted = [Counter(values) for values in ratings if len(values) >= 2]
    categories = list(dict.fromkeys(category for counts in counted for category in counts))
    counts = np.array([[float(counts[category]) for category in categories] for counts in counted])
    return alpha(coincidences(counts).sum(axis=0), "nominal") if counted else None

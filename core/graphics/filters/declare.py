"""What a filter declares: its name, what it does, its parameters with their ranges, and the function behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from designgym.scalars import Choice, Number

Pixels = NDArray[np.uint8]
"""uint8 (H, W, 4), red-green-blue-alpha, not premultiplied."""


@dataclass(frozen=True)
class Filter:
    """One filter.

    Attributes:
        name: As documents have it.
        doc: What it does, in one sentence.
        apply: ``apply(rgba, scale=..., **parameters)`` gives a fresh array of the same shape. Lengths are page px;
            ``scale`` says how many pixels of the array one page px is, so that a picture looks alike at every scale.
            An opaque picture stays opaque.
        parameters: By name, with range; all are required. The names are those of GraphicTown's actions (Table 8).
        spill: ``spill(**parameters)`` says how far, in page px, it carries the edge of a cut-out picture outwards;
            None for not at all. An opaque picture keeps its edge whatever the filter.
    """

    name: str
    doc: str
    apply: Callable[..., Pixels] = field(repr=False)
    parameters: Mapping[str, Number | Choice] = field(default_factory=dict)
    spill: Callable[..., float] | None = None

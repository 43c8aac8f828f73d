"""Generated designs: pages without end out of themes, formats and the engine, each a function of its random state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from designgym.layout.brief import GeneratedDesign, LayoutError
from designgym.layout.compose import compose
from designgym.layout.formats import FORMATS, Format
from designgym.layout.themes import sample_brief, themes_of
from designgym.tasks import Split

_TRIES = 25  # a brief that fits no layout by then is exchanged for another one


def generate_design(
    rng: np.random.Generator, split: Split, pool: Any = None, formats: Sequence[str] | None = None
) -> GeneratedDesign:
    """Draw a design whose skeleton, base hue, faces and theme belong to a split.

    Args:
        rng: Source of randomness: the same state gives the same design in every process.
        split: ``"train"``, ``"validation"`` or ``"test"``.
        pool: Where pictures come from; the embedded pool if None.
        formats: Names of formats to draw from; all if None.

    Returns:
        A design that keeps every rule of ``checks``.

    Raises:
        LayoutError: For an unknown format.
    """
    chosen = _formats(formats)
    if pool is None:
        from designgym.pool.embedded import embedded

        pool = embedded()
    while True:
        format = chosen[int(rng.random() * len(chosen))]
        known = themes_of(format.kind, split)
        theme = known[int(rng.random() * len(known))]
        try:
            return compose(sample_brief(rng, theme, format, pool), rng, pool, split, _TRIES)
        except LayoutError:  # too much text for the page: another brief is drawn
            continue


def _formats(names: Sequence[str] | None) -> list[Format]:
    if names is None:
        return list(FORMATS.values())
    unknown = [name for name in names if name not in FORMATS]
    if unknown or not names:
        raise LayoutError(f"The formats {unknown} are unknown; use some of {sorted(FORMATS)}.")
    return [FORMATS[name] for name in names]

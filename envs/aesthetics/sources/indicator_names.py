"""Names of indicators as data sets and papers write them, as one of the twelve."""

from __future__ import annotations

import re

from designgym.envs.aesthetics.indicators import INDICATORS

# Spellings of the paper's own tables and showcases (AesEval-Bench, Tables 7 and 10 to 16).
_ALSO = {
    "color-appealing": "color-appeal",
    "font-legbility": "font-legibility",
    "layout-hierarchy": "font-hierarchy",
    "graphics-quality": "graphic-quality",
    "graphics-relevance": "graphic-relevance",
    "layout-white-space": "layout-whitespace",
}


def indicator_name(written: str) -> str | None:
    """The name in ``INDICATORS`` that is meant; None if it is none of them.

    >>> indicator_name("Color Appealing")
    'color-appeal'
    """
    name = re.sub(r"[\s_]+", "-", str(written).strip().casefold()).replace("colour", "color")
    name = _ALSO.get(name, name)
    return name if name in INDICATORS else None

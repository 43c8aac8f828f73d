"""All filters by name, and applying one to a picture.

Each is a pure function of the picture, its values and the scale, made of whole numbers, tables and the four operations,
so that the same document gives the same bytes everywhere. Randomness (cells, ripples, grain) is a hash of the place.
"""

from __future__ import annotations

from typing import Any, TypeGuard

from designgym.graphics.filters.applied import AppliedFilter
from designgym.graphics.filters.blur import BLUR
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.graphics.filters.glass import GLASS
from designgym.graphics.filters.glow import GLOW
from designgym.graphics.filters.hsl import HSL
from designgym.graphics.filters.ocean_ripple import OCEAN_RIPPLE
from designgym.graphics.filters.patchwork import PATCHWORK
from designgym.graphics.filters.photo import PHOTO
from designgym.graphics.filters.stained_glass import STAINED_GLASS
from designgym.graphics.filters.tone import BLACK_WHITE, BRIGHTNESS_CONTRAST
from designgym.graphics.filters.watercolor import WATERCOLOR
from designgym.scalars import Choice
from designgym.values import show

_ALL = (
    BRIGHTNESS_CONTRAST,
    BLACK_WHITE,
    HSL,
    BLUR,
    PHOTO,
    GLASS,
    GLOW,
    OCEAN_RIPPLE,
    STAINED_GLASS,
    PATCHWORK,
    WATERCOLOR,
)

FILTERS: dict[str, Filter] = {each.name: each for each in _ALL}
"""All of them by name."""


def apply_filter(rgba: Pixels, applied: AppliedFilter, scale: float = 1.0) -> Pixels:
    """The picture with a filter.

    Args:
        rgba: uint8 (H, W, 4), not premultiplied; at least 1 x 1.
        applied: A filter for which :func:`problem_of` finds nothing wrong.
        scale: Pixels per page px, above 0.

    Returns:
        A fresh uint8 array of the same shape.
    """
    return FILTERS[applied.name].apply(rgba, scale=scale, **applied.values)


def spill_px(filters: tuple[AppliedFilter, ...]) -> float:
    """How far, in page px, these carry the edge of a cut-out picture outwards."""
    known = [(FILTERS[each.name].spill, each.values) for each in filters]
    return max((spill(**values) for spill, values in known if spill), default=0.0)


def problem_of(applied: Any) -> str | None:
    """What is wrong with a filter of a layer, as the end of a sentence, or None."""
    if not isinstance(applied, AppliedFilter) or not isinstance(applied.name, str) or applied.name not in FILTERS:
        name = applied.name if isinstance(applied, AppliedFilter) else applied
        return f"{show(name)} is not a filter; there are {sorted(FILTERS)}."
    declared = FILTERS[applied.name].parameters
    if not _pairs(applied.parameters) or [name for name, _ in applied.parameters] != sorted(declared):
        return f"the filter {applied.name!r} has the parameters {sorted(declared)}, all of them and no others."
    for name, value in applied.values.items():
        kind = declared[name]
        if isinstance(kind, Choice):
            if not isinstance(value, str) or value not in kind.options:
                return f"{applied.name}.{name} is {show(value)}; it must be one of {list(kind.options)}."
        elif not _is_number(value) or not kind.low <= value <= kind.high:
            return f"{applied.name}.{name} is {show(value)}; it must be a number from {kind.low:g} to {kind.high:g}."
    return None


def _pairs(values: Any) -> bool:
    return isinstance(values, tuple) and all(isinstance(pair, tuple) and len(pair) == 2 for pair in values)


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)

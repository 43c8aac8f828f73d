"""Contrast and luminance of colours, remembered: palettes take their colours from coarse steps, so the same return."""

from __future__ import annotations

from functools import lru_cache

from designgym.graphics import color


@lru_cache(maxsize=131072)
def contrast(front: str, back: str) -> float:
    """WCAG 2.2 contrast ratio of two opaque colours, 1 to 21."""
    one, two = luminance(front), luminance(back)
    return (max(one, two) + 0.05) / (min(one, two) + 0.05)


@lru_cache(maxsize=65536)
def luminance(opaque: str) -> float:
    """WCAG 2.2 relative luminance of an opaque colour, 0 to 1."""
    return color.relative_luminance(opaque)


@lru_cache(maxsize=131072)
def distance(one: str, two: str) -> float:
    """Distance of two colours in OKLab."""
    return color.oklab_distance(one, two)

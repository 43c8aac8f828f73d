"""Which colours speak against a mood, measured in OKLab: by temperature and hue, by gloom, and by gaudiness.

What colours are felt to say follows the usual findings of colour psychology (Valdez & Mehrabian 1994, Kaya & Epps
2004): light and moderately colourful is pleasant, dark and grey is sad, strong reds arouse, blues and greens calm.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Float = NDArray[np.float64]


@dataclass(frozen=True)
class Feeling:
    """What speaks against a mood.

    Attributes:
        against_deg: Hues (OKLCH) at whose centre a colour contradicts the mood most, reaching 60 degrees to each side.
        light: Whether the mood is light-hearted, so that near-black and grey large areas are gloomy.
        sober: Whether it is grave or restrained, so that gaudy colours are out of place.
    """

    against_deg: tuple[float, ...] = ()
    light: bool = False
    sober: bool = False


RED, YELLOW, GREEN, BLUE, PINK = 25.0, 100.0, 145.0, 255.0, 350.0

FEELINGS: dict[str, Feeling] = {
    "calm": Feeling((RED,), light=True, sober=True),
    "warm": Feeling((BLUE,), light=True),
    "fresh": Feeling((0.0,), light=True),
    "formal": Feeling((PINK,), sober=True),
    "playful": Feeling((), light=True),
    "dark": Feeling((YELLOW,), sober=True),
    "romantic": Feeling((GREEN,), light=True),
    "natural": Feeling((325.0,), light=True),
    "loud": Feeling((), light=True),
    "technical": Feeling((PINK,), sober=True),
}
"""Mood -> what speaks against it."""

REACH_DEG = 60.0
GLOOMY_LIGHTNESS = 0.32
"""OKLab lightness below which a colour of little chroma is gloomy."""
GAUDY_CHROMA = 0.17
"""Chroma beyond which a colour is gaudy; moderate palettes stay below about 0.19."""


def mood_distance(lab: Float, mood: str, counted: Float | None = None) -> float:
    """How much colours speak against a mood, the mean of all: 0 for nothing to 0.3 for a pure colour of the worst hue.

    Args:
        lab: OKLab, (n, 3).
        mood: A key of :data:`FEELINGS`; any other makes no claim, and the distance is 0.
        counted: How much each colour counts, 0 to 1, (n,); 1 if None.
    """
    feeling = FEELINGS.get(mood)
    if feeling is None or not len(lab):
        return 0.0
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    hue = np.degrees(np.arctan2(lab[:, 2], lab[:, 1]))
    against = np.zeros(len(lab))
    for centre in feeling.against_deg:
        apart = np.abs((hue - centre + 180.0) % 360.0 - 180.0)
        against = np.maximum(against, chroma * np.cos(np.radians(np.minimum(apart / REACH_DEG, 1.0) * 90.0)))
    if feeling.light:
        dark = np.clip((GLOOMY_LIGHTNESS - lab[:, 0]) / GLOOMY_LIGHTNESS, 0.0, 1.0)
        against = np.maximum(against, 0.4 * dark * np.clip(1.0 - chroma / 0.05, 0.0, 1.0))
    return float((against if counted is None else against * counted).mean())

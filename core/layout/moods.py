"""Moods: which colours and faces suit a subject. Hues are OKLCH degrees, rough centres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Mood:
    """What suits a mood.

    Attributes:
        schemes: Schemes of palettes, those that suit best several times.
        hues: Base hues, degrees.
        voices: Voices of faces, see ``faces``.
    """

    schemes: tuple[Literal["light", "paper", "pastel", "bold", "deep", "night"], ...]
    hues: tuple[int, ...]
    voices: tuple[str, ...]


MOODS: dict[str, Mood] = {
    "calm": Mood(("light", "pastel", "paper", "pastel", "deep"), (150, 200, 240, 300), ("elegant", "plain")),
    "warm": Mood(("paper", "bold", "pastel", "light", "deep"), (30, 60, 85), ("elegant", "friendly", "bold")),
    "fresh": Mood(("light", "bold", "pastel", "paper"), (120, 150, 190, 220), ("plain", "friendly", "bold")),
    "formal": Mood(
        ("light", "deep", "paper", "night", "light", "pastel"), (20, 210, 250, 270, 160), ("elegant", "plain")
    ),
    "playful": Mood(("bold", "pastel", "bold", "light"), (0, 50, 90, 140, 200, 260, 320), ("friendly", "bold")),
    "dark": Mood(("night", "deep", "night", "deep", "bold"), (10, 210, 260, 290, 320), ("elegant", "bold", "plain")),
    "romantic": Mood(("pastel", "paper", "light", "deep"), (0, 20, 330, 350), ("elegant", "friendly")),
    "natural": Mood(("paper", "light", "deep", "pastel", "bold"), (70, 110, 140, 155), ("elegant", "plain")),
    "loud": Mood(("bold", "night", "bold", "deep", "pastel"), (20, 60, 90, 250, 300, 340), ("bold",)),
    "technical": Mood(("light", "deep", "night", "bold", "light"), (200, 230, 255, 280), ("plain", "machine")),
}
"""Name -> mood."""

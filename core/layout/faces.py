"""Pairs of embedded faces, one for display and one for text, by voice; families are dealt to the splits.

The families of a split are those that ``envs/aesthetics/blocks`` gives it too, so that a face of one never shows up in
another, whichever designs a model is trained on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from designgym.tasks import Split

RATIOS = (1.2, 1.25, 1.333, 1.414)
"""Ratios of modular scales: minor third, major third, perfect fourth and augmented fourth."""


@dataclass(frozen=True)
class Pair:
    """Two faces that go together.

    Attributes:
        display: Family of titles.
        weight: Weight of titles.
        text: Family of everything else.
        voice: ``"elegant"``, ``"plain"``, ``"friendly"``, ``"bold"`` or ``"machine"``.
        capitals: Whether titles may be set in capitals.
        line_height: Of titles, multiple of the size.
        spacing: Letter spacing of titles in capitals, ems.
        scale: How much larger the text face is set than others, since its letters are small for their size.
    """

    display: str
    weight: int
    text: str
    voice: str
    capitals: bool = False
    line_height: float = 1.12
    spacing: float = 0.02
    scale: float = 1.0


PAIRS: dict[Split, tuple[Pair, ...]] = {
    "train": (
        Pair("Playfair Display", 700, "Lato", "elegant"),
        Pair("Playfair Display", 400, "Open Sans", "elegant"),
        Pair("Gelasio", 700, "Gelasio", "elegant"),
        Pair("Tinos", 400, "Lato", "elegant", True, 1.12, 0.06),
        Pair("Gelasio", 400, "Carlito", "elegant", scale=1.06),
        Pair("Lato", 700, "Lato", "plain", True, 1.12, 0.04),
        Pair("Arimo", 700, "Arimo", "plain"),
        Pair("Open Sans", 700, "Open Sans", "plain", False, 1.14),
        Pair("Carlito", 700, "Gelasio", "plain", True, 1.12, 0.04),
        Pair("Roboto Slab", 700, "Open Sans", "bold"),
        Pair("Roboto Slab", 400, "Lato", "plain"),
        Pair("Oswald", 700, "Open Sans", "bold", True, 1.16, 0.01),
        Pair("Oswald", 400, "Lato", "bold", True, 1.18, 0.03),
        Pair("Abril Fatface", 400, "Lato", "bold"),
        Pair("Abril Fatface", 400, "Gelasio", "elegant"),
        Pair("Lobster", 400, "Open Sans", "friendly", False, 1.18),
        Pair("Comic Neue", 700, "Comic Neue", "friendly", scale=1.04),
        Pair("Lobster", 400, "Lato", "friendly", False, 1.18),
        Pair("Cousine", 700, "Cousine", "machine"),
        Pair("Cousine", 700, "Arimo", "machine"),
    ),
    "validation": (
        Pair("Poppins", 700, "Poppins", "plain", False, 1.16),
        Pair("Poppins", 700, "Poppins", "machine", True, 1.16, 0.02),
        Pair("Bebas Neue", 400, "Poppins", "bold", True, 1.08, 0.02),
        Pair("EB Garamond", 400, "Poppins", "elegant"),
        Pair("EB Garamond", 700, "EB Garamond", "elegant", scale=1.12),
        Pair("Poppins", 700, "EB Garamond", "friendly", False, 1.16, scale=1.12),
    ),
    "test": (
        Pair("Montserrat", 700, "Montserrat", "plain", True, 1.14, 0.02),
        Pair("Montserrat", 700, "Merriweather", "plain", False, 1.14),
        Pair("Merriweather", 700, "Montserrat", "elegant", False, 1.2),
        Pair("Merriweather", 400, "Merriweather", "elegant", False, 1.2),
        Pair("Anton", 400, "Montserrat", "bold", True, 1.2, 0.01),
        Pair("Pacifico", 400, "Montserrat", "friendly", False, 1.5),
        Pair("Dancing Script", 700, "Montserrat", "friendly", False, 1.2),
        Pair("Roboto Mono", 700, "Roboto Mono", "machine", False, 1.2),
        Pair("Roboto Mono", 700, "Montserrat", "machine", False, 1.2),
    ),
}
"""Pairs of each split; no family is in two of them."""


def sample_pair(rng: np.random.Generator, split: Split, voices: tuple[str, ...]) -> Pair:
    """Draw a pair of a split whose voice is one of ``voices``, or any pair where the split has none of these."""
    fitting = [pair for pair in PAIRS[split] if pair.voice in voices] or list(PAIRS[split])
    return fitting[int(rng.integers(len(fitting)))]

"""Photo filters: coloured glass before the lens, with the brightness kept."""

from __future__ import annotations

import numpy as np

from designgym.graphics.filters.alpha import luma, mapped, with_alpha_of
from designgym.graphics.filters.declare import Filter, Pixels
from designgym.scalars import Choice, Number

GLASSES: dict[str, tuple[int, int, int]] = {
    "Warming Filter (85)": (236, 138, 0),
    "Warming Filter (LBA)": (250, 150, 0),
    "Warming Filter (81)": (235, 177, 19),
    "Cooling Filter (80)": (0, 109, 255),
    "Cooling Filter (LBB)": (0, 93, 255),
    "Cooling Filter (82)": (0, 181, 255),
    "Red": (234, 26, 26),
    "Orange": (243, 132, 23),
    "Yellow": (249, 227, 28),
    "Green": (25, 201, 25),
    "Cyan": (29, 203, 234),
    "Blue": (29, 53, 234),
    "Violet": (155, 29, 234),
    "Magenta": (227, 24, 227),
    "Sepia": (172, 122, 51),
    "Deep Red": (255, 0, 0),
    "Deep Blue": (0, 34, 205),
    "Deep Emerald": (0, 140, 0),
    "Deep Yellow": (255, 213, 0),
    "Underwater": (0, 194, 177),
}
"""Photoshop's named photo filters and their colours."""


def photo(rgba: Pixels, *, filterType: str, density: float, scale: float) -> Pixels:
    """The picture through a glass of a colour; density 100 is the full colour. Brightness is given back as grey."""
    if density <= 0:
        return rgba.copy()
    share = density / 100
    tables = [[round(level * (1 - share + share * part / 255)) for level in range(256)] for part in GLASSES[filterType]]
    tinted = mapped(rgba, *tables)
    lost = luma(rgba).astype(np.int16) - luma(tinted)
    return with_alpha_of(rgba, np.clip(tinted[..., :3] + lost[..., None], 0, 255).astype(np.uint8))


PHOTO = Filter(
    "photo",
    "Shows the picture as through a coloured glass.",
    photo,
    {"filterType": Choice(tuple(GLASSES)), "density": Number(0, 100, unit="%")},
)

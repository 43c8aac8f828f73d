"""Colours that briefs name, and which of them go together."""

from __future__ import annotations

from functools import cache

from designgym.envs.design.briefs.brief import NamedColor
from designgym.graphics.color import contrast_ratio, to_hex
from designgym.rewards.judges.meanings import COLOR_TOLERANCE, color_distance

APART = 2.5 * COLOR_TOLERANCE
"""Least distance in OKLab of two colours that nobody takes for each other."""

TEXT_CONTRAST = 3.6
"""Least WCAG contrast of a text's colour with the background: above what counts as legible, with some to spare."""

WHITE = (255, 255, 255)

GROUNDS = (
    NamedColor("navy blue", (0, 0, 128)),
    NamedColor("midnight blue", (25, 25, 112)),
    NamedColor("royal blue", (65, 105, 225)),
    NamedColor("steel blue", (70, 130, 180)),
    NamedColor("sky blue", (135, 206, 235)),
    NamedColor("cornflower blue", (100, 149, 237)),
    NamedColor("slate blue", (106, 90, 205)),
    NamedColor("teal", (0, 128, 128)),
    NamedColor("dark cyan", (0, 139, 139)),
    NamedColor("turquoise", (64, 224, 208)),
    NamedColor("aquamarine", (127, 255, 212)),
    NamedColor("mint green", (152, 232, 180)),
    NamedColor("sea green", (46, 139, 87)),
    NamedColor("forest green", (34, 139, 34)),
    NamedColor("dark green", (0, 100, 0)),
    NamedColor("olive green", (107, 142, 35)),
    NamedColor("lime green", (50, 205, 50)),
    NamedColor("sage green", (156, 175, 136)),
    NamedColor("yellow", (255, 230, 0)),
    NamedColor("mustard yellow", (225, 173, 1)),
    NamedColor("gold", (255, 215, 0)),
    NamedColor("sand", (218, 190, 145)),
    NamedColor("peach", (255, 203, 164)),
    NamedColor("coral", (255, 127, 80)),
    NamedColor("salmon", (250, 128, 114)),
    NamedColor("orange", (255, 165, 0)),
    NamedColor("dark orange", (255, 120, 0)),
    NamedColor("terracotta", (204, 78, 58)),
    NamedColor("red", (214, 30, 30)),
    NamedColor("crimson", (220, 20, 60)),
    NamedColor("dark red", (139, 0, 0)),
    NamedColor("burgundy", (110, 10, 40)),
    NamedColor("brown", (139, 69, 19)),
    NamedColor("chocolate brown", (92, 51, 23)),
    NamedColor("tan", (210, 180, 140)),
    NamedColor("pink", (255, 182, 193)),
    NamedColor("hot pink", (255, 105, 180)),
    NamedColor("dusty rose", (203, 135, 140)),
    NamedColor("plum", (142, 69, 133)),
    NamedColor("purple", (128, 0, 128)),
    NamedColor("indigo", (75, 0, 130)),
    NamedColor("lavender", (190, 170, 235)),
    NamedColor("orchid", (218, 112, 214)),
    NamedColor("charcoal grey", (54, 58, 64)),
    NamedColor("slate grey", (112, 128, 144)),
    NamedColor("light grey", (200, 200, 200)),
    NamedColor("black", (0, 0, 0)),
)
"""What backgrounds may be; none is near white, so that a page that nobody has touched has none of them."""

INKS = (
    NamedColor("white", WHITE),
    NamedColor("black", (0, 0, 0)),
    NamedColor("cream", (255, 253, 208)),
    NamedColor("light yellow", (255, 255, 150)),
    NamedColor("light blue", (173, 216, 230)),
    NamedColor("light pink", (255, 192, 203)),
    NamedColor("pale green", (152, 251, 152)),
    NamedColor("silver", (192, 192, 192)),
    NamedColor("gold", (255, 215, 0)),
    NamedColor("orange", (255, 165, 0)),
    NamedColor("navy blue", (0, 0, 128)),
    NamedColor("dark green", (0, 100, 0)),
    NamedColor("dark red", (139, 0, 0)),
    NamedColor("dark brown", (80, 45, 20)),
    NamedColor("indigo", (75, 0, 130)),
    NamedColor("purple", (128, 0, 128)),
    NamedColor("charcoal grey", (54, 58, 64)),
    NamedColor("teal", (0, 128, 128)),
    NamedColor("crimson", (220, 20, 60)),
)
"""What texts may be, the plainest ones first."""


@cache
def inks_on(ground: NamedColor) -> tuple[NamedColor, ...]:
    """The colours that text on this ground may have, the plainest ones first."""
    return tuple(
        ink
        for ink in INKS
        if contrast_ratio(to_hex(ink.rgb), to_hex(ground.rgb)) >= TEXT_CONTRAST
        and color_distance(ink.rgb, ground.rgb) >= APART
    )


@cache
def unlike(color: NamedColor, other: tuple[int, int, int] = WHITE) -> tuple[NamedColor, ...]:
    """Colours that nobody takes for ``color`` or ``other``, by sight or by name, for questions whose answer is no."""
    words = set(color.name.split())
    known = {known.name: known for known in (*GROUNDS, *INKS)}
    return tuple(
        known_color
        for name, known_color in sorted(known.items())
        if not words & set(name.split())
        and color_distance(known_color.rgb, color.rgb) >= APART
        and color_distance(known_color.rgb, other) >= APART
    )

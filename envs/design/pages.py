"""Sizes of pages by kind of document, in px."""

from __future__ import annotations

PAGES: dict[str, tuple[int, int]] = {
    "postcard": (1000, 640),
    "letter": (1275, 1650),
    "poster": (1296, 1728),
    "magazine cover": (1206, 1566),
    "label": (900, 600),
    "book cover": (1296, 1728),
    "business card": (1000, 640),
    "resume": (1275, 1650),
    "flyer": (1275, 1650),
}
"""Width and height. Those of GraphicBench's four types are its scripts' own; the others, which it only advertises, have
the proportions of US formats (letter and flyer 8.5 x 11 in, magazine 8.375 x 10.875 in, label 3 x 2 in)."""

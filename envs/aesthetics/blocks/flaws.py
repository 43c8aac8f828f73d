"""Flaws: one element of a clean design is harmed in one way, glaring enough that a person sees it.

Every kind harms one indicator of AesEval-Bench; the question names the indicator, never the kind. To add a kind, write
one function and its line in :data:`KINDS`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from designgym.envs.aesthetics.blocks.design import CELL_PX, PAGE_PX
from designgym.envs.aesthetics.blocks.palette import Palette, sample_clash
from designgym.envs.aesthetics.blocks.picture import VARIANTS, picture
from designgym.graphics.color import contrast_ratio, oklab_to_srgb, parse_color, srgb_to_oklab, to_hex
from designgym.graphics.document import Document, ImageLayer, Layer, ShapeLayer, TextLayer

FAINT_CONTRAST = 1.35
"""A low-contrast flaw leaves at most this WCAG contrast ratio between element and page."""
FAINT_OPACITY = 0.16
"""Pictures are made faint by opacity instead of by colour."""
OVERLAP_SHARE = 0.3
"""An overlap flaw covers at least this share of the smaller of the two elements."""
GROWTH = 2.0
"""A size flaw scales both sides by this factor, as far as the page has room."""
LEAST_GROWTH = 1.5
"""A size flaw enlarges the area at least this much; an element that cannot grow so far is not eligible."""
BEYOND_SHARE = (0.2, 0.4)
"""A position flaw pushes this share of the element over the nearest edge of the page."""


@dataclass(frozen=True)
class Flaw:
    """What was done to a design: enough to undo it, to explain it and to find what it harms."""

    kind: str
    indicator: str
    element: str
    attribute: str
    before: Any
    after: Any


Harm = Callable[[np.random.Generator, Document, Palette, str], "tuple[Document, Flaw] | None"]
"""Harms the named element; None where this element cannot carry the flaw."""


def clash(rng: np.random.Generator, document: Document, palette: Palette, element: str) -> tuple[Document, Flaw] | None:
    """Colour the element in a loud hue from the other side of the colour circle."""
    color = sample_clash(rng, palette)
    layer = document.layer(element)
    if isinstance(layer, ImageLayer):
        assets = {**document.assets, layer.asset: picture(color, int(rng.integers(VARIANTS)))}
        harmed = dataclasses.replace(document, assets=assets)
        return harmed, Flaw("clash", "harmony", element, "asset", "picture in the page's hues", color)
    changed, attribute, before = _recoloured(layer, color)
    return document.replace_layer(changed), Flaw("clash", "harmony", element, attribute, before, color)


def low_contrast(
    rng: np.random.Generator, document: Document, palette: Palette, element: str
) -> tuple[Document, Flaw] | None:
    """Fade the element into the page."""
    layer = document.layer(element)
    if isinstance(layer, ImageLayer):
        faded: Layer = dataclasses.replace(layer, opacity=FAINT_OPACITY)
        return document.replace_layer(faded), Flaw(
            "low_contrast", "contrast", element, "opacity", layer.opacity, FAINT_OPACITY
        )
    before = layer.color if isinstance(layer, TextLayer) else layer.fill or document.background  # type: ignore[attr-defined]
    ink, page = (srgb_to_oklab(parse_color(color)[:3]) for color in (before, document.background))
    share = float(rng.uniform(0.12, 0.2))
    color = to_hex(oklab_to_srgb(page + (ink - page) * share))
    while contrast_ratio(color, document.background) > FAINT_CONTRAST:
        share *= 0.9
        color = to_hex(oklab_to_srgb(page + (ink - page) * share))
    changed, attribute, before = _recoloured(layer, color)
    return document.replace_layer(changed), Flaw("low_contrast", "contrast", element, attribute, before, color)


def size(rng: np.random.Generator, document: Document, palette: Palette, element: str) -> tuple[Document, Flaw] | None:
    """Enlarge the element about its centre, to a whole number of cells, until it dominates the page."""
    layer = document.layer(element)
    sides = [min(_cells(side * GROWTH), PAGE_PX - CELL_PX) for side in (layer.width, layer.height)]
    if isinstance(layer, TextLayer):  # type keeps its proportions
        factor = min(sides[0] / layer.width, sides[1] / layer.height)
        sides = [_cells(layer.width * factor), _cells(layer.height * factor)]
    if sides[0] * sides[1] < LEAST_GROWTH * layer.width * layer.height:
        return None
    x, y = (
        float(np.clip(_cells(at + (old - new) / 2), 0, PAGE_PX - new))
        for at, old, new in zip((layer.x, layer.y), (layer.width, layer.height), sides, strict=True)
    )
    changes: dict[str, Any] = {"x": x, "y": y, "width": float(sides[0]), "height": float(sides[1])}
    if isinstance(layer, TextLayer):
        changes["size_px"] = round(layer.size_px * min(sides[0] / layer.width, sides[1] / layer.height), 1)
    return _on_top(document, dataclasses.replace(layer, **changes)), _moved("size", "balance", layer, changes)


def position(
    rng: np.random.Generator, document: Document, palette: Palette, element: str
) -> tuple[Document, Flaw] | None:
    """Push the element over the nearest edge of the page, where the other elements leave room for it."""
    layer = document.layer(element)
    share = float(rng.uniform(*BEYOND_SHARE))
    targets = {
        "left": (-share * layer.width, layer.y),
        "right": (PAGE_PX - (1 - share) * layer.width, layer.y),
        "top": (layer.x, -share * layer.height),
        "bottom": (layer.x, PAGE_PX - (1 - share) * layer.height),
    }
    free = []
    for x, y in targets.values():
        x, y = _cells(x), _cells(y)
        moved = dataclasses.replace(layer, x=x, y=y)
        if not any(_overlap(moved, other) > 0 for other in document.layers if other.id != element):
            free.append((abs(x - layer.x) + abs(y - layer.y), x, y))
    if not free:
        return None
    _, x, y = min(free)
    changes: dict[str, Any] = {"x": x, "y": y}
    return _on_top(document, dataclasses.replace(layer, **changes)), _moved("position", "alignment", layer, changes)


def overlap(
    rng: np.random.Generator, document: Document, palette: Palette, element: str
) -> tuple[Document, Flaw] | None:
    """Move the element over another one."""
    layer = document.layer(element)
    others = [other for other in document.layers if other.id != element]
    if not others:
        return None
    other = others[int(rng.integers(len(others)))]
    least = OVERLAP_SHARE * min(layer.width * layer.height, other.width * other.height)
    for _ in range(60):
        x = _cells(rng.uniform(max(0.0, other.x - layer.width), min(PAGE_PX - layer.width, other.x + other.width)))
        y = _cells(rng.uniform(max(0.0, other.y - layer.height), min(PAGE_PX - layer.height, other.y + other.height)))
        moved = dataclasses.replace(layer, x=x, y=y)
        covered = _overlap(moved, other)
        if least <= covered < 0.9 * other.width * other.height:  # the covered element must still show
            return _on_top(document, moved), _moved("overlap", "layering", layer, {"x": x, "y": y})
    return None


KINDS: dict[str, tuple[Harm, str]] = {
    "position": (position, "alignment"),
    "size": (size, "balance"),
    "low_contrast": (low_contrast, "contrast"),
    "clash": (clash, "harmony"),
    "overlap": (overlap, "layering"),
}
"""Kind of flaw -> how it is done and the indicator that it harms."""

LEAST_ELEMENTS = {"overlap": 2}
"""Kinds that need more than one element on the page."""


def harm(rng: np.random.Generator, document: Document, palette: Palette, kind: str) -> tuple[Document, Flaw] | None:
    """Plant a flaw of this kind in a random element that can carry it; None if no element can."""
    do, _ = KINDS[kind]
    for index in rng.permutation(len(document.layers)):
        done = do(rng, document, palette, document.layers[int(index)].id)
        if done is not None:
            return done
    return None


def _recoloured(layer: Layer, color: str) -> tuple[Layer, str, str | None]:
    if isinstance(layer, TextLayer):
        return dataclasses.replace(layer, color=color), "color", layer.color
    assert isinstance(layer, ShapeLayer)
    return dataclasses.replace(layer, fill=color), "fill", layer.fill


def _moved(kind: str, indicator: str, layer: Layer, changes: dict[str, Any]) -> Flaw:
    before = {name: getattr(layer, name) for name in changes}
    return Flaw(kind, indicator, layer.id, "+".join(changes), before, changes)


def _on_top(document: Document, layer: Layer) -> Document:
    """The document with the layer changed and brought to the front, so that what was moved is seen whole."""
    rest = tuple(old for old in document.layers if old.id != layer.id)
    return dataclasses.replace(document, layers=(*rest, layer))


def _cells(px: float) -> float:
    """The nearest multiple of a grid cell, in px."""
    return float(CELL_PX * round(px / CELL_PX))


def _overlap(a: Layer, b: Layer) -> float:
    """Area shared by the boxes of two unrotated layers, px^2."""
    width = min(a.x + a.width, b.x + b.width) - max(a.x, b.x)
    height = min(a.y + a.height, b.y + b.height) - max(a.y, b.y)
    return max(0.0, width) * max(0.0, height)

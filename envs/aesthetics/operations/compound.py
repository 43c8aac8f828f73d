"""Compound flaws of real drafts (AesEval-Bench, Appendix F) that are absent from training.

Clutter, inconsistent orientation, obstructed text and broken grids, for an out-of-distribution split alone.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np
from PIL import Image, ImageDraw

from designgym.envs.aesthetics.operations.base import Operation, Perturbed, changed, moved, whole
from designgym.envs.aesthetics.operations.raster import encoded
from designgym.envs.aesthetics.sample import Flaw
from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.color import contrast_ratio, parse_color
from designgym.graphics.document import Document, ImageLayer, Layer, ShapeLayer, TextLayer

CLUTTER = "clutter-1"
"""Id of the layer that clutter adds."""
OBSTACLE = "obstacle-1"
"""Id of the layer that an obstruction adds."""
MOST_PIECES = 16
STEEPEST_DEG = 32.0
_CLUTTER_PX = 200
ANY = frozenset({"text", "picture", "shape"})


def clutter(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Scatter stickers in the page's own colours around and over the element, turned every way."""
    layer = document.layer(element)
    pieces = max(1, round(MOST_PIECES * strength))
    where = rng.uniform(0.12, 0.88, (MOST_PIECES, 2))
    turns, sizes = rng.uniform(0, 360, MOST_PIECES), rng.uniform(0.5, 1.0, MOST_PIECES)
    kinds = rng.integers(0, 4, MOST_PIECES)
    colors = _loud_colors(scene)
    if strength <= 0 or not colors:
        return None
    reach = min(0.9 * scene.short_px, 1.35 * max(layer.width, layer.height, 0.3 * scene.short_px))
    picture = Image.new("RGBA", (2 * _CLUTTER_PX, 2 * _CLUTTER_PX))
    pen = ImageDraw.Draw(picture)
    for i in range(pieces):
        centre = where[i] * 2 * _CLUTTER_PX
        _sticker(pen, centre, 2 * _CLUTTER_PX * 0.11 * sizes[i], turns[i], int(kinds[i]), colors[i % len(colors)])
    small = picture.resize((_CLUTTER_PX, _CLUTTER_PX), Image.Resampling.BOX)
    box = small.getbbox()
    if box is None:
        return None
    x = layer.x + layer.width / 2 - reach / 2 + reach * box[0] / _CLUTTER_PX
    y = layer.y + layer.height / 2 - reach / 2 + reach * box[1] / _CLUTTER_PX
    added = ImageLayer(
        id=CLUTTER, name="clutter", asset=CLUTTER, x=whole(x), y=whole(y),
        width=max(1.0, whole(reach * (box[2] - box[0]) / _CLUTTER_PX)),
        height=max(1.0, whole(reach * (box[3] - box[1]) / _CLUTTER_PX)),
    )  # fmt: skip
    shown = dataclasses.replace(
        document,
        layers=(*document.layers, added),
        assets={**document.assets, CLUTTER: encoded(small.crop(box))},
    )
    return shown, Flaw("clutter", CLUTTER, "layer", "none", f"{pieces} stickers", float(pieces))


def orientation(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Turn the element, whereas the others stay level, and let it slip a little."""
    layer = document.layer(element)
    sign = 1.0 if rng.random() < 0.5 else -1.0
    angle = sign * STEEPEST_DEG * rng.uniform(0.6, 1.0) * strength
    slip = rng.uniform(-0.03, 0.03, 2) * scene.short_px * strength
    if scene.borne.get(element) or scene.role(layer) == "background":
        return None
    turned = {"rotation_deg": round((layer.rotation_deg + angle) % 360.0, 2)}
    place = moved(dataclasses.replace(layer, rotation_deg=turned["rotation_deg"]), document, *slip)
    return changed(document, "orientation", layer, {**turned, **place}, abs(angle)) if place else None


def obstruction(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Lay a slanted ribbon in a colour of the page across a text."""
    layer = document.layer(element)
    slant, place = float(rng.uniform(-14.0, 14.0)), float(rng.uniform(-0.25, 0.25))
    colors = _loud_colors(scene)
    pick = int(rng.integers(8))
    if not isinstance(layer, TextLayer) or not colors or strength <= 0:
        return None
    left, top, right, bottom = scene.traits[element].hull
    length = (right - left) * (0.35 + 0.25 * strength)
    thick = max(2.0, 0.8 * strength * (bottom - top))
    x = (left + right) / 2 + place * (right - left) - length / 2
    y = (top + bottom) / 2 - thick / 2
    ribbon = ShapeLayer(
        id=OBSTACLE, name="ribbon", shape="rectangle", fill=colors[pick % len(colors)], rotation_deg=slant % 360.0,
        x=whole(x), y=whole(y), width=whole(length), height=whole(thick),
    )  # fmt: skip
    shown = dataclasses.replace(document, layers=(*document.layers, ribbon))
    return shown, Flaw("obstruction", OBSTACLE, "layer", "none", f"ribbon over {element}", strength)


def broken_grid(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Push the element off its column and row at once, and give it a size that no other has."""
    layer = document.layer(element)
    angle = rng.uniform(0.15, 0.35) * math.pi + (math.pi / 2) * int(rng.integers(4))
    far = rng.uniform(0.6, 1.0) * 0.12 * scene.short_px * strength
    grow = 1.0 + (rng.uniform(0.15, 0.3) if rng.random() < 0.5 else -rng.uniform(0.12, 0.2)) * strength
    if scene.borne.get(element) or scene.role(layer) == "background":
        return None
    width, height = layer.width * grow, layer.height * grow
    sized: Layer = dataclasses.replace(layer, width=max(1.0, whole(width)), height=max(1.0, whole(height)))
    changes: dict[str, float] = {"width": float(math.ceil(width + 1.0)), "height": sized.height}
    if isinstance(layer, TextLayer):
        changes["size_px"] = max(1.0, float(math.floor(layer.size_px * grow)))
        changes["letter_spacing_px"] = round(layer.letter_spacing_px * grow, 2)
    place = moved(sized, document, far * math.cos(angle), far * math.sin(angle))
    return changed(document, "broken_grid", layer, {**changes, **place}, far) if place else None


def _loud_colors(scene: Scene) -> list[str]:
    """Colours of the design that stand out from its page."""
    page = scene.document.background
    known = [
        *scene.accents,
        *(layer.fill for layer in scene.document.layers if isinstance(layer, ShapeLayer) and layer.fill),
    ]
    return [color[:7] for color in dict.fromkeys(known) if contrast_ratio(color, page) >= 1.8]


def _sticker(
    pen: ImageDraw.ImageDraw, centre: np.ndarray, radius: float, turn_deg: float, kind: int, color: str
) -> None:
    """A star, triangle, disc or bar."""
    fill = parse_color(color)[:3]
    x, y = float(centre[0]), float(centre[1])
    if kind == 0:
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)
        return
    if kind == 1:
        spokes = [(radius if i % 2 else 0.45 * radius, 36.0 * i) for i in range(10)]
    elif kind == 2:
        spokes = [(radius, 120.0 * i) for i in range(3)]
    else:
        spokes = [(1.1 * radius, a) for a in (-14.0, 14.0, 166.0, 194.0)]
    points = [
        (x + r * math.cos(math.radians(a + turn_deg)), y + r * math.sin(math.radians(a + turn_deg))) for r, a in spokes
    ]
    pen.polygon(points, fill=fill)


COMPOUND_OPERATIONS = (
    Operation("clutter", "layer", ANY, ("layout-layering", "layout-whitespace", "font-legibility"), clutter),
    Operation("orientation", "rotation_deg+x+y", ANY, ("layout-alignment",), orientation),
    Operation("obstruction", "layer", frozenset({"text"}), ("layout-layering", "font-legibility"), obstruction),
    Operation("broken_grid", "x+y+width+height", ANY, ("layout-alignment", "layout-whitespace"), broken_grid),
)

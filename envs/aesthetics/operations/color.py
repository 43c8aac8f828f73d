"""Operations on colour (Algorithm 1: low contrast, clashing colour), drab colours and those of a wrong mood."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.flat_color import flat_color, with_color
from designgym.envs.aesthetics.measure_color import DRAB_LAB, GREY_CHROMA
from designgym.envs.aesthetics.moods import FEELINGS
from designgym.envs.aesthetics.operations.base import Operation, Perturbed, changed
from designgym.envs.aesthetics.operations.raster import tinted
from designgym.envs.aesthetics.sample import Flaw
from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.view import View
from designgym.graphics.color import (
    contrast_ratio,
    hex_to_oklch,
    oklab_to_srgb,
    oklch_to_hexes,
    parse_color,
    relative_luminance,
    srgb_to_oklab,
    to_hex,
)
from designgym.graphics.document import Document, ImageLayer, Layer, TextLayer

Float = NDArray[np.float64]

FADED_OPACITY = 0.12
"""What a picture or shape is faded to at full strength."""
FINE = 1.5
"""Px of a tinted picture per px as seen."""
FADED_INK = 0.93
"""How much of the way to its ground the colour of a text goes at full strength: a trace of it stays."""
READABLE = 3.0
"""Operations on hue keep this contrast of texts, so that they do not harm what they are not meant to."""
LEAST_APART_DEG = 40.0
"""On a page of many hues none is this far from all of them, and none clashes."""
LEAST_CHROMA = 0.10
"""A colour with less is too pale to clash."""

ANY = frozenset({"text", "picture", "shape"})
FLAT = frozenset({"text", "shape"})


def low_contrast(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Bring the element's colour near to that of its ground: text by its colour, pictures and shapes by fading."""
    layer = document.layer(element)
    reach = rng.uniform(0.88, 1.0) * strength
    if not isinstance(layer, TextLayer):
        if scene.role(layer) == "background" or scene.borne.get(element):
            return None
        opacity = round(layer.opacity * (1.0 - (1.0 - FADED_OPACITY) * reach), 3)
        return changed(document, "low_contrast", layer, {"opacity": opacity}, 1.0 - opacity)
    color = _toward(layer.color, _lab(ground_color(scene, document, element)), FADED_INK * reach)
    return changed(document, "low_contrast", layer, {"color": color}, FADED_INK * reach)


def clash(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Give the element a loud hue from the other side of the circle: the dominant hue inverted, with noise."""
    palette = scene.palette_lab
    chromatic = palette[np.hypot(palette[:, 1], palette[:, 2]) >= GREY_CHROMA]
    noise = rng.uniform(-50.0, 50.0, 8)
    if not len(chromatic):
        return None
    known = np.degrees(np.arctan2(chromatic[:, 2], chromatic[:, 1]))
    dominant = known[int(np.argmax(np.hypot(chromatic[:, 1], chromatic[:, 2])))]
    hues = dominant + 180.0 + noise
    apart = np.abs((hues[:, None] - known[None, :] + 180.0) % 360.0 - 180.0).min(axis=1)
    if apart.max() < LEAST_APART_DEG:
        return None
    return _recolored("clash", scene, document, element, float(hues[int(np.argmax(apart))]), strength)


def wrong_mood(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Give the element a colour whose feeling contradicts the subject: the wrong temperature, or gloom."""
    feeling = FEELINGS.get(scene.mood)
    pick, noise = int(rng.integers(8)), float(rng.uniform(-14.0, 14.0))
    if feeling is None or not (feeling.against_deg or feeling.light):
        return None
    if feeling.light and (not feeling.against_deg or pick < 2):
        layer = document.layer(element)
        if flat_color(layer) is None or isinstance(layer, TextLayer):
            return None
        return _mixed("wrong_mood", layer, document, np.array([0.12, 0.0, 0.0]), strength)
    hue = feeling.against_deg[pick % len(feeling.against_deg)] + noise
    return _recolored("wrong_mood", scene, document, element, hue, strength)


def drab_color(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Turn the element's colour into a murky olive brown."""
    layer = document.layer(element)
    target = DRAB_LAB[int(rng.integers(len(DRAB_LAB)))] + rng.uniform(-0.012, 0.012, 3)
    if flat_color(layer) is None:
        return None
    return _mixed("drab_color", layer, document, target, strength)


def ground_color(scene: Scene, document: Document, element: str) -> str:
    """The mean colour of what lies below an element, ``#rrggbb``."""
    ground = View(scene, document).ground_below(element)
    return to_hex(ground.reshape(-1, 3).mean(axis=0)) if ground.size else document.background[:7]


def _recolored(
    operation: str, scene: Scene, document: Document, element: str, hue_deg: float, strength: float
) -> Perturbed | None:
    """Mix the element's colours with the loudest one of a hue that keeps them about as light, and texts readable."""
    layer = document.layer(element)
    if isinstance(layer, ImageLayer):
        name = f"{layer.asset}~{operation}-{element}"
        longest = max(layer.width, layer.height)
        color, _ = _loudest(hue_deg, 0.45, 0.75)
        data = tinted(document.assets[layer.asset], color, strength, round(FINE * scene.seen_scale * longest))
        perturbed = dataclasses.replace(document, assets={**document.assets, name: data})
        shown = perturbed.replace_layer(dataclasses.replace(layer, asset=name))
        return shown, Flaw(operation, element, "asset", "as drawn", color, strength)
    color = flat_color(layer) or ""
    if not color:
        return None
    own_lightness = hex_to_oklch(color)[0]
    if isinstance(layer, TextLayer):
        ground = ground_color(scene, document, element)
        floor = min(READABLE, 0.95 * contrast_ratio(color[:7], ground))
        found = _loudest(hue_deg, 0.25, 0.9, relative_luminance(ground), floor)
    else:
        spare = 0.1 if scene.borne.get(element) else 0.25
        found = _loudest(hue_deg, own_lightness - spare, own_lightness + spare)
    if found[1] < LEAST_CHROMA:
        return None
    return _mixed(operation, layer, document, _lab(found[0]), strength)


def _mixed(operation: str, layer: Layer, document: Document, target: Float, strength: float) -> Perturbed | None:
    """Go the given share of the way from a flat layer's colour to another one."""
    color = flat_color(layer)
    assert color is not None
    new = _toward(color, target, strength)
    flaw = Flaw(operation, layer.id, "color", color, new, float(np.linalg.norm(_lab(new) - _lab(color))))
    return document.replace_layer(with_color(layer, new)), flaw


def _loudest(
    hue_deg: float, darkest: float, lightest: float, ground_luminance: float = 0.0, least_contrast: float = 0.0
) -> tuple[str, float]:
    """The most chromatic colour of a hue between two lightnesses, and its chroma; 0 if none has the contrast."""
    best = ("#000000", 0.0)
    for lightness, color, chroma, luminance in _fullest(round(hue_deg / 3) * 3 % 360):
        if darkest <= lightness <= lightest:
            low, high = sorted((luminance, ground_luminance))
            if chroma > best[1] and (high + 0.05) / (low + 0.05) >= least_contrast:
                best = (color, chroma)
    return best


@lru_cache(maxsize=360)
def _fullest(hue_deg: int) -> tuple[tuple[float, str, float, float], ...]:
    """The most chromatic colour of a hue at each lightness, 0.25 to 0.9: lightness, colour, chroma and luminance."""
    lightness = [step / 20 for step in range(5, 19)]
    colors = oklch_to_hexes(lightness, 0.37, float(hue_deg))
    return tuple(
        (light, color, hex_to_oklch(color)[1], relative_luminance(color))
        for light, color in zip(lightness, colors, strict=True)
    )


def _lab(color: str) -> Float:
    return srgb_to_oklab(parse_color(color)[:3])


def _toward(color: str, target: Any, share: float) -> str:
    lab = _lab(color)
    alpha = color[7:]
    return to_hex(oklab_to_srgb(lab + (np.asarray(target) - lab) * share)) + alpha


COLOR_OPERATIONS = (
    Operation("low_contrast", "color", ANY, ("color-contrast", "font-legibility"), low_contrast, 0.8),
    Operation("clash", "color", ANY, ("color-harmony", "color-appeal"), clash, 0.65, least_ink=0.002),
    Operation("wrong_mood", "color", ANY, ("color-psychology", "color-harmony"), wrong_mood, 0.6, least_ink=0.012),
    Operation("drab_color", "color", FLAT, ("color-appeal",), drab_color, 0.55, least_ink=0.006),
)

"""Operations on pictures (Algorithm 1: replacement, resolution reduction, blur)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from designgym.envs.aesthetics.operations.base import Operation, Perturbed, whole
from designgym.envs.aesthetics.operations.raster import blurred, coarse
from designgym.envs.aesthetics.sample import Flaw
from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.subject import REPLACED
from designgym.graphics.document import Document, ImageLayer

UNRELATED_FROM = 0.4
"""From this strength on a picture is replaced by one that is foreign to the subject, below by one that suits it."""
COARSEST = 0.09
"""Px of the file per px as seen at full strength."""
FINEST = 1.1
LEAST_PX = 7
WIDEST_BLUR = 0.045
"""Standard deviation of the blur at full strength, share of the picture's longer side as seen."""
ASPECT_RATIO = 1.6
"""A picture is replaced by one whose aspect differs at most by this factor."""
ASSET_PX = (128, 256, 448)
"""Longer sides of replacements: few, so that each raster is decoded once and used often."""
_PICTURE = frozenset({"picture"})


def replacement(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Show another picture of the pool in the place of this one."""
    layer, pool = document.layer(element), scene.pool
    own = scene.pictures.get(element)
    pick = float(rng.random())
    if not isinstance(layer, ImageLayer) or pool is None or own is None:
        return None
    candidates = _candidates(scene, own, strength >= UNRELATED_FROM)
    if not candidates:
        return None
    picture_id, aspect = candidates[int(pick * len(candidates))]
    longest = max(layer.width, layer.height)
    side = next((side for side in ASSET_PX if side >= 0.5 * longest - 1), ASSET_PX[-1])
    width = min(layer.width, layer.height * aspect)
    height = width / aspect
    new = dataclasses.replace(
        layer,
        asset=REPLACED + picture_id,
        x=whole(layer.x + (layer.width - width) / 2),
        y=whole(layer.y + (layer.height - height) / 2),
        width=max(1.0, whole(width)),
        height=max(1.0, whole(height)),
    )
    assets = {**document.assets, new.asset: pool.png(picture_id, side)}
    flaw = Flaw("replacement", element, "asset", own, picture_id, strength)
    return dataclasses.replace(document, assets=assets).replace_layer(new), flaw


def _candidates(scene: Scene, own: str, foreign: bool) -> list[tuple[str, float]]:
    """Ids and aspects of the pictures that may take a picture's place: those of the subject, or those foreign to it."""
    assert scene.pool is not None
    wanted, shown = (1.0 if foreign else 0.0), scene.pool.get(own)
    return [
        (picture.id, picture.aspect)
        for picture in scene.pool.pictures
        if picture.id != own
        and 1 / ASPECT_RATIO <= picture.aspect / shown.aspect <= ASPECT_RATIO
        and scene.unrelated[picture.id] == wanted
    ]


def downsampling(
    rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float
) -> Perturbed | None:
    """Reduce the picture to few px, which are then shown smoothed or as blocks."""
    layer = document.layer(element)
    blocks = bool(rng.random() < 0.5)
    if not isinstance(layer, ImageLayer):
        return None
    ratio = math.exp(math.log(FINEST) + strength * (math.log(COARSEST) - math.log(FINEST)))
    longest = max(LEAST_PX, round(ratio * max(layer.width, layer.height) * scene.seen_scale))
    data = coarse(document.assets[layer.asset], longest, blocks)
    return _with_asset(document, layer, "downsampling", data, ratio)


def blur(rng: np.random.Generator, scene: Scene, document: Document, element: str, strength: float) -> Perturbed | None:
    """Blur the picture."""
    layer = document.layer(element)
    if not isinstance(layer, ImageLayer) or strength <= 0:
        return None
    seen = max(layer.width, layer.height) * scene.seen_scale
    sigma = WIDEST_BLUR * rng.uniform(0.8, 1.0) * strength * max(seen, 60.0)
    data = blurred(document.assets[layer.asset], sigma, max(8, round(seen)))
    return _with_asset(document, layer, "blur", data, sigma)


def _with_asset(document: Document, layer: ImageLayer, operation: str, data: bytes, magnitude: float) -> Perturbed:
    name = f"{layer.asset}~{operation}-{layer.id}"
    shown = dataclasses.replace(document, assets={**document.assets, name: data})
    flaw = Flaw(operation, layer.id, "asset", "as drawn", f"{operation} {magnitude:.2f}", magnitude)
    return shown.replace_layer(dataclasses.replace(layer, asset=name)), flaw


GRAPHIC_OPERATIONS = (
    Operation("replacement", "asset", _PICTURE, ("graphic-relevance",), replacement, UNRELATED_FROM),
    Operation("downsampling", "asset", _PICTURE, ("graphic-quality",), downsampling, 0.4),
    Operation("blur", "asset", _PICTURE, ("graphic-quality",), blur, 0.4),
)

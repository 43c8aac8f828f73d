"""A perturbed document of a scene, as measures look at it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.traits import Trait
from designgym.graphics.color import over
from designgym.graphics.document import Document, ImageLayer, Layer
from designgym.graphics.paint import skia_color
from designgym.graphics.skia_library import skia


class View:
    """A perturbed document of a scene, with the traits of its layers. Layers that are as before keep theirs."""

    def __init__(self, scene: Scene, document: Document, earlier: View | None = None) -> None:
        """``earlier`` is a view of the same scene, whose traits are taken over where they still hold."""
        self.scene, self.document = scene, document
        self.traits: dict[str, Trait] = {}
        for layer in document.layers:
            known = scene.traits.get(layer.id)
            if known is None or _differs(layer, known.layer, scene.document, document):
                known = earlier.traits.get(layer.id) if earlier is not None else None
                if known is None or earlier is None or _differs(layer, known.layer, earlier.document, document):
                    known = scene.trait(layer, document)
            self.traits[layer.id] = known
        self._below: dict[str, frozenset[str]] = {}
        self.depth = {layer.id: depth for depth, layer in enumerate(document.layers)}

    def below(self, layer_id: str) -> frozenset[str]:
        """Ids of the clean design's layers that lie below a layer."""
        known = self._below.get(layer_id)
        if known is None:
            clean = self.scene.traits
            known = frozenset(layer.id for layer in self.document.layers[: self.depth[layer_id]] if layer.id in clean)
            self._below[layer_id] = known
        return known

    def changed_below(self, layer_id: str) -> bool:
        """Whether other layers lie below a layer than in the clean design, or some that look otherwise."""
        clean = self.scene.clean
        return self.below(layer_id) != clean.below(layer_id) or any(
            self.traits[layer.id] is not clean.traits.get(layer.id)
            for layer in self.document.layers[: self.depth[layer_id]]
        )

    def ground_below(self, layer_id: str) -> NDArray[np.uint8]:
        """The small picture under a layer's image, uint8 (h, w, 3), red-green-blue: paper and all layers below."""
        own = self.traits[layer_id].image
        x1, y1, x2, y2 = own.box
        pixels = np.zeros((y2 - y1, x2 - x1, 4), np.uint8)
        if pixels.size:
            info = skia.ImageInfo.Make(x2 - x1, y2 - y1, skia.kBGRA_8888_ColorType, skia.kPremul_AlphaType)
            canvas = skia.Surface.MakeRasterDirect(info, pixels.data, pixels.strides[0]).getCanvas()
            canvas.clear(skia_color(over(self.document.background, "#ffffff")))
            for layer in self.document.layers[: self.depth[layer_id]]:
                image = self.traits[layer.id].image
                if image.image is not None:
                    canvas.drawImage(image.image, image.box[0] - x1, image.box[1] - y1)
        return pixels[..., 2::-1]


def _differs(layer: Layer, known: Layer, old: Document, new: Document) -> bool:
    if layer is not known and layer != known:
        return True
    if old.assets is new.assets:
        return False
    return isinstance(layer, ImageLayer) and old.assets.get(layer.asset) is not new.assets[layer.asset]

"""Scenes: a clean design with what perturbing it and measuring the outcome need, found once and kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.flat_color import flat_color
from designgym.envs.aesthetics.geometry import apart, ink_hull, same_form
from designgym.envs.aesthetics.subject import REPLACED, unrelated
from designgym.envs.aesthetics.traits import Trait, reduced
from designgym.graphics.color import parse_color, srgb_to_oklab
from designgym.graphics.document import Document, ImageLayer, Layer, TextLayer
from designgym.graphics.fonts import FAMILIES
from designgym.graphics.raster import LayerImage, page_size
from designgym.graphics.redraw import draw, keep
from designgym.pool.pool import ImagePool

if TYPE_CHECKING:
    from designgym.envs.aesthetics.view import View

Float = NDArray[np.float64]

SEEN_PX = 448
"""Longer side, px, of the page as it is judged: sizes of type and pictures are measured as seen at this size."""
MAP_STEP = 4
"""Cover, grounds and weights are measured on a small picture of the page, whose px are so many px as seen wide."""
BORNE_SHARE = 0.8
"""Of what lies on a ground this share does at least; a text that only juts over it is not borne."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A clean design, ready to be perturbed again and again.

    Attributes:
        document: The clean design.
        roles: Layer id -> what it is for, such as ``"title"`` or ``"background"``.
        pictures: Layer id -> id of its picture in ``pool``, where it is known.
        fitting: Keywords of pictures that suit the subject.
        mood: Name of the feeling that suits the subject, a key of ``mood.MOODS``; empty where none is known.
        pool: Pictures that may take a picture's place; None: none can.
        accents: Colours of the design's palette, shown or not.
        families: Font families that may take a family's place.
    """

    document: Document
    roles: Mapping[str, str] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)
    fitting: tuple[str, ...] = ()
    mood: str = ""
    pool: ImagePool | None = None
    accents: tuple[str, ...] = ()
    families: tuple[str, ...] = tuple(FAMILIES)

    @cached_property
    def seen_scale(self) -> float:
        """Px as seen per page px."""
        return SEEN_PX / max(self.document.width, self.document.height)

    @property
    def spare_px(self) -> float:
        """Px of the small picture reach beyond what they stand for by less than this, page px."""
        return 2 * MAP_STEP / self.seen_scale

    @cached_property
    def short_px(self) -> float:
        """The page's shorter side, page px."""
        return float(min(self.document.width, self.document.height))

    @cached_property
    def traits(self) -> dict[str, Trait]:
        """Layer id -> traits of the clean layer, back to front."""
        images = keep(self.document, self.seen_scale)
        drawn = zip(self.document.layers, images, strict=True)
        return {layer.id: self._trait(layer, partial(reduced, image, MAP_STEP)) for layer, image in drawn}

    @cached_property
    def ground_rgb(self) -> Float:
        """The page's own colour: that of the layer behind everything else if it fills the page, else the paper's."""
        ground = np.array(parse_color(self.document.background)[:3], np.float64)
        for layer in self.document.layers:
            own = self.traits[layer.id]
            if own.role != "background":
                break
            if own.fills_page:
                ground = own.mean_rgb
        return ground

    @cached_property
    def clean(self) -> View:
        """The clean design as a view, so that what is measured of it is measured once."""
        from designgym.envs.aesthetics.view import View  # it needs the class of this module

        return View(self, self.document)

    @cached_property
    def borne(self) -> dict[str, tuple[str, ...]]:
        """Layer id -> ids of the contents that lie on it: at least :data:`BORNE_SHARE` of them, and above it."""
        below: list[Trait] = []
        found: dict[str, list[str]] = {layer.id: [] for layer in self.document.layers}
        for own in self.traits.values():
            if own.content and own.area:
                for ground in below:
                    if not apart(own.hull, ground.hull) and float(ground.solid @ own.mask) >= BORNE_SHARE * own.area:
                        found[ground.layer.id].append(own.layer.id)
            below.append(own)
        return {layer_id: tuple(ids) for layer_id, ids in found.items()}

    @cached_property
    def heaviness(self) -> dict[str, float]:
        """Layer id -> visual weight of each px: mean difference of its colour from the page's, 0 to 1.

        Grounds that fill the page weigh nothing.
        """
        ground = self.ground_rgb
        return {
            i: 0.0 if own.fills_page else float(np.abs(own.mean_rgb - ground).mean()) / 255
            for i, own in self.traits.items()
        }

    @cached_property
    def weight(self) -> tuple[float, float, float]:
        """Visual weight of the clean page, and its sum times the place of each element, as fractions of the page."""
        total = x = y = 0.0
        for layer_id, own in self.traits.items():
            area, own_x, own_y = own.inked
            weight = area * self.heaviness[layer_id]
            total, x, y = total + weight, x + weight * own_x, y + weight * own_y
        return total, x, y

    @cached_property
    def _pairs(self) -> tuple[dict[tuple[str, str], float], dict[tuple[str, str], float]]:
        """Overlap of pairs, and share of the second that the first hides, in the clean design; nothing is left out."""
        overlaps: dict[tuple[str, str], float] = {}
        hides: dict[tuple[str, str], float] = {}
        below: list[tuple[str, Trait]] = []
        for i, own in self.traits.items():
            for j, other in below:
                if apart(own.hull, other.hull) > self.spare_px:
                    continue
                least = max(1.0, min(own.area, other.area))
                overlaps[i, j] = overlaps[j, i] = float(own.mask @ other.mask) / least
                hides[i, j] = float(own.solid @ other.mask) / max(1.0, other.area)
            below.append((i, own))
        return overlaps, hides

    def overlap(self, one: str, two: str) -> float:
        """Share of the smaller of two elements that lies on the other in the clean design; 0 for unknown ones."""
        return self._pairs[0].get((one, two), 0.0)

    def hidden(self, front: str, back: str) -> float:
        """Share of ``back`` that ``front`` hides in the clean design; 0 where it is not in front."""
        return self._pairs[1].get((front, back), 0.0)

    def trait(self, layer: Layer, document: Document) -> Trait:
        """Traits of a layer of a perturbed design."""
        old = self.traits.get(layer.id)
        recolored = isinstance(layer, TextLayer) and old is not None and layer.opacity == old.layer.opacity
        if old is not None and recolored and same_form(old.layer, layer):
            return self._trait(layer, lambda: old.image)  # only the coverage of a text is looked at, never its colour
        return self._trait(layer, lambda: reduced(draw(layer, document, self.seen_scale), MAP_STEP))

    def _trait(self, layer: Layer, draw: Callable[[], LayerImage]) -> Trait:
        return Trait(layer, self.role(layer), ink_hull(layer), draw, self.map_size)

    @cached_property
    def map_size(self) -> tuple[int, int]:
        """Width and height of the small picture, px."""
        width, height = page_size(self.document, self.seen_scale)
        return -(-width // MAP_STEP), -(-height // MAP_STEP)

    def role(self, layer: Layer) -> str:
        """What a layer is for: as the design says, or else its kind."""
        known = self.roles.get(layer.id)
        if known:
            return known
        if isinstance(layer, TextLayer):
            return "body"
        covers = layer.width * layer.height >= 0.9 * self.document.width * self.document.height
        return "background" if covers else ("picture" if isinstance(layer, ImageLayer) else "shape")

    @cached_property
    def palette_lab(self) -> Float:
        """The colours that the design shows in OKLab, float64 (n, 3): flat ones, and the most vivid of each picture."""
        flat = [color for layer in self.document.layers if (color := flat_color(layer))]
        colors = [parse_color(color)[:3] for color in (self.document.background, *flat)]
        means = [own.vivid_rgb for own in self.traits.values() if own.kind == "picture"]
        return srgb_to_oklab(np.array([*colors, *means], np.float64))

    @cached_property
    def memory(self) -> dict[tuple[str, object], object]:
        """What measures and operations found of the clean design, by their own keys; found once and kept."""
        return {}

    @property
    def unrelated(self) -> Mapping[str, float]:
        """Picture id -> how little the picture has to do with the subject.

        0 if its caption or a keyword is one of the subject's; 1 if it shares neither a keyword nor the category with
        any picture that suits; 0.5 in between.
        """
        if self.pool is None or not self.fitting:
            return {}
        return unrelated(self.pool, self.fitting)  # type: ignore[arg-type]  # pools are told apart by identity

    def picture_id(self, document: Document, layer: Layer) -> str | None:
        """Id of the pool's picture that a layer shows: the design's own, or the one that took its place."""
        if not isinstance(layer, ImageLayer):
            return None
        if layer.asset.startswith(REPLACED):
            return layer.asset.removeprefix(REPLACED)
        return self.pictures.get(layer.id)

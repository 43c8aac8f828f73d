"""A page while it is laid out: layers are put onto it, each with its role and the ground that it lies on."""

from __future__ import annotations

from typing import Any

from designgym.graphics.document import Align, ImageLayer, Layer, Shape, ShapeLayer, Stroke
from designgym.layout.areas import Area
from designgym.layout.brief import Brief
from designgym.layout.faces import Pair
from designgym.layout.formats import Format
from designgym.layout.palettes import Palette
from designgym.layout.typesetting import SetText

ASSET_SIDES_PX = (128, 256, 448)
"""Longer sides at which pictures are held; few sizes, so that each raster is decoded once and used often."""
LEAST_RESOLUTION = 0.5
"""Least px of a picture per page px; pages are rarely shown at more than their half."""

Parameters = dict[str, Any]


class Misfit(Exception):
    """The content does not fit this arrangement; another one is tried.

    ``by_size`` tells whether smaller type may help.
    """

    def __init__(self, reason: str, *, by_size: bool = True) -> None:
        super().__init__(reason)
        self.by_size = by_size


class Page:
    """Collects the layers of one page.

    Attributes:
        format: The page's format.
        brief: What it holds.
        palette: Its colours.
        pair: Its faces.
        parameters: The values that were drawn for this layout.
        ground: The colour on which the next texts and pictures lie.
        on: The layer of that ground; empty for the page.
    """

    def __init__(self, brief: Brief, pool: Any, palette: Palette, pair: Pair, parameters: Parameters) -> None:
        self.format: Format = brief.format
        self.brief, self.pool, self.palette, self.pair, self.parameters = brief, pool, palette, pair, parameters
        self.background = palette.page
        self.layers: list[Layer] = []
        self.roles: dict[str, str] = {}
        self.grounds: dict[str, str] = {}
        self.pictures: dict[str, str] = {}
        self.assets: dict[str, bytes] = {}
        self.ground, self.on = palette.page, ""
        self.unit = brief.format.unit_px
        self.margin = float(round(parameters["margin"] * self.unit))
        self.gap = float(round(parameters["gap"] * self.unit))

    @property
    def align(self) -> Align:
        """How the texts are aligned."""
        align: Align = self.parameters["align"]
        return align

    @property
    def whole(self) -> Area:
        """The whole page."""
        return Area(0.0, 0.0, float(self.format.width), float(self.format.height))

    @property
    def safe(self) -> Area:
        """The page without its margins."""
        return self.whole.inset(self.margin)

    def stand_on(self, layer_id: str, color: str) -> None:
        """Let what follows lie on this layer."""
        self.on, self.ground = layer_id, color

    def stand_on_page(self) -> None:
        """Let what follows lie on the page itself."""
        self.on, self.ground = "", self.background

    def shape(
        self,
        role: str,
        area: Area,
        fill: str | None,
        shape: Shape = "rectangle",
        *,
        radius: float = 0.0,
        stroke: Stroke | None = None,
        points: tuple[tuple[float, float], ...] = (),
        at: int | None = None,
        rotation: float = 0.0,
    ) -> str:
        """Put a shape on top, or at a depth; returns its id."""
        area = area.rounded()
        if area.width < 1 or area.height < 1:
            raise Misfit("no room for a shape")
        layer_id = self._new(role)
        layer = ShapeLayer(
            id=layer_id, name=role, shape=shape, fill=fill, stroke=stroke, radius_px=float(round(radius)),
            points=points, rotation_deg=rotation, **area._asdict(),
        )  # fmt: skip
        self.layers.insert(len(self.layers) if at is None else at, layer)
        return layer_id

    def text(self, role: str, done: SetText, x: float, y: float, color: str, align: Align) -> str:
        """Put a text on top; returns its id."""
        layer_id = self._new(role)
        self.layers.append(done.layer(layer_id, float(round(x)), float(round(y)), color, align, role))
        return layer_id

    def picture(self, picture_id: str, room: Area) -> str:
        """Put a picture into the middle of a room, as large as fits; returns its id."""
        known = self.pool.get(picture_id)
        area = room.fitted(known.aspect, ASSET_SIDES_PX[-1] / LEAST_RESOLUTION).rounded()
        longest = max(area.width, area.height)
        if longest < 5 * self.unit:
            raise Misfit("no room for a picture")
        side = next(side for side in ASSET_SIDES_PX if side >= LEAST_RESOLUTION * longest - 1)
        layer_id, name = self._new("picture"), f"{picture_id}@{side}.png"
        self.assets[name] = self.pool.png(picture_id, side)
        self.layers.append(
            ImageLayer(id=layer_id, name=known.caption[:80], asset=name, fit="contain", **area._asdict())
        )
        self.pictures[layer_id] = picture_id
        return layer_id

    def _new(self, role: str) -> str:
        count = sum(1 for known in self.roles.values() if known == role)
        layer_id = f"{role}-{count + 1}"
        self.roles[layer_id] = role
        if self.on:
            self.grounds[layer_id] = self.on
        return layer_id

"""The filter actions of the photo editor: each lays one more filter on a picture, in the order of the calls.

An imported document is made flat first, since filters work on pixels.
"""

from __future__ import annotations

import dataclasses

from designgym.envs.design.drawing import Arguments, Edit
from designgym.envs.design.failure import Failed
from designgym.envs.design.grouping import scaled
from designgym.envs.design.layers import changed, object_named, with_asset, without_spare_assets
from designgym.envs.design.saving import importable, pixels_of_page, png_file
from designgym.graphics.document import MAX_SIDE_PX, Document, Group, ImageLayer
from designgym.graphics.filters.applied import MAX_FILTERS, AppliedFilter
from designgym.values import show

FILTER_OF: dict[str, str] = {
    "AdjustBC": "brightness_contrast",
    "AdjustBW": "black_white",
    "AdjustHSL": "hsl",
    "BlurObject": "blur",
    "PhotoFilter": "photo",
    "GlassFilter": "glass",
    "GlowFilter": "glow",
    "OceanRippleFilter": "ocean_ripple",
    "StainedGlassFilter": "stained_glass",
    "PatchWorkFilter": "patchwork",
    "WatercolorFilter": "watercolor",
}
"""Action -> filter; their parameters have the same names."""


def _adjust(action: str) -> Edit:
    def edit(document: Document, arguments: Arguments) -> tuple[Document, str]:
        found = object_named(document, arguments["layerName"])
        told = ""
        if isinstance(found, Group):
            document, picture = flattened(document, found)
            told = " It was made flat for that."
        else:
            picture = found
        if len(picture.filters) >= MAX_FILTERS:
            raise Failed("limit", f"{show(picture.id)} has {MAX_FILTERS} filters; there can be no more.")
        values = {name: value for name, value in arguments.items() if name != "layerName"}
        applied = AppliedFilter.of(FILTER_OF[action], values)
        picture = dataclasses.replace(picture, filters=(*picture.filters, applied))
        return changed(document, picture), f"Applied {action} to {show(picture.id)}.{told}"

    return edit


def flattened(document: Document, group: Group) -> tuple[Document, ImageLayer]:
    """A document in which one picture stands for a group that is cut off at its edge, and that picture."""
    factor = min(1.0, MAX_SIDE_PX / max(group.width, group.height))
    width, height = max(1, round(group.width * factor)), max(1, round(group.height * factor))
    members = [layer for layer in document.layers if layer.group == group.id]
    layers = tuple(
        dataclasses.replace(scaled(layer, factor, -group.x * factor, -group.y * factor), group="") for layer in members
    )
    page = Document(width, height, layers=layers, assets=document.assets)
    data = importable(png_file(pixels_of_page(page)))
    document, asset = with_asset(document, f"{group.name or group.id}.flat.png"[-200:], data)
    picture = ImageLayer(
        id=group.id,
        name=group.name,
        x=group.x,
        y=group.y,
        width=group.width,
        height=group.height,
        rotation_deg=group.rotation_deg,
        opacity=group.opacity,
        asset=asset,
    )
    place = document.layers.index(members[0])
    rest = [layer for layer in document.layers if layer.group != group.id]
    flat = dataclasses.replace(
        document,
        layers=(*rest[:place], picture, *rest[place:]),
        groups=tuple(each for each in document.groups if each.id != group.id),
    )
    return without_spare_assets(flat), picture


EDITS: dict[str, Edit] = {action: _adjust(action) for action in FILTER_OF}

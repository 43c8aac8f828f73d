"""How pictures are shown: alone, on a disc, tile, arch, burst or blob, in a ring, in rows and in grids."""

from __future__ import annotations

from designgym.graphics.document import Align, Stroke
from designgym.layout.areas import Area
from designgym.layout.contrast import contrast, distance
from designgym.layout.outlines import arch, blob, burst
from designgym.layout.page import Misfit, Page
from designgym.layout.visibility import stands_out

TREATMENTS = ("plain", "disc", "tile", "arch", "burst", "blob", "ring", "plain")
_MOST_WITH_TILES = 11
_ON_GROUND = 0.12  # a ground of a picture differs at least so much, in OKLab, from what it lies on


def show(
    page: Page,
    area: Area,
    treatment: str | None = None,
    pictures: tuple[str, ...] | None = None,
    lean: Align = "center",
) -> None:
    """Show all of a page's pictures in an area: one large, or several in a row or grid.

    ``lean`` is the side of the area to which they keep where it is wider than they are.

    Raises:
        Misfit: If there is too little room, or a picture does not stand out from its ground.
    """
    chosen = page.brief.pictures if pictures is None else pictures
    treatment = page.parameters["treatment"] if treatment is None else treatment
    if not chosen:
        return
    if len(chosen) == 1:
        if lean != "center":
            wide = area.height * _aspect(page, chosen[0], treatment)
            area = area if wide >= area.width else _leaning(area, wide, lean)
        _single(page, area, chosen[0], treatment)
        return
    columns, rows = _shape_of_grid(len(chosen), area.width / area.height)
    tiled = treatment in ("tile", "disc", "arch") and 2 * len(chosen) + count_texts(page) <= _MOST_WITH_TILES
    gap = page.unit * (2.0 if tiled else 3.5)
    side = min((area.width - gap * (columns - 1)) / columns, (area.height - gap * (rows - 1)) / rows)
    wide, tall = (area.width - gap * (columns - 1)) / columns, (area.height - gap * (rows - 1)) / rows
    stretch = 1.3 if tiled and treatment == "tile" else 1.0  # tiles may be oblong; all else keeps to squares
    wide, tall = min(wide, stretch * side), min(tall, stretch * side)
    width, height = columns * wide + gap * (columns - 1), rows * tall + gap * (rows - 1)
    area = _leaning(area, width, lean).middle(width, height)
    fill = _common(page, chosen)
    on, ground = page.on, page.ground
    if not tiled and fill and not all(stands_out(page.pool, picture, ground) for picture in chosen):
        # One panel under all of them; they shrink to leave it a border.
        back = page.shape("panel", area, fill, "rounded", radius=page.parameters["radius"] * page.unit)
        page.stand_on(back, fill)
        area = area.inset(min(2.2 * page.unit, 0.08 * min(area.width, area.height)))
    cells = area.grid(columns, rows, gap)
    if len(cells) > len(chosen):  # two above one
        cells[2] = Area(area.x + (area.width - cells[2].width) / 2, *cells[2][1:])
    for cell, picture in zip(cells, chosen, strict=False):
        _single(page, cell, picture, treatment if tiled else "plain", fill)
    page.stand_on(on, ground)


def _aspect(page: Page, picture: str, treatment: str) -> float:
    """Width over height of what shows a picture."""
    if treatment == "plain":
        aspect: float = page.pool.get(picture).aspect
        return aspect
    return {"tile": 1.6, "arch": 0.8}.get(treatment, 1.0)


def _leaning(area: Area, width: float, lean: Align) -> Area:
    if lean == "left":
        return area.left_part(width)
    return area.right_part(width) if lean == "right" else area.middle(width, area.height)


def count_texts(page: Page) -> int:
    """About how many layers the texts of a page take, with a button and a rule."""
    brief, p = page.brief, page.parameters
    return (
        sum(1 for text in (brief.title, brief.subtitle, brief.body) if text)
        + len(brief.details)
        + (2 if brief.call else 0)
        + (1 if p["rule"] != "none" else 0)
        + len({"frame", "mat"} & {p.get("arrangement", "")})
    )


def _shape_of_grid(count: int, aspect: float) -> tuple[int, int]:
    if count == 3 and 0.62 < aspect < 1.6:
        return 2, 2
    shapes = [(columns, count // columns) for columns in range(1, count + 1) if count % columns == 0]
    return min(
        shapes, key=lambda shape: abs(aspect / (shape[0] / shape[1]) - 1) + abs(shape[0] / shape[1] / aspect - 1)
    )


def _single(page: Page, area: Area, picture: str, treatment: str, fill: str | None = None) -> None:
    on, ground = page.on, page.ground
    if treatment == "plain":
        _check(page, picture, ground)
        page.picture(picture, area)
        return
    if treatment == "ring":
        _check(page, picture, ground)
        side = min(area.width, area.height)
        stroke = Stroke(page.palette.bright(ground), max(3.0, round(0.5 * page.unit)))
        circle = area.middle(side, side).inset(stroke.width_px)
        page.stand_on(page.shape("panel", circle, None, "ellipse", stroke=stroke), ground)
        page.picture(picture, circle.middle(0.64 * side, 0.64 * side))
        page.stand_on(on, ground)
        return
    fill = fill or backing(page, ground, picture)
    if treatment == "tile":
        frame = area.middle(min(area.width, 1.6 * area.height), min(area.height, 1.35 * area.width))
        back = page.shape("panel", frame, fill, "rounded", radius=page.parameters["radius"] * page.unit)
        room = frame.inset(0.12 * min(frame.width, frame.height))
    elif treatment == "arch":
        frame = area.fitted(min(max(area.width / area.height, 0.66), 0.95))
        back = page.shape("panel", frame, fill, "polygon", points=arch(round(frame.width / frame.height, 3)))
        room = Area(frame.x, frame.y + 0.2 * frame.height, frame.width, 0.74 * frame.height).inset(
            0.14 * frame.width, 0
        )
    else:
        side = min(area.width, area.height)
        frame, share = area.middle(side, side), 0.62
        if treatment == "disc":
            back = page.shape("panel", frame, fill, "ellipse")
        elif treatment == "burst":
            back = page.shape("panel", frame, fill, "polygon", points=burst(20, 0.13))
            share = 0.56
        else:
            back = page.shape("panel", frame, fill, "polygon", points=blob(page.parameters["variant"]))
            share = 0.58
        room = frame.middle(share * side, share * side)
    page.stand_on(back, fill)
    page.picture(picture, room)
    page.stand_on(on, ground)


def _common(page: Page, pictures: tuple[str, ...]) -> str | None:
    """A ground for all of several pictures; None where there is none, and each gets its own."""
    for picture in pictures:
        color = backing(page, page.ground, picture)
        if all(stands_out(page.pool, other, color) for other in pictures):
            return color
    return None


def backing(page: Page, ground: str, picture: str) -> str:
    """A colour of the palette for the ground of a picture: apart from what it lies on and from the picture."""
    palette = page.palette
    calm, loud = (palette.panel, palette.field, palette.tone), (palette.second, palette.accent)
    turned = (*calm[page.parameters["variant"] % 3 :], *calm, *loud)
    for color in turned:
        apart = distance(color, ground) >= _ON_GROUND or contrast(color, ground) >= 1.25
        if apart and stands_out(page.pool, picture, color):
            return color
    raise Misfit("a picture stands out from no colour", by_size=False)


def _check(page: Page, picture: str, ground: str) -> None:
    if not stands_out(page.pool, picture, ground):
        raise Misfit("a picture does not stand out", by_size=False)

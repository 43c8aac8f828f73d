"""Ornaments: soft shapes in the ground behind everything, and small strong ones in corners that nothing else uses."""

from __future__ import annotations

from designgym.layout.areas import Area
from designgym.layout.arrangement import PATTERNS
from designgym.layout.outlines import edged, quarter, rays
from designgym.layout.page import Page
from designgym.layout.patterns import confetti, dots, stripes

_MOST_LAYERS = 12


def decorate(page: Page) -> None:
    """Add the ornament that the page's parameters name; none where there is no room for it."""
    page.stand_on_page()
    kind = page.parameters["ornament"]
    if not page.brief.pictures and kind in ("none", "rays", "corner"):  # type alone leaves a page bare
        kind = (*PATTERNS, "tone", "quarter")[page.parameters["variant"] % 6]
    if kind in ("tone", "rays", *PATTERNS) and not any(role == "background" for role in page.roles.values()):
        _behind(page, kind)
    elif kind in ("quarter", "corner"):
        _in_corners(page, kind)


def _behind(page: Page, kind: str) -> None:
    if page.background != page.palette.page:
        return
    whole, variant = page.whole, page.parameters["variant"]
    pictures = [layer for layer in page.layers if page.roles[layer.id] == "picture"]
    if kind == "rays":
        if not pictures:
            return
        main = max(pictures, key=lambda layer: layer.width)
        cx, cy = main.x + main.width / 2, main.y + main.height / 2
        reach = 1.2 * max(whole.width, whole.height)
        area = Area(cx - reach, cy - reach, 2 * reach, 2 * reach)
        page.shape("background", area, page.palette.tone, "polygon", points=rays(14), at=0)
        return
    if kind in PATTERNS:
        _pattern(page, kind)
        return
    side = (0.8, 0.95, 1.1)[variant % 3] * min(whole.width, whole.height)
    corner = variant % 4
    x = whole.x - 0.25 * side if corner in (0, 3) else whole.right - 0.75 * side
    y = whole.y - 0.25 * side if corner in (0, 1) else whole.bottom - 0.75 * side
    page.shape("background", Area(x, y, side, side), page.palette.tone, "ellipse", at=0)


def _pattern(page: Page, kind: str) -> None:
    whole, variant, tone = page.whole, page.parameters["variant"], page.palette.tone
    aspect = whole.width / whole.height
    if kind == "waves":
        tall = (0.16, 0.22, 0.28)[variant % 3] * whole.height
        points = edged("wave" if variant % 2 else "arc", "top", 0.35)
        page.shape("background", whole.bottom_part(tall), tone, "polygon", points=points, at=0)
        return
    if kind == "dots":
        columns = round((6, 8, 10)[variant % 3] * min(1.3, whole.width / 800))
        points = dots(columns, max(3, round(1.15 * columns / aspect)), 0.13 / columns, aspect)
    elif kind == "confetti":
        points = confetti(variant, 49, 0.9 * page.unit / whole.width, aspect)
    else:
        points = stripes((8, 12, 16)[variant % 3], (0.0, 0.3, -0.3)[variant // 3 % 3])
    page.shape("background", whole, tone, "polygon", points=points, at=0)


def _in_corners(page: Page, kind: str) -> None:
    whole, variant = page.whole, page.parameters["variant"]
    side = (9.0, 12.0, 15.0)[variant % 3] * page.unit
    color = page.palette.bright(page.background)
    if len(page.layers) > _MOST_LAYERS - 2:
        return
    found: list[tuple[int, Area]] = []
    for corner in [(variant + step) % 4 for step in (0, 2)]:
        area = whole.left_part(side) if corner in (0, 3) else whole.right_part(side)
        area = area.top_part(side) if corner in (0, 1) else area.bottom_part(side)
        if _is_free(page, area.inset(-0.4 * page.gap)):
            found.append((corner, area))
    if kind == "corner" and len(found) < 2:  # one bracket alone looks lost
        return
    for corner, area in found:
        points = quarter(corner) if kind == "quarter" else _angle(corner, 0.12)
        page.shape("shape", area, color, "polygon", points=points)


def _angle(corner: int, t: float) -> tuple[tuple[float, float], ...]:
    points = ((0.0, 0.0), (1.0, 0.0), (1.0, t), (t, t), (t, 1.0), (0.0, 1.0))
    flip_x, flip_y = corner in (1, 2), corner in (2, 3)
    return tuple((1 - x if flip_x else x, 1 - y if flip_y else y) for x, y in points)


def _is_free(page: Page, area: Area) -> bool:
    return not any(
        layer.x < area.right
        and area.x < layer.x + layer.width
        and layer.y < area.bottom
        and area.y < layer.y + layer.height
        for layer in page.layers
    )

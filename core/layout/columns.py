"""Arrangements in one column: pictures and texts over one another, on the page or partly on a coloured ground."""

from __future__ import annotations

from designgym.graphics.document import Align
from designgym.layout.areas import Area
from designgym.layout.arrangement import EDGE, Arrangement
from designgym.layout.footers import put_footer
from designgym.layout.outlines import edged
from designgym.layout.page import Misfit, Page
from designgym.layout.pictures import show
from designgym.layout.stack import Part, Stack, plan_stack

HEAD: tuple[Part, ...] = ("eyebrow", "title", "subtitle")
FOOT: tuple[Part, ...] = ("body", "details", "call")


def parts_without(*gone: Part) -> tuple[Part, ...]:
    """All parts of a stack but these."""
    every: tuple[Part, ...] = (*HEAD, *FOOT)
    return tuple(part for part in every if part not in gone)


def plan_all(page: Page, area: Area, share: float, footed: bool, align: Align | None = None) -> Stack:
    """The stack of all texts that are not in the footer, at most ``share`` of an area high."""
    parts = parts_without("details") if footed else parts_without()
    return plan_stack(page, area.width, share * area.height, align or page.align, parts)


def hero(page: Page) -> None:
    """One picture, or a few, fills what the texts above or below leave free."""
    area, footed = put_footer(page, page.safe, page.parameters["align"])
    stack = plan_all(page, area, 1 - page.parameters["least"], footed)
    room = area.height - stack.height - 1.2 * page.gap
    _enough(page, room)
    if page.parameters["side"] == "top":
        show(page, area.top_part(room), lean=page.align)
        stack.put(page, area, "bottom")
    else:
        stack.put(page, area, "top")
        show(page, area.bottom_part(room), lean=page.align)


def ground(page: Page) -> None:
    """Pictures on a coloured ground that takes a share of the page up to its edges; the texts lie on the rest."""
    p, area = page.parameters, page.safe
    area, footed = put_footer(page, area, page.align)
    stack = plan_all(page, area, 1 - p["share"] + 0.1, footed)
    upper = p["side"] == "top"
    free = (area.height - stack.height - page.gap) + page.margin
    height = min(free, p["share"] * page.whole.height + 0.5 * page.margin)
    _enough(page, height - page.margin)
    whole = page.whole.top_part(height) if upper else Area(0.0, area.bottom - height + page.margin, page.whole.width, 0)
    if not upper:
        if footed:
            raise Misfit("the footer is where the ground is", by_size=False)
        whole = page.whole.bottom_part(height)
    side, fill = ("bottom" if upper else "top"), _fill(page)
    depth = 0.0 if p["edge"] == "straight" else p["depth"]
    back = page.shape("background", whole, fill, "polygon", points=edged(p["edge"], side, depth), at=0)
    cut = depth * height
    room = Area(whole.x, whole.y + (0 if upper else cut), whole.width, height - cut).inset(
        page.margin, 0.7 * page.margin
    )
    page.stand_on(back, fill)
    show(page, room, _calm(p["treatment"]))
    page.stand_on_page()
    rest = Area(area.x, whole.bottom + page.gap, area.width, area.bottom - whole.bottom - page.gap)
    if not upper:
        rest = Area(area.x, area.y, area.width, whole.y - page.gap - area.y)
    stack.put(page, rest, "middle")


def sandwich(page: Page) -> None:
    """Title above, picture in the middle, the rest below."""
    area, footed = put_footer(page, page.safe, page.align)
    head = plan_stack(page, area.width, 0.42 * area.height, page.align, HEAD)
    foot_parts: tuple[Part, ...] = ("body", "call") if footed else FOOT
    foot = plan_stack(page, area.width, 0.35 * area.height, page.align, foot_parts) if _has(page, foot_parts) else None
    below = foot.height + page.gap if foot else 0.0
    room = area.height - head.height - page.gap - below
    _enough(page, room)
    head.put(page, area, "top")
    show(page, Area(area.x, area.y + head.height + page.gap, area.width, room), lean=page.align)
    if foot:
        foot.put(page, area, "bottom")


def centred(page: Page) -> None:
    """Everything about the middle, with much blank space; a small picture above or below the title."""
    p = page.parameters
    area, footed = put_footer(page, page.safe.inset(0.5 * page.margin, 0), "center")
    stack = plan_stack(
        page, area.width, 0.66 * area.height, "center", parts_without("details") if footed else parts_without(),
        largest=(0.13 if page.brief.pictures else 0.2) * min(page.whole.width, page.whole.height),
    )  # fmt: skip
    height = stack.height
    if not page.brief.pictures:
        stack.put(page, area, "middle")
        return
    side = min(p["small"] * page.whole.height, area.height - height - page.gap)
    _enough(page, side)
    top = area.y + (area.height - height - page.gap - side) / 2
    show(page, Area(area.x, top, area.width, side))
    stack.put(page, Area(area.x, top + side + page.gap, area.width, height), "top")


def band(page: Page) -> None:
    """The title on a band of colour across the page; the picture above and the rest below, or the other way round."""
    p, area = page.parameters, page.safe
    area, footed = put_footer(page, area, page.align)
    fill = page.palette.field
    page.ground = fill
    head = plan_stack(page, area.width, 0.36 * area.height, page.align, HEAD)
    page.stand_on_page()
    foot_parts: tuple[Part, ...] = ("body", "call") if footed else FOOT
    foot = plan_stack(page, area.width, 0.35 * area.height, page.align, foot_parts) if _has(page, foot_parts) else None
    tall = head.height + 2 * page.gap
    below = foot.height + page.gap if foot else 0.0
    room = area.height - tall - below - page.gap
    _enough(page, room)
    top = area.y + room + page.gap
    back = page.shape("panel", Area(0.0, top, page.whole.width, tall), fill)
    if p["side"] == "top" or not foot:
        show(page, area.top_part(room))
    page.stand_on(back, fill)
    head.put(page, Area(area.x, top, area.width, tall), "middle")
    page.stand_on_page()
    if foot:
        foot.put(page, Area(area.x, top + tall + page.gap, area.width, foot.height), "top")
        if p["side"] != "top":
            raise Misfit("picture above only", by_size=False)


def _enough(page: Page, room: float) -> None:
    if page.brief.pictures and room < page.parameters.get("least", 0.2) * page.whole.height:
        raise Misfit("too little room for pictures")


def _has(page: Page, parts: tuple[Part, ...]) -> bool:
    brief = page.brief
    return any({"body": brief.body, "details": brief.details, "call": brief.call}.get(part) for part in parts)


def _fill(page: Page) -> str:
    palette = page.palette
    return (palette.field, palette.panel, palette.second, palette.tone)[page.parameters["variant"] % 4]


def _calm(treatment: str) -> str:
    """Pictures on a coloured ground need no further ground more often than not."""
    return treatment if treatment in ("disc", "ring") else "plain"


COLUMNS = (
    Arrangement("hero", hero, (1, 4), (0.0, 1.2), {"side": ("top", "bottom"), "least": (0.3, 0.36, 0.42)}, weight=3.0),
    Arrangement(
        "ground", ground, (1, 3), (0.0, 1.2),
        {"side": ("top", "top", "bottom"), "share": (0.4, 0.44, 0.48, 0.52, 0.56), **EDGE}, weight=2.0,
    ),
    Arrangement("sandwich", sandwich, (1, 4), (0.0, 1.2), {"least": (0.26, 0.32, 0.38)}, weight=2.0),
    Arrangement(
        "centred", centred, (0, 1), (0.0, 9.0),
        {"small": (0.22, 0.26, 0.3, 0.34), "least": (0.12,)}, weight=1.2,
    ),
    Arrangement("band", band, (1, 4), (0.0, 1.2), {"side": ("top",), "least": (0.26, 0.32)}, weight=1.6),
)  # fmt: skip

"""Arrangements with a frame or a card: content inside of a border, on a panel, or around a disc."""

from __future__ import annotations

from designgym.graphics.document import Align, Shape, Stroke
from designgym.layout.areas import Area
from designgym.layout.arrangement import Arrangement
from designgym.layout.columns import parts_without
from designgym.layout.page import Misfit, Page
from designgym.layout.pictures import show
from designgym.layout.stack import plan_stack


def frame(page: Page) -> None:
    """A border along the page's edge; picture and texts about the middle of what it holds."""
    p = page.parameters
    color = page.palette.bright(page.ground)
    inset = p["inset"] * page.unit
    border = page.whole.inset(inset)
    width = max(3.0, round(p["line"] * page.unit))
    page.shape("shape", border, None, "rectangle", stroke=Stroke(color, width))
    reach = inset + width
    if p["double"]:
        reach += round(0.9 * page.unit)
        page.shape("shape", page.whole.inset(reach), None, "rectangle", stroke=Stroke(color, max(2.0, 0.3 * width)))
    _column(page, page.whole.inset(reach + 0.7 * page.margin), "center")


def mat(page: Page) -> None:
    """The page's colour shows as a broad border around one large panel that holds everything."""
    p = page.parameters
    inset = p["inset"] * page.unit
    loud = p["variant"] % 2 == 0 and page.palette.scheme not in ("deep", "night")
    page.background = page.palette.second if loud else page.palette.field
    fill = page.palette.panel if p["variant"] % 4 < 2 else page.palette.page
    area = page.whole.inset(inset)
    page.stand_on(page.shape("panel", area, fill, "rounded", radius=p["radius"] * page.unit), fill)
    _column(page, area.inset(0.85 * page.margin), page.align)


def card(page: Page) -> None:
    """Texts on a card, as large as they need, with the pictures beside it on a coloured page."""
    p = page.parameters
    page.background = (page.palette.field, page.palette.page, page.palette.second)[p["variant"] % 3]
    page.ground = page.background
    fill = page.palette.panel if page.background != page.palette.panel else page.palette.page
    area = page.safe
    pad = 0.8 * page.margin
    page.ground = fill
    stack = plan_stack(page, area.width - 2 * pad, 0.62 * area.height - 2 * pad, p["align"])
    page.stand_on_page()
    tall = stack.height + 2 * pad
    room = area.height - tall - 0.8 * page.gap
    if room < p["least"] * area.height:
        raise Misfit("too little room for pictures")
    upper = p["side"] == "top"
    show(page, area.top_part(room) if upper else area.bottom_part(room), "plain")
    place = area.bottom_part(tall) if upper else area.top_part(tall)
    page.stand_on(page.shape("panel", place, fill, "rounded", radius=p["radius"] * page.unit), fill)
    stack.put(page, place.inset(pad), "middle")


def label(page: Page) -> None:
    """A panel with the texts in the middle of a coloured page; pictures beyond two of its sides, or none."""
    p, whole = page.parameters, page.whole
    page.background = (page.palette.field, page.palette.second, page.palette.page)[p["variant"] % 3]
    fill = page.palette.panel if page.background != page.palette.panel else page.palette.page
    pictures = page.brief.pictures
    wide = whole.width > 1.15 * whole.height
    side = p["small"] * min(whole.width, whole.height) if pictures else 0.0
    if len(pictures) == 1:  # alone it may be larger
        side *= 1.5 if wide else 1.3
    ends = _ends(page.safe, side, wide)[: len(pictures)]
    room = whole.inset(page.margin)
    if pictures:
        used = side + 0.6 * page.gap
        if len(pictures) == 1:
            room = room.right_part(room.width - used) if wide else room.bottom_part(room.height - used)
        else:
            room = room.inset(used, 0) if wide else room.inset(0, used)
    page.ground = fill
    shape: Shape
    if p["oval"] and not wide:
        panel, inner = room, room.middle(0.66 * room.width, 0.62 * room.height)
        shape = "ellipse"
        stack = plan_stack(page, inner.width, inner.height, "center")
    else:
        pad = 0.8 * page.margin
        stack = plan_stack(page, room.width - 2 * pad, room.height - 2 * pad, "center")
        panel = room if pictures else room.middle(room.width, stack.height + 2 * pad)
        inner, shape = panel.inset(pad), "rounded"
    page.stand_on(page.shape("panel", panel, fill, shape, radius=p["radius"] * page.unit), fill)
    stack.put(page, inner, "middle")
    page.stand_on_page()
    for place, picture in zip(ends, pictures, strict=True):
        show(page, place, "plain", (picture,))


def corners(page: Page) -> None:
    """Pictures in the corners of the page around centred texts."""
    p, area = page.parameters, page.safe
    count = len(page.brief.pictures)
    wide = page.whole.width > 1.15 * page.whole.height
    side = p["small"] * (area.width if not wide else area.height) * (0.42 if not wide else 0.44)
    tops = [area.top_part(side).left_part(side), area.top_part(side).right_part(side)]
    feet = [area.bottom_part(side).right_part(side), area.bottom_part(side).left_part(side)]
    places = [tops[0], feet[0]] if count == 2 and p["side"] == "left" else [tops[1], feet[1]]
    if count >= 3:
        places = [*tops, *feet][:count] if count == 4 else [tops[0], tops[1], feet[0]]
    if count == 3:
        raise Misfit("two or four corners", by_size=False)
    room = area.inset(side + 0.6 * page.gap, 0) if wide else area.inset(0, side + 0.6 * page.gap)
    stack = plan_stack(page, room.width, room.height, "center")
    for place, picture in zip(places, page.brief.pictures, strict=True):
        show(page, place, "plain", (picture,))
    stack.put(page, room, "middle")


def disc(page: Page) -> None:
    """A large disc in the middle of the page holds the title; details lie below it."""
    p, area = page.parameters, page.safe
    parts = parts_without("title", "subtitle", "eyebrow")
    brief = page.brief
    foot = plan_stack(page, area.width, 0.34 * area.height, "center", parts) if brief.body or brief.details else None
    room = area.height - (foot.height + page.gap if foot else 0.0)
    side = min(area.width, room)
    if side < 0.5 * min(page.whole.width, page.whole.height):
        raise Misfit("too little room for a disc")
    fill = (page.palette.field, page.palette.panel, page.palette.accent)[p["variant"] % 3]
    circle = Area(area.x + (area.width - side) / 2, area.y + (room - side) / 2, side, side)
    page.stand_on(page.shape("panel", circle, fill, "ellipse"), fill)
    inner = circle.middle(0.7 * side, 0.68 * side)
    head = plan_stack(
        page, inner.width, inner.height * (0.55 if brief.pictures else 1.0), "center", ("eyebrow", "title", "subtitle")
    )
    if brief.pictures:
        free = inner.height - head.height - 0.7 * page.gap
        show(page, inner.top_part(free), "plain")
        head.put(page, inner, "bottom")
    else:
        head.put(page, inner, "middle")
    page.stand_on_page()
    if foot:
        foot.put(page, area, "bottom")


def _column(page: Page, area: Area, align: Align) -> None:
    p = page.parameters
    if page.brief.pictures and area.width > 1.25 * area.height:
        _beside(page, area)
        return
    share = 0.62 if page.brief.pictures else 1.0
    stack = plan_stack(page, area.width, share * area.height, align)
    if not page.brief.pictures:
        stack.put(page, area, "middle")
        return
    room = min(area.height - stack.height - page.gap, p["most"] * area.height)
    if room < 0.22 * area.height:
        raise Misfit("too little room for pictures")
    spare = (area.height - stack.height - page.gap - room) / 2
    area = area.inset(0, spare)
    if p["side"] == "top":
        show(page, area.top_part(room), lean=align)
        stack.put(page, area, "bottom")
    else:
        stack.put(page, area, "top")
        show(page, area.bottom_part(room), lean=align)


def _beside(page: Page, area: Area) -> None:
    """On a wide page picture and texts stand beside each other."""
    wide = page.parameters["aside"] * area.width
    first = page.parameters["side"] == "top"
    text = area.width - wide - 1.6 * page.gap
    stack = plan_stack(page, text, area.height, "left")
    show(page, area.left_part(wide) if first else area.right_part(wide))
    stack.put(page, area.right_part(text) if first else area.left_part(text), "middle")


def _ends(area: Area, side: float, wide: bool) -> list[Area]:
    """The rooms at both ends of an area."""
    if wide:
        return [area.left_part(side), area.right_part(side)]
    return [area.top_part(side), area.bottom_part(side)]


_SIDE = {"side": ("top", "top", "bottom")}
_NO_FOOTER = {"footer": ("stack",)}

FRAMED = (
    Arrangement(
        "frame", frame, (0, 2), (0.0, 9.0),
        {**_SIDE, **_NO_FOOTER, "inset": (2.5, 3.0, 3.5), "line": (0.3, 0.5, 0.8, 1.2), "double": (False, True),
         "aside": (0.36, 0.42, 0.48), "most": (0.4, 0.5, 0.62), "ornament": ("none",)}, weight=1.1,
    ),
    Arrangement(
        "mat", mat, (0, 4), (0.0, 9.0),
        {**_SIDE, **_NO_FOOTER, "inset": (3.0, 4.0, 5.0), "aside": (0.36, 0.42, 0.48), "most": (0.5, 0.62),
         "ornament": ("none",)}, weight=0.9,
    ),
    Arrangement(
        "card", card, (1, 3), (0.0, 1.2),
        {**_SIDE, **_NO_FOOTER, "least": (0.3, 0.36), "radius": (0.0, 2.0, 4.0)}, weight=1.4,
    ),
    Arrangement(
        "label", label, (0, 2), (0.0, 9.0),
        {**_NO_FOOTER, "small": (0.2, 0.26, 0.32), "oval": (False, True),
         "ornament": ("none", "rays", "tone")}, weight=1.1,
    ),
    Arrangement("corners", corners, (2, 4), (0.0, 9.0), {**_NO_FOOTER, "side": ("left", "right"),
                "small": (0.6, 0.75, 0.9), "ornament": ("none",)}, weight=1.4),
    Arrangement("disc", disc, (0, 1), (0.5, 1.3), {**_NO_FOOTER}, weight=1.2),
)  # fmt: skip

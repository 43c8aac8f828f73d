"""Arrangements that live on type and order: huge titles, programmes in rows, galleries of pictures, diagonals."""

from __future__ import annotations

from designgym.graphics.document import Align
from designgym.layout.areas import Area
from designgym.layout.arrangement import Arrangement
from designgym.layout.columns import HEAD, parts_without
from designgym.layout.footers import put_footer
from designgym.layout.hierarchy import base_px, text_type
from designgym.layout.page import Misfit, Page
from designgym.layout.pictures import show
from designgym.layout.stack import details_left, plan_stack
from designgym.layout.typesetting import set_text


def big_type(page: Page) -> None:
    """The title as large as the page allows; what little else there is keeps to the opposite edge."""
    p = page.parameters
    area, footed = put_footer(page, page.safe, "left")
    rest = (
        plan_stack(
            page,
            area.width * 0.8,
            0.4 * area.height,
            "left",
            ("subtitle", "body", "call") if footed else ("subtitle", "body", "details", "call"),
        )
        if _more(page, footed)
        else None
    )
    below = rest.height + page.gap if rest else 0.0
    room = area.height - below
    pictured = bool(page.brief.pictures)
    share = 0.58 if pictured else 0.8
    head = plan_stack(page, area.width, share * room, "left", ("eyebrow", "title"), title_lines=5)
    if p["side"] == "top":
        head.put(page, area, "top")
        if rest:
            rest.put(page, area, "bottom")
        place = Area(area.x, area.y + head.height + page.gap, area.width, room - head.height - page.gap)
    else:
        top = area.y + area.height - below - head.height
        head.put(page, Area(area.x, top, area.width, head.height), "top")
        if rest:
            rest.put(page, area, "bottom")
        place = Area(area.x, area.y, area.width, top - area.y - page.gap)
    if pictured:
        if place.height < 0.2 * page.whole.height:
            raise Misfit("too little room for pictures")
        side = min(place.height, place.width)
        show(page, place.right_part(side) if p["lean"] == "right" else place.left_part(side))


def programme(page: Page) -> None:
    """Details as rows with lines between them, as in a menu or a timetable; title and picture above or beside."""
    p, area = page.parameters, page.safe
    wide = page.whole.width > 1.15 * page.whole.height
    base = base_px(page)
    column = area.right_part(0.46 * area.width) if wide else area
    rows = [set_text(text, text_type(page, base, 700), column.width) for text in details_left(page)]
    done = [row for row in rows if row is not None and row.lines <= 2]
    if len(done) < len(rows) or len(done) < 3:
        raise Misfit("details are too long for rows")
    pad, thin = round(p["row"] * base), max(2.0, round(0.07 * base))
    tall = sum(row.height + 2 * pad for row in done) + thin * (len(done) + 1)
    rest = area.left_part(0.54 * area.width - 1.4 * page.gap) if wide else area.top_part(area.height - tall - page.gap)
    align: Align = "left" if wide else page.align
    stack = plan_stack(page, rest.width, 0.7 * rest.height, align, parts_without("details"))
    room = rest.height - stack.height - page.gap
    if page.brief.pictures:
        if room < 0.22 * page.whole.height:
            raise Misfit("too little room for pictures")
        show(page, rest.top_part(room), lean=align)
    stack.put(page, rest, "bottom" if page.brief.pictures else "middle")
    y = column.bottom - tall if not wide else column.y + (column.height - tall) / 2
    color, line = page.palette.ink(page.ground), page.palette.bright(page.ground)
    for row in done:
        page.shape("shape", Area(column.x, y, column.width, thin), line)
        y += thin + pad
        x = column.x if align == "left" else column.x + (column.width - row.width) / 2
        page.text("detail", row, x, y, color, align)
        y += row.height + pad
    page.shape("shape", Area(column.x, y, column.width, thin), line)


def gallery(page: Page) -> None:
    """Several pictures as a strip or grid of tiles; title on one side of it, the rest on the other or with it."""
    p = page.parameters
    area, footed = put_footer(page, page.safe, page.align)
    wide = area.width > 1.25 * area.height
    if wide:
        text = area.left_part(0.44 * area.width) if p["side"] == "top" else area.right_part(0.44 * area.width)
        room = area.right_part(0.53 * area.width) if p["side"] == "top" else area.left_part(0.53 * area.width)
        stack = plan_stack(
            page, text.width, text.height, "left", parts_without("details") if footed else parts_without()
        )
        show(page, room.middle(room.width, min(room.height, room.width)), p["tiles"])
        stack.put(page, text, "middle")
        return
    stack = plan_stack(
        page, area.width, 0.5 * area.height, page.align, parts_without("details") if footed else parts_without()
    )
    free = area.height - stack.height - page.gap
    if free < 0.24 * page.whole.height:
        raise Misfit("too little room for pictures")
    tall = min(free, 1.15 * area.width)
    if p["side"] == "top":
        show(page, area.top_part(free).middle(area.width, tall), p["tiles"], lean=page.align)
        stack.put(page, area, "bottom")
    else:
        stack.put(page, area, "top")
        show(page, area.bottom_part(free).middle(area.width, tall), p["tiles"], lean=page.align)


def diagonal(page: Page) -> None:
    """A slanted ground cuts the page; texts keep to one corner, the picture to the opposite one."""
    p, whole = page.parameters, page.whole
    fill = (page.palette.field, page.palette.panel, page.palette.second)[p["variant"] % 3]
    high, low = p["high"], p["low"]
    points = ((0.0, high), (1.0, low), (1.0, 1.0), (0.0, 1.0))
    back = page.shape("background", whole, fill, "polygon", points=points)
    area = page.safe
    upper = area.top_part(min(high, low) * whole.height - page.margin - 0.5 * page.gap)
    lower = area.bottom_part((1 - max(high, low)) * whole.height - page.margin - 0.5 * page.gap)
    if p["side"] == "top":
        plan_stack(page, upper.width, upper.height, "left").put(page, upper, "top")
        page.stand_on(back, fill)
        show(page, lower, "plain")
    else:
        show(page, upper, "plain")
        page.stand_on(back, fill)
        plan_stack(page, lower.width, lower.height, "left").put(page, lower, "bottom")
    page.stand_on_page()


def poster_swiss(page: Page) -> None:
    """Title at the top left, details in a column at the lower left, the picture large at the right of them."""
    p, area = page.parameters, page.safe
    head = plan_stack(page, area.width, 0.45 * area.height, "left", HEAD)
    free = area.height - head.height - page.gap
    column = area.left_part(p["share"] * area.width)
    foot = plan_stack(page, column.width, free, "left", ("body", "details", "call"))
    head.put(page, area, "top")
    foot.put(page, area, "bottom")
    room = area.bottom_part(free).right_part((1 - p["share"]) * area.width - page.gap)
    show(page, room)


def signature(page: Page) -> None:
    """A card's way: name and subtitle in one corner, details in the opposite one, and a small picture."""
    p, area = page.parameters, page.safe
    head = plan_stack(
        page,
        0.62 * area.width,
        0.5 * area.height,
        "left",
        ("title", "subtitle"),
        largest=p["size"] * min(page.whole.width, page.whole.height),
    )
    foot = plan_stack(page, 0.6 * area.width, 0.44 * area.height, "left", ("body", "details", "call"))
    if head.height + foot.height + page.gap > area.height:
        raise Misfit("texts are too long")
    head.put(page, area, "top" if p["order"] == "title" else "bottom")
    foot.put(page, area, "bottom" if p["order"] == "title" else "top")
    if page.brief.pictures:
        side = min(0.34 * area.width, p["small"] * area.height)
        corner = area.right_part(side)
        corner = {
            "top": corner.top_part(side),
            "middle": corner.middle(side, side),
            "bottom": corner.bottom_part(side),
        }[p["anchor"]]
        show(page, corner)


def _more(page: Page, footed: bool) -> bool:
    brief = page.brief
    return bool(brief.subtitle or brief.body or brief.call or (brief.details and not footed))


_NO_FOOTER = {"footer": ("stack",)}

TYPOGRAPHIC = (
    Arrangement(
        "big-type", big_type, (0, 1), (0.0, 1.15),
        {"side": ("top", "bottom"), "lean": ("left", "right"), "base": (2.7, 2.9, 3.1), "rule": ("none",),
         "align": ("left",)}, weight=1.4,
    ),
    Arrangement(
        "wide-type", big_type, (0, 0), (1.15, 9.0),
        {"side": ("top", "bottom"), "lean": ("left",), "rule": ("none",), "align": ("left",)}, weight=1.4,
    ),
    Arrangement("programme", programme, (0, 2), (0.0, 9.0), {**_NO_FOOTER, "row": (0.35, 0.45, 0.55)}, weight=2.0,
                details=(3, 5)),
    Arrangement(
        "gallery", gallery, (3, 6), (0.0, 9.0),
        {"side": ("top", "bottom"), "tiles": ("tile", "tile", "disc", "plain", "arch")}, weight=3.0,
    ),
    Arrangement(
        "diagonal", diagonal, (1, 2), (0.0, 1.2),
        {**_NO_FOOTER, "side": ("top", "bottom"), "high": (0.42, 0.46, 0.5, 0.54, 0.58),
         "low": (0.42, 0.46, 0.5, 0.54, 0.58), "ornament": ("none",)}, weight=1.2,
    ),
    Arrangement(
        "swiss", poster_swiss, (1, 2), (0.0, 1.45),
        {**_NO_FOOTER, "share": (0.36, 0.4, 0.44), "rule": ("none", "line")},
        weight=1.6, details=(1, 9),
    ),
    Arrangement(
        "signature", signature, (1, 1), (1.2, 9.0),
        {**_NO_FOOTER, "order": ("title", "details"), "anchor": ("top", "middle", "bottom"), "small": (0.5, 0.62, 0.8),
         "size": (0.11, 0.13, 0.15), "align": ("left",)}, weight=3.5, kinds=("business card",), details=(2, 9),
    ),
)  # fmt: skip

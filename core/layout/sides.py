"""Arrangements side by side: texts on one side of the page, pictures on the other, or a narrow sidebar."""

from __future__ import annotations

from designgym.layout.areas import Area
from designgym.layout.arrangement import EDGE, Arrangement
from designgym.layout.columns import parts_without, plan_all
from designgym.layout.footers import put_footer
from designgym.layout.outlines import edged
from designgym.layout.page import Misfit, Page
from designgym.layout.pictures import show
from designgym.layout.stack import plan_stack


def split(page: Page) -> None:
    """A coloured ground takes one side with the picture, or with the texts."""
    p, whole = page.parameters, page.whole
    wide = p["share"] * whole.width
    left = p["side"] == "left"
    area = whole.left_part(wide) if left else whole.right_part(wide)
    depth = 0.0 if p["edge"] == "straight" else p["depth"]
    fill = _fill(page)
    back = page.shape(
        "background", area, fill, "polygon", points=edged(p["edge"], "right" if left else "left", depth)
    )  # fmt: skip
    inner = wide * (1 - depth)
    ground = whole.left_part(inner) if left else whole.right_part(inner)
    rest = whole.right_part(whole.width - wide) if left else whole.left_part(whole.width - wide)
    # Margins are whole at the page's edge and smaller towards the other half.
    ground, rest = (_within(page, part, inward_right) for part, inward_right in ((ground, left), (rest, not left)))
    pictured, written = (ground, rest) if p["on"] == "picture" else (rest, ground)
    if p["on"] == "picture":
        page.stand_on(back, fill)
        show(page, pictured, _calm(p["treatment"]))
        page.stand_on_page()
    else:
        show(page, pictured)
        page.stand_on(back, fill)
    plan_all(page, written, 1.0, False).put(page, written, p["anchor"])


def beside(page: Page) -> None:
    """Texts and picture beside each other on the plain page, about one middle line."""
    p, area = page.parameters, page.safe
    area, footed = put_footer(page, area, "left")
    wide = (p["share"] * area.width) - page.gap
    text = area.left_part(wide) if p["side"] == "left" else area.right_part(wide)
    rest = area.width - wide - 1.5 * page.gap
    room = area.right_part(rest) if p["side"] == "left" else area.left_part(rest)
    stack = plan_stack(page, text.width, text.height, "left", parts_without("details") if footed else parts_without())
    show(page, room)
    stack.put(page, text, p["anchor"])


def sidebar(page: Page) -> None:
    """A narrow coloured side with details; title and picture on the wide one."""
    p, whole = page.parameters, page.whole
    wide = p["share"] * whole.width
    left = p["side"] == "left"
    bar = whole.left_part(wide) if left else whole.right_part(wide)
    fill = page.palette.field
    back = page.shape("background", bar, fill)
    page.stand_on(back, fill)
    inner = bar.inset(0.75 * page.margin, page.margin)
    plan_stack(page, inner.width, inner.height, "left", ("details", "call")).put(page, inner, p["anchor"])
    page.stand_on_page()
    rest = whole.right_part(whole.width - wide) if left else whole.left_part(whole.width - wide)
    rest = rest.inset(page.margin)
    stack = plan_stack(page, rest.width, 0.62 * rest.height, "left", parts_without("details", "call"))
    room = rest.height - stack.height - page.gap
    if page.brief.pictures and room < 0.25 * rest.height:
        raise Misfit("too little room for pictures")
    if p["order"] == "picture":
        show(page, rest.top_part(room), lean="left")
        stack.put(page, rest, "bottom" if page.brief.pictures else "middle")
    else:
        stack.put(page, rest, "top" if page.brief.pictures else "middle")
        show(page, rest.bottom_part(room), lean="left")


def stripe(page: Page) -> None:
    """A stripe of colour along one side; texts lean on it, and a picture sits in the opposite corner."""
    p, whole = page.parameters, page.whole
    wide = p["stripe"] * page.unit
    left = p["side"] == "left"
    page.shape(
        "background", whole.left_part(wide) if left else whole.right_part(wide), page.palette.bright(page.ground)
    )
    area = Area(wide if left else 0.0, 0.0, whole.width - wide, whole.height).inset(page.margin)
    stack = plan_stack(page, area.width, area.height, "left")
    room = area.height - stack.height - page.gap
    if not page.brief.pictures:
        stack.put(page, area, p["anchor"])
        return
    if room < 0.28 * area.height:
        raise Misfit("too little room for pictures")
    stack.put(page, area, "top" if p["order"] == "text" else "bottom")
    side = min(room, area.width)
    row = area.bottom_part(side) if p["order"] == "text" else area.top_part(side)
    show(page, row.right_part(side) if p["order"] == "text" else row.left_part(side))


def _within(page: Page, part: Area, inward_right: bool) -> Area:
    inner = 0.85 * page.margin
    x = part.x + (page.margin if inward_right else inner)
    return Area(x, page.margin, part.width - page.margin - inner, part.height - 2 * page.margin)


def _fill(page: Page) -> str:
    palette = page.palette
    return (palette.field, palette.panel, palette.second, palette.field)[page.parameters["variant"] % 4]


def _calm(treatment: str) -> str:
    return treatment if treatment in ("disc", "ring") else "plain"


_ANCHORS = {"anchor": ("top", "middle", "middle", "bottom")}
_SIDES = {"side": ("left", "right")}

SIDES = (
    Arrangement(
        "split", split, (1, 3), (0.95, 9.0),
        {**_SIDES, **_ANCHORS, **EDGE, "edge": ("straight", "straight", "wave", "slant", "arc"),
         "on": ("picture", "text"),
         "share": (0.4, 0.44, 0.48, 0.52, 0.56), "align": ("left", "left", "center")}, weight=2.5,
    ),
    Arrangement("beside", beside, (1, 2), (0.95, 9.0), {**_SIDES, **_ANCHORS, "share": (0.48, 0.54, 0.6)}, weight=1.8),
    Arrangement(
        "sidebar", sidebar, (1, 3), (0.7, 9.0),
        {**_SIDES, "anchor": ("top", "bottom"), "share": (0.28, 0.32, 0.36), "order": ("picture", "text")}, weight=1.2,
        details=(2, 9),
    ),
    Arrangement(
        "stripe", stripe, (0, 1), (0.0, 1.2),
        {**_SIDES, **_ANCHORS, "stripe": (2.0, 3.0, 5.0), "order": ("picture", "text"),
         "ornament": ("none",)}, weight=0.8,
    ),
)  # fmt: skip

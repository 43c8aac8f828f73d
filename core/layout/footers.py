"""Details along the foot of a page: in columns, at both sides, or in a band of colour."""

from __future__ import annotations

from designgym.graphics.document import Align
from designgym.layout.areas import Area
from designgym.layout.hierarchy import base_px, text_type
from designgym.layout.page import Page
from designgym.layout.stack import details_left
from designgym.layout.typesetting import SetText, set_text


def put_footer(page: Page, area: Area, align: Align) -> tuple[Area, bool]:
    """Put the details at the foot of an area, if the page's parameters ask for that.

    Args:
        page: Gives details and parameters.
        area: The room of everything, down to the page's lower margin.
        align: How texts are aligned on the page.

    Returns:
        The room that is left and whether the details were put.
    """
    mode, details = page.parameters["footer"], details_left(page)
    if mode == "stack" or not details:
        return area, False
    count = len(details)
    base = base_px(page)
    gap = round(1.3 * base)
    width = (area.width - gap * (count - 1)) / count
    texts = [set_text(text, text_type(page, base, 700), width) for text in details]
    done = [text for text in texts if text is not None and text.lines <= 2]
    if len(done) < count:
        return area, False
    height = max(text.height for text in done)
    color = page.palette.bright(page.ground, 4.5) if page.parameters["colored"] == "subtitle" else None
    if mode == "band":
        deep = Area(0.0, area.bottom - height - 0.4 * page.margin, page.whole.width, 0.0)
        band = Area(0.0, deep.y, deep.width, page.whole.height - deep.y)
        fill = page.palette.field if page.ground != page.palette.field else page.palette.accent
        page.stand_on(page.shape("background", band, fill), fill)
        y, top = band.y + (band.height - height) / 2, band.y
        _columns(page, done, area, y, width, gap, align, page.palette.ink(fill))
        page.stand_on_page()
        return Area(area.x, area.y, area.width, top - page.gap - area.y), True
    y = area.bottom - height
    _columns(page, done, area, y, width, gap, align, color or page.palette.ink(page.ground))
    top = y
    if mode == "ruled":
        thin = max(3.0, round(0.1 * base))
        top = y - round(0.8 * base) - thin
        page.shape("shape", Area(area.x, top, area.width, thin), page.palette.bright(page.ground))
    return Area(area.x, area.y, area.width, top - page.gap - area.y), True


def _columns(
    page: Page, texts: list[SetText], area: Area, y: float, width: float, gap: float, align: Align, color: str
) -> None:
    for index, text in enumerate(texts):
        x = area.x + index * (width + gap)
        if align == "center":
            page.text("detail", text, x + (width - text.width) / 2, y, color, "center")
        elif len(texts) > 1 and index == len(texts) - 1:
            page.text("detail", text, area.right - text.width, y, color, "right")
        else:
            page.text("detail", text, x, y, color, "left")

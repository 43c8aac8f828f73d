"""A stack of texts: title, subtitle, body, details and a button under one another, sized on a modular scale to fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from designgym.graphics.document import Align
from designgym.layout.areas import Area
from designgym.layout.hierarchy import base_px, subtitle_px, text_type, title_sizes, title_type, uses_capitals
from designgym.layout.page import Misfit, Page
from designgym.layout.typesetting import SetText, largest_px, set_text

Anchor = Literal["top", "middle", "bottom"]
Part = Literal["eyebrow", "title", "subtitle", "body", "details", "call"]

_MEASURE_EM = 25.0  # lines of a text that is read stay below about 55 characters
_MOST_BODY_LINES = 7
_STRIDE = 3
_EVEN_TITLE, _EVEN = 0.34, 0.25  # no line is shorter than this share of the longest: no word stands alone


@dataclass(frozen=True)
class Piece:
    """One member of a stack and the room above it, page px."""

    kind: str
    above: float
    width: float
    height: float
    text: SetText | None = None


@dataclass(frozen=True)
class Stack:
    """Pieces under one another, not yet on a page."""

    pieces: tuple[Piece, ...]
    align: Align

    @property
    def width(self) -> float:
        """Of the widest piece, page px."""
        return max(piece.width for piece in self.pieces)

    @property
    def height(self) -> float:
        """Of all, page px."""
        return _height(self.pieces)

    def put(self, page: Page, area: Area, anchor: Anchor = "top") -> Area:
        """Put the pieces onto the page within an area; returns the area that they take."""
        free = area.height - self.height
        if free < -0.5:
            raise Misfit("a stack is higher than its area")
        y = area.y + {"top": 0.0, "middle": free / 2, "bottom": free}[anchor]
        taken = Area(area.x, y, area.width, self.height)
        for piece in self.pieces:
            y += piece.above
            x = area.x + {"left": 0.0, "center": (area.width - piece.width) / 2}.get(
                self.align, area.width - piece.width
            )
            _put(page, piece, Area(x, y, piece.width, piece.height), self.align)
            y += piece.height
        return taken


def plan_stack(
    page: Page,
    width: float,
    height: float,
    align: Align,
    parts: tuple[Part, ...] = ("eyebrow", "title", "subtitle", "body", "details", "call"),
    *,
    largest: float = 1e9,
    title_lines: int = 4,
) -> Stack:
    """Set the parts of a page's brief into a width and height, the title as large as fits.

    Args:
        page: Gives the texts, faces and parameters.
        width: Room, page px.
        height: Room, page px.
        align: How the lines are aligned.
        parts: What the stack holds, in this order; empty texts are passed over.
        largest: The title is no larger than this, page px.
        title_lines: Most lines of the title.

    Raises:
        Misfit: If nothing fits.
    """
    if not any(_texts(page, part) for part in parts):
        raise Misfit("no texts")
    sizes: tuple[float, ...] = (0.0,)
    if "title" in parts:
        widest = largest_px(_texts(page, "title")[0], title_type(page, 100.0), width)
        sizes = title_sizes(page, min(largest, 0.34 * width, 0.6 * height, widest))

    # Larger titles, and their subtitles, never take fewer lines: what is too high with the smallest is so with all.
    least = _pieces(page, width, parts, sizes[-1], title_lines) if sizes else None
    if least is None or _height(least) > height:
        raise Misfit("texts are too long")

    def fitting(index: int) -> Stack | None:
        pieces = _with_title(page, least, width, sizes[index], title_lines)
        return None if pieces is None or _height(pieces) > height else Stack(pieces, align)

    # Few sizes are tried at first, and then the larger ones between what fits and what does not.
    for index in range(0, len(sizes) + _STRIDE - 1, _STRIDE):
        index = min(index, len(sizes) - 1)
        if found := fitting(index):
            between = range(max(0, index - _STRIDE + 1), index)
            return next((larger for other in between if (larger := fitting(other))), found)
    raise Misfit("texts are too long")


def _height(pieces: tuple[Piece, ...]) -> float:
    return sum(piece.above + piece.height for piece in pieces)


def _texts(page: Page, part: Part) -> tuple[str, ...]:
    brief, header = page.brief, bool(page.parameters["eyebrow"]) and len(page.brief.details) > 1
    if part == "details":
        return brief.details[1:] if header else brief.details
    if part == "eyebrow":
        return brief.details[:1] if header else ()
    text: str = getattr(brief, part)
    if part == "title" and uses_capitals(page):
        text = text.upper()
    return (text,) if text else ()


def details_left(page: Page) -> tuple[str, ...]:
    """The details that do not stand above the title."""
    return _texts(page, "details")


def _with_title(
    page: Page, pieces: tuple[Piece, ...], width: float, title_px: float, title_lines: int
) -> tuple[Piece, ...] | None:
    """The same pieces with the title, and the subtitle that goes with it, of a size; None if these do not fit."""
    found = []
    for piece in pieces:
        if piece.kind in ("title", "subtitle"):
            assert piece.text is not None
            done = _headline(page, piece.kind, piece.text.text, width, title_px, title_lines)
            if done is None or done.evenness < (_EVEN_TITLE if piece.kind == "title" else _EVEN):
                return None
            piece = Piece(piece.kind, piece.above, done.width, done.height, done)
        found.append(piece)
    return tuple(found)


def _headline(page: Page, kind: str, text: str, width: float, title_px: float, title_lines: int) -> SetText | None:
    """A title or subtitle beside a title of a size; None if it takes too many lines."""
    if kind == "title":
        done, most_lines = set_text(text, title_type(page, title_px), width), title_lines
    else:
        italic = page.parameters["italic"] and page.pair.voice == "elegant"
        type_ = text_type(page, subtitle_px(page, title_px), 400, italic=italic)
        done, most_lines = set_text(text, type_, min(width, _MEASURE_EM * base_px(page))), 3
    return None if done is None or done.lines > most_lines else done


def _pieces(
    page: Page, width: float, parts: tuple[Part, ...], title_px: float, title_lines: int
) -> tuple[Piece, ...] | None:
    """The pieces with a title of a size, however uneven the lines of title and subtitle; None if they do not fit."""
    base = base_px(page)
    measure = min(width, _MEASURE_EM * base)
    pieces: list[Piece] = []

    def add(kind: str, above: float, done: SetText | None, most_lines: int) -> bool:
        if done is None or done.lines > most_lines or (kind not in ("title", "subtitle") and done.evenness < _EVEN):
            return False
        pieces.append(Piece(kind, round(above) if pieces else 0.0, done.width, done.height, done))
        return True

    for part in parts:
        for number, text in enumerate(_texts(page, part)):
            fits = True
            if part == "title":
                done = _headline(page, part, text, width, title_px, title_lines)
                fits = add(part, 0.55 * base, done, title_lines)
                rule = page.parameters["rule"]
                if fits and rule != "none":
                    thin = max(3.0, 0.1 * base) if rule == "line" else 0.3 * base
                    length = (0.36 if rule == "line" else 0.14) * min(width, 60 * page.unit)
                    pieces.append(Piece("rule", round(0.75 * base), round(length), round(thin)))
            elif part == "subtitle":
                above = 0.8 * base if pieces and pieces[-1].kind == "rule" else 0.4 * base
                fits = add(part, above, _headline(page, part, text, width, title_px, title_lines), 3)
            elif part == "body":
                fits = add(part, 1.1 * base, set_text(text, text_type(page, base), measure), _MOST_BODY_LINES)
            elif part == "call":
                fits = _add_call(pieces, set_text(text, text_type(page, base, 700), width - 2.4 * base), base)
            else:
                above = 0.3 * base if number else (1.2 * base if part == "details" else 0.0)
                fits = add(part, above, set_text(text, text_type(page, base, 700), measure), 2)
            if not fits:
                return None
    return tuple(pieces)


def _add_call(pieces: list[Piece], done: SetText | None, base: float) -> bool:
    if done is None or done.lines > 1:
        return False
    width, height = done.width + round(2.4 * base), done.height + round(1.1 * base)
    pieces.append(Piece("call", round(1.4 * base) if pieces else 0.0, width, height, done))
    return True


def _put(page: Page, piece: Piece, area: Area, align: Align) -> None:
    palette, ground = page.palette, page.ground
    if piece.kind == "rule":
        page.shape("shape", area, palette.bright(ground))
        return
    assert piece.text is not None
    colored = page.parameters["colored"]
    if piece.kind == "call":
        put_button(page, piece.text, area)
        return
    color = palette.ink(ground)
    if piece.kind == colored or (piece.kind in ("details", "eyebrow") and colored == "subtitle"):
        color = palette.bright(ground, 3.0 if piece.kind == "title" else 4.5)
    role = {"details": "detail", "eyebrow": "detail"}.get(piece.kind, piece.kind)
    page.text(role, piece.text, area.x, area.y, color, align)


def put_button(page: Page, done: SetText, area: Area) -> None:
    """A rounded ground that fills an area, with a line of text in its middle."""
    on, ground = page.on, page.ground
    fill = page.palette.bright(ground)
    radius = area.height / 2 if page.parameters["round"] else 0.16 * area.height
    page.stand_on(page.shape("badge", area, fill, "rounded", radius=radius), fill)
    place = area.middle(done.width, done.height)
    page.text("detail", done, place.x, place.y, page.palette.ink(fill), "center")
    page.stand_on(on, ground)

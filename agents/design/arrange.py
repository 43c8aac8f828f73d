"""From a brief to a page: sizes, lines and places of its texts and pictures, each where the brief wants it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from designgym.agents.design.room import ROWS, Block, row_and_column, stacked, third
from designgym.agents.design.setting import Face, Lines, broken
from designgym.envs.design.briefs.brief import PAGE_PX, Brief, TextPart, VisualPart
from designgym.rewards.judges.meanings import ImageSize, Position

MARGIN = 0.075
"""Of the page's shorter side, left and right; a little more above and below."""

TYPE: dict[str, float] = {"small": 0.03, "medium": 0.042, "large": 0.078, "huge": 0.118}
"""Type size as a share of the page's longer side, before it is made to fit."""
TITLES = ("title", "event_name", "slogan", "quote", "message", "company_name", "name")
"""Roles that are set in the display face, and large where the brief leaves that open."""

_PREFERRED: dict[ImageSize, tuple[float, float]] = {
    "small": (0.13, 0.29),
    "medium": (0.25, 0.46),
    "large": (0.46, 0.66),
    "huge": (0.66, 0.8),
    "full": (0.88, 0.96),
}
"""Size -> least and preferred extent."""

_MOST_COVERED = 0.3
"""Of a picture behind everything else; of more, people would not know it again."""
_PAD = 0.03  # around texts, of the page's shorter side

_SHRINKS = (1.0, 0.94, 0.88, 0.82, 0.76, 0.7, 0.64, 0.58)


@dataclass(frozen=True)
class PlacedText:
    """A text of the page; ``left`` and ``top`` are those of its box, px."""

    part: TextPart
    face: Face
    size_px: float
    lines: Lines
    align: str
    left: float
    top: float


@dataclass(frozen=True)
class PlacedPicture:
    """A picture of the page, px."""

    part: VisualPart
    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True)
class Arranged:
    """A page with everything in its place; ``blocks`` are the indices of texts that stand together."""

    width: int
    height: int
    texts: tuple[PlacedText, ...]
    pictures: tuple[PlacedPicture, ...]
    blocks: tuple[tuple[int, ...], ...]


def arrange(brief: Brief, aspects: Sequence[float], display: Face, text: Face) -> Arranged | None:
    """Lay a brief's texts and pictures out; None if they find no room.

    Args:
        brief: What is asked; what it leaves open is chosen.
        aspects: Width over height of its pictures.
        display: The font of titles.
        text: The font of everything else.
    """
    choices = sorted(_choices(brief), key=lambda choice: choice[0])
    found: Arranged | None = None
    for text_shrink, picture_shrink in sorted(itertools.product(_SHRINKS, (0.0, 0.35, 0.7, 1.0)), key=_worth):
        for _, asked in choices:
            page = _attempt(asked, aspects, display, text, text_shrink, picture_shrink)
            if page is not None and _covered(page) <= _MOST_COVERED:
                return page
            found = found or page
    return found


def _covered(page: Arranged) -> float:
    """The greatest share of a picture as large as the page that lies behind texts and a little around them."""
    pad = _PAD * min(page.width, page.height)
    shares = [0.0]
    for picture in page.pictures:
        if picture.part.size == "full":
            area = 0.0
            for text in page.texts:
                across = min(picture.left + picture.width, text.left + text.lines.width + pad)
                down = min(picture.top + picture.height, text.top + text.lines.height + pad)
                left, top = max(picture.left, text.left - pad), max(picture.top, text.top - pad)
                area += max(0.0, across - left) * max(0.0, down - top)
            shares.append(area / (picture.width * picture.height))
    return max(shares)


def _worth(shrinks: tuple[float, float]) -> float:
    """How much is lost: type counts for more than pictures."""
    return 2 * (1 - shrinks[0]) + 0.5 * shrinks[1]


_OPEN_TEXT: tuple[Position, ...] = ("center", "top center", "bottom center", "center right", "center left")
_OPEN_PICTURE: tuple[Position, ...] = (
    "center", "bottom center", "top center", "center left", "center right", "bottom right", "top right",
)  # fmt: skip


def _choices(brief: Brief) -> Iterator[tuple[float, Brief]]:
    """The brief with every open place filled, in all ways, each with how little it suits."""
    texts = [(part.position,) if part.position else _OPEN_TEXT for part in brief.texts]
    pictures = [
        (visual.position,) if visual.position else ("center",) if visual.size == "full" else _OPEN_PICTURE
        for visual in brief.visuals
    ]
    for number, places in enumerate(itertools.product(*pictures, *texts)):
        split = len(brief.visuals)
        chosen = replace(
            brief,
            visuals=tuple(
                replace(visual, position=place) for visual, place in zip(brief.visuals, places, strict=False)
            ),
            texts=tuple(replace(part, position=place) for part, place in zip(brief.texts, places[split:], strict=True)),
        )
        yield _unrest(chosen) + 1e-4 * number, chosen


def _unrest(brief: Brief) -> float:
    """How much a choice of places breaks reading order, crowds a place or parts what belongs together."""
    cost = 0.0
    seen: dict[Position, int] = {}
    rows = []
    for part in brief.texts:
        assert part.position is not None
        seen[part.position] = seen.get(part.position, 0) + 1
        rows.append(ROWS.index(row_and_column(part.position)[0] or "center"))
    cost += sum(count - 2 for count in seen.values() if count > 2)
    cost += sum(2.0 for first, second in itertools.pairwise(rows) if second < first)
    for visual in brief.visuals:
        if visual.position in seen and visual.size != "full":
            cost += 3.0
    columns = {row_and_column(part.position)[1] or "center" for part in brief.texts if part.position}
    cost += 0.5 * (len(columns) - 1)
    used = {*seen, *(visual.position for visual in brief.visuals)}
    return cost + 0.1 * (len(brief.texts) + len(brief.visuals) - len(used))


def type_sizes(brief: Brief, shrink: float) -> list[float]:
    """The type size of each text, px; the order of the brief's sizes is kept."""
    longest = max(PAGE_PX[brief.type])
    given = [TYPE[part.size] for part in brief.texts if part.size]
    shares = []
    for part in brief.texts:
        if part.size:
            share = TYPE[part.size]
        elif part.role in TITLES:
            share = max([TYPE["large"], *given])
        else:
            share = TYPE["small"] if part.role in ("contact_details", "date") else 0.034
        shares.append(share)
    return [max(0.0185, share * shrink) * longest for share in shares]


def _attempt(
    brief: Brief, aspects: Sequence[float], display: Face, text: Face, text_shrink: float, picture_shrink: float
) -> Arranged | None:
    width, height = PAGE_PX[brief.type]
    margin = MARGIN * min(width, height)
    gap = 0.035 * min(width, height)
    pictures = [
        _picture(part, aspect, width, height, margin, picture_shrink)
        for part, aspect in zip(brief.visuals, aspects, strict=True)
    ]
    if any(picture is None for picture in pictures):
        return None
    kept = [picture for picture in pictures if picture is not None]
    blocked = [picture for picture, part in zip(kept, brief.visuals, strict=True) if part.size != "full"]
    sizes = type_sizes(brief, text_shrink)
    groups: dict[tuple[str, str], list[int]] = {}
    for number, part in enumerate(brief.texts):
        assert part.position is not None
        groups.setdefault(row_and_column(part.position), []).append(number)
    blocks, inside = [], []
    for (row, column), members in groups.items():
        room = _room(row, column, blocked, width, margin, gap)
        made = _text_block(brief, members, sizes, display, text, row, column, room, width)
        if made is None:
            return None
        blocks.append(made[0])
        inside.append(made[1])
    if not stacked([*blocks, *blocked], height, 1.15 * margin, gap):
        return None
    for picture, visual in zip(kept, brief.visuals, strict=True):
        if visual.size == "full":
            picture.top = (height - picture.height) / 2
    texts: dict[int, PlacedText] = {}
    for block, placed in zip(blocks, inside, strict=True):
        for number, each in placed.items():
            texts[number] = replace(each, top=block.top + each.top)
    return Arranged(
        width,
        height,
        tuple(texts[number] for number in range(len(brief.texts))),
        tuple(
            PlacedPicture(part, picture.left, picture.top, picture.right - picture.left, picture.height)
            for part, picture in zip(brief.visuals, kept, strict=True)
        ),
        tuple(tuple(members) for members in groups.values()),
    )


def _picture(part: VisualPart, aspect: float, width: int, height: int, margin: float, shrink: float) -> Block | None:
    """A picture's block with its place across; None where its third is too narrow for it."""
    assert part.position is not None
    row, column = row_and_column(part.position)
    least, preferred = _PREFERRED[part.size or "medium"]
    if not part.size:
        least = 0.16
    extent = preferred - (preferred - least) * shrink
    across = min(extent * width, extent * height * aspect)
    down = across / aspect
    low, high = third(column or "center")
    edge = min(margin, (width - across) / 2)
    wanted = {
        "left": max(edge, 0.25 * width - across / 2),
        "right": min(width - edge, 0.75 * width + across / 2) - across,
    }
    left = wanted.get(column, (width - across) / 2)
    left = min(max(left, low * width - across / 2), high * width - across / 2)
    if left < 0.02 * width or left + across > 0.98 * width:
        return None
    return Block(row, left, left + across, down)


def _room(
    row: str, column: str, pictures: Sequence[Block], width: int, margin: float, gap: float
) -> tuple[float, float]:
    """From where to where texts of a place may reach."""
    left, right = margin, width - margin
    for picture in pictures:
        if not (row == picture.row or picture.row in ("center", "") or not row):
            continue
        middle = (picture.left + picture.right) / 2
        if column == "right" and middle < 0.6 * width:
            left = max(left, picture.right + gap)
        elif column == "left" and middle > 0.4 * width:
            right = min(right, picture.left - gap)
    return left, right


def _text_block(
    brief: Brief,
    members: Sequence[int],
    sizes: Sequence[float],
    display: Face,
    text: Face,
    row: str,
    column: str,
    room: tuple[float, float],
    width: int,
) -> tuple[Block, dict[int, PlacedText]] | None:
    """Texts one above the other, with tops counted from that of their block."""
    left, right = room
    most = right - left
    if column == "right":
        most = min(most, 2 * (right - third("right")[0] * width)) if left < third("right")[0] * width else most
    elif column == "left":
        most = min(most, 2 * (third("left")[1] * width - left))
    if most <= 0:
        return None
    set_lines: dict[int, Lines] = {}
    for number in members:
        part = brief.texts[number]
        face = display if part.role in TITLES else text
        narrower = 0.8 if column in ("", "center") and len(part.content) > 24 else 1.0
        lines = broken(part.content, face, sizes[number], narrower * most) or broken(
            part.content, face, sizes[number], most
        )
        if lines is None:
            return None
        set_lines[number] = lines
    align, edge = _alignment(column, room, [lines.width for lines in set_lines.values()], width)
    placed: dict[int, PlacedText] = {}
    centres, y = [], 0.0
    for number in members:
        lines = set_lines[number]
        if placed:
            y += 0.42 * max(sizes[number], min(sizes[each] for each in placed))
        x = {"left": edge, "right": edge - lines.width}.get(align, edge - lines.width / 2)
        part = brief.texts[number]
        face = display if part.role in TITLES else text
        placed[number] = PlacedText(part, face, sizes[number], lines, align, x, y)
        centres.append(y + lines.height / 2)
        y += lines.height
    span = min(each.left for each in placed.values()), max(each.left + each.lines.width for each in placed.values())
    return Block(row, *span, y, centres=tuple(centres)), placed


def _alignment(column: str, room: tuple[float, float], widths: Sequence[float], width: int) -> tuple[str, float]:
    """How the texts of a place are aligned, and the x that they share."""
    left, right = room
    if column == "left":
        return "left", left
    if column == "right":
        least = third("right")[0] * width
        edge = max(left, *(least - each / 2 for each in widths))
        return ("left", edge) if edge + max(widths) <= right else ("right", right)
    return "center", width / 2

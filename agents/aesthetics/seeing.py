"""From a page's pixels to the scene that the rules judge: its elements with their looks, lines of one text joined."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from designgym.agents.aesthetics.elements import elements
from designgym.agents.aesthetics.looks import PAGE_PX, Look, Page, look
from designgym.agents.aesthetics.rules import Scene, apart
from designgym.agents.regions import Rect
from designgym.graphics.color import srgb_to_oklab

SAME_COLOR = 0.05
"""Texts whose inks are no farther apart in OKLab than this may be one."""
SAME_SIZE = 1.45
"""Nor do their lines' heights differ by more than this factor."""
LINE_GAP, WORD_GAP = 0.75, 0.8
"""Lines (words) of one text are no farther apart than these shares of a line's height."""
GROUND_SHARE = 0.06
"""A colour that covers this share of the page is one of its grounds."""


def see(page: Page, known: Iterable[Rect] = ()) -> Scene:
    """The scene of a page.

    Args:
        page: uint8 H x W x 3, the page alone.
        known: Boxes of which it is known that they hold an element, px; they come first, and what is found there is
            left out.
    """
    height, width = page.shape[:2]
    given = [one for rect in known if (one := look(page, rect)) is not None]
    marks, grounds = [], []
    for element in elements(page):
        one = look(page, element.rect)
        if one is not None and element.ground:
            grounds.append(dataclasses.replace(one, kind="shape"))
        elif one is not None:
            marks.append(one)
    marks = _joined(page, marks)
    pictures = [one for one in marks if one.kind == "picture"]
    looks = [one for one in [*grounds, *marks] if not any(_inside(one, picture) for picture in pictures)]
    looks = [one for one in looks if all(apart(one.rect, other.rect) for other in given)]
    return Scene(width, height, [*given, *looks], _grounds_lab(page), len(given))


def _joined(page: Page, looks: Sequence[Look]) -> list[Look]:
    """Words and lines of one text as one element."""
    rest = list(looks)
    position = 0
    while position < len(rest):
        one = rest[position]
        partner = next((i for i in range(position + 1, len(rest)) if _one_text(page, one, rest[i])), None)
        union = None if partner is None else look(page, _hull(one.rect, rest[partner].rect))
        if partner is None or union is None:
            position += 1
            continue
        del rest[partner]
        rest[position] = union
        position = 0
    return rest


def _one_text(page: Page, one: Look, two: Look) -> bool:
    if one.kind != "text" or two.kind != "text" or np.linalg.norm(one.lab - two.lab) > SAME_COLOR:
        return False
    scale = max(page.shape[:2]) / PAGE_PX
    small, large = sorted((max(one.line_px, 1.0) * scale, max(two.line_px, 1.0) * scale))
    if large > SAME_SIZE * small:
        return False
    shared_x = min(one.rect[2], two.rect[2]) - max(one.rect[0], two.rect[0])
    shared_y = min(one.rect[3], two.rect[3]) - max(one.rect[1], two.rect[1])
    if shared_y > 0.6 * small:
        return -shared_x < WORD_GAP * large
    return shared_x > 0 and -shared_y < LINE_GAP * small


def _inside(one: Look, picture: Look) -> bool:
    left, top, right, bottom = one.rect
    a, b, c, d = picture.rect
    return one is not picture and a <= left and b <= top and right <= c and bottom <= d and one.share < picture.share


def _hull(one: Rect, two: Rect) -> Rect:
    return (min(one[0], two[0]), min(one[1], two[1]), max(one[2], two[2]), max(one[3], two[3]))


def _grounds_lab(page: Page) -> NDArray[np.float64]:
    """OKLab of the page's three largest colours, as far as they cover much of it, n x 3."""
    codes = page[::4, ::4].reshape(-1, 3).astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    values, counts = np.unique(codes, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:3]
    codes = values[order][counts[order] >= GROUND_SHARE * len(codes)]
    return srgb_to_oklab(np.stack([codes >> 16, codes >> 8 & 255, codes & 255], axis=1).astype(np.float64))

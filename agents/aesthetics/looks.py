"""How an element looks: its ink and ground, what kind it is, and the quantities on which the rules rest.

Everything is read off the pixels in and just around a box. Lengths are px of a page whose longer side is 448.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from designgym.agents.regions import Rect
from designgym.graphics.color import srgb_to_oklab

Page = NDArray[np.uint8]
Floats = NDArray[np.float64]

PAGE_PX = 448
RIM_PX = 3
"""The ground is read in a rim of this width around the box."""
LEAST_DIFFERENCE = 6
"""Px that differ less than this from the ground, of 255, are no ink."""
OTHER_INK = 14.0
"""A px is of another ink from this distance (of 8-bit sRGB) to the line between ink and ground."""


@dataclass(frozen=True, eq=False)
class Look:
    """One element.

    Attributes:
        rect: Its box, px.
        share: Of the page's area.
        kind: ``"text"``, ``"picture"`` or ``"shape"``, by its ink.
        fill: Share of the box that is ink.
        contrast: WCAG ratio of its strongest ink with its ground, 1 to 21.
        difference: Mean difference of its ink from the ground, 0 to 1.
        lab: OKLab of its strongest ink.
        line_px: Height of a line of its ink.
        sharp: Steepest step between neighbouring px, as a share of the range of its colours, 0 to 1.
        silent: Share of px columns and rows within which hardly anything changes: much where px are drawn large.
        several: Share of ink that is of another colour than the strongest.
    """

    rect: Rect
    share: float
    kind: str
    fill: float
    contrast: float
    difference: float
    lab: Floats
    line_px: float
    sharp: float
    silent: float
    several: float

    @property
    def chroma(self) -> float:
        """OKLab chroma of its strongest ink."""
        return float(np.hypot(self.lab[1], self.lab[2]))

    @property
    def hue(self) -> float:
        """OKLab hue of its strongest ink, radians."""
        return float(np.arctan2(self.lab[2], self.lab[1]))


def look(page: Page, rect: Rect) -> Look | None:
    """Look at a box; None if there is nothing in it.

    Args:
        page: uint8 H x W x 3.
        rect: The box, px; clipped to the page.
    """
    height, width = page.shape[:2]
    left, top = max(0, rect[0]), max(0, rect[1])
    right, bottom = min(width, rect[2]), min(height, rect[3])
    if right - left < 3 or bottom - top < 3:
        return None
    inside = page[top:bottom, left:right].astype(np.int16)
    ground = _ground(page, (left, top, right, bottom))
    off = inside - ground
    strength = np.abs(off).max(axis=2)
    most = float(np.percentile(strength, 99.5))
    ink = strength > max(LEAST_DIFFERENCE, 0.25 * most)
    if not ink.any():
        return None
    own = off[ink].astype(np.float64)
    strong = own[np.linalg.norm(own, axis=1) >= np.percentile(np.linalg.norm(own, axis=1), 80)]
    color = np.median(strong, axis=0)
    along = np.clip(own @ color / max(float(color @ color), 1.0), 0.0, 1.3)
    several = float((np.linalg.norm(own - along[:, None] * color, axis=1) > OTHER_INK).mean())
    fill = float(ink.mean())
    rgb = np.clip(color + ground, 0, 255)
    scale = PAGE_PX / max(height, width)
    text = several < 0.25 and fill < 0.7
    return Look(
        rect=(left, top, right, bottom),
        share=(right - left) * (bottom - top) / (width * height),
        kind="text" if text else ("shape" if several < 0.25 else "picture"),
        fill=fill,
        contrast=contrast(rgb, ground),
        difference=float(np.abs(own).mean()) / 255,
        lab=srgb_to_oklab(rgb[None])[0],
        line_px=_line_height(ink) * scale,
        sharp=_sharpness(inside),
        silent=_silence(inside, ink),
        several=several,
    )


def contrast(one: Floats | NDArray[np.int16], two: Floats | NDArray[np.int16]) -> float:
    """WCAG contrast ratio of two sRGB colours of 0 to 255."""
    light, dark = sorted((_luminance(one), _luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(rgb: Floats | NDArray[np.int16]) -> float:
    part = np.asarray(rgb, np.float64) / 255
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return float(linear @ np.array([0.2126, 0.7152, 0.0722]))


def _ground(page: Page, rect: Rect) -> NDArray[np.int16]:
    """The most frequent colour just around a box, or along its inner edge where it fills the page."""
    left, top, right, bottom = rect
    height, width = page.shape[:2]
    strips = [
        page[max(0, top - RIM_PX) : top, left:right],
        page[bottom : min(height, bottom + RIM_PX), left:right],
        page[top:bottom, max(0, left - RIM_PX) : left],
        page[top:bottom, right : min(width, right + RIM_PX)],
    ]
    around = np.concatenate([strip.reshape(-1, 3) for strip in strips])
    if len(around) < 8:
        around = page[top:bottom, left:right].reshape(-1, 3)
    codes = around.astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    values, counts = np.unique(codes, return_counts=True)
    code = int(values[counts.argmax()])
    return np.array([code >> 16, code >> 8 & 255, code & 255], np.int16)


def _line_height(ink: NDArray[np.bool_]) -> float:
    """Median height of the runs of rows that hold ink, px."""
    rows = np.concatenate([[False], ink.mean(axis=1) > 0.01, [False]]).astype(np.int8)
    steps = np.diff(rows)
    runs = np.flatnonzero(steps == -1) - np.flatnonzero(steps == 1)
    runs = runs[runs >= 2]
    return float(np.median(runs)) if len(runs) else 0.0


def _sharpness(inside: NDArray[np.int16]) -> float:
    low, high = np.percentile(inside, [1, 99], axis=(0, 1))
    reach = float((high - low).max())
    if reach < 8:
        return 1.0
    steps = [np.abs(np.diff(inside, axis=axis)).max(axis=2).ravel() for axis in (0, 1)]
    return min(1.0, float(np.percentile(np.concatenate(steps), 99)) / reach)


def _silence(inside: NDArray[np.int16], ink: NDArray[np.bool_]) -> float:
    shares = []
    rows, columns = np.flatnonzero(ink.any(axis=1)), np.flatnonzero(ink.any(axis=0))
    held = inside[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    for axis in (0, 1):
        change = np.abs(np.diff(held, axis=axis)).max(axis=2).mean(axis=1 - axis)
        if len(change) >= 6 and change.mean() > 0:
            shares.append(float((change < 0.25 * change.mean()).mean()))
    return min(shares, default=0.0)

"""What an ``svg`` element does to the coordinates of its contents: position, size and ``viewBox``."""

from __future__ import annotations

import re

from designgym.envs.canvas.svg.numbers import bounded, read_length, read_numbers
from designgym.envs.canvas.svg.shapes import Attributes, NoGeometry, Size
from designgym.envs.canvas.svg.transform import Matrix, compose, scaling, translation

_ALIGNED = re.compile(r"x(Min|Mid|Max)Y(Min|Mid|Max)(?:\s+(meet|slice))?")
_SHARE = {"Min": 0.0, "Mid": 0.5, "Max": 1.0}


def viewport(attributes: Attributes, parent: Size, outermost: bool) -> tuple[Matrix, Size, str]:
    """The transformation of an ``svg`` element, as a browser would show it in the upper left corner of the canvas.

    Without ``width`` and ``height`` it fills what it is in: the canvas, so that ``viewBox="0 0 100 100"`` alone
    enlarges fourfold. Contents are not cut off at its edges.

    Args:
        attributes: Of the element.
        parent: Size of what it is in.
        outermost: Whether no other ``svg`` is around it; SVG ignores ``x`` and ``y`` there.

    Returns:
        The transformation without that of a ``transform`` attribute, the size that percentages inside of it are of, and
        what is wrong with its attributes, or an empty text.

    Raises:
        NoGeometry: If its width or height, or that of its ``viewBox``, is 0, which SVG does not draw.
    """
    x = 0.0 if outermost else read_length(attributes.get("x", ""), parent.width) or 0.0
    y = 0.0 if outermost else read_length(attributes.get("y", ""), parent.height) or 0.0
    size = Size(_side(attributes, "width", parent.width), _side(attributes, "height", parent.height))
    place = translation(x, y)
    if "viewBox" not in attributes:
        return place, size, ""
    numbers, rest = read_numbers(attributes["viewBox"], 4)
    if rest or len(numbers) != 4 or min(numbers[2:]) < 0:
        return place, size, "viewBox is not four numbers, of which the last two are above 0"
    left, top, width, height = numbers
    if not width or not height:
        raise NoGeometry("its viewBox has no area")
    fit = _fit(size, Size(width, height), attributes.get("preserveAspectRatio", "").strip())
    return compose(compose(place, fit), translation(-left, -top)), Size(width, height), ""


def _side(attributes: Attributes, name: str, whole: float) -> float:
    side = read_length(attributes.get(name, ""), whole)
    if side == 0:
        raise NoGeometry(f"its {name} is 0")
    return whole if side is None or side < 0 else side


def _fit(outer: Size, inner: Size, rule: str) -> Matrix:
    """From a ``viewBox`` at the origin to the viewport, by ``preserveAspectRatio``; by default centred and whole."""
    sx, sy = bounded(outer.width / inner.width), bounded(outer.height / inner.height)
    if rule == "none":
        return scaling(sx, sy)
    aligned = _ALIGNED.fullmatch(rule)
    horizontal, vertical, extent = aligned.groups() if aligned else ("Mid", "Mid", "meet")
    scale = max(sx, sy) if extent == "slice" else min(sx, sy)
    dx = _SHARE[horizontal] * (outer.width - scale * inner.width)
    dy = _SHARE[vertical] * (outer.height - scale * inner.height)
    return compose(translation(dx, dy), scaling(scale, scale))

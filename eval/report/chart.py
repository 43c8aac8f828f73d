"""Geometry of charts of lines and of dots: plain data that a template can draw (and a test can read)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from designgym.eval.report.data import Curve, Scatter, Series

WIDTH, HEIGHT = 520, 240
LEFT, RIGHT, TOP, BOTTOM = 46, 508, 10, 212
MAX_POINTS = 600  # more than the pixels can show; longer series are averaged down
MAX_DOTS = 400  # of a group; more lie on one another
DOTS_UP_TO = 12  # few points (an evaluation now and then) are marked, many are not


@dataclass(frozen=True)
class Tick:
    """A grid line: its place in the picture and its label."""

    at: float
    label: str


@dataclass(frozen=True)
class Line:
    """A drawn series: SVG path data of the line and of its band, and the places of its dots."""

    label: str
    tone: int
    faint: bool
    path: str
    band: str
    dots: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Chart:
    """All that is drawn, in units of a WIDTH x HEIGHT picture."""

    lines: tuple[Line, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class Cloud:
    """The dots of a group."""

    label: str
    tone: int
    dots: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Clouds:
    """All that is drawn of a scatter, in units of a WIDTH x HEIGHT picture."""

    clouds: tuple[Cloud, ...]
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class _Scale:
    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        share = (value - self.low) / (self.high - self.low)
        return round(self.start + min(1.0, max(0.0, share)) * (self.end - self.start), 1)


def draw(curve: Curve) -> Chart:
    """Lay a curve out. A chart without a finite value has no lines and no ticks."""
    series = [thinned(s) for s in curve.series]
    xs = _finite(x for s in series for x in s.x)
    ys = _finite(v for s in series for values in (s.y, s.low, s.high) for v in values)
    if not xs or not ys:
        return Chart((), (), ())
    x_ticks = nice_ticks(min(xs), max(xs))
    low, high = curve.y_range or (min(ys), max(ys))
    y_ticks = nice_ticks(low, high)
    x_scale = _Scale(min(xs), max(xs) if max(xs) > min(xs) else min(xs) + 1.0, LEFT, RIGHT)
    y_scale = _Scale(min(low, y_ticks[0]), max(high, y_ticks[-1]), BOTTOM, TOP)
    lines = []
    tones: dict[str, int] = {}
    for s in series:
        tone = tones.setdefault(s.label, len(tones))  # a faint line shares the tone of the one that bears its name
        lines.append(_line(s, tone, x_scale, y_scale))
    return Chart(
        lines=tuple(lines),
        x_ticks=tuple(Tick(x_scale(t), _label(t, x_ticks)) for t in x_ticks if x_scale.low <= t <= x_scale.high),
        y_ticks=tuple(Tick(y_scale(t), _label(t, y_ticks)) for t in y_ticks),
    )


def scatter(plot: Scatter) -> Clouds:
    """Lay dots out; of a group with more than :data:`MAX_DOTS` every so many-th is drawn. None at all: no ticks."""
    groups = [(label, [dot for dot in dots if _present(dot[0]) and _present(dot[1])]) for label, dots in plot.groups]
    xs = [x for _, dots in groups for x, _ in dots]
    ys = [y for _, dots in groups for _, y in dots]
    if not xs:
        return Clouds((), (), ())
    x_ticks = _powers(xs) if plot.x_log else nice_ticks(min(xs), max(xs))
    y_ticks = nice_ticks(*(plot.y_range or (min(ys), max(ys))))
    low, high = x_ticks[0], x_ticks[-1]
    linear = _Scale(math.log10(low), math.log10(high), LEFT, RIGHT) if plot.x_log else _Scale(low, high, LEFT, RIGHT)

    def x_scale(x: float) -> float:
        return linear(math.log10(max(x, low)) if plot.x_log else x)

    y_scale = _Scale(y_ticks[0], y_ticks[-1], BOTTOM, TOP)
    clouds = []
    for tone, (label, dots) in enumerate(groups):
        drawn = dots[:: math.ceil(len(dots) / MAX_DOTS) or 1]
        clouds.append(Cloud(label, tone, tuple((x_scale(x), y_scale(y)) for x, y in drawn)))
    return Clouds(
        tuple(clouds),
        tuple(Tick(x_scale(t), f"{t:,.10g}" if plot.x_log else _label(t, x_ticks)) for t in x_ticks),
        tuple(Tick(y_scale(t), _label(t, y_ticks)) for t in y_ticks),
    )


def nice_ticks(low: float, high: float, count: int = 5) -> tuple[float, ...]:
    """Round numbers that cover [low, high], about ``count`` of them, 1, 2 or 5 times a power of ten apart."""
    if not high > low:
        low, high = low - (abs(low) or 1.0) / 2, low + (abs(low) or 1.0) / 2
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    step = power * next(m for m in (1, 2, 5, 10) if power * m >= raw * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(round(i * step, 12) for i in range(first, last + 1))


def _powers(values: Sequence[float]) -> tuple[float, ...]:
    """The powers of ten that cover the positive values, two at least; 1 and 10 where there are none."""
    positive = [value for value in values if value > 0] or [1.0]
    first = math.floor(math.log10(min(positive)))
    last = max(first + 1, math.ceil(math.log10(max(positive))))
    return tuple(10.0**power for power in range(first, last + 1))


def running_mean(values: Sequence[float | None], window: int) -> tuple[float | None, ...]:
    """Mean over the last ``window`` present values at each place; None where none is present yet."""
    result: list[float | None] = []
    recent: list[float] = []
    for value in values:
        if _present(value):
            recent = [*recent, value][-window:]
        result.append(sum(recent) / len(recent) if recent else None)
    return tuple(result)


def thinned(series: Series, limit: int = MAX_POINTS) -> Series:
    """The series with at most ``limit`` points, each the mean of its neighbours."""
    size = math.ceil(len(series.x) / limit)
    if size <= 1:
        return series

    def means(values: Sequence[float | None]) -> tuple[float | None, ...]:
        parts = [_finite(values[i : i + size]) for i in range(0, len(values), size)]
        return tuple(sum(part) / len(part) if part else None for part in parts)

    x = tuple(series.x[i] for i in range(0, len(series.x), size))
    return Series(series.label, x, means(series.y), means(series.low), means(series.high), series.faint)


def _line(series: Series, tone: int, x_scale: _Scale, y_scale: _Scale) -> Line:
    path, dots, pen_down = [], [], False
    for x, y in zip(series.x, series.y, strict=True):
        if not _present(y) or not _present(x):
            pen_down = False
            continue
        at = (x_scale(x), y_scale(y))
        path.append(f"{'L' if pen_down else 'M'}{at[0]:g} {at[1]:g}")
        dots.append(at)
        pen_down = True
    marked = tuple(dots) if len(dots) <= DOTS_UP_TO and not series.faint else ()
    return Line(series.label, tone, series.faint, "".join(path), _band(series, x_scale, y_scale), marked)


def _band(series: Series, x_scale: _Scale, y_scale: _Scale) -> str:
    if not series.low or not series.high:
        return ""
    edges = [
        (x_scale(x), y_scale(low), y_scale(high))
        for x, low, high in zip(series.x, series.low, series.high, strict=True)
        if _present(x) and _present(low) and _present(high)
    ]
    if len(edges) < 2:
        return ""
    there = "L".join(f"{x:g} {high:g}" for x, _, high in edges)
    back = "L".join(f"{x:g} {low:g}" for x, low, _ in reversed(edges))
    return f"M{there}L{back}Z"


def _label(value: float, ticks: Sequence[float]) -> str:
    step = abs(ticks[1] - ticks[0])
    if value and step < 1e-3:
        return f"{value:.1e}".replace(".0e", "e").replace("e-0", "e-")
    if abs(value) >= 10_000 and value % 1000 == 0:
        return f"{value / 1000:g}k"
    decimals = 0 if step >= 1 or step < 1e-3 else -math.floor(math.log10(step) + 1e-9)
    return f"{value:.{decimals}f}"


def _present(value: float | None) -> TypeGuard[float]:
    return value is not None and math.isfinite(value)


def _finite(values: Iterable[float | None]) -> list[float]:
    return [float(v) for v in values if _present(v)]

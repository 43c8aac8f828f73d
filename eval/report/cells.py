"""How numbers, intervals and p values are written, the same in every form of a report."""

from __future__ import annotations

import math

from designgym.eval.report.data import Cell, Measure
from designgym.eval.statistics import Interval, Spread

DASH = "–"
MINUS = "−"  # as wide as the plus sign, so that differences stand in line


def number(value: float | None, measure: Measure) -> str:
    """A value in the measure's form; a dash where there is none."""
    if value is None or not math.isfinite(value):
        return DASH
    sign = "+" if measure.signed else ""
    # z: what rounds to zero has no minus
    text = f"{100 * value:{sign}z.1f} %" if measure.percent else f"{value:{sign}z.{measure.digits}f}"
    return text.replace("-", MINUS)


def main(cell: Cell, measure: Measure) -> str:
    """The cell without its interval or standard deviation."""
    if isinstance(cell, Interval | Spread):
        return number(cell.mean, measure)
    if isinstance(cell, str):
        return cell
    if isinstance(cell, int) and not isinstance(cell, bool) and not measure.percent:
        return f"{cell:,}"
    return number(cell, measure)


def bounds(cell: Cell, measure: Measure) -> str:
    """The cell's interval, ``[low, high]``, or its standard deviation, ``(sd)``.

    Empty where it has none, ``all equal`` where an interval says nothing.
    """
    if isinstance(cell, Spread):
        sd = None if cell.sd is None else 100 * cell.sd if measure.percent else cell.sd
        return "" if sd is None else f"({sd:.{1 if measure.percent else measure.digits}f})"
    if not isinstance(cell, Interval) or cell.low is None or cell.high is None:
        return ""
    if cell.degenerate:
        return "all equal"
    sign = "+" if measure.signed else ""
    digits = measure.digits if measure.bound_digits is None else measure.bound_digits
    form, factor = (f"{sign}.1f", 100) if measure.percent else (f"{sign}.{digits}f", 1)
    return f"[{factor * cell.low:{form}}, {factor * cell.high:{form}}]".replace("-", MINUS)


def whole(cell: Cell, measure: Measure) -> str:
    """Value and interval in one line."""
    return f"{main(cell, measure)} {bounds(cell, measure)}".rstrip()


def p_value(p: float | None) -> str:
    """A p value to the precision that a resampling test carries."""
    if p is None or not math.isfinite(p):
        return DASH
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")

"""What is wrong with an element in a respect: a predicate about it, out of measured quantities.

The quantities on which a label rests (``Flaw.measures``) come first. Where a design brings none of them, as data sets
do, what can be read off the page takes their place, and last the operation or the indicator alone.
"""

from __future__ import annotations

from collections.abc import Callable

from designgym.envs.aesthetics.sample import Element, Flaw
from designgym.train.aesthetics_data.facts import Facts, area, overlap
from designgym.train.aesthetics_data.measured import NO_GAP, reason
from designgym.train.aesthetics_data.pen import Pen, percent, pixels, ratio, times

Predicate = str | None


def fault(indicator: str, facts: Facts, element: Element, pen: Pen) -> str:
    """A predicate, such as ``has a contrast of only 1.4:1 to its ground``.

    Args:
        indicator: The respect in which the element does harm.
        facts: The page that it stands on.
        element: The element.
        pen: Chooses the wording.
    """
    flaw = flaw_of(facts, element, indicator)
    measured = None if flaw is None else reason(indicator, flaw.measures, pen)
    if measured is not None:
        # Where no gap is left, that may be to the page's edge, which the nearest element says nothing about.
        named = indicator in _AROUND and flaw is not None and flaw.measures.get("gap", 1.0) >= NO_GAP
        around = _FROM_PAGE[indicator](facts, element, pen) if named and pen.chance(0.6) else None
        return f"{measured}; it {around}" if around else measured
    return _FROM_PAGE[indicator](facts, element, pen) or _changed(flaw, pen) or pen.pick(_PLAIN[indicator])


_AROUND = ("layout-layering", "layout-whitespace", "layout-alignment")
"""Of these harms another element is part: it is named with its box, where one can be made out."""


def flaw_of(facts: Facts, element: Element, indicator: str) -> Flaw | None:
    """What was done to an element that harms the indicator, or else the last that was done to it."""
    done = [flaw for flaw in facts.sample.flaws if flaw.element == element.id]
    harmful = [flaw for flaw in done if indicator in flaw.harms]
    return next(reversed(harmful or done), None)


def _balance(facts: Facts, element: Element, pen: Pen) -> Predicate:
    x, y = facts.weight
    lean = ("left" if x < 0.44 else "right" if x > 0.56 else "") or (
        "top" if y < 0.42 else "bottom" if y > 0.58 else ""
    )
    if lean and pen.chance(0.6):
        return pen.say(
            (
                "pulls the weight of the page to the {lean}: its centre lies at {x} across and {y} down",
                "tips the page to the {lean}, with the centre of weight at {x} of the width and {y} of the height",
                "draws the composition to the {lean}; {x} across and {y} down is where its weight gathers",
            ),
            lean=lean,
            x=percent(x),
            y=percent(y),
        )
    return pen.say(
        (
            "takes up {share} of the page and outweighs what stands across from it",
            "is out of proportion with {share} of the page to itself",
            "weighs too much for its place, at {share} of the page",
        ),
        share=percent(area(element.box)),
    )


def _layering(facts: Facts, element: Element, pen: Pen) -> Predicate:
    ids = [e.id for e in facts.sample.elements]
    above = [
        e for e in facts.foreground if ids.index(e.id) > ids.index(element.id) and overlap(element.box, e.box) > 0.05
    ]
    hidden = facts.covered(element)
    if hidden:
        other = max(hidden, key=lambda e: overlap(e.box, element.box))
        return pen.say(
            (
                "lies over {other} and takes up {share} of it",
                "covers {share} of {other}",
                "cuts into {other}, {share} of which lies behind it",
                "stands in front of {other} and hides up to {share} of it",
            ),
            other=pen.region(other),
            share=percent(overlap(other.box, element.box)),
        )
    if above:
        other = max(above, key=lambda e: overlap(element.box, e.box))
        return pen.say(
            (
                "disappears in part behind {other}, over {share} of its area",
                "has {share} of its area behind {other}",
                "is overlapped by {other} over {share} of its area",
            ),
            other=pen.region(other),
            share=percent(overlap(element.box, other.box)),
        )
    return None


def _whitespace(facts: Facts, element: Element, pen: Pen) -> Predicate:
    near, margin = facts.nearest(element), facts.margin(element)
    if near is not None and near[1] < 0.03 and near[1] <= margin:
        other, gap = near
        if gap < 0.002:
            return pen.say(
                ("runs into {other}", "touches {other}", "leaves no gap to {other}", "stands right against {other}"),
                other=pen.region(other),
            )
        return pen.say(
            (
                "leaves only {gap} of the page to {other}",
                "crowds {other} at a distance of {gap} of the page",
                "comes as close as {gap} of the page to {other}",
            ),
            gap=percent(gap),
            other=pen.region(other),
        )
    if margin < 0.02:
        return pen.say(
            (
                "stands {margin} of the page from its edge",
                "leaves a margin of {margin} to the edge of the page",
                "sticks to the edge of the page with {margin} between",
            ),
            margin=percent(margin),
        )
    return None


def _alignment(facts: Facts, element: Element, pen: Pen) -> Predicate:
    near: tuple[float, str, Element] | None = None
    edges: tuple[tuple[str, int, int], ...] = (("left edge", 0, 0), ("right edge", 2, 2), ("centre line", 0, 2))
    for other in facts.foreground:
        if other.id == element.id:
            continue
        for name, low, high in edges:
            off = (element.box[low] + element.box[high] - other.box[low] - other.box[high]) / 2
            if 0.006 < abs(off) < 0.1 and (near is None or abs(off) < abs(near[0])):
                near = (off, name, other)
    if near is None:
        return None
    return pen.say(
        (
            "misses the {edge} of {other} by {off} of the page's width",
            "is {off} of the width off the {edge} of {other}",
            "stands {off} of the page's width to the {side} of the {edge} of {other}",
            "does not meet the {edge} of {other}: {off} of the width lie between",
        ),
        edge=near[1],
        other=pen.region(near[2]),
        off=percent(abs(near[0])),
        side="right" if near[0] > 0 else "left",
    )


def _contrast(facts: Facts, element: Element, pen: Pen) -> Predicate:
    value = facts.contrast(element)
    if value is None or value > 4.5:
        return None
    return pen.say(
        (
            "has a contrast of only {value} to its ground",
            "differs from its ground by no more than {value}",
            "reaches a contrast ratio of just {value}",
            "almost takes on the colour behind it, at {value}",
        ),
        value=ratio(value),
    )


def _color(facts: Facts, element: Element, pen: Pen) -> Predicate:
    color = facts.color(element)
    if color is None:
        return None
    others = sorted({c for e in facts.foreground if e.id != element.id and (c := facts.color(e)) and c != color})
    if others:
        return pen.say(
            (
                "is {color}, a colour that has no kin among {others}",
                "has the colour {color}, which jars with {others}",
                "wears {color} where the page keeps to {others}",
                "stands with {color} against {others}",
            ),
            color=color,
            others=" and ".join(others[:2]),
        )
    return pen.say(
        ("is {color}, at odds with the rest of the page", "has the colour {color}, foreign to this page"), color=color
    )


def _legibility(facts: Facts, element: Element, pen: Pen) -> Predicate:
    share = facts.type_share(element)
    if share is not None and share < 0.022:
        return pen.say(
            (
                "is set at only {share} of the page's height",
                "has type no larger than {share} of the page's height",
                "shrinks to {share} of the page's height",
            ),
            share=percent(share),
        )
    return _contrast(facts, element, pen)


def _hierarchy(facts: Facts, element: Element, pen: Pen) -> Predicate:
    size = facts.type_px(element)
    others = [e for e in facts.texts if e.id != element.id]
    if size is None or not others:
        return None
    other = others[0]
    factor = size / (facts.type_px(other) or size)
    if factor >= 1.0:
        return pen.say(
            (
                "is set {times} the size of {other}",
                "has type {times} as large as that of {other}",
                "drowns out {other} with {times} its size",
            ),
            times=times(factor),
            other=pen.region(other),
        )
    return pen.say(
        (
            "is set at {share} of the size of {other}",
            "has type of {share} of the size that {other} has",
            "measures only {share} of {other} in type size",
        ),
        share=percent(factor),
        other=pen.region(other),
    )


def _quality(facts: Facts, element: Element, pen: Pen) -> Predicate:
    value = facts.resolution(element)
    if value is None or value >= 0.9:
        return None
    return pen.say(
        (
            "has only {share} of the pixels a side that its size needs",
            "is stretched: its file holds {share} of the pixels a side that are shown",
            "shows {share} of the detail that its size calls for",
        ),
        share=percent(value),
    )


def _unknown(facts: Facts, element: Element, pen: Pen) -> Predicate:
    return None


def _changed(flaw: Flaw | None, pen: Pen) -> Predicate:
    """What the operation did, where numbers tell: a shift or a factor."""
    if flaw is None:
        return None
    before, after = flaw.before, flaw.after
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (before, after))
    if numbers and flaw.attribute in ("x", "y") and before != after:
        way = {"x": ("right", "left"), "y": ("down", "up")}[flaw.attribute][0 if after > before else 1]
        return pen.say(
            ("has slipped {off} to the {way}", "stands {off} too far to the {way}")
            if flaw.attribute == "x"
            else ("has slipped {off} {way}", "stands {off} too far {way}"),
            off=pixels(abs(after - before)),
            way=way,
        )
    return None


_FROM_PAGE: dict[str, Callable[[Facts, Element, Pen], Predicate]] = {
    "layout-balance": _balance,
    "layout-layering": _layering,
    "layout-whitespace": _whitespace,
    "layout-alignment": _alignment,
    "color-harmony": _color,
    "color-contrast": _contrast,
    "color-appeal": _color,
    "color-psychology": _color,
    "font-legibility": _legibility,
    "font-hierarchy": _hierarchy,
    "graphic-quality": _quality,
    "graphic-relevance": _unknown,
}

_PLAIN: dict[str, tuple[str, ...]] = {
    "layout-balance": ("is out of scale for its place", "throws the page off balance"),
    "layout-layering": ("is out of its place in depth", "gets in the way of its neighbours"),
    "layout-whitespace": ("has lost the blank space around it", "sits where the spacing breaks down"),
    "layout-alignment": ("has left the line of its neighbours", "is not in line with anything around it"),
    "color-harmony": ("has colours from another palette", "falls out of the colours of the page"),
    "color-contrast": ("is hard to tell from its ground", "fades into what lies behind it"),
    "color-appeal": ("brings in an unpleasant colour", "spoils the colours around it"),
    "color-psychology": ("strikes the wrong tone with its colours", "sets a mood of another kind"),
    "font-legibility": ("is hard to read", "cannot be made out at a glance"),
    "font-hierarchy": ("is set at the wrong rank", "does not fit the order of the type"),
    "graphic-quality": ("is blurred and coarse", "lacks the detail that its size calls for"),
    "graphic-relevance": (
        "shows something that the design is not about",
        "does not fit the subject",
        "has no link to what the text says",
        "comes from a different subject altogether",
    ),
}

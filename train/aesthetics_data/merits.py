"""Why an element does no harm in a respect: a predicate about it, out of what can be read off the page."""

from __future__ import annotations

from collections.abc import Callable

from designgym.envs.aesthetics.sample import Element
from designgym.train.aesthetics_data.facts import Facts, area, place
from designgym.train.aesthetics_data.pen import Pen, percent, ratio, times

Predicate = str | None
LEGIBLE_SHARE = 0.022
"""Type of so much of the page's height is called comfortable (about 10 px at 448 px)."""


def merit(indicator: str, facts: Facts, element: Element, pen: Pen) -> str:
    """A predicate, such as ``stands out from its ground with a contrast of 7.1:1``.

    Args:
        indicator: The respect in which the element is fine.
        facts: The page that it stands on.
        element: The element.
        pen: Chooses the wording.
    """
    if element.kind == "background" and indicator in _GROUNDLESS:
        return pen.pick(_GROUND)
    apart = _APART.get(indicator.partition("-")[0] if indicator.startswith("font") else indicator)
    if apart is not None and element.kind not in apart[0]:
        return pen.pick(apart[1])
    return _MERITS[indicator](facts, element, pen) or pen.pick(_PLAIN[indicator])


_GROUNDLESS = ("layout-layering", "layout-whitespace", "layout-alignment", "color-contrast")
_GROUND = (
    "is the ground on which the rest stands",
    "lies behind everything, as a ground should",
    "only serves as a ground",
    "is what the others stand on",
)

_APART: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "font": (
        ("text", "group"),
        (
            "holds no type that could be at fault",
            "is no text, so its type is not in question",
            "has no letters of its own",
            "carries no type",
        ),
    ),
    "graphic-quality": (
        ("picture", "group", "background"),
        (
            "is drawn at its size and not a picture that could lose detail",
            "is no picture; its edges are crisp",
            "has clean edges, as all that is not a photograph or drawing here",
            "is drawn sharp, whatever its size",
        ),
    ),
    "graphic-relevance": (
        ("picture", "group", "background"),
        (
            "is no picture and speaks for no other subject",
            "shows nothing that could miss the subject",
            "adds no foreign motif",
            "is part of the layout and brings in no other subject",
        ),
    ),
}
"""Respect (or dimension) -> the kinds of elements that it is about, and what is said of the others."""


def _balance(facts: Facts, element: Element, pen: Pen) -> Predicate:
    share = percent(area(element.box))
    return pen.say(
        (
            "lies {place} and takes {share} of the page, which its counterparts offset",
            "covers {share} of the page {place} without tipping it over",
            "keeps a fitting scale, {share} of the page, and sits well {place}",
            "weighs {share} of the page and holds its side {place}",
            "lies {place}; with {share} of the page it is neither lost nor too heavy",
        ),
        place=place(element.box),
        share=share,
    )


def _layering(facts: Facts, element: Element, pen: Pen) -> Predicate:
    covered = facts.covered(element)
    if not covered:
        return pen.pick(
            (
                "covers nothing that should be seen",
                "lies at its proper depth and hides no other element",
                "neither hides anything nor is hidden",
                "keeps its place in depth and stays whole",
                "is in front where it should be and cuts into nothing",
            )
        )
    return pen.say(
        (
            "lies over {other} on purpose and stays easy to read",
            "stands in front of {other}, which still shows as it should",
            "overlaps {other} without hiding what matters there",
        ),
        other=pen.region(covered[-1]),
    )


def _whitespace(facts: Facts, element: Element, pen: Pen) -> Predicate:
    near = facts.nearest(element)
    if near is None:
        return pen.say(
            ("keeps {margin} of the page free to the edge", "has room all around, {margin} at the least"),
            margin=percent(facts.margin(element)),
        )
    other, gap = near
    if gap < 0.008:
        return None
    return pen.say(
        (
            "keeps {gap} of the page free to {other}",
            "has room to breathe: {gap} of the page lies between it and {other}",
            "stands clear of {other} by {gap} of the page",
            "leaves a gap of {gap} of the page to its nearest neighbour, {other}",
            "is set off from {other} by {gap} of blank space",
        ),
        gap=percent(gap),
        other=pen.region(other),
    )


def _alignment(facts: Facts, element: Element, pen: Pen) -> Predicate:
    line = facts.lined_up(element)
    x = (element.box[0] + element.box[2]) / 2
    if line is None:
        if abs(x - 0.5) < 0.01:
            return pen.pick(
                ("is centred on the page", "sits on the page's middle axis", "has its centre on the middle of the page")
            )
        return None
    edge = {"left": "left edge", "centre": "centre line", "right": "right edge"}[line[0]]
    return pen.say(
        (
            "shares its {edge} with {other}",
            "lines up with {other} along the {edge}",
            "has the same {edge} as {other}",
            "follows the {edge} that {other} sets",
            "keeps to one {edge} with {other}",
        ),
        edge=edge,
        other=pen.region(line[1][0]),
    )


def _contrast(facts: Facts, element: Element, pen: Pen) -> Predicate:
    value = facts.contrast(element)
    if value is None or value < 3.0:
        return None
    return pen.say(
        (
            "stands out from its ground with a contrast of {value}",
            "has a contrast of {value} to what lies behind it",
            "differs clearly from its ground, at {value}",
            "keeps {value} of contrast to its ground",
            "reaches a contrast ratio of {value} against its ground",
        ),
        value=ratio(value),
    )


def _harmony(facts: Facts, element: Element, pen: Pen) -> Predicate:
    color = facts.color(element)
    if color is None:
        return None
    kin = [e for e in facts.foreground if e.id != element.id and facts.color(e) == color]
    if kin:
        return pen.say(
            (
                "repeats the colour {color} of {other}",
                "shares {color} with {other}",
                "takes up the {color} of {other}",
                "has the same {color} as {other}",
            ),
            color=color,
            other=pen.region(kin[0]),
        )
    return pen.say(
        (
            "keeps to the page's palette with {color}",
            "is set in {color}, which belongs to the palette",
            "wears {color}, a colour that goes with the rest",
            "has the colour {color}, at home among the others",
        ),
        color=color,
    )


def _psychology(facts: Facts, element: Element, pen: Pen) -> Predicate:
    color = facts.color(element)
    if color is None or pen.chance(0.3):
        return None
    return pen.say(
        (
            "wears {color}, in keeping with the mood of the subject",
            "is {color}, a tone that suits what the design says",
            "speaks the language of the subject with {color}",
            "keeps to {color}, which raises no other feeling than the message does",
        ),
        color=color,
    )


def _legibility(facts: Facts, element: Element, pen: Pen) -> Predicate:
    share, value = facts.type_share(element), facts.contrast(element)
    if share is None:
        return None
    if value is not None and value >= 3.0 and pen.chance(0.5):
        return pen.say(
            (
                "reads well: {value} against its ground, in type of {share} of the page's height",
                "is easy to read at {share} of the page's height and a contrast of {value}",
                "has type of {share} of the page's height on a ground that differs by {value}",
            ),
            value=ratio(value),
            share=percent(share),
        )
    if share < LEGIBLE_SHARE:
        return None
    return pen.say(
        (
            "is set large enough, {share} of the page's height",
            "has letters of {share} of the page's height, told apart at a glance",
            "keeps a readable size of {share} of the page's height",
            "can be read with ease at {share} of the page's height",
        ),
        share=percent(share),
    )


def _hierarchy(facts: Facts, element: Element, pen: Pen) -> Predicate:
    size = facts.type_px(element)
    others = [e for e in facts.texts if e.id != element.id]
    if size is None or not others:
        return None
    other = others[0] if others[0].id != facts.texts[0].id else others[-1]
    factor = size / (facts.type_px(other) or size)
    if factor >= 1.15:
        return pen.say(
            (
                "is {times} as large as {other} and so is read first",
                "leads {other} with type {times} its size",
                "outranks {other}: its type is {times} as large",
            ),
            times=times(factor),
            other=pen.region(other),
        )
    if factor <= 0.87:
        return pen.say(
            (
                "stays below {other}, whose type is {times} as large",
                "is subordinate to {other}, set {times} larger",
                "follows after {other}, which is {times} its size",
            ),
            times=times(1 / factor),
            other=pen.region(other),
        )
    return pen.say(
        ("is set like its peer, {other}", "has the size of {other}, to which it belongs"), other=pen.region(other)
    )


def _quality(facts: Facts, element: Element, pen: Pen) -> Predicate:
    if element.kind != "picture":
        return None
    value = facts.resolution(element)
    if value is None or value < 0.75:
        return pen.pick(("shows clean edges and fine detail", "is sharp at the size at which it is shown"))
    return pen.say(
        (
            "has {times} the pixels that its size needs and shows clean edges",
            "is sharp: its file holds {times} as many pixels a side as are shown",
            "shows fine detail at its size, with {times} the pixels it takes up",
        ),
        times=times(value),
    )


def _plain(facts: Facts, element: Element, pen: Pen) -> Predicate:
    return None


_MERITS: dict[str, Callable[[Facts, Element, Pen], Predicate]] = {
    "layout-balance": _balance,
    "layout-layering": _layering,
    "layout-whitespace": _whitespace,
    "layout-alignment": _alignment,
    "color-harmony": _harmony,
    "color-contrast": _contrast,
    "color-appeal": _harmony,
    "color-psychology": _psychology,
    "font-legibility": _legibility,
    "font-hierarchy": _hierarchy,
    "graphic-quality": _quality,
    "graphic-relevance": _plain,
}

_PLAIN: dict[str, tuple[str, ...]] = {
    "layout-balance": ("carries its share of the weight", "has a counterweight across the page"),
    "layout-layering": ("keeps its place in depth", "hides nothing that matters"),
    "layout-whitespace": ("has the room that it needs", "sits in its group with an even distance around it"),
    "layout-alignment": ("keeps to the grid of the page", "stands in line with what is around it"),
    "color-harmony": ("keeps to the page's palette", "goes with the colours around it"),
    "color-contrast": ("stands out from what lies behind it", "is set off clearly from its ground"),
    "color-appeal": ("adds to a pleasant combination of colours", "looks good beside its neighbours' colours"),
    "color-psychology": (
        "has colours that suit what the design is about",
        "sets a mood that fits the subject",
        "raises a feeling in keeping with the message",
        "speaks in the tone of the subject",
    ),
    "font-legibility": ("can be read with ease", "has characters that are easy to tell apart"),
    "font-hierarchy": ("has the rank that its type gives it", "keeps its step in the order of the type"),
    "graphic-quality": ("is rendered cleanly", "has crisp edges"),
    "graphic-relevance": (
        "belongs to the subject of the design",
        "shows what the text speaks of",
        "fits what the design is about",
        "supports the message",
    ),
}

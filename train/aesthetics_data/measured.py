"""The quantities of the label rule in words: what each says of an element that it finds at fault.

Names and thresholds are those of ``designgym.envs.aesthetics.labels``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from designgym.envs.aesthetics.labels import CRITERIA, Criterion
from designgym.train.aesthetics_data.pen import Pen, percent, pixels, ratio, times


@dataclass(frozen=True)
class Measured:
    """How a quantity is put into words.

    Attributes:
        write: Writes a value.
        predicates: What is said of an element at fault; ``{value}`` stands for its value, ``{limit}`` for the one up to
            which nothing is wrong.
    """

    write: Callable[[float], str]
    predicates: tuple[str, ...]


def reason(indicator: str, measures: Mapping[str, float], pen: Pen) -> str | None:
    """Why an element harms an indicator, as a predicate of one or two quantities; None if no quantity says so.

    Args:
        indicator: What is harmed.
        measures: The element's quantities, as ``Flaw.measures`` holds them; some or all may be missing.
        pen: Chooses the wording.
    """
    found = [c for c in CRITERIA if c.indicator == indicator and _blames(c, measures)]
    if not found:
        return None
    said = [_said(criterion, measures[criterion.measure], pen) for criterion in found]
    if len(said) > 1 and pen.chance(0.5):
        return f"{said[0]} and {said[1]}"
    return pen.pick(said)


def reasons(indicator: str, measures: Mapping[str, float]) -> list[str]:
    """All quantities by which an element harms an indicator, each in its first wording."""
    found = [c for c in CRITERIA if c.indicator == indicator and _blames(c, measures)]
    return [
        MEASURED[c.measure].predicates[0].format(value=MEASURED[c.measure].write(measures[c.measure])) for c in found
    ]


def _blames(criterion: Criterion, measures: Mapping[str, float]) -> bool:
    value = measures.get(criterion.measure)
    return value is not None and criterion.measure in MEASURED and criterion.verdict(value) == "flawed"


def _said(criterion: Criterion, value: float, pen: Pen) -> str:
    words = MEASURED[criterion.measure]
    if criterion.measure == "gap" and value < NO_GAP:
        return pen.pick(_TOUCHING)
    return pen.say(words.predicates, value=words.write(value), limit=words.write(criterion.good))


NO_GAP = 0.005
"""Less of its room than this share is none."""
_TOUCHING = (
    "has no blank space left on one side",
    "touches what it should keep away from",
    "uses up all the room between itself and what is next to it",
    "leaves no gap at all on one side",
)


def _degrees(value: float) -> str:
    return f"{value:.0f} degrees" if value >= 2 else f"{value:.1f} degrees"


def _chroma(value: float) -> str:
    return f"{value:.2f}"


MEASURED: dict[str, Measured] = {
    "weight_shift": Measured(
        percent,
        (
            "draws the centre of the page's weight to its side, by {value} of the diagonal",
            "shifts the visual weight of the page by {value} of its diagonal, where {limit} would pass",
            "pulls the centre of weight {value} of the diagonal out of place",
            "moves the balance point of the page by {value} of the diagonal",
            "throws the weight of the page off by {value} of the diagonal",
        ),
    ),
    "growth": Measured(
        percent,
        (
            "is out of scale: it takes {value} of the page more than its part",
            "is blown up over {value} of the page that is not its own",
            "is too large for its place, by {value} of the page",
            "swells over {value} of the page that the others need",
        ),
    ),
    "bare": Measured(
        percent,
        (
            "does not reach across the page and leaves {value} of it bare",
            "is pushed aside, so that {value} of the page lies bare",
            "stops short of the edge: {value} of the page has no ground",
            "leaves a bare strip, {value} of the page",
        ),
    ),
    "overlap": Measured(
        percent,
        (
            "collides with a neighbour over {value} of the smaller of the two",
            "piles up with other content, {value} of which it meets",
            "runs into an element that it should leave alone; they share {value} of the smaller one",
            "lies across other content by {value}, where {limit} would be a graze",
        ),
    ),
    "hidden": Measured(
        percent,
        (
            "is part of an overlap that hides {value} of what should be seen",
            "is at the wrong depth: {value} of an element is hidden",
            "stands in a stack in which {value} of an element vanishes",
            "leaves {value} of an element behind something solid",
        ),
    ),
    "gap": Measured(
        percent,
        (
            "has {value} of its room left on one side",
            "keeps only {value} of the distance that its place calls for",
            "crowds what is next to it: {value} of the room between them remains",
            "stands so close that {value} of a proper gap is left",
            "is squeezed to {value} of the blank space that it needs",
        ),
    ),
    "misaligned": Measured(
        percent,
        (
            "stands {value} of the page's shorter side off its line",
            "misses the line that it should meet, by {value} of the shorter side",
            "is {value} of the shorter side out of line",
            "has left the line that it should keep, by {value} of the shorter side",
            "is offset by {value} of the shorter side, where {limit} would go unseen",
        ),
    ),
    "tilt_deg": Measured(
        _degrees,
        (
            "is tilted by {value}",
            "stands {value} askew",
            "is turned by {value} while the rest is level",
            "leans by {value} against the grid",
        ),
    ),
    "cut": Measured(
        percent,
        (
            "runs off the page with {value} of itself",
            "is cut by the edge of the page, which takes {value} of it",
            "loses {value} of itself beyond the edge of the page",
            "hangs over the edge by {value} of its area",
        ),
    ),
    "clash": Measured(
        _chroma,
        (
            "has a hue that the palette lacks, with a chroma of {value} off its colours",
            "brings in a foreign hue ({value} of chroma beside the palette)",
            "is coloured {value} of chroma away from every hue of the palette",
            "wears a hue from outside the palette; its chroma there is {value}, and {limit} would pass for a shade",
        ),
    ),
    "drab": Measured(
        percent,
        (
            "has come {value} of the way to a drab olive brown",
            "is muddied, {value} of the way to the least liked colours",
            "takes on a dull, dirty tone, {value} towards olive brown",
        ),
    ),
    "mood": Measured(
        _chroma,
        (
            "departs from the mood of the subject by {value} in colour",
            "has colours {value} away from those that suit the subject's mood",
            "leaves the colours of the subject's mood, by {value}, where {limit} would be a nuance",
            "strikes a tone that lies {value} off the mood of the subject",
        ),
    ),
    "contrast": Measured(
        ratio,
        (
            "has a contrast of only {value} to its ground",
            "differs from its ground by no more than {value}, less than the {limit} that would do",
            "reaches a contrast ratio of just {value}",
            "almost takes on the colour behind it, at {value}",
            "stands at {value} against its ground",
        ),
    ),
    "borne_contrast": Measured(
        ratio,
        (
            "leaves the text on it a contrast of only {value}",
            "swallows the text that lies on it, at {value}",
            "carries text that differs from it by {value} alone",
            "bears text at a contrast of {value}, below the {limit} that would do",
        ),
    ),
    "standout": Measured(
        percent,
        (
            "stands out from its ground by only {value} of what it should",
            "is a ghost of itself, with {value} of its difference to the ground",
            "has faded to {value} of its contrast with the ground",
            "keeps {value} of the difference that would set it off",
        ),
    ),
    "type_px": Measured(
        pixels,
        (
            "is set at {value} on a page of 448 px",
            "has type of {value} on a page of 448 px, where {limit} is the least",
            "shrinks to {value} of type at a page size of 448 px",
            "is no taller than {value} where the page has 448 px",
        ),
    ),
    "text_cut": Measured(
        percent,
        (
            "loses {value} of its text beyond the edge",
            "is cut off, with {value} of the text missing",
            "runs over the edge with {value} of its letters",
        ),
    ),
    "ornate_px": Measured(
        pixels,
        (
            "is set in an ornate face at {value} on a page of 448 px",
            "has a sentence in swung letters of {value} (page of 448 px), which need {limit}",
            "uses joined letters at {value} on a page of 448 px, too small for such a face",
        ),
    ),
    "rank_ratio": Measured(
        times,
        (
            "upsets the order of sizes: what should lead is {value} as large as what follows it",
            "is sized so that a heading measures {value} of what it heads",
            "turns the steps of the type around, with the upper level {value} the size of the lower",
        ),
    ),
    "level_ratio": Measured(
        times,
        (
            "differs from texts of its own level by {value} in size",
            "is {value} off in size from its equals",
            "breaks out of its level: sizes there differ {value}",
        ),
    ),
    "stray_face": Measured(
        _chroma,
        (
            "is set in a face that has no kin among the texts it belongs to",
            "wears a stray face, {value} away from that of its companions on a scale from 0 to 1",
            "is in a typeface of another kind than the texts beside it",
            "has a face that is {value} (of 1) from the others of its group",
        ),
    ),
    "resolution": Measured(
        percent,
        (
            "has only {value} of the pixels a side that its size needs",
            "is stretched: its file holds {value} of the pixels a side that are shown",
            "shows single pixels, at {value} of the resolution that its size calls for",
            "comes with {value} of the needed pixels a side, below the {limit} that would do",
        ),
    ),
    "blur": Measured(
        pixels,
        (
            "is out of focus: its sharpest edges take {value}",
            "smears its edges over {value}, where sharp ones take 1 to 2 px",
            "is blurred, with edges {value} wide",
            "has no edge narrower than {value}",
        ),
    ),
    "irrelevant": Measured(
        _chroma,
        (
            "shows something that the design is not about",
            "does not fit the subject",
            "has no link to what the text says",
            "comes from a different subject altogether",
            "shows a thing that shares no keyword with the subject",
        ),
    ),
}
"""Quantity -> words."""

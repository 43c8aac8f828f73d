"""The label rule: which measured quantities harm which indicator, from which value on.

One table for all. A criterion has two thresholds: on the near side of ``good`` it finds nothing to blame, from
``flawed`` on it finds a flaw, and what lies between is neither; designs with anything in between are drawn again, so
that every label is one that most people would give. An indicator is harmed by an element if any of its criteria finds a
flaw, and unclear if none does but one is in between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from designgym.envs.aesthetics.indicators import INDICATORS

Verdict = Literal["good", "unclear", "flawed"]


@dataclass(frozen=True)
class Criterion:
    """One quantity and the two thresholds between which it is unclear whether it harms the indicator.

    Attributes:
        indicator: Name of the indicator.
        measure: Name of the quantity, see ``measures.measure``.
        good: Up to this value (down to it, where ``good > flawed``) nothing is wrong.
        flawed: From this value on (down from it, where ``good > flawed``) it is a flaw.
        why: The reason for the thresholds.
    """

    indicator: str
    measure: str
    good: float
    flawed: float
    why: str

    def verdict(self, value: float) -> Verdict:
        """Where a value lies."""
        if self.good < self.flawed:
            return "good" if value <= self.good else ("flawed" if value >= self.flawed else "unclear")
        return "good" if value >= self.good else ("flawed" if value <= self.flawed else "unclear")


CRITERIA: tuple[Criterion, ...] = (
    Criterion(
        "layout-balance", "weight_shift", 0.02, 0.04,
        "Shares of the diagonal: 2 % is within what two layouts of a design differ by; 4 % of it is a tilt.",
    ),
    Criterion(
        "layout-balance", "growth", 0.06, 0.12,
        "Shares of the page: an element that takes an eighth more of the page than planned is out of scale.",
    ),
    Criterion(
        "layout-balance", "bare", 0.015, 0.08,
        "Shares of the page: a bare strip of an eighth of one side is the paper's own example of lost balance.",
    ),
    Criterion(
        "layout-layering", "overlap", 0.02, 0.15,
        "Shares of the smaller of two contents: descenders may graze a picture; a seventh is a pile-up.",
    ),
    Criterion(
        "layout-layering", "hidden", 0.02, 0.12,
        "Shares of what is hidden: in a line of text an eighth is a whole word.",
    ),
    Criterion(
        "layout-whitespace", "gap", 0.6, 0.15,
        "Ratio to the room before, at most ample: less than a sixth of it looks like touching.",
    ),
    Criterion(
        "layout-alignment", "misaligned", 0.006, 0.017,
        "Shares of the shorter side: 2 px of 320 pass for optical correction; 5 to 8 px look like a mistake.",
    ),
    Criterion(
        "layout-alignment", "tilt_deg", 0.8, 4.0,
        "Degrees: below 1 lines of type look level, from 4 on they plainly do not.",
    ),
    Criterion(
        "layout-alignment", "cut", 0.01, 0.08,
        "Shares of the element: what was whole and now runs over the page's edge has left the grid.",
    ),
    Criterion(
        "color-harmony", "clash", 0.065, 0.15,
        "OKLab chroma off the palette's hues: half of a muted accent's (0.06) passes as a shade; vivid ones clash.",
    ),
    Criterion(
        "color-contrast", "contrast", 2.5, 1.7,
        "WCAG ratio: large type needs 3; below 1.7 it sinks into its ground.",
    ),
    Criterion("color-contrast", "borne_contrast", 2.5, 1.7, "As contrast, for the texts that lie on the element."),
    Criterion(
        "color-contrast", "standout", 0.62, 0.3,
        "Ratio to the difference before: at two thirds an element is softer, at three tenths it is a ghost.",
    ),
    Criterion(
        "color-appeal", "clash", 0.155, 0.19,
        "OKLab chroma: off-hue colours of moderate chroma do not belong; only strong ones are also ugly there.",
    ),
    Criterion(
        "color-appeal", "drab", 0.3, 0.6,
        "Nearness to the least liked colours, 0 to 1: from 0.6 on a colour is olive brown itself.",
    ),
    Criterion(
        "color-psychology", "mood", 0.045, 0.11,
        "OKLab chroma (or darkness) against the subject's mood: as for harmony, half a muted accent passes.",
    ),
    Criterion(
        "font-legibility", "type_px", 8.0, 6.0,
        "Px of a page of 448: an x-height of 4 px keeps letters apart; at 6 it is 3 px, in which e, a and o are alike.",
    ),
    Criterion("font-legibility", "contrast", 2.5, 1.7, "As for contrast: what cannot be seen cannot be read."),
    Criterion("font-legibility", "borne_contrast", 2.5, 1.7, "As contrast, for the texts that lie on the element."),
    Criterion("font-legibility", "hidden", 0.02, 0.12, "As for layering: an eighth is a word that cannot be read."),
    Criterion("font-legibility", "text_cut", 0.01, 0.08, "Shares of the text: from 8 % on a letter is missing."),
    Criterion(
        "font-legibility", "ornate_px", 10.5, 7.5,
        "Px of a page of 448: joined and swung letters need half as much again as plain ones.",
    ),
    Criterion(
        "font-hierarchy", "rank_ratio", 1.1, 0.87,
        "Ratio of sizes: a heading still a tenth larger leads; one an eighth smaller than what it heads does not.",
    ),
    Criterion(
        "font-hierarchy", "level_ratio", 1.12, 1.4,
        "Ratio of sizes: beyond a major third to fourth, texts of one level look like two levels.",
    ),
    Criterion(
        "font-hierarchy", "stray_face", 0.45, 0.75,
        "Distance of faces: a cousin (0.3) passes; one text of several in a script or poster face is a stray.",
    ),
    Criterion(
        "graphic-quality", "resolution", 0.6, 0.34,
        "Px per px as seen: at a half edges are soft, at a third single px show.",
    ),
    Criterion(
        "graphic-quality", "blur", 3.2, 5.5,
        "Px of a page of 448: sharp edges take 1 to 2 px; from 5 on a picture is out of focus.",
    ),
    Criterion(
        "graphic-relevance", "irrelevant", 0.0, 1.0,
        "0: a keyword is the subject's; 1: neither a keyword nor the kind of picture is.",
    ),
)  # fmt: skip
"""All of the rule, in the order of the indicators."""

_OF_MEASURE = {
    criterion.measure: tuple(c for c in CRITERIA if c.measure == criterion.measure) for criterion in CRITERIA
}
_OF_INDICATOR = {name: tuple(c for c in CRITERIA if c.indicator == name) for name in INDICATORS}


def verdict(indicator: str, measures: Mapping[str, float]) -> Verdict:
    """Whether an element harms an indicator, by its measures."""
    found = {criterion.verdict(measures[criterion.measure]) for criterion in _OF_INDICATOR[indicator]}
    return "flawed" if "flawed" in found else ("unclear" if "unclear" in found else "good")


def doubtful(measures: Mapping[str, float]) -> bool:
    """Whether any criterion on these measures, which need not be all, is in between its thresholds."""
    for name, value in measures.items():
        for criterion in _OF_MEASURE.get(name, ()):
            if criterion.verdict(value) == "unclear":
                return True
    return False


def harms(measures: Mapping[str, float]) -> tuple[str, ...]:
    """Names of the indicators that an element harms, in order."""
    return verdicts(measures)[0]


def unclear(measures: Mapping[str, float]) -> tuple[str, ...]:
    """Names of the indicators of which an element is neither free nor a flaw, in order."""
    return verdicts(measures)[1]


def verdicts(measures: Mapping[str, float]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the indicators that an element harms, and of those that are unclear, found in one go."""
    flawed: set[str] = set()
    between: set[str] = set()
    for criterion in CRITERIA:
        found = criterion.verdict(measures[criterion.measure])
        if found != "good":
            (flawed if found == "flawed" else between).add(criterion.indicator)
    if not flawed and not between:
        return (), ()
    between -= flawed
    return tuple(name for name in INDICATORS if name in flawed), tuple(name for name in INDICATORS if name in between)


def reasons(indicator: str, measures: Mapping[str, float]) -> tuple[Criterion, ...]:
    """The criteria by which an element harms an indicator; none if it does not."""
    return tuple(c for c in _OF_INDICATOR[indicator] if c.verdict(measures[c.measure]) == "flawed")

"""What drawings were rated, laid over the drawings that are there; what fits nowhere is counted."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from designgym.errors import UserError
from designgym.eval.creativity.drawn import Drawn
from designgym.eval.ratings.composite import composite
from designgym.eval.ratings.rating import Ratings, counted, first_places

PEOPLE = frozenset({"human", "humans", "people"})
"""Names of the model in ratings of drawings that people made; such drawings are the human reference for ratings."""


@dataclass(frozen=True)
class Outcome:
    """One value a drawing.

    Attributes:
        key: ``"creativity"``, ``"recognisability"``, or the name of a scorer.
        label: In words.
        values: A value for each drawing, in their order; None where there is none.
        raw: Mean answer on the scale of 1 to 5, likewise; None where nobody rated it.
        people: Values of rated human drawings.
        people_raw: Their mean answers.
        notes: What was left out, as sentences.
    """

    key: str
    label: str
    values: tuple[float | None, ...]
    raw: tuple[float | None, ...] = ()
    people: tuple[float, ...] = ()
    people_raw: tuple[float, ...] = ()
    notes: tuple[str, ...] = ()


def rated(ratings: Ratings, question: str, drawn: Sequence[Drawn]) -> Outcome | None:
    """The composite of ratings (``designgym.eval.ratings.composite``) of each drawing; None if nobody was asked that.

    The composite is made over everything that was rated together, human drawings included, as in the paper.

    Raises:
        UserError: If none of the rated drawings is among those here.
    """
    if all(rating.answer(question) is None for rating in ratings.ratings):
        return None
    made = composite(ratings.ratings, question)
    raw = _means(ratings, question)
    human = {rating.image for rating in ratings.ratings if rating.model.strip().casefold() in PEOPLE}
    own = {image: value for image, value in made.values.items() if image not in human}
    # Where every rater gave the same answer throughout, nothing is left to compare; the notes say so.
    values, notes = matched(own, drawn) if own else ([None] * len(drawn), [])
    for reason, number in counted((*ratings.excluded, *made.excluded)).items():
        place = first_places((*ratings.excluded, *made.excluded))[reason]
        notes.append(f"Ratings: {reason} ({number} left out, first: {place}).")
    raters = {rating.rater for rating in ratings.ratings if rating.answer(question) is not None}
    if len(raters) == 1:
        notes.append(
            f"Ratings of {question} are by one rater, {next(iter(raters))}: whether others agree is not known."
        )
    answers = matched({image: raw[image] for image in own}, drawn)[0] if own else values
    return Outcome(
        key=question,
        label=f"Rated {question}",
        values=tuple(values),
        raw=tuple(answers),
        people=tuple(made.values[image] for image in made.values if image in human),
        people_raw=tuple(raw[image] for image in made.values if image in human),
        notes=tuple(notes),
    )


def matched(values: Mapping[str, float], drawn: Sequence[Drawn]) -> tuple[list[float | None], list[str]]:
    """A value for each drawing, by name, and sentences about values and drawings that have no partner.

    A name may have a suffix such as ``.png``. Where an agent has one drawing a task, its replicate's number may be
    missing: ``grow/is07`` stands for ``grow/is07-1``.

    Raises:
        UserError: If no value belongs to a drawing, a value is infinite, or two values belong to one drawing.
    """
    places: dict[str, int] = {each.name: i for i, each in enumerate(drawn)}
    single = {each.name.removesuffix("-1") for each in drawn} - {e.name[:-2] for e in drawn if e.name.endswith("-2")}
    found: list[float | None] = [None] * len(drawn)
    named: dict[int, str] = {}
    lost, unknown = [], []
    for name, value in values.items():
        if math.isinf(value):
            raise UserError(f"The value of drawing '{name}' is {value}; ratings and scores are finite numbers.")
        bare = _bare(name)
        place = places.get(bare, places.get(f"{bare}-1") if bare in single else None)
        if place is None:
            lost.append(name)
        elif place in named:
            raise UserError(f"'{named[place]}' and '{name}' are values of one drawing, {drawn[place].name}; keep one.")
        else:
            named[place] = name
            found[place] = None if math.isnan(value) else float(value)
            unknown += [name] if math.isnan(value) else []
    if not named:
        first = next(iter(values), "")
        raise UserError(
            f"None of the {len(values)} rated drawings is among the {len(drawn)} of these runs: they are called "
            f"'{first}' and so on there, and '{drawn[0].name}' here. Have the drawings rated that designgym study "
            "--drawings DIR writes."
        )
    notes = []
    for one, many, names in (
        ("rated drawing is in none of these runs", "rated drawings are in none of these runs", lost),
        ("value is NaN and counts as missing", "values are NaN and count as missing", unknown),
        ("drawing has no value", "drawings have no value", [e.name for i, e in enumerate(drawn) if i not in named]),
    ):
        if names:
            notes.append(f"{len(names):,} {one if len(names) == 1 else many}, first: {names[0]}.")
    return found, notes


def scored(name: str, drawn: Sequence[Drawn], people: Sequence[float] = ()) -> Outcome:
    """A scorer's values as an outcome, where nobody rated the drawings."""
    values = tuple(each.scores[name] for each in drawn)
    return Outcome(name, f"Score of {name}", values, people=tuple(people))


def _means(ratings: Ratings, question: str) -> dict[str, float]:
    answers: dict[str, list[float]] = {}
    for rating in ratings.ratings:
        value = rating.answer(question)
        if value is not None:
            answers.setdefault(rating.image, []).append(value)
    return {image: float(np.mean(values)) for image, values in answers.items()}


def _bare(name: str) -> str:
    plain = name.replace("\\", "/")
    return plain.removesuffix(PurePosixPath(plain).suffix) if PurePosixPath(plain).suffix in _SUFFIXES else plain


_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp")

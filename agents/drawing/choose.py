"""What there is to draw on a starting shape, best first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from designgym.agents.drawing.alive import alive
from designgym.agents.drawing.attach import attachments
from designgym.agents.drawing.fit import fit, marks
from designgym.agents.drawing.marks import Mark
from designgym.agents.drawing.numbers import numbers
from designgym.agents.drawing.page import kept_on_page
from designgym.agents.drawing.repertoire import SKETCHES
from designgym.envs.canvas.stimuli.stimulus import Stimulus

MOST_MISFIT = 0.2
"""A sketch whose seed is farther from the shape would be bent out of all likeness."""
MOST_ATTACHED = 3
"""So many of the things that can be attached are offered, those that suit best."""
TASTE = 0.5
"""Things may suit less by this and still be taken first; pointing straight on is worth 2 more than pointing back."""
PLURALS = ("glasses", "scissors")
"""Objects whose names take no article."""


@dataclass(frozen=True)
class Idea:
    """A drawing for a shape: its title and what is to be drawn."""

    title: str
    marks: Sequence[Mark]


def ideas(shape: Stimulus) -> list[Idea]:
    """What can be drawn on a shape: the sketches that fit, best first, then what can be done with any shape.

    Fragments get things attached to their ends, and objects come to life; there is at least one idea for each.
    """
    points = np.concatenate([np.array(subpath.points) for subpath in shape.subpaths])
    places = [(fit(sketch, shape.subpaths), sketch) for sketch in SKETCHES if sketch.object == shape.name]
    fitting = [(place, sketch) for place, sketch in places if place is not None and place.misfit <= MOST_MISFIT]
    fitting.sort(key=lambda pair: round(pair[0].misfit, 2))
    found = [Idea(sketch.title, kept_on_page(marks(sketch, place), points)) for place, sketch in fitting]
    if shape.name:
        return [
            *found,
            Idea(f"{_with_article(shape.name)} that came to life", kept_on_page(alive(shape.pixels), points)),
        ]
    # What suits about equally is put in another order for each shape, or most of them would get the same thing.
    taste = numbers("taste", shape.id)
    attached = [(attachment.worth + TASTE * taste.random(), attachment) for attachment in attachments(shape)]
    attached.sort(key=lambda pair: -pair[0])
    return found + [Idea(attachment.title, attachment.marks) for _, attachment in attached[:MOST_ATTACHED]]


def _with_article(name: str) -> str:
    if name in PLURALS:
        return name.capitalize()
    return f"{'An' if name[0] in 'aeiou' else 'A'} {name}"

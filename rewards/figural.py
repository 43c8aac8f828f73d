"""A reward for drawings that grow out of their starting shape: joined to it, made of forms, sparing with ink."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from designgym.episode import Episode
from designgym.rewards.added_ink import NULL_PX, added_ink, near, require_drawing
from designgym.rewards.base import EpisodeReward
from designgym.rewards.drawing_features import CELL_PX, Drawing, coarser, features
from designgym.rewards.incorporation import incorporation
from designgym.rewards.novelty import SHA256, novelty
from designgym.rewards.regions import Regions, newly_enclosed
from designgym.rewards.stroke_form import stroke_form
from designgym.score import Backend, Score

UNJOINED = 0.35
"""What incorporation is worth to ink that hangs together with the stimulus and never ends on it."""

GROUND_PX = 4
AROUND_CELLS = 5
"""Ground is measured in cells of 4 px; ink takes what lies within five cells (20 px) of it."""

GROUND = 0.12
"""New ground, as a share of the canvas, at which extension is 1 - 1/e."""

LARGEST, MOST = 0.4, 0.02
"""Regions larger than two fifths of the canvas are ground and no forms; of a form at most 2 % of the canvas counts."""

CLOSED = 0.03
"""New forms, as a share of the canvas, at which `closed` is 1 - 1/e."""

STRAIGHT, STRAIGHT_ONLY = 0.5, 0.8
"""Shares of the ink in long straight strokes up to which turning is whole, and from which on there is none."""

OPEN, UNTURNED = 0.25, 0.35
"""What structure is worth without any form, and with straight strokes alone."""

BUDGET = 0.08
"""Share of the canvas that new ink may fill without loss; on 400 x 400 px, strokes of 5 px and 2,560 px of length."""

PARTS = ("extension", "structure", "closed", "turning", "novelty", "ink")
STIMULUS_PARTS = ("incorporation", "connected", "joined", "taken")


@dataclass(frozen=True)
class Figural(EpisodeReward):
    """How far a drawing grows out of its shape: incorporation x extension x structure x novelty x ink.

    Each part lies between 0 and 1, no part makes up for another, and all are 0 for a null drawing (fewer than 300
    px of new ink):

    * ``incorporation``: ``connected`` x (0.35 + 0.65 ``joined`` x ``taken``). ``connected`` is 1 - (1 - s)^2, where
      s is the share of the new ink that lies in connected pieces which touch the stimulus; a piece around it, such
      as a face around a mouth, counts half where it fits. ``joined`` is the share of its meetings with the stimulus
      at which a stroke ends, instead of crossing it or running past; ``taken`` is the share of the stimulus that is
      within 60 px of such an end. On a blank canvas all four are absent.
    * ``extension``: 1 - exp(-g / 0.12), where g is the share of the canvas within 20 px of new ink and not of the
      stimulus. More ink on the same ground adds nothing.
    * ``structure``: (0.25 + 0.75 ``closed``) x (0.35 + 0.65 ``turning``). ``closed`` is 1 - exp(-a / 0.03), where a
      is the share of the canvas in regions that the new ink encloses, alone or with the stimulus, or draws in; of a
      region at most 2 % of the canvas counts, and one of more than 40 % is ground. ``turning`` falls from 1 to 0
      while the share of the new ink within straight strokes of 60 px or more rises from 0.5 to 0.8.
    * ``novelty``: how unlike its form is to some 960 drawings without an idea (random strokes, circles, grids,
      hatching, copies of the shape, a random agent's), as a local outlier factor that counts from 0.7 to 1.2. It is
      distance from these and not originality among drawings of people. They are frozen and part of the backend's
      hash.
    * ``ink``: 1 while the new ink fills no more than 8 % of the canvas, then falling with its square.

    It is meant to be cheap and hard to cheat. Its numbers were set by eye, on sheets of drawings for the canvas of
    400 x 400 px, and against searches that try to raise it; no human ratings are behind it. It does not see what a
    drawing shows or whether its idea is good. Known weaknesses: a search over ellipses finds arrangements that
    score as a drawing does; a drawing of long straight lines, such as a street front, scores too little; shapes
    that belong to the stimulus only by their place, such as eyes above a mouth, count as standing apart; strokes
    traced again a pixel aside may look more novel, for those of the reference drawings are 5 px wide.

    Source: this project; the outlier factor is simplified after Schubert, Zimek and Kriegel 2014.
    """

    name = "figural"
    backend = Backend("figural", "2", SHA256)

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def check(self, episode: Episode) -> None:
        """Refuse pages that are no drawings."""
        require_drawing(episode, self.name)

    def score(self, episode: Episode) -> Score:
        """See the class.

        Raises:
            UnsuitableReward: If the environment's pages are no drawings.
            NoImage: If the episode's image was not kept.
        """
        self.check(episode)
        new, stimulus = added_ink(episode)
        amount = int(np.count_nonzero(new))
        if amount < NULL_PX:
            names = PARTS if stimulus is None else (*STIMULUS_PARTS, *PARTS)
            return self.scored(0.0, dict.fromkeys(names, 0.0))
        drawing = Drawing.of(new, stimulus)
        form = stroke_form(drawing.new, drawing.ink)
        closed = _closed(drawing)
        turning = min(1.0, max(0.0, (STRAIGHT_ONLY - form.straight) / (STRAIGHT_ONLY - STRAIGHT)))
        parts: dict[str, float | None] = {}
        value = 1.0
        if stimulus is not None:
            whole, ends, taken = incorporation(new, drawing.runs, stimulus)
            value = whole * (UNJOINED + (1 - UNJOINED) * ends * taken)
            parts = {"incorporation": value, "connected": whole, "joined": ends, "taken": taken}
        extension = _extension(drawing)
        structure = (OPEN + (1 - OPEN) * closed) * (UNTURNED + (1 - UNTURNED) * turning)
        unusual = novelty(features(drawing, form))
        economy = min(1.0, BUDGET * new.size / amount) ** 2
        parts |= {"extension": extension, "structure": structure, "closed": closed, "turning": turning}
        parts |= {"novelty": unusual, "ink": economy}
        return self.scored(value * extension * structure * unusual * economy, parts)


def _extension(drawing: Drawing) -> float:
    """See the class."""
    ground = near(coarser(drawing.new, GROUND_PX // CELL_PX), AROUND_CELLS)
    ground &= ~near(coarser(drawing.given, GROUND_PX // CELL_PX), AROUND_CELLS)
    return 1.0 - math.exp(-float(ground.mean()) / GROUND)


def _closed(drawing: Drawing) -> float:
    """See the class."""
    areas = newly_enclosed(drawing.regions, Regions(drawing.given))
    forms = float(np.minimum(areas[areas <= LARGEST], MOST).sum())
    return 1.0 - math.exp(-forms / CLOSED)

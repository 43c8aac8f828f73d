"""Drawings in the order of the reward `figural`, with what each of its parts gives: to look whether the order is right.

    python docs/figural_sheet.py sheet.png     # a larger one than that in the documentation

Nothing is chosen by hand but the shapes: on each, what `grow` draws under two seeds and kinds of drawings without an
idea, by seed.
"""

from __future__ import annotations

import sys

import numpy as np
import numpy.typing as npt
from canvas_sheet import Tile, contact_sheet
from cheap_drawings import KINDS, drawn
from PIL import Image

from designgym.agents.grow import drawing_of
from designgym.envs.canvas.canvas import Canvas
from designgym.envs.canvas.stimuli.stimulus import stimulus
from designgym.envs.canvas.tools import OPERATIONS
from designgym.episode import Episode
from designgym.rewards.figural import Figural
from designgym.score import Score

SHAPES = ("is01", "is04", "is11", "is13", "ot05", "ot08")
COLUMNS = 9
TILE_PX = 104
BLUE = (31, 105, 222)
LETTERS = {"incorporation": "i", "extension": "e", "structure": "s", "novelty": "n", "ink": "k"}
"""How the parts are called beneath the drawings."""

Page = npt.NDArray[np.uint8]


def sheet(seed: int = 0, each: int = 1) -> Image.Image:
    """The drawings, best first; beneath each its value, and the parts in tenths."""
    rng = np.random.default_rng(seed)
    ideas = {grown(task, number).tobytes(): (task, grown(task, number)) for task in SHAPES for number in (0, 1)}
    pages = list(ideas.values())
    for kind in KINDS:
        for _ in range(each):
            task = SHAPES[int(rng.integers(len(SHAPES)))]
            pages.append((task, drawn(kind, stimulus(task), rng, "pillow")))
    scored = [(score(task, page), task, page) for task, page in pages]
    scored.sort(key=lambda each: -(each[0].value or 0.0))
    tiles = [Tile(in_blue(page, stimulus(task).pixels), f"{one.value:.2f}", parts(one)) for one, task, page in scored]
    return contact_sheet(tiles[: len(tiles) // COLUMNS * COLUMNS], COLUMNS, TILE_PX)


def grown(task: str, seed: int) -> Page:
    """What the scripted agent draws."""
    canvas = Canvas("pillow")
    for call in drawing_of(task, seed):
        if call["name"] in OPERATIONS:
            canvas.draw(call["name"], call["arguments"][OPERATIONS[call["name"]]], False)
    return np.minimum(canvas.read(), stimulus(task).pixels)


def score(task: str, page: Page) -> Score:
    """Its value and parts."""
    return Figural().score(Episode("canvas", "test", task, page, stimulus(task).pixels, truth={"open_ends": []}))


def parts(one: Score) -> str:
    """The five parts, in tenths, by their letters."""
    values = {name: one.components[f"figural/{name}"] or 0.0 for name in LETTERS}
    return " ".join(f"{LETTERS[name]}{min(9, int(10 * value))}" for name, value in values.items())


def in_blue(page: Page, shape: Page) -> Page:
    """The page with the given shape in blue."""
    image = np.repeat(page[:, :, None], 3, axis=2)
    image[shape == 0] = BLUE
    return image


if __name__ == "__main__":
    sheet(each=4).save(sys.argv[1])

"""The pictures of canvas drawing: the shapes, drawings grown out of them, the tools, the two renderers, the axes.

Nothing is chosen by hand but the operations that show the tools; the generated shapes are the first of their split.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import figural_sheet
import gymnasium as gym
import numpy as np
import numpy.typing as npt
from canvas_sheet import Tile, contact_sheet
from PIL import Image

from designgym.agents.table import build
from designgym.envs.canvas.axes import annotate
from designgym.envs.canvas.canvas import Canvas
from designgym.envs.canvas.raster import Renderer
from designgym.envs.canvas.stimuli.stimulus import stimulus, stimulus_ids
from designgym.envs.canvas.tools import DRAWING_TOOLS

COLUMNS = 10
BLUE = (31, 105, 222)
"""What was given, where drawings are shown."""
GENERATED = 20
CLOSE_PX = 200
"""Side of what is shown of the canvas where the renderers are compared, magnified."""

_ARC = {"x1": 70, "y1": 90, "x2": 330, "y2": 310, "start_angle": 200, "end_angle": 70}
TOOL_EXAMPLES: dict[str, list[dict[str, Any]]] = {
    "draw_dots": [{"x": 80 + 60 * i, "y": 80 + 60 * j} for i in range(5) for j in range(5) if (i + j) % 2 == 0],
    "draw_lines": [{"x1": 60, "y1": 320, "x2": 80 + 60 * k, "y2": 80 + 28 * k} for k in range(5)],
    "draw_polylines": [
        {
            "points": [[60, 250], [110, 120], [160, 250], [210, 120], [260, 250], [310, 120], [340, 200]],
            "closed": False,
        },
        {"points": [[70, 330], [330, 330], [200, 290]], "closed": True},
    ],
    "draw_polygons": [
        {"points": [[200, 60], [240, 160], [345, 165], [262, 230], [290, 335], [200, 275], [110, 335], [138, 230],
                    [55, 165], [160, 160]]}
    ],
    "draw_regular_polygons": [
        {"x": 120, "y": 140, "radius": 75, "n_sides": 3, "rotation": 0},
        {"x": 285, "y": 125, "radius": 75, "n_sides": 6, "rotation": 0},
        {"x": 200, "y": 285, "radius": 75, "n_sides": 4, "rotation": 20},
    ],
    "draw_rectangles": [{"x1": 60, "y1": 100, "x2": 250, "y2": 230}, {"x1": 340, "y1": 310, "x2": 190, "y2": 170}],
    "draw_rounded_rectangles": [
        {"x1": 60, "y1": 80, "x2": 340, "y2": 200, "radius": 30},
        {"x1": 60, "y1": 230, "x2": 340, "y2": 320, "radius": 45},
    ],
    "draw_circles": [{"x": 200, "y": 200, "radius": radius} for radius in (130, 85, 40)],
    "draw_ellipses": [{"x1": 50, "y1": 130, "x2": 350, "y2": 270}, {"x1": 130, "y1": 50, "x2": 270, "y2": 350}],
    "draw_arcs": [_ARC, {**_ARC, "x1": 120, "y1": 140, "x2": 280, "y2": 260}],
    "draw_pieslices": [_ARC],
    "draw_chords": [_ARC],
}  # fmt: skip
"""Operations that show what each tool draws."""

COMPARED = (
    ("draw_lines", [{"x1": 15, "y1": 25, "x2": 85, "y2": 95}, {"x1": 15, "y1": 95, "x2": 85, "y2": 60}]),
    ("draw_circles", [{"x": 150, "y": 55, "radius": 38}]),
    ("draw_polygons", [{"points": [[20, 185], [55, 115], [95, 175]]}]),
    ("draw_polylines", [{"points": [[110, 180], [130, 120], [150, 180], [170, 120], [188, 180]], "closed": False}]),
)


def bank() -> Image.Image:
    """The thirty shapes of the test split."""
    shapes = [stimulus(task) for task in stimulus_ids("test")]
    return contact_sheet([Tile(shape.pixels, shape.id, shape.name) for shape in shapes], COLUMNS)


def generated() -> Image.Image:
    """The first shapes of the training split, one type a row."""
    half = GENERATED // 2
    shapes = [stimulus(task) for kind in ("is", "ot") for task in stimulus_ids("train", (kind,))[:half]]
    return contact_sheet([Tile(shape.pixels, "", shape.name or "fragment") for shape in shapes], COLUMNS)


def drawings() -> Image.Image:
    """What the scripted agent makes of the thirty shapes, the shapes themselves in blue."""
    env = gym.make("designgym/CanvasDrawing-v0", split="test", max_calls=50)
    design: Any = env.unwrapped
    agent = build("grow", env)
    tiles = []
    for task in design.task_ids():
        observation, info = env.reset(options={"task": task})
        over = False
        while not over:
            observation, _, over, _, info = env.step(agent(observation, info))
        tiles.append(Tile(_with_blue(observation["image"][:, :, 0], stimulus(task).pixels), "", info["title"]))
    env.close()
    return contact_sheet(tiles, COLUMNS)


def _with_blue(drawing: npt.NDArray[np.uint8], shape: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    image = np.repeat(drawing[:, :, None], 3, axis=2)
    image[shape == 0] = BLUE
    return image


def tools() -> Image.Image:
    """What each tool draws."""
    tiles = []
    for tool in DRAWING_TOOLS:
        canvas = Canvas("skia")
        canvas.draw(tool.name, TOOL_EXAMPLES[tool.name], False)
        tiles.append(Tile(canvas.read(), "", tool.name))
    return contact_sheet(tiles, 6)


def renderers() -> Image.Image:
    """A corner of the same drawing by both renderers, each pixel a square of two."""
    return contact_sheet([Tile(_compared("pillow"), "pillow", "(default)"), Tile(_compared("skia"), "skia")], 2, 400)


def axes() -> Image.Image:
    """The same canvas with coordinates outside and over it."""
    canvas = stimulus("is08").pixels
    tiles = [Tile(annotate(canvas, "outside"), "", 'axes="outside"'), Tile(annotate(canvas, "over"), "", 'axes="over"')]
    return contact_sheet(tiles, 2, 448)


def _compared(renderer: Renderer) -> npt.NDArray[np.uint8]:
    canvas = Canvas(renderer)
    for tool, operations in COMPARED:
        canvas.draw(tool, operations, False)
    return canvas.read()[:CLOSE_PX, :CLOSE_PX].repeat(2, axis=0).repeat(2, axis=1)


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """File name and picture of all."""
    yield "canvas-bank.png", bank()
    yield "canvas-drawings.png", drawings()
    yield "canvas-generated.png", generated()
    yield "canvas-tools.png", tools()
    yield "canvas-renderers.png", renderers()
    yield "canvas-axes.png", axes()
    yield "canvas-figural.png", figural_sheet.sheet()

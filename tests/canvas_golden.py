"""The golden images of the drawing tools: what is drawn, and how the files are written anew.

    python tests/canvas_golden.py        # after a change of geometry that is meant; look at what it changed

Each image shows one tool, drawn by one renderer: ordinary operations, reversed corners, shapes over the page's edge and
turned ones, then an erasing call across them.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from designgym.envs.canvas.canvas import Canvas

GOLDEN = Path(__file__).parent / "golden" / "canvas"
RENDERERS = ("pillow", "skia")


def corners(*boxes, **more):
    return [dict(zip(("x1", "y1", "x2", "y2"), box, strict=True), **more) for box in boxes]


def arcs(tool):
    boxes = [(30, 30, 170, 130, 0, 90), (230, 30, 370, 170, 180, 450), (170, 370, 40, 200, -60, 200)]
    boxes += [(220, 220, 360, 300, 30, 390), (300, 320, 460, 440, 90, 300)]
    return [dict(zip(("x1", "y1", "x2", "y2", "start_angle", "end_angle"), box, strict=True)) for box in boxes]


OPERATIONS = {
    "draw_dots": [{"x": x, "y": y} for x in range(0, 400, 57) for y in range(0, 400, 57)],
    "draw_lines": corners((20, 20, 380, 20), (20, 40, 20, 380), (40, 40, 360, 360), (380, 60, 60, 340),
                          (200, 30, 240, 390), (-50, 200, 450, 230), (300, 60, 300, 60)),
    "draw_polylines": [
        {"points": [[20, 60], [120, 20], [80, 160], [180, 100]], "closed": False},
        {"points": [[220, 40], [380, 60], [340, 180], [240, 160]], "closed": True},
        {"points": [[40, 240], [180, 380], [60, 380], [180, 240]], "closed": True},
        {"points": [[230, 300], [260, 240], [290, 380], [320, 240], [350, 380], [380, 240]], "closed": False},
        {"points": [[200, 200], [200, 200]], "closed": False},
    ],
    "draw_polygons": [
        {"points": [[20, 60], [120, 20], [80, 160]]},
        {"points": [[220, 40], [380, 60], [340, 180], [240, 160]]},
        {"points": [[40, 240], [180, 380], [60, 380], [180, 240]]},
        {"points": [[240, 240], [390, 250], [300, 280], [420, 420], [260, 380]]},
        {"points": [[200, 40], [200, 180]]},
    ],
    "draw_regular_polygons": [
        {"x": 70 + 120 * (k % 3), "y": 70 + 120 * (k // 3), "radius": 50, "n_sides": sides, "rotation": turn}
        for k, (sides, turn) in enumerate(
            [(3, 0), (3, 30), (4, 0), (4, 45), (5, 0), (6, -15), (7, 400), (12, 0), (360, 0)]
        )
    ],
    "draw_rectangles": corners((20, 20, 180, 120), (380, 180, 220, 20), (40, 200, 46, 380), (100, 220, 340, 222),
                               (300, 300, 500, 500), (120, 300, 120, 300)),
    "draw_rounded_rectangles": corners((20, 20, 180, 120), (380, 180, 220, 20), radius=20)
    + corners((40, 200, 160, 380), radius=500) + corners((220, 220, 340, 300), radius=0)
    + corners((300, 320, 500, 500), radius=40),
    "draw_circles": [{"x": 80, "y": 80, "radius": r} for r in (1, 4, 12, 30, 60)]
    + [{"x": 280, "y": 280, "radius": 100}, {"x": 400, "y": 0, "radius": 90}, {"x": 200, "y": 200, "radius": 2000}],
    "draw_ellipses": corners((20, 20, 180, 120), (380, 180, 220, 20), (40, 200, 60, 380), (100, 220, 340, 228),
                             (300, 300, 500, 380)),
    "draw_arcs": arcs("draw_arcs"),
    "draw_pieslices": arcs("draw_pieslices"),
    "draw_chords": arcs("draw_chords"),
}  # fmt: skip

ERASED = corners((0, 100, 399, 180), (0, 320, 399, 250))


def drawing(renderer, tool):
    canvas = Canvas(renderer)
    canvas.draw(tool, OPERATIONS[tool], False)
    canvas.draw("draw_lines", ERASED, True)
    return canvas.read()


def path(renderer, tool):
    return GOLDEN / f"{renderer}-{tool}.png"


def load(renderer, tool):
    with Image.open(path(renderer, tool)) as image:
        return np.array(image.convert("L"))


def main():
    GOLDEN.mkdir(parents=True, exist_ok=True)
    for renderer in RENDERERS:
        for tool in OPERATIONS:
            Image.fromarray(drawing(renderer, tool)).convert("1").save(path(renderer, tool), optimize=True)


if __name__ == "__main__":
    main()

"""An object that comes to life: arms and legs from its outline, and a face where there is most room inside."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from designgym.agents.drawing.enclosed import enclosed, widest
from designgym.agents.drawing.marks import Mark, Ring, Spot, Stroke
from designgym.agents.drawing.sketch import Path
from designgym.envs.canvas.raster import PAPER, Canvas8
from designgym.envs.canvas.tools import SIDE_PX

LEAST_FACE_PX = 8
"""A face needs a circle of this radius."""
MOST_FACE_PX = 36
"""A larger face would outweigh the limbs, which alone are joined to the object."""
LIMB_PX = 56.0
"""Length of arms and legs where there is room."""
HAND_PX = 10.0
MARGIN_PX = 8.0


def alive(page: Canvas8) -> list[Mark]:
    """Arms, legs and a face for a shape.

    Args:
        page: The shape, uint8 400 x 400, ink darker than paper; not blank.
    """
    ink = page != PAPER
    room = widest(enclosed(ink))
    if room is None or room.radius < LEAST_FACE_PX:
        rows = np.nonzero(ink.any(axis=1))[0]
        return _limbs(ink, (int(rows[0]) + int(rows[-1])) // 2)
    return [*_limbs(ink, room.y), *_face(room.x, room.y, min(room.radius, MOST_FACE_PX))]


def _face(x: float, y: float, radius: float) -> list[Mark]:
    eye = max(4.0, 0.16 * radius)
    eyes = [Ring(x + side * 0.4 * radius, y - 0.25 * radius, eye, 1.2 * eye) for side in (-1, 1)]
    pupils = [Spot(ring.x, ring.y + 1) for ring in eyes if eye > 6]
    w, h = 0.42 * radius, 0.3 * radius
    smile = f"M {x - w} {y + h} C {x - w / 2} {y + 2.4 * h} {x + w / 2} {y + 2.4 * h} {x + w} {y + h}"
    return [*eyes, *pupils, *_strokes(smile)]


def _limbs(ink: npt.NDArray[np.bool_], y: int) -> list[Mark]:
    """Arms from the sides of row y, and legs from the bottom."""
    across = np.nonzero(ink[y])[0]
    rows, columns = np.nonzero(ink.any(axis=1))[0], np.nonzero(ink.any(axis=0))[0]
    first, last = float(columns[0]), float(columns[-1])
    limbs: list[Mark] = []
    for side, start in ((-1, float(across[0])), (1, float(across[-1]))):
        room = start if side < 0 else SIDE_PX - 1 - start
        hand_x, hand_y = start + side * min(LIMB_PX, room - MARGIN_PX - HAND_PX), y - 28
        limbs += _strokes(
            f"M {start} {y} C {(start + hand_x) / 2} {y + 24} {hand_x} {y + 12} {hand_x} {hand_y + HAND_PX}"
        )
        limbs.append(Ring(hand_x, hand_y, HAND_PX, HAND_PX))
        limbs += _strokes(
            f"M {hand_x - 6} {hand_y - 8} l -4 -14 M {hand_x} {hand_y - 10} v -16 M {hand_x + 6} {hand_y - 8} l 4 -14"
        )
    ground = min(SIDE_PX - 1 - MARGIN_PX, float(rows[-1]) + LIMB_PX)
    for side in (-1, 1):
        x = (first + last) / 2 + side * max(14.0, 0.16 * (last - first))
        hip = float(np.nonzero(ink[:, int(x)])[0][-1])
        limbs += _strokes(f"M {x} {hip} V {ground - 8}")
        limbs.append(Ring(x + side * 9, ground - 6, 17, 8))
    return limbs


def _strokes(data: str) -> list[Mark]:
    return [Stroke(np.array(subpath.points), subpath.closed) for subpath in Path(data).subpaths]

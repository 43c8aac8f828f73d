"""The tools of canvas drawing, declared once: PainterBench's fourteen (Tables 1 and 5) and ``draw_svg`` (Appendix E.1).

An operation is an object with the fields of Table 5. Each drawing tool takes a list of them, or one alone. An operation
that cannot be read is left out and the others are drawn: a field that is missing, unknown or not a finite number. Plain
decimal strings are read; booleans are no numbers. Numbers are rounded half up. Coordinates are clamped to 2,000 px
beyond the page, radii to 2,000 px and regular polygons to 360 sides; a radius below 1 px, or fewer than 3 sides, is
malformed, and so is an operation of too many points. A call of too many operations, or of too large ones together, is
past a limit and draws nothing.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from designgym.envs.canvas.operations import Operations
from designgym.tools import Array, Boolean, Parameter, Record, Rounded, Text, Tool, ToolTable

Interface = Literal["tools", "svg"]
Vocabulary = Literal["full", "dots"]

SIDE_PX = 400
"""Width and height of the canvas (PainterBench, section 3)."""
STROKE_PX = 5
"""Width of every stroke, drawn or erased (PainterBench, section 3)."""
BEYOND_PX = 2000
"""Coordinates are clamped to so much beyond the page."""

MAX_OPERATIONS = 1000
MAX_POINTS = 2000
"""Points of one operation; one with more is malformed."""
MAX_POINTS_TOGETHER = 10_000
"""Points of all operations of a call; a call with more is past a limit, so that every step stays short."""
MAX_SVG_CHARACTERS = 1_000_000
MAX_LABEL_CHARACTERS = 2000
ANGLE_LIMIT_DEG = 1_000_000

UNDO = "undo_last_action"
FINISH = "drawing_finished"
SVG = "draw_svg"

_COORDINATE = Rounded(0, SIDE_PX - 1, -BEYOND_PX, SIDE_PX - 1 + BEYOND_PX, "px")
_RADIUS = Rounded(1, SIDE_PX // 2, most=2000, unit="px")
_CORNER_RADIUS = Rounded(0, SIDE_PX // 2, most=2000, unit="px")
_SIDES = Rounded(3, 12, most=360)
_ANGLE = Rounded(0, 360, -ANGLE_LIMIT_DEG, ANGLE_LIMIT_DEG, "deg")
_POINTS = Array(Array(_COORDINATE, 2, 2), 2, MAX_POINTS)

_ERASE = Parameter(
    "erase",
    Boolean(),
    "True lays white instead of black, along the same path and at the same width, which erases.",
    required=False,
    default=False,
)


def _corners() -> tuple[Parameter, ...]:
    return tuple(Parameter(name, _COORDINATE) for name in ("x1", "y1", "x2", "y2"))


def _center() -> tuple[Parameter, ...]:
    return tuple(Parameter(name, _COORDINATE) for name in ("x", "y"))


def _angles() -> tuple[Parameter, ...]:
    return (Parameter("start_angle", _ANGLE), Parameter("end_angle", _ANGLE))


def _drawing(name: str, operations: str, doc: str, fields: tuple[Parameter, ...], about: str) -> Tool:
    points = any(isinstance(field.type, Array) for field in fields)
    record = Operations(
        Record(fields),
        1,
        MAX_OPERATIONS,
        skip_malformed=True,
        one_alone=True,
        max_nested=MAX_POINTS_TOGETHER if points else None,
    )
    return Tool(name, doc, (Parameter(operations, record, about), _ERASE))


DRAWING_TOOLS = (
    _drawing("draw_dots", "dots", "Place dots, each as wide as a stroke.", _center(), "Their centres."),
    _drawing("draw_lines", "lines", "Draw straight segments.", _corners(), "Each from (x1, y1) to (x2, y2)."),
    _drawing(
        "draw_polylines",
        "polylines",
        "Draw connected strokes through points.",
        (
            Parameter("points", _POINTS),
            Parameter("closed", Boolean(), "Join the last point to the first.", required=False, default=False),
        ),
        "Each goes through its points, a list of [x, y].",
    ),
    _drawing(
        "draw_polygons",
        "polygons",
        "Draw closed outlines through points.",
        (Parameter("points", _POINTS),),
        "Each is the outline through its points, a list of [x, y].",
    ),
    _drawing(
        "draw_regular_polygons",
        "polygons",
        "Draw outlines of equal sides.",
        (
            *_center(),
            Parameter("radius", _RADIUS, "From the centre to a corner."),
            Parameter("n_sides", _SIDES),
            Parameter("rotation", _ANGLE, "Clockwise, from a flat side at the bottom.", required=False, default=0),
        ),
        "Each by centre, radius, number of sides and rotation.",
    ),
    _drawing("draw_rectangles", "rects", "Draw outlines of rectangles.", _corners(), "Each by two opposite corners."),
    _drawing(
        "draw_rounded_rectangles",
        "rects",
        "Draw outlines of rectangles with round corners.",
        (*_corners(), Parameter("radius", _CORNER_RADIUS, "Of the corners; at most half the shorter side is used.")),
        "Each by two opposite corners and the radius of its corners.",
    ),
    _drawing(
        "draw_circles",
        "circles",
        "Draw outlines of circles.",
        (*_center(), Parameter("radius", _RADIUS)),
        "Each by centre and radius.",
    ),
    _drawing("draw_ellipses", "ellipses", "Draw outlines of ellipses.", _corners(), "Each by the corners of its box."),
    _drawing(
        "draw_arcs",
        "arcs",
        "Draw parts of ellipses.",
        (*_corners(), *_angles()),
        "Each by the ellipse's box and two angles, clockwise from three o'clock; it runs clockwise from start to end.",
    ),
    _drawing(
        "draw_pieslices",
        "pieslices",
        "Draw outlines of slices: an arc, closed to the ellipse's centre.",
        (*_corners(), *_angles()),
        "Each by the ellipse's box and two angles, as for draw_arcs.",
    ),
    _drawing(
        "draw_chords",
        "chords",
        "Draw outlines of segments: an arc, closed by a straight line.",
        (*_corners(), *_angles()),
        "Each by the ellipse's box and two angles, as for draw_arcs.",
    ),
)
"""The twelve that draw, in the order of Table 5."""

META_TOOLS = (
    Tool(UNDO, "Take back the last call that drew, with all its operations. May be repeated."),
    Tool(
        FINISH,
        "End the trial: the drawing is finished.",
        (Parameter("label", Text(MAX_LABEL_CHARACTERS), "A short title for the drawing."),),
    ),
)

OPERATIONS = {tool.name: tool.parameters[0].name for tool in DRAWING_TOOLS}
"""Drawing tool -> the argument that lists its operations."""


@cache
def tool_table(interface: Interface = "tools", vocabulary: Vocabulary = "full") -> ToolTable:
    """The tools of a condition (PainterBench, section 4.4).

    Args:
        interface: ``"tools"``, or ``"svg"`` for ``draw_svg`` in place of the drawing tools.
        vocabulary: ``"full"``, or ``"dots"`` for ``draw_dots`` alone of the drawing tools (no meaning under ``"svg"``).
    """
    if interface == "svg":
        return ToolTable((_svg_tool(), *META_TOOLS))
    drawing = DRAWING_TOOLS if vocabulary == "full" else DRAWING_TOOLS[:1]
    return ToolTable((*drawing, *META_TOOLS))


def _svg_tool() -> Tool:
    from designgym.envs.canvas.svg.parameter import SvgText
    from designgym.envs.canvas.svg.read import SUPPORTED_COMMANDS, SUPPORTED_ELEMENTS

    doc = (
        f"Draw SVG markup: a whole document or elements alone. Drawn are {', '.join(SUPPORTED_ELEMENTS)}, nested in g "
        f"or not, with their transform attributes; paths have the commands {' '.join(SUPPORTED_COMMANDS)} and their "
        "lower-case forms. Other elements are skipped. All is outlined with a black stroke of 5 px: fill, stroke and "
        "stroke-width are ignored."
    )
    return Tool(SVG, doc, (Parameter("svg", SvgText(MAX_SVG_CHARACTERS), "The markup."), _ERASE))

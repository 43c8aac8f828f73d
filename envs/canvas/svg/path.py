"""SVG path data: its whole grammar (SVG 2, section 9.3) to flattened outlines on the canvas.

    read_path("M10 20L30 40")        # PathData((Subpath(((10.0, 20.0), (30.0, 40.0)), closed=False),), problem="")

Compact forms are read: signs, dots and arc flags need no separators before or after them (``a1 1 0 01.5-.5``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from designgym.envs.canvas.svg.numbers import NUMBER, SEPARATOR, SPACES, WHITE_SPACE
from designgym.envs.canvas.svg.pen import MAX_POINTS, Pen, Subpath, TooManyPoints
from designgym.envs.canvas.svg.transform import IDENTITY, Matrix

__all__ = ["COMMANDS", "MAX_POINTS", "PathData", "Subpath", "draw_path", "read_path"]

COMMANDS = ("M", "L", "H", "V", "C", "S", "Q", "T", "A", "Z")
"""The commands in their absolute forms; each has a relative one, in lower case."""


# Each argument is read with the separator after it; n is a number, f a flag.
_ARGUMENTS = {
    "M": "nn",
    "L": "nn",
    "H": "n",
    "V": "n",
    "C": "nnnnnn",
    "S": "nnnn",
    "Q": "nnnn",
    "T": "nn",
    "A": "nnnffnn",
}
_PATTERNS = {
    "n": re.compile(f"({NUMBER}){SEPARATOR}"),
    "f": re.compile(f"([01]){SEPARATOR}"),
}
_EXPECTED = {"n": "a number", "f": "a flag, 0 or 1,"}
_COMMAND = re.compile(f"([MLHVCSQTAZmlhvcsqtaz]){SPACES}")


@dataclass(frozen=True)
class PathData:
    """What a path draws.

    Attributes:
        subpaths: The outlines, canvas px; empty if it draws nothing.
        problem: Empty, or what is wrong with the data, such as ``"expected a number at character 9 ('ninety')"``.
            What came before is drawn.
    """

    subpaths: tuple[Subpath, ...]
    problem: str = ""


def read_path(data: str, matrix: Matrix = IDENTITY) -> PathData:
    """Read SVG path data and flatten it, to within 0.1 px of the true curves.

    As SVG asks, data with an error draws what comes before the command with the error. A move alone draws nothing;
    a line without length, and ``M x y Z``, are dots, as strokes with round ends make them. Lines are cut off 2,000 px
    beyond the page, and numbers beyond a million count as a million. Never raises.

    Args:
        data: Path data, such as ``"M 10 20 c 0 5 5 10 10 10 z"``.
        matrix: Transformation from the data's coordinates to canvas px.
    """
    pen = Pen(matrix)
    try:
        problem = draw_path(pen, data)
    except TooManyPoints as error:
        problem = str(error)
    return PathData(pen.subpaths(), problem)


def draw_path(pen: Pen, data: str) -> str:
    """Draw path data with a pen; returns what is wrong with the data, or an empty text.

    Raises:
        TooManyPoints: If the pen may not draw so many.
    """
    at = len(data) - len(data.lstrip(WHITE_SPACE))
    previous: str | None = None  # the segment before
    control: tuple[float, float] | None = None  # and its last control point
    while at < len(data):
        match = _COMMAND.match(data, at)
        if match is None:
            return _problem("a command", data, at)
        letter, at = match[1], match.end()
        command, relative = letter.upper(), letter.islower()
        if previous is None and command != "M":
            return f"path data begin with M, not {letter}"
        if command == "Z":
            pen.close()
            previous = "Z"
            continue
        while True:
            values: list[float] = []
            for kind in _ARGUMENTS[command]:
                match = _PATTERNS[kind].match(data, at)
                if match is None:
                    return _problem(_EXPECTED[kind], data, at)
                values.append(float(match[1]))
                at = match.end()
            control = _draw(pen, command, relative, values, control if _reflects(command, previous) else None)
            previous = command
            if command == "M":
                command = "L"  # further pairs are lines
            if at == len(data) or not _PATTERNS["n"].match(data, at):
                break
    return ""


def _draw(
    pen: Pen, command: str, relative: bool, values: list[float], control: tuple[float, float] | None
) -> tuple[float, float] | None:
    """Draw one segment; returns the control point that S or T after it reflects."""
    x0, y0 = pen.x, pen.y
    dx, dy = (x0, y0) if relative else (0.0, 0.0)
    if command == "A":
        rx, ry, rotation, large, clockwise, x, y = values
        pen.arc_to(rx, ry, rotation, large == 1, clockwise == 1, dx + x, dy + y)
        return None
    if command == "H":
        pen.line_to(dx + values[0], y0)
        return None
    if command == "V":
        pen.line_to(x0, dy + values[0])
        return None
    points = [(dx + x, dy + y) for x, y in zip(values[::2], values[1::2], strict=True)]
    if command in "ST":
        # A missing control point mirrors the one before in the current point, or is the current point.
        points.insert(0, (2 * x0 - control[0], 2 * y0 - control[1]) if control else (x0, y0))
    numbers = [number for point in points for number in point]
    if command == "M":
        pen.move_to(*numbers)
    elif command == "L":
        pen.line_to(*numbers)
    elif command in "CS":
        pen.cubic_to(*numbers)
    else:
        pen.quadratic_to(*numbers)
    return points[-2] if len(points) > 1 else None


def _reflects(command: str, previous: str | None) -> bool:
    return previous is not None and command + previous in ("SC", "SS", "TQ", "TT")


def _problem(expected: str, data: str, at: int) -> str:
    found = data[at : at + 20].split()
    word = found[0] if found else ""
    return f"expected {expected} at character {at + 1}" + (f" ({word!r})" if word else ", where the data end")

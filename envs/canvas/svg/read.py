"""SVG markup to outlines on the canvas: the ``draw_svg`` interface of PainterBench (Appendix E.1).

Drawn are the elements of :data:`SUPPORTED_ELEMENTS`, inside of g and svg or not, through their transformations. All is
outlined in the canvas's own stroke, whose width no transformation changes. Fill, stroke, style, class and every other
attribute of appearance is ignored, ``display`` too. Other elements are skipped with all that they hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

from designgym.envs.canvas.svg.markup import NotMarkup, OverLimit, walk
from designgym.envs.canvas.svg.path import COMMANDS
from designgym.envs.canvas.svg.pen import MAX_POINTS, Pen, Subpath, TooManyPoints
from designgym.envs.canvas.svg.shapes import SHAPES, Attributes, NoGeometry, Size
from designgym.envs.canvas.svg.transform import IDENTITY, Matrix, compose, is_flat, read_transform
from designgym.envs.canvas.svg.viewport import viewport
from designgym.envs.canvas.tools import SIDE_PX, STROKE_PX

SUPPORTED_ELEMENTS = tuple(SHAPES)
"""The elements that draw (PainterBench, Appendix E.1); g and svg may hold them."""
SUPPORTED_COMMANDS = COMMANDS
"""The commands of path data, in their absolute forms; each has a relative one, in lower case."""

MAX_ELEMENTS = 1000
"""Elements that draw or are skipped; and as many others (g, svg, title, desc, metadata)."""

_WORDS = ("title", "desc", "metadata")  # about the picture, not of it
_MAX_TAG = 40


@dataclass(frozen=True)
class SvgElement:
    """An element that is drawn: its outlines in canvas px. There may be none, if it lies far beyond the canvas."""

    tag: str
    subpaths: tuple[Subpath, ...]


@dataclass(frozen=True)
class Skipped:
    """An element that is not drawn, and why, such as ``Skipped("circle", "r is missing")``."""

    tag: str
    reason: str


@dataclass(frozen=True)
class Note:
    """An element that is drawn, but up to an error, untransformed or out of sight; and why."""

    tag: str
    reason: str


@dataclass(frozen=True)
class Svg:
    """What markup draws, in its order."""

    elements: tuple[SvgElement, ...]
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True)
class SvgError:
    """Markup that is refused as a whole: an error kind as in ``info["error"]``, and a sentence."""

    kind: Literal["invalid_parameters", "limit"]
    message: str


def read_svg(markup: str) -> Svg | SvgError:
    """Read SVG markup, a whole document or a bare list of elements, into outlines. Never raises.

    Coordinates are canvas px, through the ``transform`` attributes of elements and groups and the ``viewBox`` of svg
    elements. An attribute that cannot be read takes SVG's default, mostly 0. An element without usable geometry or
    outside of the subset is skipped. Path data and points with an error are drawn up to it. A ``transform`` that is
    invalid anywhere is ignored as a whole. Absolute units are converted at 96 px an inch; percentages are of the
    canvas, or of the ``viewBox``. Loose text, title, desc and metadata draw nothing and are passed over without a word.

    Args:
        markup: At most 1,000,000 characters.

    Returns:
        What is drawn, what is skipped and what is not quite as it was written; or why all of it is refused: it is not
        well-formed, declares a document type or holds nothing to draw (``invalid_parameters``), or is past a limit of
        size, depth, elements or points (``limit``).
    """
    drawing = _Drawing()
    try:
        walk(markup, drawing.enter, drawing.leave)
    except NotMarkup as error:
        return SvgError("invalid_parameters", str(error))
    except OverLimit as error:
        return SvgError("limit", str(error))
    except TooManyPoints:
        message = f"The markup draws more than {MAX_POINTS:,} points, those that curves are made of included."
        return SvgError("limit", message)
    if not drawing.elements and not drawing.skipped:
        return SvgError(
            "invalid_parameters", f"The markup holds no element that draws: {', '.join(SUPPORTED_ELEMENTS)}."
        )
    return Svg(tuple(drawing.elements), tuple(drawing.skipped), tuple(drawing.notes))


class _Place(NamedTuple):
    """What an element inherits from those around it."""

    matrix: Matrix
    size: Size
    in_svg: bool = False
    in_shape: str = ""


class _Drawing:
    def __init__(self) -> None:
        self.elements: list[SvgElement] = []
        self.skipped: list[Skipped] = []
        self.notes: list[Note] = []
        self.others = 0
        self._points_left = MAX_POINTS
        self._places = [_Place(IDENTITY, Size(SIDE_PX, SIDE_PX))]

    def enter(self, tag: str, attributes: Attributes) -> bool:
        """Draw, open or skip an element; False if nothing in it is looked at."""
        place = self._places[-1]
        if tag in ("g", "svg", *_WORDS):
            self.others += 1
        elif len(self.elements) + len(self.skipped) == MAX_ELEMENTS:
            raise OverLimit(f"The markup has more than {MAX_ELEMENTS:,} elements that draw.")
        if self.others > MAX_ELEMENTS:
            raise OverLimit(f"The markup has more than {MAX_ELEMENTS:,} elements such as g.")
        if tag in _WORDS:
            return False
        try:
            self._places.append(self._inside(tag, attributes, place))
        except NoGeometry as reason:
            self.skipped.append(Skipped(tag[:_MAX_TAG], str(reason)))
            return False
        return True

    def leave(self) -> None:
        """Close what was entered last."""
        self._places.pop()

    def _inside(self, tag: str, attributes: Attributes, place: _Place) -> _Place:
        if place.in_shape:
            raise NoGeometry(f"inside of a {place.in_shape}")
        if tag not in ("g", "svg", *SHAPES):
            raise NoGeometry("not supported")
        matrix = self._transformed(tag, attributes, place.matrix)
        if tag == "g":
            return place._replace(matrix=matrix)
        if tag == "svg":
            own, size, problem = viewport(attributes, place.size, outermost=not place.in_svg)
            if problem:
                self.notes.append(Note(tag, problem))
            return _Place(compose(matrix, own), size, in_svg=True)
        self._draw(tag, attributes, place._replace(matrix=matrix))
        return place._replace(in_shape=tag)

    def _transformed(self, tag: str, attributes: Attributes, matrix: Matrix) -> Matrix:
        text = attributes.get("transform")
        if text is None:
            return matrix
        own = read_transform(text)
        if own is None:
            self.notes.append(Note(tag, f"transform {text[:40]!r} is invalid and left out"))
            return matrix
        return compose(matrix, own)

    def _draw(self, tag: str, attributes: Attributes, place: _Place) -> None:
        if is_flat(place.matrix):
            raise NoGeometry("its transform leaves nothing of it")
        pen = Pen(place.matrix, self._points_left)
        try:
            problem = SHAPES[tag](pen, attributes, place.size)
        finally:
            self._points_left = pen.points_left
        element = SvgElement(tag, pen.subpaths())
        self.elements.append(element)
        if problem:
            self.notes.append(Note(tag, f"drawn in part: {problem}"))
        elif not _may_be_seen(element):
            self.notes.append(Note(tag, "outside of the canvas"))


def _may_be_seen(element: SvgElement) -> bool:
    """Whether the box around the strokes of any of its outlines meets the canvas."""
    for subpath in element.subpaths:
        if all(
            min(side) <= SIDE_PX - 1 + STROKE_PX / 2 and max(side) >= -STROKE_PX / 2
            for side in zip(*subpath.points, strict=True)
        ):
            return True
    return False

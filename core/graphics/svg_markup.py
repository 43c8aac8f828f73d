"""SVG files to a small, safe subset of SVG: everything that could fetch, run or explode is refused before drawing.

The subset is written anew from the parsed elements, so that the renderer never sees the file's own bytes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any
from xml.parsers import expat

from designgym.graphics.svg_styles import apply_styles
from designgym.graphics.svg_tree import FILTERS, MAX_DEPTH, URL, Node, SvgError, check_copies

MAX_BYTES = 1_000_000
MAX_PATH = 100_000
"""Characters of one path's data: outlines of more corners that cross each other take minutes to fill."""

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_SHAPES = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"})
_GROUPS = frozenset({"svg", "g", "a", "switch", "defs", "symbol", "use", "clipPath", "mask"})
_PAINTS = frozenset({"linearGradient", "radialGradient", "stop", "pattern"})
_KEPT = _SHAPES | _GROUPS | _PAINTS | FILTERS | {"filter", "feMergeNode"}
_SILENT = frozenset(["metadata", "title", "desc", "namedview", "style"])  # they have no ink
_RENAMED = {"a": "g", "switch": "g"}
_LENGTH = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(px|pt|pc|mm|cm|in|em|ex)?\s*")
_UNITS_PX = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}

Frame = tuple[float, float, float, float]
"""x, y, width, height in the picture's own units."""


def read_markup(data: bytes, doctype: bool = False) -> tuple[Node, Frame | None, tuple[str, ...]]:
    """Parse an SVG file.

    Args:
        data: The file, at most :data:`MAX_BYTES`.
        doctype: Let a document type pass that declares nothing itself; it is never fetched.

    Returns:
        The root element, the frame that the picture is drawn for (None if the file names none) and sentences on what
        is left out.

    Raises:
        SvgError: If it is refused or is not SVG.
    """
    if len(data) > MAX_BYTES:
        raise SvgError(f"The SVG file has {len(data):,} bytes; at most {MAX_BYTES:,} are allowed.")
    reader = _Reader(doctype)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.StartDoctypeDeclHandler, parser.EntityDeclHandler = reader.document_type, reader.entity
    parser.ProcessingInstructionHandler, parser.CharacterDataHandler = reader.instruction, reader.text
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        raise SvgError(f"The file is not well-formed SVG: {error}.") from None
    except (LookupError, ValueError) as error:
        if isinstance(error, SvgError):
            raise
        raise SvgError(f"The SVG file's encoding cannot be read: {error}.") from None
    root = reader.root
    if root is None or root.tag != "svg":
        raise SvgError("The file is XML but not SVG: its outermost element is not <svg>.")
    frame = _frame(root.attributes)
    sheet = "".join(reader.sheet)
    _check("style", {"style": sheet})
    ignored = apply_styles(root, sheet)
    check_copies(root)
    left_out = [f"<{tag}> is not drawn ({count} left out)." for tag, count in sorted(reader.left_out.items())]
    if ignored:
        left_out.append(f"The style sheet has {ignored} rules of a kind that is not applied.")
    return root, frame, tuple(left_out)


class _Reader:
    """Builds the tree of kept elements and refuses what must not be there."""

    def __init__(self, doctype: bool) -> None:
        self.doctype = doctype
        self.root: Node | None = None
        self.left_out: Counter[str] = Counter()
        self.sheet: list[str] = []
        self._open: list[Node] = []
        self._skipping = 0
        self._in_style = False

    def document_type(self, name: str, system: str | None, public: str | None, internal: int) -> None:
        if internal or not self.doctype:
            raise SvgError("The SVG file has a document type (<!DOCTYPE>), which could define entities; remove it.")

    def entity(self, *declaration: Any) -> None:
        raise SvgError(
            "The SVG file defines entities (<!ENTITY>), which are not allowed; write out what they stand for."
        )

    def instruction(self, target: str, data: str) -> None:
        if target == "xml-stylesheet":
            raise SvgError("The SVG file asks for a style sheet outside of it; write the styles into it.")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, tag = name.rpartition(" ")
        if tag.lower() == "script":
            raise SvgError("The SVG file holds a script, which is not allowed; remove it.")
        if self._skipping or (space not in ("", _SVG)) or tag not in _KEPT:
            self._in_style = not self._skipping and tag == "style" and space in ("", _SVG)
            if not self._skipping and space in ("", _SVG) and tag not in _SILENT:
                self.left_out[tag] += 1
                _check(tag, attributes)
            self._skipping += 1
            return
        if len(self._open) >= MAX_DEPTH:
            raise SvgError(f"The SVG file nests elements deeper than {MAX_DEPTH}.")
        node = Node(_RENAMED.get(tag, tag), _check(tag, attributes))
        if tag == "symbol":
            if "viewBox" in node.attributes:
                self.left_out["symbol viewBox"] += 1
            hidden = Node("defs", {}, [node])
            node.tag = "g"
            self._append(hidden)
        else:
            self._append(node)
        self._open.append(node)

    def text(self, characters: str) -> None:
        if self._in_style:
            self.sheet.append(characters)

    def end(self, name: str) -> None:
        self._in_style = False
        if self._skipping:
            self._skipping -= 1
        else:
            self._open.pop()

    def _append(self, node: Node) -> None:
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.root = node


def _check(tag: str, attributes: dict[str, str]) -> dict[str, str]:
    """The attributes of the subset; those that run or fetch something are refused."""
    kept = {}
    for name, value in attributes.items():
        space, _, key = name.rpartition(" ")
        if space == _XLINK and key == "href":
            key, space = "href", ""
        if space:
            continue
        if key.lower().startswith("on"):
            raise SvgError(f"The SVG file's <{tag}> has the event handler {key!r}, which is not allowed; remove it.")
        if key == "href" and not value.startswith("#") and not value.startswith("data:"):
            raise SvgError(
                f"The SVG file's <{tag}> refers to {value[:60]!r}, outside of the file; embed it or remove it."
            )
        for target in URL.findall(value):
            if not target.startswith("#"):
                raise SvgError(f"The SVG file's <{tag}> refers to {target[:60]!r}, outside of the file; remove it.")
        if len(value) > MAX_PATH and tag != "style":
            raise SvgError(
                f"The SVG file's <{tag}> has {len(value):,} characters of {key!r}; at most {MAX_PATH:,} fit."
            )
        kept["xlink:href" if key == "href" else key] = value
    return kept


def _frame(attributes: dict[str, str]) -> Frame | None:
    """The root's view box, or its width and height; None if the file names neither in a usable way."""
    numbers = re.split(r"[\s,]+", attributes.get("viewBox", "").strip())
    if len(numbers) == 4:
        try:
            x, y, width, height = (float(number) for number in numbers)
        except ValueError:
            pass
        else:
            if all(map(_usable, (x, y, width, height))) and min(width, height) > 1e-6:
                return x, y, width, height
    width, height = (_length_px(attributes.get(side, "")) for side in ("width", "height"))
    return (0.0, 0.0, width, height) if width > 1e-6 and height > 1e-6 else None


def _usable(number: float) -> bool:
    return math.isfinite(number) and abs(number) <= 1e6


def _length_px(text: str) -> float:
    """A length in px; 0 for percentages and what is no length."""
    found = _LENGTH.fullmatch(text)
    value = float(found[1]) * _UNITS_PX.get(found[2] or "", 0.0) if found else 0.0
    return value if _usable(value) else 0.0

"""SVG files to a small, safe subset of SVG: everything that could fetch, run or explode is refused before drawing.

The subset is written anew from the parsed elements, so that the renderer never sees the file's own bytes.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from designgym.graphics.decode import DecodeError

MAX_BYTES = 1_000_000
MAX_ELEMENTS = 20_000
"""Drawn elements, copies made by ``<use>`` counted."""
MAX_DEPTH = 64
MAX_COSTLY = 500
"""Filters, masks and patterns in use, copies counted: each costs as much as drawing the whole picture."""

_SVG = "http://www.w3.org/2000/svg"
_XLINK = "http://www.w3.org/1999/xlink"
_SHAPES = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"})
_GROUPS = frozenset({"svg", "g", "a", "switch", "defs", "symbol", "use", "clipPath", "mask"})
_PAINTS = frozenset({"linearGradient", "radialGradient", "stop", "pattern"})
_FILTERS = frozenset({"feBlend", "feColorMatrix", "feComposite", "feFlood", "feGaussianBlur", "feMerge", "feOffset"})
_KEPT = _SHAPES | _GROUPS | _PAINTS | _FILTERS | {"filter", "feMergeNode"}
_SILENT = frozenset(["metadata", "title", "desc", "namedview"])  # they have no ink
_RENAMED = {"a": "g", "switch": "g"}
_COSTLY = ("filter", "mask", "pattern")
_URL = re.compile(r"url\(\s*['\"]?\s*([^)'\"]*)", re.IGNORECASE)
_LENGTH = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(px|pt|pc|mm|cm|in|em|ex)?\s*")
_UNITS_PX = {"": 1.0, "px": 1.0, "pt": 4 / 3, "pc": 16.0, "mm": 96 / 25.4, "cm": 96 / 2.54, "in": 96.0}

Frame = tuple[float, float, float, float]
"""x, y, width, height in the picture's own units."""


class SvgError(DecodeError):
    """An SVG file that is refused or cannot be read; the message says why."""


@dataclass(eq=False)
class Node:
    """An element of the subset."""

    tag: str
    attributes: dict[str, str]
    children: list[Node] = field(default_factory=list)

    def walk(self) -> Iterator[Node]:
        """This element and all below it."""
        yield self
        for child in self.children:
            yield from child.walk()

    def markup(self) -> str:
        """The element as XML."""
        attributes = "".join(f" {name}={quoteattr(value)}" for name, value in self.attributes.items())
        return f"<{self.tag}{attributes}>{''.join(child.markup() for child in self.children)}</{self.tag}>"


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
    parser.ProcessingInstructionHandler = reader.instruction
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
    _check_copies(root)
    left_out = [f"<{tag}> is not drawn ({count} left out)." for tag, count in sorted(reader.left_out.items())]
    return root, frame, tuple(left_out)


class _Reader:
    """Builds the tree of kept elements and refuses what must not be there."""

    def __init__(self, doctype: bool) -> None:
        self.doctype = doctype
        self.root: Node | None = None
        self.left_out: Counter[str] = Counter()
        self._open: list[Node] = []
        self._skipping = 0

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

    def end(self, name: str) -> None:
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
        for target in _URL.findall(value):
            if not target.startswith("#"):
                raise SvgError(f"The SVG file's <{tag}> refers to {target[:60]!r}, outside of the file; remove it.")
        kept["xlink:href" if key == "href" else key] = value
    return kept


def _check_copies(root: Node) -> None:
    """Refuse references in a circle and pictures that grow too large when their copies are drawn."""
    by_id = {node.attributes["id"]: node for node in root.walk() if "id" in node.attributes}
    sizes: dict[int, tuple[int, int]] = {}
    within: set[int] = set()

    def size(node: Node) -> tuple[int, int]:
        key = id(node)
        if key in sizes:
            return sizes[key]
        if key in within:
            raise SvgError(f"The SVG file's <{node.tag}> refers to itself in a circle.")
        if len(within) > 4 * MAX_DEPTH:
            raise SvgError(f"The SVG file's references nest deeper than {4 * MAX_DEPTH}.")
        within.add(key)
        parts = [size(part) for part in (*node.children, *_targets(node, by_id))]
        within.discard(key)
        costly = sum(name in node.attributes or f"{name}:" in node.attributes.get("style", "") for name in _COSTLY[:2])
        total = (
            min(1 + sum(part[0] for part in parts), MAX_ELEMENTS + 1),
            min(costly + (node.tag == "pattern") + sum(part[1] for part in parts), MAX_COSTLY + 1),
        )
        sizes[key] = total
        return total

    elements, costly = size(root)
    if elements > MAX_ELEMENTS:
        raise SvgError(f"The SVG file draws more than {MAX_ELEMENTS:,} elements, copies by <use> counted.")
    if costly > MAX_COSTLY:
        raise SvgError(f"The SVG file draws more than {MAX_COSTLY:,} filters, masks and patterns.")


def _targets(node: Node, by_id: dict[str, Node]) -> Iterator[Node]:
    names = [node.attributes["xlink:href"][1:]] if "xlink:href" in node.attributes else []
    names += [target[1:].strip() for value in node.attributes.values() for target in _URL.findall(value)]
    return (by_id[name] for name in names if name in by_id)


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

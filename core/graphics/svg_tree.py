"""SVG elements as a tree, and how much drawing them takes once copies by reference are made."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.sax.saxutils import quoteattr

from designgym.graphics.decode import DecodeError

MAX_ELEMENTS = 20_000
"""Drawn elements, copies made by ``<use>`` counted."""
MAX_DEPTH = 64
MAX_COSTLY = 100
"""Steps of filters, masks and patterns in use, copies counted: each costs as much as drawing the whole picture."""

FILTERS = frozenset({"feBlend", "feColorMatrix", "feComposite", "feFlood", "feGaussianBlur", "feMerge", "feOffset"})
URL = re.compile(r"url\(\s*['\"]?\s*([^)'\"]*)", re.IGNORECASE)
"""Finds what ``url(...)`` names."""
_COSTLY = FILTERS | {"mask", "pattern"}


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


def check_copies(root: Node) -> None:
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
        total = (
            min(1 + sum(part[0] for part in parts), MAX_ELEMENTS + 1),
            min((node.tag in _COSTLY) + sum(part[1] for part in parts), MAX_COSTLY + 1),
        )
        sizes[key] = total
        return total

    elements, costly = size(root)
    if elements > MAX_ELEMENTS:
        raise SvgError(f"The SVG file draws more than {MAX_ELEMENTS:,} elements, copies by <use> counted.")
    if costly > MAX_COSTLY:
        raise SvgError(f"The SVG file draws more than {MAX_COSTLY:,} steps of filters, masks and patterns.")


def _targets(node: Node, by_id: dict[str, Node]) -> Iterator[Node]:
    names = [node.attributes["xlink:href"][1:]] if "xlink:href" in node.attributes else []
    names += [target[1:].strip() for value in node.attributes.values() for target in URL.findall(value)]
    return (by_id[name] for name in names if name in by_id)

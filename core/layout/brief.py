"""Briefs: the texts and pictures that a page is to hold, with their roles; and what the engine makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from designgym.graphics.document import Document
from designgym.layout.formats import Format
from designgym.layout.palettes import Palette

ROLES = ("background", "picture", "title", "subtitle", "body", "detail", "shape", "badge", "panel")
"""What the layers of a design are for: large grounds, pictures, texts in their order of weight, lines and ornaments,
small grounds that call for attention, and grounds of texts and pictures."""


class LayoutError(ValueError):
    """A brief that cannot be laid out; the message says why and what would help."""


@dataclass(frozen=True)
class Brief:
    """What a page is to hold.

    Attributes:
        format: The page.
        title: The text that is read first.
        subtitle: The text that is read next; may be empty.
        body: A sentence or a few; may be empty.
        details: Short texts such as dates, places, prices and addresses; at most 4.
        pictures: Ids of pictures of the pool; at most 6.
        call: What a badge or button says; may be empty.
        theme: Names the subject.
        mood: A name of ``moods.MOODS``.
        fitting: Keywords of pictures that fit the subject.
    """

    format: Format
    title: str
    subtitle: str = ""
    body: str = ""
    details: tuple[str, ...] = ()
    pictures: tuple[str, ...] = ()
    call: str = ""
    theme: str = ""
    mood: str = "fresh"
    fitting: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class GeneratedDesign:
    """A design with all that is known of it.

    Attributes:
        document: The page.
        roles: Layer id -> one of :data:`ROLES`.
        palette: Its colours.
        theme: Names the subject.
        format: The page's format.
        skeleton: Names the layout: format, arrangement and parameters.
        pictures: Layer id -> id of the pool's picture.
        fitting: Keywords of pictures that fit the subject.
        grounds: Layer id -> id of the layer that it is meant to lie on; those that lie on the page are left out.
    """

    document: Document
    roles: Mapping[str, str]
    palette: Palette
    theme: str
    format: Format
    skeleton: str
    pictures: Mapping[str, str]
    fitting: tuple[str, ...]
    grounds: Mapping[str, str] = field(default_factory=dict)

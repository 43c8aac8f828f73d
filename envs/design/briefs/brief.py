"""Briefs: what a client asks for, in words and as data (GraphicBench, section 2)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from designgym.rewards.judges.meanings import ImageSize, Position

DesignType = Literal["book cover", "business card", "postcard", "poster"]

TYPES: tuple[DesignType, ...] = get_args(DesignType)

PAGE_PX: dict[DesignType, tuple[int, int]] = {
    "book cover": (1296, 1728),
    "business card": (1000, 640),
    "postcard": (1000, 640),
    "poster": (1296, 1728),
}
"""Type -> width and height that its documents usually have, px (those of the released scripts of GraphicTown)."""

TextSize = Literal["small", "medium", "large", "huge"]


@dataclass(frozen=True)
class NamedColor:
    """A colour and what it is called.

    Attributes:
        name: Lower case, such as ``"navy blue"``.
        rgb: Red, green and blue, 0 to 255.
    """

    name: str
    rgb: tuple[int, int, int]

    def __str__(self) -> str:
        return f"{self.name} (RGB {', '.join(map(str, self.rgb))})"


@dataclass(frozen=True)
class TextPart:
    """A text that the design is to show; what the brief leaves open is None.

    Attributes:
        role: What it is, such as ``"title"`` or ``"contact_details"``.
        content: Its words.
        size: How large, in the order of ``meanings.TEXT_SIZES``.
        color: Its colour.
        position: Where its centre is to lie.
    """

    role: str
    content: str
    size: TextSize | None = None
    color: NamedColor | None = None
    position: Position | None = None


@dataclass(frozen=True)
class VisualPart:
    """A picture that the design is to show; what the brief leaves open is None.

    Attributes:
        name: What it shows, in a few words.
        size: How large, see ``meanings.EXTENTS``.
        position: Where its centre is to lie.
    """

    name: str
    size: ImageSize | None = None
    position: Position | None = None


@dataclass(frozen=True)
class BriefImage:
    """An image file that is handed out with the brief.

    Attributes:
        file: Its plain name in the sandbox, such as ``"red-fox.png"``.
        caption: What it shows.
        picture: Its id in the pool of pictures; empty for one from elsewhere.
        url: Where it is from, in released records; empty for one of the pool.
    """

    file: str
    caption: str
    picture: str = ""
    url: str = ""


@dataclass(frozen=True)
class Brief:
    """A brief: the query that an agent reads and the components that it was made of, which are the truth about it.

    Attributes:
        id: The task's id.
        type: What is to be designed.
        query: The client's words; they name every component.
        background: The page's colour.
        texts: At least one; roles differ.
        visuals: At least one.
        images: A file for each of ``visuals``, in their order.
    """

    id: str
    type: DesignType
    query: str
    background: NamedColor
    texts: tuple[TextPart, ...]
    visuals: tuple[VisualPart, ...]
    images: tuple[BriefImage, ...]

    @property
    def size_px(self) -> tuple[int, int]:
        """Width and height that the type's documents usually have."""
        return PAGE_PX[self.type]

    def components(self) -> dict[str, Any]:
        """The components in the shape of the released records: colours in words, what is open left out."""
        return {
            "background_color": str(self.background),
            "text": {
                text.role: _given(content=text.content, size=text.size, color=text.color, position=text.position)
                for text in self.texts
            },
            "visual": {visual.name: _given(size=visual.size, position=visual.position) for visual in self.visuals},
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values; :meth:`from_dict` reads them back."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Brief:
        """The brief of :meth:`to_dict`, also after a way through JSON."""
        return cls(
            **{
                **values,
                "background": _color(values["background"]),
                "texts": tuple(TextPart(**{**text, "color": _color(text["color"])}) for text in values["texts"]),
                "visuals": tuple(VisualPart(**visual) for visual in values["visuals"]),
                "images": tuple(BriefImage(**image) for image in values["images"]),
            }
        )


def _given(**values: Any) -> dict[str, str]:
    return {name: str(value) for name, value in values.items() if value is not None}


def _color(values: Mapping[str, Any] | None) -> NamedColor | None:
    return None if values is None else NamedColor(values["name"], tuple(values["rgb"]))

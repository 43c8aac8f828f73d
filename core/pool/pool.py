"""Pools of pictures: what a pool is, and the one that all sources of files share."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from designgym.errors import UserError
from designgym.graphics.svg_picture import MAX_SIDE_PX
from designgym.nearest import did_you_mean
from designgym.pool.cache import cached_png

MEMORY_BYTES = 64 * 2**20
"""The most that a pool keeps of its drawn pictures in memory, as PNG files."""


@dataclass(frozen=True)
class PoolPicture:
    """What is known of a picture without drawing it.

    Attributes:
        id: Names it in its pool.
        caption: What it shows, in a few words.
        keywords: Words to find it by, lower case, the most telling ones first.
        category: The kind of thing that it shows, such as ``"animals"``.
        aspect: Width over height of its ink.
        licence: SPDX name or a few words; empty where it is not known.
        source: Where it comes from.
    """

    id: str
    caption: str
    keywords: tuple[str, ...]
    category: str
    aspect: float
    licence: str = ""
    source: str = ""


@runtime_checkable
class ImagePool(Protocol):
    """Pictures with captions, drawn at any size."""

    @property
    def name(self) -> str:
        """Tells the pool from others, e.g. ``"embedded"``."""

    @property
    def pictures(self) -> Sequence[PoolPicture]:
        """All pictures, in the order of their ids."""

    def get(self, id: str) -> PoolPicture:
        """The picture of this id; ``UserError`` with the nearest known one if there is none."""

    def png(self, id: str, longest_px: int) -> bytes:
        """The picture as an RGBA PNG file on a transparent ground, cropped to its ink.

        The same picture and size give the same bytes in every process.

        Args:
            id: The picture.
            longest_px: Its longer side, 1 to 2048 px.
        """


class FilePool:
    """A pool of files: SVG, PNG, JPEG or WebP.

    Drawn pictures are kept in memory, up to :data:`MEMORY_BYTES`, and on disk (``designgym.pool.cache``). A pool can be
    pickled; what it has drawn stays behind.
    """

    def __init__(self, name: str, pictures: Sequence[PoolPicture], files: Mapping[str, Path]) -> None:
        """``files`` has the file of every picture, by id."""
        self.name = name
        self.pictures: tuple[PoolPicture, ...] = tuple(sorted(pictures, key=lambda picture: picture.id))
        self._by_id = {picture.id: picture for picture in self.pictures}
        self._files = dict(files)
        self._kept: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._kept_bytes = 0

    def get(self, id: str) -> PoolPicture:
        """See :meth:`ImagePool.get`."""
        picture = self._by_id.get(id)
        if picture is None:
            raise UserError(
                f"The pool {self.name!r} has no picture {id!r}.{did_you_mean(id, list(self._by_id)[:5000])}"
            )
        return picture

    def png(self, id: str, longest_px: int) -> bytes:
        """See :meth:`ImagePool.png`.

        Raises:
            UserError: For an unknown id, or a file that has become unreadable.
            ValueError: For a size out of range.
        """
        if isinstance(longest_px, bool) or not isinstance(longest_px, int) or not 1 <= longest_px <= MAX_SIDE_PX:
            raise ValueError(f"A picture's longer side is {longest_px!r} px; it must be from 1 to {MAX_SIDE_PX}.")
        key = self.get(id).id, longest_px
        png = self._kept.get(key)
        if png is not None:
            self._kept.move_to_end(key)
            return png
        png = cached_png(self._files[id], longest_px)
        self._kept[key] = png
        self._kept_bytes += len(png)
        while len(self._kept) > 1 and self._kept_bytes > MEMORY_BYTES:
            self._kept_bytes -= len(self._kept.popitem(last=False)[1])
        return png

    def __getstate__(self) -> dict[str, Any]:
        return {"name": self.name, "pictures": self.pictures, "files": self._files}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["name"], state["pictures"], state["files"])  # type: ignore[misc]

"""The pictures that were handed out with a brief, as rewards find them in an episode."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.graphics.decode import DecodeError, decode_image
from designgym.pool.resolve import resolve_pool
from designgym.rewards.base import UnsuitableReward

DRAWN_PX = 512
"""Longer side of pictures that are drawn anew from the pool, px."""


@dataclass(frozen=True, eq=False)
class GivenPicture:
    """One of them.

    Attributes:
        file: Its name.
        sha256: Of the image file that importing it lays on a page; empty if it was not kept.
        pixels: uint8 H x W x 4, not premultiplied; None if they are nowhere to be found.
    """

    file: str
    sha256: str
    pixels: NDArray[np.uint8] | None = field(repr=False)


def check_given(name: str, episode: Episode) -> None:
    """Refuse an environment without given pictures.

    Raises:
        UnsuitableReward: For one.
    """
    if "files" not in episode.truth:
        raise UnsuitableReward(
            f"The reward {name!r} looks for given pictures on the page, and {episode.env_id} hands out none."
        )


def given_pictures(episode: Episode, pool: str = "embedded") -> list[GivenPicture]:
    """The given pictures in the order of the brief's files.

    Their pixels are those of the document's own asset where it was imported, and else drawn from the pool.

    Args:
        episode: Of the workbench; ``truth["files"]`` has the files, ``truth["brief"]`` their ids in the pool.
        pool: A pool's name or folder.

    Raises:
        UnsuitableReward: If the environment hands out no pictures.
    """
    check_given("fidelity", episode)
    images = episode.truth.get("brief", {}).get("images", ())
    ids = {image["file"]: image.get("picture", "") for image in images}
    assets = episode.document.assets.values() if episode.document is not None else ()
    by_digest = {digest(data): data for data in assets}
    return [
        GivenPicture(file, known["sha256"], _pixels(by_digest.get(known["sha256"]), ids.get(file, ""), pool))
        for file, known in episode.truth["files"].items()
    ]


@lru_cache(maxsize=256)
def digest(data: bytes) -> str:
    """SHA-256 of an image file, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


@lru_cache(maxsize=64)
def pool_pixels(id: str, pool: str) -> NDArray[np.uint8] | None:
    """A picture of a pool, uint8 H x W x 4; None if it has no such picture. Not to be written to."""
    try:
        return decode_image(resolve_pool(pool).png(id, DRAWN_PX)).pixels
    except UserError:
        return None


def _pixels(data: bytes | None, id: str, pool: str) -> NDArray[np.uint8] | None:
    if data is not None:
        try:
            return decode_image(data).pixels
        except DecodeError:
            return None
    return pool_pixels(id, pool) if id else None

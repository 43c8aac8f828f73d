"""Features that are computed once for each image: kept in memory and, if asked for, in a folder."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.atomic import write_atomically
from designgym.errors import UserError
from designgym.rewards.features.base import Features
from designgym.rewards.features.images import Image8, check_image
from designgym.score import Backend

logger = logging.getLogger(__name__)

CAPACITY = 1024

_DIGEST = 32  # bytes of a SHA-256


def image_hash(image: Image8) -> bytes:
    """SHA-256 of an image's type, shape (without a third axis of one channel) and bytes.

    Raises:
        ImageError: If it is no image.
    """
    image = check_image(image)
    whole = hashlib.sha256(f"{image.dtype.str}{image.shape}".encode())
    whole.update(np.ascontiguousarray(image).data)
    return whole.digest()


class Cached:
    """Features with a memory: an image that was seen before costs only its hash.

    Args:
        features: What computes them.
        capacity: Vectors kept in memory; the one that was not asked for the longest goes first.
        folder: Where vectors are kept on disk, too, apart for each backend; None: nowhere. A file that is damaged is
            computed and written again. A folder that cannot be written costs a warning and nothing else.
    """

    def __init__(self, features: Features, capacity: int = CAPACITY, folder: str | Path | None = None) -> None:
        if capacity < 0:
            raise ValueError(f"A cache holds 0 vectors or more, not {capacity}.")
        self.features = features
        self.capacity = capacity
        self.folder = None if folder is None else Path(folder).expanduser()
        self.hits = self.misses = 0
        self._kept: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()
        self._warned = False
        self._lock = threading.Lock()  # of what is kept; two threads may compute the same image at the same time

    @property
    def name(self) -> str:
        """That of the features."""
        return self.features.name

    @property
    def backend(self) -> Backend:
        """That of the features."""
        return self.features.backend

    @property
    def size(self) -> int:
        """That of the features."""
        return self.features.size

    def extract(self, images: Sequence[Image8]) -> NDArray[np.float32]:
        """See :class:`designgym.rewards.features.base.Features`; each new image is computed once, in one batch."""
        keys = [image_hash(image) for image in images]
        rows: dict[bytes, NDArray[np.float32]] = {}
        new: dict[bytes, Image8] = {}
        for key, image in zip(keys, images, strict=True):
            if key in rows or key in new:
                continue
            row = self._find(key)
            if row is None:
                new[key] = image
            else:
                rows[key] = row
        with self._lock:
            self.hits += len(keys) - len(new)
            self.misses += len(new)
        if new:
            for key, row in zip(new, self.features.extract(list(new.values())), strict=True):
                rows[key] = row.copy()  # a view would keep the whole batch alive
                self._keep(key, rows[key])
                self._write(key, rows[key])
        return np.stack([rows[key] for key in keys]) if keys else np.zeros((0, self.size), np.float32)

    def _find(self, key: bytes) -> NDArray[np.float32] | None:
        with self._lock:
            row = self._kept.get(key)
            if row is not None:
                self._kept.move_to_end(key)
                return row
        if self.folder is None:
            return None
        try:
            content = self._path(key).read_bytes()
        except OSError:
            return None
        numbers = content[_DIGEST:]
        if len(numbers) != 4 * self.size or hashlib.sha256(key + numbers).digest() != content[:_DIGEST]:
            return None
        row = np.frombuffer(numbers, "<f4").astype(np.float32)
        self._keep(key, row)
        return row

    def _keep(self, key: bytes, row: NDArray[np.float32]) -> None:
        with self._lock:
            self._kept[key] = row
            while len(self._kept) > self.capacity:
                self._kept.popitem(last=False)

    def _write(self, key: bytes, row: NDArray[np.float32]) -> None:
        if self.folder is None:
            return
        numbers = row.astype("<f4").tobytes()
        try:
            write_atomically(self._path(key), hashlib.sha256(key + numbers).digest() + numbers)
        except UserError as error:
            if not self._warned:
                logger.warning("Features cannot be kept: %s", error)
            self._warned = True

    def _path(self, key: bytes) -> Path:
        assert self.folder is not None
        made_by = self.backend
        of = hashlib.sha256(f"{made_by.version}|{made_by.hash}|{self.size}".encode()).hexdigest()[:12]
        return self.folder / f"{made_by.name}-{of}" / key.hex()[:2] / f"{key.hex()}.f32"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Cached) and self.features == other.features

    def __hash__(self) -> int:
        return hash(self.features)

    def __getstate__(self) -> dict[str, Any]:
        # Another process starts with an empty memory: vectors are cheap to make again beside sending them.
        kept = {name: value for name, value in self.__dict__.items() if name != "_lock"}
        return {**kept, "hits": 0, "misses": 0, "_kept": OrderedDict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock())

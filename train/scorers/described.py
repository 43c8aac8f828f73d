"""Drawings as numbers: the features of a backbone and the share of ink, in batches so that no more are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from designgym.eval.ratings.drawings import UNREADABLE, read_picture
from designgym.eval.ratings.rating import Exclusion
from designgym.graphics.decode import DecodeError
from designgym.rewards.added_ink import ink
from designgym.rewards.features.base import Features

BATCH = 32


@dataclass(frozen=True, eq=False)
class Described:
    """Drawings that could be read.

    Attributes:
        names: In the order in which they were asked for.
        x: Their features, float32 [n, size].
        ink: Share of inked pixels, 0 to 1, float64 [n].
        excluded: Drawings that could not be read.
    """

    names: tuple[str, ...]
    x: NDArray[np.float32]
    ink: NDArray[np.float64]
    excluded: tuple[Exclusion, ...] = ()

    def chosen(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Indices of those of the named drawings that could be read, in the order of the names."""
        place = {name: i for i, name in enumerate(self.names)}
        return np.array([place[name] for name in names if name in place], dtype=np.int64)


def describe(
    paths: Mapping[str, Path], features: Features, done: Callable[[int], object] | None = None, *, batch: int = BATCH
) -> Described:
    """Read drawings and compute what heads are fitted on.

    Args:
        paths: Name of each drawing -> its file.
        features: The backbone; one that caches makes a second run fast.
        done: Is told how many drawings are done.
        batch: Drawings in memory at once.
    """
    names: list[str] = []
    rows, shares, excluded = [], [], []
    waiting = list(paths.items())
    for start in range(0, len(waiting), batch):
        images = []
        for name, path in waiting[start : start + batch]:
            try:
                images.append(read_picture(path))
            except DecodeError as error:
                excluded.append(Exclusion(UNREADABLE, f"{name}: {error}"))
                continue
            names.append(name)
            shares.append(float(ink(images[-1]).mean()))
        if images:
            rows.append(np.asarray(features.extract(images), dtype=np.float32))
        if done is not None:
            done(min(start + batch, len(waiting)))
    x = np.concatenate(rows) if rows else np.zeros((0, features.size), dtype=np.float32)
    return Described(tuple(names), x, np.array(shares), tuple(excluded))

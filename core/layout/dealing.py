"""How skeletons, hues, faces and themes are dealt to the splits, so that what is trained on never returns in a test."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from designgym.tasks import Split


def split_of(name: str) -> Split:
    """The one split of a name: by the first byte of its hash, 8 : 1 : 1."""
    bucket = _hash(name)[0] % 10
    return "train" if bucket < 8 else ("validation" if bucket == 8 else "test")


def deal(names: Sequence[str], each: int) -> dict[Split, tuple[str, ...]]:
    """Deal names to the splits in the order of their hashes.

    Args:
        names: Different names, at least ``2 * each + 1``.
        each: How many validation and test get; the rest is for training.

    Returns:
        The names of each split, in their given order.
    """
    ranked = sorted(names, key=_hash)
    held: dict[Split, set[str]] = {"validation": set(ranked[:each]), "test": set(ranked[each : 2 * each])}
    held["train"] = set(ranked[2 * each :])
    return {split: tuple(name for name in names if name in chosen) for split, chosen in held.items()}


def _hash(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()

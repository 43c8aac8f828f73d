"""The human reference: 300 drawings of a user's AuDrA corpus, and the rest of it to measure distance from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.eval.creativity.correlation import spearman
from designgym.eval.creativity.distance import in_sd, leave_one_out, nearest
from designgym.eval.ratings.corpus import FAR, PRIMARY, RatedDrawing, read_corpus
from designgym.eval.ratings.drawings import read_picture
from designgym.eval.ratings.rating import counted
from designgym.eval.ratings.splits import partition
from designgym.eval.statistics import Interval
from designgym.graphics.decode import DecodeError
from designgym.rewards.added_ink import ink
from designgym.rewards.features.base import Features
from designgym.score import Reward

HELD_OUT, FAR_OUT = 200, 100
"""Drawings of the primary set's held-out part and of the far generalisation (PainterBench, section 4)."""
NEED_THE_SHAPE = frozenset({"figural", "closure", "diversity"})
"""Scorers that look at the starting shape, which the corpus does not tell apart from the drawing."""
BATCH = 32


@dataclass(frozen=True, eq=False)
class People:
    """Drawings of people.

    Attributes:
        ink: Inked pixels of each reference drawing, scaled to a canvas of 400 x 400 px, the shape's included.
        scores: Scorer -> its scores of them; scorers that need the starting shape are not among them.
        corpus: Features of the primary set, m x d; None without features.
        own: Distances of these drawings from the others of the set; None without features.
        notes: What the reference is and what it lacks, as sentences.
    """

    ink: NDArray[np.float64]
    scores: dict[str, list[float | None]]
    corpus: NDArray[np.float32] | None = None
    own: NDArray[np.float64] | None = None
    notes: list[str] = field(default_factory=list)

    def distances(self, vectors: NDArray[np.float32]) -> NDArray[np.float64] | None:
        """How far drawings lie from the corpus, in standard deviations of its own distances (section 4.2)."""
        if self.corpus is None or self.own is None:
            return None
        return in_sd(nearest(vectors, self.corpus), self.own)

    def ink_correlation(self, scorer: str, seed: int = 0) -> Interval | None:
        """Spearman's rho of a scorer with ink over the reference; None for a scorer that has no scores of it."""
        return spearman(self.scores[scorer], self.ink, seed) if scorer in self.scores else None


def read_people(
    folder: Path,
    scorers: Sequence[Reward] = (),
    features: Features | None = None,
    seed: int = 0,
    progress: Callable[[int], object] | None = None,
    *,
    held_out: Collection[str] = (),
) -> People:
    """Read, score and describe the human drawings.

    Without ``held_out`` the held-out part is a fifth drawn by seed, as ``designgym fit vidra`` draws it where all files
    can be read. Drawings of a set that has fewer than are asked for are all taken, and a note says so.

    Args:
        folder: The AuDrA corpus as it is published.
        scorers: Those that need the starting shape are left out.
        features: What describes the primary set; without them there are no distances.
        seed: Of the partition and the sample.
        progress: Called with the number of drawings read.
        held_out: Names of the primary drawings that the reference may be of: those that a fitted head has not seen.

    Raises:
        UserError: As ``read_corpus``, if the corpus is too small for distances, or has none of the held-out drawings.
    """
    sets = read_corpus(folder)
    primary = sets[PRIMARY].drawings
    notes = [
        f"Corpus, {name}: {reason} ({number} left out)."
        for name, held in sets.items()
        for reason, number in counted(held.excluded).items()
    ]
    rng = np.random.default_rng((seed, 0x48554D))
    if held_out:
        unseen = [drawing for drawing in primary if drawing.name in held_out]
        whence = "those that the head was not fitted on"
        if not unseen:
            raise UserError(
                f"None of the drawings that the head has not seen is in the corpus '{folder}'; it was fitted on "
                "another."
            )
    else:
        unseen = [primary[i] for i in partition(len(primary), seed).test] if len(primary) >= 10 else list(primary)
        whence = f"a fifth drawn by seed {seed}"
    reference = _some(unseen, HELD_OUT, rng)
    far = _some(list(sets[FAR].drawings), FAR_OUT, rng) if FAR in sets else []
    able = [scorer for scorer in scorers if scorer.name not in NEED_THE_SHAPE]
    unread: set[str] = set()
    amounts: list[float] = []
    scores: dict[str, list[float | None]] = {scorer.name: [] for scorer in able}
    for images in _batches([*reference, *far], unread):
        amounts += [float(ink(image).mean()) * 400 * 400 for image in images]
        for scorer in able:
            raw = f"{scorer.name}/raw"
            found = scorer.score_batch([_episode(image) for image in images])
            scores[scorer.name] += [score.components.get(raw, score.value) for score in found]
    if not amounts:
        raise UserError(f"None of the {len(reference) + len(far)} reference drawings of '{folder}' can be read.")
    near, away = (sum(str(drawing.path) not in unread for drawing in part) for part in (reference, far))
    notes.insert(
        0,
        f"The human reference is {near} held-out primary drawings and {away} of the far generalisation "
        f"(the paper: {HELD_OUT} and {FAR_OUT}); held out are {whence}.",
    )
    corpus = own = None
    if features is not None:
        rows = [np.zeros((0, features.size), np.float32)]
        blank = 0
        for images in _batches(list(primary), unread):
            vectors = np.asarray(features.extract(images), np.float32)
            directed = np.linalg.norm(vectors, axis=1) > 0  # a blank page has no direction
            rows.append(vectors[directed])
            blank += int((~directed).sum())
            if progress is not None:
                progress(sum(map(len, rows)))
        corpus = np.concatenate(rows)
        own = leave_one_out(corpus)
        if blank:
            notes.append(f"{blank} primary drawings have no features, being blank; no distance is measured from them.")
    if unread:
        notes.append(f"{len(unread)} files of the corpus cannot be read and are left out, first: {min(unread)}.")
    return People(np.array(amounts), scores, corpus, own, notes)


def _some(drawings: list[RatedDrawing], count: int, rng: np.random.Generator) -> list[RatedDrawing]:
    if len(drawings) <= count:
        return drawings
    return [drawings[i] for i in sorted(rng.choice(len(drawings), count, replace=False).tolist())]


def _batches(drawings: Sequence[RatedDrawing], unread: set[str]) -> Iterator[list[NDArray[np.uint8]]]:
    """The pictures, so many at a time; files that cannot be read are noted by name and passed over."""
    for start in range(0, len(drawings), BATCH):
        images = []
        for drawing in drawings[start : start + BATCH]:
            try:
                images.append(read_picture(drawing.path))
            except DecodeError:
                unread.add(str(drawing.path))
        if images:
            yield images


def _episode(image: NDArray[np.uint8]) -> Episode:
    return Episode("designgym/CanvasDrawing-v0", "test", "human", image=image, truth={"open_ends": []})

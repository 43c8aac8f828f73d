"""Crello's designs as samples: perturbed on demand by the operations for generated designs, as the paper does."""

from __future__ import annotations

import functools
import hashlib
from bisect import bisect_right
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from designgym.broken import Skipped
from designgym.envs.aesthetics.generated import (
    CLEAN_SHARE,
    DESIGN_TRIES,
    HARMLESS_SHARE,
    UNTOUCHED_SHARE,
    scene_sample,
)
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.operations.table import OPERATIONS
from designgym.envs.aesthetics.perturb import Perturbation, perturb
from designgym.envs.aesthetics.sample import Sample
from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.sources.crello import CrelloDesign, read_row
from designgym.envs.aesthetics.sources.crello_files import RowFile, data_files
from designgym.envs.aesthetics.sources.crello_scene import DesignPictures, crello_scene
from designgym.errors import UserError
from designgym.tasks import SPLITS, Split

MOST_TASKS = 1_000_000
OTHERS = 6
"""Designs, those that follow in the file, whose pictures may take the place of a design's own."""
DESIGNS_TRIED = 60
"""Designs that are looked through, from a task's own on, for one that can be perturbed as the task wants."""
KEPT = 16
"""Designs, and scenes, that stay in memory; those of tasks that follow one another are the same."""


class CrelloSource:
    """Designs of Crello, perturbed; implements :class:`designgym.envs.aesthetics.sample.Source`.

    A task has a design of its own, by its number. If that is broken, or fails the label rule as it is, or cannot carry
    a flaw of the indicator asked about, the next design takes its place. There are as many tasks as designs times
    indicators; designs are read when a task asks for them.

    Args:
        path: See :mod:`designgym.envs.aesthetics.sources.crello`.
        indicators: Which to ask about.
        clean_share: Share of tasks whose indicator is not harmed, 0 to 1; that of generated designs if None.
        strict: Raise at the first broken design that a task meets.

    Attributes:
        skipped: The designs that were left out so far, with reasons.

    Raises:
        UserError: If there are no Crello files, a package is missing, or an argument makes no sense.
    """

    def __init__(
        self,
        path: str | Path,
        indicators: Sequence[str] = tuple(INDICATORS),
        clean_share: float | None = None,
        *,
        strict: bool = False,
    ) -> None:
        unknown = [name for name in indicators if name not in INDICATORS]
        if unknown or not indicators:
            raise UserError(f"indicators is {list(indicators)}; give one or more of {', '.join(INDICATORS)}.")
        share = CLEAN_SHARE if clean_share is None else clean_share
        if isinstance(share, bool) or not 0 <= share <= 1:
            raise UserError(f"clean_share is {share!r}; it must be a number from 0 to 1.")
        self.indicators, self.clean_share = tuple(indicators), float(share)
        self.skipped = Skipped(strict)
        self._files: dict[Split, list[RowFile]] = {split: [] for split in SPLITS}
        self._starts: dict[Split, list[int]] = {split: [0] for split in SPLITS}
        digest = hashlib.sha256()
        for split, file in data_files(path):
            rows = RowFile(file)
            self._files[split].append(rows)
            self._starts[split].append(self._starts[split][-1] + len(rows))
            digest.update(f"{split} {file.name} {file.stat().st_size} {len(rows)}\n".encode())
        self.name = f"crello:{digest.hexdigest()[:12]}"
        self._design = functools.lru_cache(maxsize=KEPT)(self._read)
        self._scene = functools.lru_cache(maxsize=KEPT)(self._make_scene)

    def designs(self, split: Split) -> int:
        """Number of designs in a split, broken ones included."""
        return self._starts[split][-1]

    def size(self, split: Split) -> int:
        """Number of tasks in a split."""
        return min(MOST_TASKS, self.designs(split) * len(self.indicators))

    def ask(self, split: Split, number: int) -> tuple[Sample, str]:
        """The sample and the indicator of a task: a pure function of the arguments, the files and the source's own.

        Raises:
            UserError: For a number that the split does not have, or if no design near it can be used.
            BrokenRecord: At a broken design, if the source is strict.
        """
        if not 0 <= number < self.size(split):
            raise UserError(f"{self.name} has {self.size(split)} tasks in the split {split!r}, and no {number}.")
        indicator = self.indicators[number % len(self.indicators)]
        seed = hashlib.sha256(f"crello/{split}/{number}".encode()).digest()[:16]
        rng = np.random.default_rng(int.from_bytes(seed))
        harmed = bool(rng.random() >= self.clean_share)
        draw = float(rng.random())
        untouched = not harmed and draw < UNTOUCHED_SHARE
        harmless = not harmed and not untouched and draw < UNTOUCHED_SHARE + HARMLESS_SHARE
        first, count = number // len(self.indicators), self.designs(split)
        for step in range(min(count, DESIGNS_TRIED)):
            index = (first + step) % count
            scene = self._scene(split, index)
            if scene is None:
                continue
            design = self._design(split, index)
            assert design is not None
            name = f"{self.name}/{split}-{number:06d}/{design.id}"
            if untouched:
                return scene_sample(scene, Perturbation(scene.document), name), indicator
            for _ in range(DESIGN_TRIES):
                done = perturb(rng, scene, indicator, harmed, OPERATIONS, harmless=harmless)
                if done is not None:
                    return scene_sample(scene, done, name), indicator
        raise UserError(
            f"No design near {split} {first} of {self.name} can be {'harmed' if harmed else 'shown'} for {indicator}; "
            f"use more designs, or leave the indicator out. {self.skipped.summary}".rstrip()
        )

    def _read(self, split: Split, index: int) -> CrelloDesign | None:
        starts = self._starts[split]
        place = bisect_right(starts, index) - 1
        return read_row(self._files[split][place], index - starts[place], self.skipped)

    def _make_scene(self, split: Split, index: int) -> Scene | None:
        design = self._design(split, index)
        if design is None or not design.document.layers:
            return None
        count = self.designs(split)
        near = [(index + step) % count for step in range(min(OTHERS, count - 1) + 1)]
        known = {key: found for key in near if (found := self._design(split, key)) is not None}
        return crello_scene(design, index, DesignPictures(known, functools.partial(self._known, split)))

    def _known(self, split: Split, index: int) -> CrelloDesign:
        """A design that was read before."""
        design = self._design(split, index)
        assert design is not None, "the files of Crello changed while they were read"
        return design

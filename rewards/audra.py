"""AuDrA: a network's guess at how creative people would find a drawing (Patterson et al., 2024)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from designgym.episode import Episode
from designgym.errors import UserError
from designgym.folders import cache_folder
from designgym.rewards.added_ink import NULL_PX, added_ink, require_drawing
from designgym.rewards.audra_checkpoint import read_checkpoint
from designgym.rewards.audra_network import Weights, forward, pixels
from designgym.rewards.base import EpisodeReward
from designgym.score import Backend, Score

BATCH = 32
PROJECT = "https://osf.io/kqn9v"
"""Where its authors publish code and weights, under CC BY-NC-SA."""


def default_checkpoint() -> Path:
    """``audra/audra.ckpt`` in the user's cache folder (``$DESIGNGYM_CACHE``)."""
    return cache_folder() / "audra" / "audra.ckpt"


class Audra(EpisodeReward):
    """The score of AuDrA's network for the finished drawing, stimulus included; 0 to 1 by its training.

    Fitted to ratings of human drawings. On drawings of agents it follows the amount of ink: rho = .86 with inked
    pixels, r = .63 with ratings (PainterBench, section 4.1 and Table 6), so it is a scorer to compare with and a poor
    one to train towards. A null drawing (fewer than 300 px of new ink) has 0. Part: ``audra/raw``, the network's number
    for whatever is there, not clipped to [0, 1].

    The weights belong to their authors (CC BY-NC-SA) and do not ship with this package; architecture and preprocessing
    are written anew from the published description (``designgym.rewards.audra_network``). Needs torch.

    Args:
        checkpoint: The file, as Lightning or torch saves it or as safetensors; by default ``audra/audra.ckpt`` in the
            user's cache folder. It is never unpickled.

    Raises:
        UserError: If there is no such file.
    """

    name = "audra"

    def __init__(self, checkpoint: str | Path | None = None) -> None:
        if not isinstance(checkpoint, str | Path | None):
            raise UserError(f"A checkpoint of AuDrA is named by its file; got {checkpoint!r}.")
        self.path = default_checkpoint() if checkpoint is None else Path(checkpoint).expanduser()
        if not self.path.is_file():
            raise UserError(
                f"There is no checkpoint of AuDrA at '{self.path}': download it from {PROJECT} (CC BY-NC-SA) and put "
                "it there, or name its file: {'name': 'audra', 'checkpoint': 'FILE'}."
            )

    @cached_property
    def backend(self) -> Backend:  # type: ignore[override]
        """The network and the hash of the checkpoint's file."""
        return Backend("audra-resnet18", "1", hashlib.sha256(self.path.read_bytes()).hexdigest())

    def check(self, episode: Episode) -> None:
        """Refuse pages that are no drawings, and a checkpoint of another network."""
        require_drawing(episode, self.name)
        _ = self._weights

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def score(self, episode: Episode) -> Score:
        """See the class."""
        return self.score_batch([episode])[0]

    def score_batch(self, episodes: Sequence[Episode]) -> list[Score]:
        """The drawings in batches of 32.

        Raises:
            NoImage: If an episode's image was not kept.
            UserError: If the checkpoint is of another network or would need unpickling.
        """
        scores: list[Score] = []
        for start in range(0, len(episodes), BATCH):
            batch = episodes[start : start + BATCH]
            amounts = [int(np.count_nonzero(added_ink(episode)[0])) for episode in batch]
            images = [episode.image for episode in batch if episode.image is not None]  # all: amounts need them too
            for amount, raw in zip(amounts, forward(self._weights, pixels(images)).tolist(), strict=True):
                scores.append(self.scored(raw if amount >= NULL_PX else 0.0, {"raw": raw}))
        return scores

    @cached_property
    def _weights(self) -> Weights:
        return read_checkpoint(self.path)

    def __getstate__(self) -> dict[str, Any]:
        return {"path": self.path}

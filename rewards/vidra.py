"""ViDrA: how creative people would find a drawing, predicted from its picture (PainterBench, section 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from designgym.episode import Episode
from designgym.rewards.added_ink import NULL_PX, NoImage, added_ink, require_drawing
from designgym.rewards.base import EpisodeReward
from designgym.rewards.features.cached import Cached
from designgym.rewards.features.table import FEATURES, FeaturesSpec, resolve_features
from designgym.rewards.head_files import head_folder, load_head
from designgym.rewards.kernel_head import HeadError, KernelHead
from designgym.score import Backend, Score


class Vidra(EpisodeReward):
    """Creativity as a head predicts it that was fitted on ratings of human drawings, from frozen features.

    The finished canvas, stimulus included, goes through the features and the head. A null drawing (fewer than 300 px of
    new ink) has 0. Part: ``<name>/raw``, the prediction before it is clipped to [0, 1]; 0 for a null drawing.

    Numbers of different heads or features are not comparable: ``backend`` names the features and carries the hash of
    the head. In the paper such a head, on DINOv2, follows people on human drawings (r = .86) and much less so on
    drawings of agents (r = .75), where it follows the amount of ink (rho = .77).

    Args:
        head: Folder of a head, or a head; by default what ``designgym fit vidra`` leaves in the user's data folder.
        features: What the head reads; by default that which its name says, with the usual weights. ``{"name": "dinov2",
            "model": FOLDER, "device": "cuda"}`` says where DINOv2 lies and runs.

    Raises:
        HeadError: If there is no head, it is no safe one, or it was fitted on other features.
        FeaturesError: If the features' weights are not there.
    """

    name = "vidra"

    def __init__(self, head: str | Path | KernelHead | None = None, features: FeaturesSpec | None = None) -> None:
        self._given = (head, features)
        if not isinstance(head, str | Path | KernelHead | None):
            raise HeadError(f"A head is named by its folder; got {head!r}.")
        if isinstance(head, KernelHead):
            self.head = head
        else:
            self.head = load_head(head_folder(self.name) if head is None else head)
        made_by = self.head.features
        if features is None and made_by.name not in FEATURES:
            raise HeadError(f"The head was fitted on features of {made_by.id}; give those as the argument 'features'.")
        found = resolve_features(made_by.name if features is None else features)
        self.head.check_features(found.backend)
        # Drawings come back in dense mode, in groups and by undo.
        self.features = found if isinstance(found, Cached) else Cached(found)

    @property
    def backend(self) -> Backend:  # type: ignore[override]
        """The features by name and hash, and the hash of the head."""
        return self.head.backend

    def check(self, episode: Episode) -> None:
        """Refuse pages that are no drawings."""
        require_drawing(episode, self.name)

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def score(self, episode: Episode) -> Score:
        """See the class."""
        return self.score_batch([episode])[0]

    def score_batch(self, episodes: Sequence[Episode]) -> list[Score]:
        """All drawings at once; equal to scoring them one by one up to float32 rounding (some 1e-6).

        Raises:
            UnsuitableReward: If the environment's pages are no drawings.
            NoImage: If an episode's image was not kept.
        """
        drawn = []
        for number, episode in enumerate(episodes):
            self.check(episode)
            if int(np.count_nonzero(added_ink(episode)[0])) >= NULL_PX:
                drawn.append(number)
        raw = np.zeros(len(episodes))
        if drawn:
            raw[drawn] = self.head.predict(self.features.extract([_image(episodes[number]) for number in drawn]))
        return [self.scored(value, {"raw": value}) for value in raw.tolist()]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.backend == other.backend

    def __hash__(self) -> int:
        return hash((type(self), self.backend))

    def __deepcopy__(self, memo: dict[int, Any]) -> Vidra:
        return self  # nothing of it changes but its cache

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given  # a head of tens of megabytes is read again and not sent


class VidraAdapted(Vidra):
    """Creativity as a head predicts it that was fitted anew on ratings of agents' drawings; else as ``vidra``.

    In the paper, on DINOv2, it follows people on drawings of agents whom it has not seen with r = .83, and the amount
    of ink with rho = .64 (Table 6): better to train towards than ``vidra``, and still to be watched for ink.

    Args:
        head: As of ``vidra``; by default that of ``designgym fit vidra-adapted``.
        features: As of ``vidra``.
    """

    name = "vidra-adapted"


def _image(episode: Episode) -> Any:
    if episode.image is None:
        raise NoImage(f"The episode of task {episode.task!r} has no image, and the reward looks at the image.")
    return episode.image

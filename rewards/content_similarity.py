"""Content similarity: CLIPScore of the page and the client's words (GraphicBench, section 4.2; Hessel et al., 2021)."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.episode import Episode
from designgym.errors import UserError, require
from designgym.rewards.base import EpisodeReward, UnsuitableReward
from designgym.score import Backend, Score

RELEASED = "openai/clip-vit-base-patch16"
"""The weights of the released scripts."""


class ContentSimilarity(EpisodeReward):
    """The cosine of CLIP's embeddings of page and query, 0 where it is negative.

    Part: ``content_similarity/clipscore``, a hundred times as much, as torchmetrics and the paper count it (20.79 for
    Gemma-2 27b). The query is cut off after the model's 77 tokens. Without a page the value is 0. Needs the extra
    ``train`` and weights; none ship with this package, and without them it is refused.

    Args:
        model: Folder or hub id of a CLIP model; the released scripts use ``openai/clip-vit-base-patch16``.
    """

    name = "content_similarity"

    def __init__(self, model: str = RELEASED) -> None:
        self.model = model

    @property
    def backend(self) -> Backend:  # type: ignore[override]
        """The model; of a folder also the hash of its weights."""
        return Backend(f"clip:{self.model}", "1", self._weights_hash)

    def check(self, episode: Episode) -> None:
        """Refuse environments without a brief, and a model that cannot be loaded."""
        if "query" not in episode.truth.get("brief", {}):
            raise UnsuitableReward(f"The reward {self.name!r} needs a brief, and {episode.env_id} has none.")
        _ = self._loaded

    def value(self, episode: Episode) -> float | None:
        """See the class."""
        return self.score(episode).value

    def score(self, episode: Episode) -> Score:
        """See the class.

        Raises:
            MissingExtra: Without torch and transformers.
            UserError: Without weights.
        """
        similarity = 0.0 if episode.image is None else self._cosine(episode.image, episode.truth["brief"]["query"])
        similarity = max(0.0, similarity)
        return self.scored(similarity, {"clipscore": 100 * similarity})

    def _cosine(self, image: NDArray[np.uint8], query: str) -> float:
        torch, model, processor, tokenizer = self._loaded
        limit = int(model.config.text_config.max_position_embeddings)
        words = tokenizer([query], truncation=True, max_length=limit, return_tensors="pt")
        pixels = processor(images=Image.fromarray(image).convert("RGB"), return_tensors="pt")
        with torch.inference_mode():
            found = model(
                input_ids=words["input_ids"],
                attention_mask=words["attention_mask"],
                pixel_values=pixels["pixel_values"],
            )
        return float(torch.nn.functional.cosine_similarity(found.image_embeds, found.text_embeds)[0])

    @cached_property
    def _loaded(self) -> tuple[Any, Any, Any, Any]:
        torch: Any = require("torch", extra="train")
        transformers: Any = require("transformers", extra="train")
        try:
            model = transformers.CLIPModel.from_pretrained(self.model).eval()
            processor = transformers.AutoImageProcessor.from_pretrained(self.model)
            tokenizer = transformers.AutoTokenizer.from_pretrained(self.model)
        except Exception as error:  # missing and damaged files fail in as many ways as there are readers
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise UserError(
                f"Content similarity needs the weights of a CLIP model, and '{self.model}' cannot be loaded: {reason} "
                "Name a folder with such a model, or one that the hub has."
            ) from error
        return torch, model, processor, tokenizer

    @cached_property
    def _weights_hash(self) -> str:
        whole = hashlib.sha256()
        paths = sorted(Path(self.model).glob("*.safetensors")) if Path(self.model).is_dir() else []
        for path in paths:
            whole.update(path.read_bytes())
        return whole.hexdigest() if paths else ""

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model}

"""Images prepared for the model once in a batch of episodes, though they are shown in many turns and trained on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from PIL import Image

from designgym.agents.qwen.dialogue import image_fields

KEPT_BYTES = 1_000_000_000
"""Most bytes of prepared images that are kept; beyond it they are prepared again."""


class Pixels:
    """What `image_fields` makes of images, each prepared once as long as it is kept.

    Args:
        processor: The model's processor.
        kept_bytes: Most bytes that are kept.
    """

    def __init__(self, processor: Any, kept_bytes: int = KEPT_BYTES) -> None:
        self.processor = processor
        self.kept_bytes = kept_bytes
        # By identity; the image is kept beside, so that no other takes its place in memory.
        self._kept: dict[int, tuple[Image.Image, torch.Tensor, torch.Tensor]] = {}
        self._bytes = 0

    def of(self, images: Sequence[Image.Image]) -> dict[str, torch.Tensor]:
        """``pixel_values`` and ``image_grid_thw`` of one or more images, as `image_fields` returns them."""
        known = dict(self._kept)
        new = list({id(image): image for image in images if id(image) not in known}.values())
        if new:
            fields = image_fields(self.processor, new)
            grids = fields["image_grid_thw"]
            patches = torch.split(fields["pixel_values"], grids.prod(1).tolist())
            for image, own, grid in zip(new, patches, grids, strict=True):
                known[id(image)] = (image, own, grid)
                size = own.numel() * own.element_size()
                if self._bytes + size <= self.kept_bytes:
                    self._kept[id(image)] = known[id(image)]
                    self._bytes += size
        found = [known[id(image)] for image in images]
        return {
            "pixel_values": torch.cat([patches for _, patches, _ in found]),
            "image_grid_thw": torch.stack([grid for _, _, grid in found]),
        }

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._bytes = 0

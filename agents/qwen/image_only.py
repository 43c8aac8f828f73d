"""Processors for Qwen-VL that read images only, so that they need no torchvision.

The stock processors of transformers demand a video processor, and every video processor demands torchvision.
``ProcessorMixin`` takes its parts from ``__init__``'s signature: without ``video_processor`` there, none is asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from transformers import Qwen2_5_VLProcessor, Qwen2VLProcessor, Qwen3VLProcessor
from transformers.image_utils import make_flat_list_of_images
from transformers.processing_utils import ProcessorMixin


class _ImageOnly:
    """What an image-only Qwen-VL processor does differently; mixed into the stock class of each family."""

    chat_template: Any

    def __init__(
        self, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None, **kwargs: Any
    ) -> None:
        # The stock constructors only set these names and ids before they ask for the video processor.
        for name, token in (
            ("image", "<|image_pad|>"),
            ("video", "<|video_pad|>"),
            ("vision_start", "<|vision_start|>"),
            ("vision_end", "<|vision_end|>"),
        ):
            setattr(self, f"{name}_token", token)
            setattr(self, f"{name}_token_id", tokenizer.convert_tokens_to_ids(token))
        ProcessorMixin.__init__(self, image_processor, tokenizer, chat_template=chat_template)

    def apply_chat_template(self, conversation: Any, chat_template: Any = None, **kwargs: Any) -> Any:
        """As in transformers, but templates that offer to think before the answer (Qwen3.5's and later) do not.

        Budgets of tokens are those of answers, and the answers that a model is taught have no thoughts. Passing
        ``enable_thinking`` overrides that.
        """
        if "enable_thinking" in (chat_template or self.chat_template or ""):
            kwargs.setdefault("enable_thinking", False)
        return super().apply_chat_template(conversation, chat_template, **kwargs)  # type: ignore[misc]

    def _process_images(self, images: Any, **kwargs: Any) -> tuple[Any, list[str]]:
        # A group of sampled answers shares its page, so each distinct image is prepared once.
        images = make_flat_list_of_images(images)
        first: dict[tuple[Any, ...], int] = {}
        which = [first.setdefault(_identity(image), len(first)) for image in images]
        distinct = [images[which.index(index)] for index in range(len(first))]
        data, replacements = super()._process_images(distinct, **kwargs)  # type: ignore[misc]
        # The PIL backend returns numpy arrays unless asked for tensors; TRL's tool loop calls `.prod()` as on tensors.
        pixels, grids = (_tensor(data[key]) for key in ("pixel_values", "image_grid_thw"))
        patches = torch.split(pixels, grids.prod(-1).tolist())
        data["pixel_values"] = torch.cat([patches[index] for index in which])
        data["image_grid_thw"] = grids[which]
        return data, [replacements[index] for index in which]

    @property
    def model_input_names(self) -> list[str]:
        """What the model takes from this processor."""
        return ["input_ids", "attention_mask", "pixel_values", "image_grid_thw", "mm_token_type_ids"]


class Qwen2VLImageOnlyProcessor(_ImageOnly, Qwen2VLProcessor):
    """Qwen2-VL's processor without video."""

    def __init__(
        self, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template, **kwargs)


class Qwen25VLImageOnlyProcessor(_ImageOnly, Qwen2_5_VLProcessor):
    """Qwen2.5-VL's processor without video."""

    def __init__(
        self, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template, **kwargs)


class Qwen3VLImageOnlyProcessor(_ImageOnly, Qwen3VLProcessor):
    """Qwen3-VL's processor without video."""

    def __init__(
        self, image_processor: Any = None, tokenizer: Any = None, chat_template: Any = None, **kwargs: Any
    ) -> None:
        super().__init__(image_processor, tokenizer, chat_template=chat_template, **kwargs)


PROCESSORS: dict[str, Any] = {
    "qwen2_vl": Qwen2VLImageOnlyProcessor,
    "qwen2_5_vl": Qwen25VLImageOnlyProcessor,
    **dict.fromkeys(
        ("qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe", "qwen4_exp"),
        Qwen3VLImageOnlyProcessor,  # transformers gives all of them Qwen3-VL's
    ),
}
"""By ``model_type``."""


def _tensor(values: Any) -> torch.Tensor:
    return values if isinstance(values, torch.Tensor) else torch.as_tensor(np.asarray(values))


def _identity(image: Any) -> tuple[Any, ...]:
    """What makes two images the same input: kind, size and content."""
    if hasattr(image, "tobytes") and hasattr(image, "size"):
        shape = getattr(image, "shape", image.size)
        return type(image), tuple(shape), str(getattr(image, "mode", getattr(image, "dtype", ""))), image.tobytes()
    return type(image), id(image)

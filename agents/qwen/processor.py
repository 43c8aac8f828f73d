"""Processors for Qwen-VL folders without torchvision, read with the checks that training and evaluation rely on.

The stock processors of transformers demand a video processor, and every video processor demands torchvision. ``ProcessorMixin``
takes its parts from the signature of ``__init__``, so a subclass without ``video_processor`` needs neither.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from designgym.agents.qwen.frames import FAMILIES, Family
from designgym.errors import UserError, require

require("torch", extra="train")
require("transformers", extra="train")

import torch  # noqa: E402
from transformers import Qwen2_5_VLProcessor, Qwen2VLProcessor, Qwen3VLProcessor  # noqa: E402
from transformers.processing_utils import ProcessorMixin  # noqa: E402


class _ImageOnly:
    """What an image-only Qwen-VL processor does differently; mixed into the stock class of each family."""

    def __init__(self, image_processor=None, tokenizer=None, chat_template=None, **kwargs):
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

    def _process_images(self, images, **kwargs):
        # The PIL backend returns numpy arrays unless tensors are asked for; TRL calls `.prod()` on them as on tensors.
        data, replacements = super()._process_images(images, **kwargs)
        for key, value in data.items():
            data[key] = torch.as_tensor(np.asarray(value))
        return data, replacements

    @property
    def model_input_names(self):
        return ["input_ids", "attention_mask", "pixel_values", "image_grid_thw", "mm_token_type_ids"]


class Qwen2VLImageOnlyProcessor(_ImageOnly, Qwen2VLProcessor):
    """Qwen2-VL's processor without video."""

    def __init__(self, image_processor=None, tokenizer=None, chat_template=None, **kwargs):
        super().__init__(image_processor, tokenizer, chat_template=chat_template, **kwargs)


class Qwen25VLImageOnlyProcessor(_ImageOnly, Qwen2_5_VLProcessor):
    """Qwen2.5-VL's processor without video."""

    def __init__(self, image_processor=None, tokenizer=None, chat_template=None, **kwargs):
        super().__init__(image_processor, tokenizer, chat_template=chat_template, **kwargs)


class Qwen3VLImageOnlyProcessor(_ImageOnly, Qwen3VLProcessor):
    """Qwen3-VL's processor without video."""

    def __init__(self, image_processor=None, tokenizer=None, chat_template=None, **kwargs):
        super().__init__(image_processor, tokenizer, chat_template=chat_template, **kwargs)


PROCESSORS = {"qwen2_vl": Qwen2VLImageOnlyProcessor, "qwen2_5_vl": Qwen25VLImageOnlyProcessor, "qwen3_vl": Qwen3VLImageOnlyProcessor}


def offline() -> bool:
    """Whether the user forbade the network (``HF_HUB_OFFLINE`` or ``TRANSFORMERS_OFFLINE``)."""
    truthy = {"1", "true", "yes", "on"}
    return any(os.environ.get(name, "").lower() in truthy for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE"))


def read_family(model: str | Path) -> Family:
    """The family of a model folder or hub id, from ``model_type`` in its ``config.json``.

    Raises:
        UserError: If there is no such folder and the hub cannot be reached, or the family is not one of `FAMILIES`.
    """
    model_type = _read_config(model).get("model_type")
    family = FAMILIES.get(str(model_type))
    if family is None:
        known = ", ".join(sorted(FAMILIES))
        raise UserError(
            f"The model '{model}' has model_type '{model_type}', and boxes are only defined for: {known}. "
            "Choose a Qwen2-VL, Qwen2.5-VL or Qwen3-VL model."
        )
    return family


def load_processor(model: str | Path, *, max_pixels: int | None = None):
    """Read the processor of a Qwen-VL folder or hub id, stock or written by `designgym.agents.qwen.tiny.save`.

    Args:
        model: Local folder or hub id.
        max_pixels: Upper bound on the pixels of an image after resizing; the folder's own bound by default.

    Returns:
        An image-only processor of the family, padding on the left.

    Raises:
        UserError: If the family is unsupported, a file is missing, or an id cannot be fetched.
    """
    family = read_family(model)
    folder = Path(model)
    if folder.is_dir():
        _check_files(folder)
    kwargs: dict[str, Any] = {"padding_side": "left"}
    try:
        processor = PROCESSORS[family.model_type].from_pretrained(str(model), **kwargs)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"The processor of '{model}' could not be read: {_first_line(error)}") from error
    if max_pixels is not None:
        processor.image_processor.size = {**dict(processor.image_processor.size), "longest_edge": max_pixels}
    if processor.chat_template is None:
        raise UserError(f"The processor of '{model}' has no chat template; add the file chat_template.jinja of the original model.")
    check_padding(processor)
    return processor


def check_padding(processor) -> None:
    """Refuse a processor that pads on the right: generation and TRL's loss would silently read misaligned tokens.

    Raises:
        UserError: If the tokenizer's padding side is not left.
    """
    side = processor.tokenizer.padding_side
    if side != "left":
        raise UserError(
            f"The tokenizer pads on the {side}; generation needs padding_side='left' (load it with load_processor)."
        )


def _read_config(model: str | Path) -> dict[str, Any]:
    folder = Path(model)
    if folder.is_dir():
        path = folder / "config.json"
        if not path.is_file():
            raise UserError(f"The folder '{model}' has no config.json, so it is no model folder.")
    elif folder.exists():
        raise UserError(f"The model '{model}' is a file; give the folder that contains config.json.")
    else:
        path = _fetch_config(str(model))
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise UserError(f"The config.json of '{model}' cannot be read: {_first_line(error)}") from error
    if not isinstance(config, dict):
        raise UserError(f"The config.json of '{model}' holds no JSON object.")
    return config


def _fetch_config(model: str) -> Path:
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(model, "config.json", etag_timeout=5))
    except Exception as error:  # the hub client raises a dozen kinds: bad id, no such repository, no network, offline mode
        if offline():
            why = "offline mode is on (HF_HUB_OFFLINE) and it is not in the local cache"
        else:
            why = f"the model hub did not give it ({_first_line(error)})"
        raise UserError(
            f"The model '{model}' is not a local folder, and {why}. Give the path of a folder, or check the name and the network."
        ) from error


def _check_files(folder: Path) -> None:
    wanted = {
        "a processor (preprocessor_config.json or processor_config.json)": ("preprocessor_config.json", "processor_config.json"),
        "a tokenizer (tokenizer.json or vocab.json)": ("tokenizer.json", "vocab.json"),
    }
    for what, names in wanted.items():
        if not any((folder / name).is_file() for name in names):
            raise UserError(f"The model folder '{folder}' lacks {what}; copy it from the model that the weights come from.")


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__

"""Reading the processor of a Qwen-VL folder or hub id, with the checks that training and evaluation rely on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from designgym.agents.qwen.families import FAMILIES, Family
from designgym.errors import UserError, require
from designgym.parse_functions import OPEN_FUNCTION

ADAPTER = "adapter_config.json"
"""What makes a folder that of a LoRA adapter."""


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
            f"Choose one of these: {', '.join(each.name for each in FAMILIES.values())}."
        )
    return family


def load_processor(model: str | Path, *, max_pixels: int | None = None) -> Any:
    """Read the processor of a Qwen-VL folder or hub id, stock or written by `designgym.agents.qwen.tiny.save`.

    Args:
        model: Local folder or hub id.
        max_pixels: Upper bound on the pixels of an image after resizing; the folder's own bound by default.

    Returns:
        An image-only processor of the family, padding on the left.

    Raises:
        UserError: If the family is unsupported, a file is missing, or an id cannot be fetched.
    """
    require("torch", extra="train")
    require("transformers", extra="train")
    family = read_family(model)
    folder = Path(model)
    if folder.is_dir():
        _check_files(folder)
    from designgym.agents.qwen.image_only import PROCESSORS

    try:
        processor = PROCESSORS[family.model_type].from_pretrained(str(model), padding_side="left")
    except Exception as error:  # a file with other content than was meant fails in as many ways as there are readers
        raise UserError(f"The processor of '{model}' could not be read: {_first_line(error)}") from error
    bound_pixels(processor.image_processor, max_pixels)
    if processor.chat_template is None:
        raise UserError(
            f"The processor of '{model}' has no chat template; add the file chat_template.jinja of the original model."
        )
    try:
        processor.apply_chat_template([{"role": "user", "content": [{"type": "text", "text": "?"}]}], tokenize=False)
    except Exception as error:
        raise UserError(f"The chat template of '{model}' does not work: {_first_line(error)}") from error
    check_padding(processor)
    return processor


def bound_pixels(image_processor: Any, max_pixels: int | None) -> Any:
    """Set the most pixels that an image keeps; None leaves the processor as it is. Returns the processor itself.

    Raises:
        UserError: If that is less than the fewest that it makes of an image.
    """
    if max_pixels is not None:
        least = image_processor.size["shortest_edge"]
        if max_pixels < least:
            raise UserError(
                f"max_pixels is {max_pixels}, and the model's processor makes no image of less than {least}; raise it."
            )
        image_processor.size = {"shortest_edge": least, "longest_edge": max_pixels}
    return image_processor


def template_note(processor: Any) -> str:
    """A sentence about a chat template that announces tools otherwise than we do; empty where it does it alike.

    Qwen2.5-VL's leaves them out, and those from Qwen3.5 on teach tags in place of JSON. It is no obstacle:
    `designgym.agents.qwen.conversation.announce_tools` writes the tools into the system message, and calls are read
    from the text, in either form, whatever the template.
    """
    tool = {"type": "function", "function": {"name": "sentinel_tool", "description": "", "parameters": {}}}
    messages = [{"role": "user", "content": [{"type": "text", "text": "?"}]}]
    try:
        rendered = processor.apply_chat_template(messages, tools=[tool], tokenize=False)
    except Exception:  # templates raise what they like; the tools are not rendered either way
        rendered = ""
    if "sentinel_tool" not in rendered:
        return "The model's chat template renders no tools; they are announced in the system message instead."
    if OPEN_FUNCTION in rendered:
        return (
            "The model's chat template asks for calls in tags; here the system message asks for calls in JSON, and "
            "both are read."
        )
    return ""


def check_padding(processor: Any) -> None:
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
        adapter = folder / ADAPTER
        path = folder / "config.json"
        if adapter.is_file() and not path.is_file():
            return _read_config(adapted_model(folder))
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


def adapted_model(folder: Path) -> str:
    """The model that the LoRA adapter in a folder was trained on: a hub id, or a folder (perhaps named from there).

    Raises:
        UserError: If the folder's adapter_config.json does not say.
    """
    try:
        base = json.loads((folder / ADAPTER).read_text(encoding="utf-8"))["base_model_name_or_path"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UserError(f"The adapter_config.json in '{folder}' does not name the adapted model.") from error
    return str(folder / str(base)) if (folder / str(base)).is_dir() else str(base)


def _fetch_config(model: str) -> Path:
    from huggingface_hub import hf_hub_download

    try:
        return Path(hf_hub_download(model, "config.json", etag_timeout=5))
    except Exception as error:  # the hub client raises a dozen kinds: bad id, unknown repository, no network, offline
        if offline():
            why = "offline mode is on (HF_HUB_OFFLINE) and it is not in the local cache"
        else:
            why = f"the model hub did not give it ({_first_line(error)})"
        raise UserError(
            f"The model '{model}' is not a local folder, and {why}. "
            "Give the path of a folder, or check the name and the network."
        ) from error


def _check_files(folder: Path) -> None:
    wanted = {
        "a processor (preprocessor_config.json or processor_config.json)": (
            "preprocessor_config.json",
            "processor_config.json",
        ),
        "a tokenizer (tokenizer.json or vocab.json)": ("tokenizer.json", "vocab.json"),
    }
    for what, names in wanted.items():
        if not any((folder / name).is_file() for name in names):
            raise UserError(
                f"The model folder '{folder}' lacks {what}; copy it from the model that the weights come from."
            )


def _first_line(error: Exception) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__

"""Loading a local Qwen-VL: weights, processor and family together, whole models and LoRA adapters alike."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from designgym.agents.qwen.families import Family
from designgym.agents.qwen.four_bit import is_marked, quantization, settle
from designgym.agents.qwen.processor import ADAPTER, adapted_model, load_processor, read_family
from designgym.errors import UserError, require

Attention = Literal["sdpa", "eager", "flash_attention_2"]
"""transformers' names of the ways to compute attention."""


@dataclass(frozen=True)
class LocalModel:
    """A loaded model and what belongs to it.

    Attributes:
        model: A ``transformers`` model for image-text-to-text, perhaps wrapped by PEFT.
        processor: Its image-only processor, padding on the left.
        family: Its family, which decides the frame of boxes.
        source: Folder or hub id that it was loaded from.
        four_bit: Whether the language model is held in 4 bits (`designgym.agents.qwen.four_bit`).
    """

    model: Any
    processor: Any
    family: Family
    source: str
    four_bit: bool = False


def check_weights(folder: Path) -> None:
    """Find out before any work whether a model's folder holds weights at all.

    Raises:
        UserError: If not.
    """
    if not any(any(folder.glob(pattern)) for pattern in ("*.safetensors", "*.bin")):
        raise UserError(f"The model folder '{folder}' holds no weights (such as model.safetensors).")


def load(
    source: str | Path,
    *,
    max_pixels: int | None = None,
    dtype: Literal["auto", "float32", "bfloat16"] = "auto",
    trainable: bool = False,
    fast_vision: bool = False,
    attention: Attention = "sdpa",
    four_bit: bool | None = None,
    autocast_adapter: bool = True,
) -> LocalModel:
    """Load a Qwen-VL from a folder or the hub, onto the GPU if there is one and it is to be used as it is.

    Args:
        source: Folder of a model or of a LoRA adapter, or a hub id.
        max_pixels: Upper bound on the pixels of an image after resizing; the processor's own bound by default.
        dtype: Of the weights; ``auto`` is bfloat16 on a GPU that has it and float32 elsewhere.
        trainable: For a trainer, which places the model itself; an adapter's weights can be trained further.
        fast_vision: Switch this model to `designgym.agents.qwen.fast_vision` (for tiny Qwen3-VL models on a CPU).
        attention: How attention is computed.
        four_bit: Hold the language model's linear layers in 4 bits, see `designgym.agents.qwen.four_bit`. None: if this
            is an adapter that was trained on such weights. It has learnt to make up for their errors, and it is the
            model whose scores were seen in training; the same adapter on full weights answers otherwise (so does one
            that is merged into 4 bits, huggingface/trl#3466).
        autocast_adapter: Hold an adapter's weights in float32, whatever ``dtype`` is.

    Raises:
        UserError: If files are missing or unreadable, or the family is not supported.
        MissingExtra: If 4 bits need bitsandbytes, and it is not installed.
    """
    torch = require("torch", extra="train")
    require("transformers", extra="train")
    from transformers import AutoModelForImageTextToText

    family = read_family(source)
    processor = load_processor(source, max_pixels=max_pixels)
    on_gpu = torch.cuda.is_available()
    if dtype == "auto":
        dtype = "bfloat16" if on_gpu and torch.cuda.is_bf16_supported() else "float32"
    adapter = (Path(source) / ADAPTER).is_file()
    if four_bit is None:
        four_bit = adapter and is_marked(Path(source))
    more = {"quantization_config": quantization(getattr(torch, dtype))} if four_bit else {}
    try:
        model, report = AutoModelForImageTextToText.from_pretrained(
            adapted_model(Path(source)) if adapter else str(source),
            dtype=getattr(torch, dtype),
            attn_implementation=attention,
            output_loading_info=True,
            **more,
        )
        if report["missing_keys"]:  # the library would draw them at random
            raise UserError(f"The weights of '{source}' lack {min(report['missing_keys'])}; the file is not whole.")
        if four_bit:
            settle(model)
        if adapter:
            peft = require("peft", extra="train")
            model = peft.PeftModel.from_pretrained(
                model, str(source), is_trainable=trainable, autocast_adapter_dtype=autocast_adapter
            )
            # Its path may lead from the adapter's folder, but PEFT looks there from the working directory.
            model.peft_config["default"].base_model_name_or_path = adapted_model(Path(source))
    except UserError:
        raise
    except Exception as error:  # missing, truncated or mismatching weights come in as many kinds as file formats
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise UserError(f"The weights of '{source}' could not be read: {reason}") from error
    if on_gpu and not trainable and not four_bit:  # quantised weights were put there when they were read
        model = model.to("cuda")
    if fast_vision:
        from designgym.agents.qwen.fast_vision import enable_fast_vision

        if not enable_fast_vision(model):
            raise UserError(f"fast_vision is for Qwen3-VL models, and '{source}' is a {family.name}; switch it off.")
    return LocalModel(model.eval(), processor, family, str(source), four_bit)

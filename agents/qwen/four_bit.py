"""The weights of a language model in 4 bits, by bitsandbytes, under adapters that are not (QLoRA, arXiv 2305.14314).

The linear layers of the language model are held in 4 bits (nf4, their scales quantised once more); the vision tower,
embeddings, norms and the output layer stay as they are: they are few, and errors in them reach every token. So do the
experts of a mixture, which transformers holds as one tensor a layer and bitsandbytes does not reach.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from designgym.atomic import write_atomically
from designgym.errors import require

MARK = "four_bit.json"
"""A file beside an adapter that was trained on weights of 4 bits: it is loaded onto such weights again."""
_KEPT = ("model.visual", "lm_head")


def quantization(dtype: Any) -> Any:
    """The ``BitsAndBytesConfig`` of transformers with which a Qwen-VL is loaded.

    Args:
        dtype: Of what 4-bit layers compute, a ``torch.dtype``.

    Raises:
        MissingExtra: If bitsandbytes is not installed.
    """
    require("bitsandbytes", extra="qlora")
    from transformers import BitsAndBytesConfig

    return BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_use_double_quant=True,
        bnb_4bit_compute_dtype=dtype,
        llm_int8_skip_modules=list(_KEPT),
    )


def settle(model: Any) -> Any:
    """Make sure that the right layers of a loaded model are quantised, and that they stay as they are. Returns it.

    On CPUs with instructions for bfloat16, bitsandbytes packs weights anew when they are first used in evaluation mode,
    and rounds their scales to bfloat16 for good: the first look at held-out tasks would change the model that is
    trained. That is switched off.

    Raises:
        RuntimeError: If a layer outside the language model was quantised, or none was.
    """
    import bitsandbytes

    layers = {name: each for name, each in model.named_modules() if isinstance(each, bitsandbytes.nn.Linear4bit)}
    strays = [name for name in layers if "language_model" not in name]
    if strays or not layers:
        raise RuntimeError(f"4-bit weights belong into the language model alone; of {len(layers)}, {strays} are not.")
    for layer in layers.values():
        layer.support_avx512bf16_for_cpu = False
    return model


def mark(folder: Path) -> None:
    """Note beside a saved adapter that it was trained on weights of 4 bits."""
    write_atomically(folder / MARK, '{"load_in_4bit": true, "quant_type": "nf4", "double_quant": true}\n')


def is_marked(folder: Path) -> bool:
    """Whether an adapter was trained on weights of 4 bits."""
    return (folder / MARK).is_file()

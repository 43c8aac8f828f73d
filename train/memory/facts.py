"""What is known of a run's model without its weights: its shape, its image processor, and its tokenizer if at hand.

Facts of the usual models ship as ``published.json``, so that a run can be planned where neither the model nor a network
is. They were read from the ``config.json`` of each id; a test builds every one and counts its parameters.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from designgym.agents.qwen.families import FAMILIES, Family
from designgym.agents.qwen.processor import ADAPTER, adapted_model, bound_pixels, load_processor, read_family
from designgym.errors import UserError, require
from designgym.train.config import TrainConfig
from designgym.train.memory.shape import Shape, shape_of, without_weights


@dataclass(frozen=True, eq=False)
class Facts:
    """A run's model.

    Attributes:
        source: Where the facts come from, in words.
        shape: Its sizes.
        family: Its family.
        image_processor: Decides what images become.
        processor: With the tokenizer; None where its files are not at hand.
        own_pixels: Most pixels of an image that the model's own files allow.
    """

    source: str
    shape: Shape
    family: Family
    image_processor: Any
    processor: Any
    own_pixels: int

    def bounded(self, max_pixels: int | None) -> Any:
        """The image processor with a bound on the pixels of an image, None for its own."""
        made = copy.copy(self.image_processor)
        return bound_pixels(made, self.own_pixels if max_pixels is None else max_pixels)


def published() -> dict[str, dict[str, Any]]:
    """Hub id -> ``parameters``, ``source``, ``image_processor`` and ``config``."""
    text = resources.files("designgym.train.memory").joinpath("published.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, Any]] = json.loads(text)
    return found


def read_facts(config: TrainConfig) -> Facts:
    """The facts of a run's model: of the tiny one, a folder, the hub's cache on this machine, or `published`.

    Raises:
        UserError: If nothing is known of it, or its family is not supported.
    """
    require("torch", extra="train")
    require("transformers", extra="train")
    if config.model == "tiny":
        return _tiny(config)
    folder = Path(config.model) if Path(config.model).is_dir() else cached(config.model)
    if folder is not None:
        return _of_folder(folder, config)
    if config.model not in published():
        raise UserError(
            f"The shape of the model '{config.model}' is not known here, and its files are neither a folder nor in the "
            f"hub's cache on this machine. Download them (`hf download {config.model}`) or set model to their folder. "
            f"Known without files: {', '.join(published())}."
        )
    return _of_list(config)


def cached(model: str) -> Path | None:
    """The folder of a hub id in the cache on this machine, if the files are there that a plan reads."""
    from huggingface_hub import try_to_load_from_cache
    from huggingface_hub.errors import HFValidationError

    try:
        found = [try_to_load_from_cache(model, name) for name in ("config.json", "tokenizer.json")]
    except HFValidationError:  # no such id can exist
        return None
    return Path(str(found[0])).parent if all(isinstance(each, str) for each in found) else None


def _tiny(config: TrainConfig) -> Facts:
    from designgym.agents.qwen.tiny import build

    model, processor = build(config.tiny_model())
    return _facts("the tiny model, built", shape_of(model), FAMILIES[model.config.model_type], processor, config)


def _of_folder(folder: Path, config: TrainConfig) -> Facts:
    family = read_family(folder)
    processor = load_processor(folder)
    base = Path(adapted_model(folder)) if (folder / ADAPTER).is_file() else folder
    shape = shape_of(without_weights(json.loads((base / "config.json").read_text(encoding="utf-8"))))
    return _facts(f"config.json in {folder}", shape, family, processor, config)


def _of_list(config: TrainConfig) -> Facts:
    from transformers import Qwen2VLImageProcessorPil

    known = published()[config.model]
    family = FAMILIES.get(known["config"]["model_type"])
    if family is None:
        raise UserError(
            f"The model '{config.model}' has model_type '{known['config']['model_type']}', which is not supported yet: "
            f"{', '.join(each.name for each in FAMILIES.values())} are."
        )
    pixels = known["image_processor"]
    image_processor = Qwen2VLImageProcessorPil(
        size={name: pixels[name] for name in ("shortest_edge", "longest_edge")},
        patch_size=pixels["patch_size"],
        merge_size=pixels["merge_size"],
    )
    bound_pixels(image_processor, config.max_pixels)
    shape = _published_shape(config.model)
    return Facts("facts that ship with the package", shape, family, image_processor, None, pixels["longest_edge"])


def _facts(source: str, shape: Shape, family: Family, processor: Any, config: TrainConfig) -> Facts:
    own = processor.image_processor.size["longest_edge"]
    bound_pixels(processor.image_processor, config.max_pixels)
    return Facts(source, shape, family, processor.image_processor, processor, own)


@cache
def _published_shape(model: str) -> Shape:
    return shape_of(without_weights(published()[model]["config"]))

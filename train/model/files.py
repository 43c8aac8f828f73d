"""What the files of a run's model say about it, read without its weights."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from designgym.agents.qwen.families import FAMILIES, Family
from designgym.agents.qwen.local import check_weights
from designgym.agents.qwen.processor import bound_pixels, load_processor, read_family
from designgym.errors import UserError
from designgym.train.config import TrainConfig


class NotAtHand(UserError):
    """A check needs files of the model that a plan does without."""


@dataclass(frozen=True, eq=False)
class KnownModel:
    """What a plan knows of the run's model without its files.

    Attributes:
        family: Its family.
        image_processor: Its image processor with a bound on the pixels of an image; None for the model's own.
        tokenizer: Its tokenizer; None where it is not at hand.
    """

    family: Family
    image_processor: Callable[[int | None], Any]
    tokenizer: Any


_KNOWN: ContextVar[KnownModel | None] = ContextVar("known", default=None)


@contextmanager
def known(model: KnownModel) -> Iterator[None]:
    """Let checks ask this in place of the model's files, which may be neither here nor in reach of a network."""
    token = _KNOWN.set(model)
    try:
        yield
    finally:
        _KNOWN.reset(token)


def read_model(config: TrainConfig) -> tuple[Family, Any]:
    """Family and image processor of the model, from its files alone.

    Raises:
        UserError: If the files are missing or of no supported family.
    """
    if (told := _KNOWN.get()) is not None:
        return told.family, told.image_processor(config.max_pixels)
    if config.model == "tiny":
        from designgym.agents.qwen.tiny import image_processor

        return FAMILIES["qwen3_vl"], bound_pixels(image_processor(config.tiny), config.max_pixels)
    family, processor = read_family(config.model), load_processor(config.model, max_pixels=config.max_pixels)
    if Path(config.model).is_dir():
        check_weights(Path(config.model))
    return family, processor.image_processor


def read_tokenizer(config: TrainConfig) -> Any:
    """Tokenizer of the model, from its files alone.

    Raises:
        NotAtHand: In a plan, where it is not here.
    """
    if (told := _KNOWN.get()) is not None:
        if told.tokenizer is None:
            raise NotAtHand(f"The tokenizer of '{config.model}' is not here.")
        return told.tokenizer
    if config.model == "tiny":
        from designgym.agents.qwen.tiny import vocabulary_tokenizer

        return vocabulary_tokenizer(config.tiny_model())
    return load_processor(config.model, max_pixels=config.max_pixels).tokenizer

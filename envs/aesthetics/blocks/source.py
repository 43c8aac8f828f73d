"""The simple pages as samples, so that every task can be asked about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.blocks.flaws import KINDS
from designgym.envs.aesthetics.blocks.item import INDICATORS as QUESTIONS
from designgym.envs.aesthetics.blocks.item import SPLIT_SIZES, Item, Settings, item
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import Element, ElementKind, Flaw, Sample
from designgym.graphics.document import ImageLayer, Layer, TextLayer
from designgym.tasks import Split

FULL_NAMES = {name.partition("-")[2]: name for name in INDICATORS}
"""``"balance"`` -> ``"layout-balance"``: simple pages go by the short names."""


def localization_question(indicator: str) -> str:
    """The question that localization asks about simple pages, on which recorded weights were trained.

    Args:
        indicator: A key of ``INDICATORS``, such as ``"layout-balance"``.
    """
    return QUESTIONS[INDICATORS[indicator].title.lower()]


@dataclass(frozen=True, eq=False)
class BlockSample(Sample):
    """A simple page, drawn already."""

    image: NDArray[np.uint8] | None = None

    def page(self, longest_px: int) -> NDArray[np.uint8]:
        """See :class:`designgym.envs.aesthetics.sample.Sample`."""
        if self.image is not None and self.image.shape[0] == longest_px:
            return self.image
        return super().page(longest_px)


@dataclass(eq=False)
class BlockSource:
    """See :class:`designgym.envs.aesthetics.sample.Source`."""

    settings: Settings
    name: str = "blocks"

    def size(self, split: Split) -> int:
        """Number of tasks in a split."""
        return SPLIT_SIZES[split]

    def ask(self, split: Split, number: int) -> tuple[Sample, str]:
        """The sample and the indicator of a task."""
        page = item(f"{split}-{number:06d}", self.settings)
        return _sample(page), FULL_NAMES[page.indicator]


def _sample(page: Item) -> BlockSample:
    indicator = FULL_NAMES[page.indicator]
    flaws: tuple[Flaw, ...] = ()
    harmed: dict[str, tuple[str, ...]] = {}
    if page.flaw is not None:
        done = page.flaw
        flaws = (Flaw(done.kind, done.element, done.attribute, done.before, done.after, harms=(indicator,)),)
        harmed = {indicator: (done.element,)}
    return BlockSample(
        id=f"blocks-{page.task}",
        width=page.document.width,
        height=page.document.height,
        elements=tuple(_element(layer, page) for layer in page.document.layers),
        flaws=flaws,
        harmed=harmed,
        document=page.document,
        clean_document=page.clean_document,
        judged=tuple(FULL_NAMES[short] for _, short in KINDS.values()) if page.flaw is None else (indicator,),
        image=page.image,
    )


def _element(layer: Layer, page: Item) -> Element:
    kind: ElementKind = "shape"
    if isinstance(layer, TextLayer):
        kind = "text"
    elif isinstance(layer, ImageLayer):
        kind = "picture"
    text = layer.text if isinstance(layer, TextLayer) else ""
    values: dict[str, Any] = {"role": layer.name, "box": page.boxes[layer.id]}
    return Element(layer.id, kind, text=text, **values)

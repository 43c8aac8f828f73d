"""Samples: a design as it is shown, what was done to it, and in which respects that harms it.

Every source of designs (generated ones, data sets, a frozen benchmark) gives samples of this form; questions, answers,
training pairs and reports are made from them alone.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.graphics.decode import decode_image
from designgym.graphics.document import Document
from designgym.graphics.redraw import redraw
from designgym.tasks import Split

FractionBox = tuple[float, float, float, float]
"""Left, top, right and bottom as fractions of the page, 0 to 1."""

ElementKind = Literal["background", "text", "picture", "shape", "group"]


@dataclass(frozen=True)
class Flaw:
    """One perturbation: enough to undo it, to explain it and to find what it harms.

    Attributes:
        operation: Name of the operation, such as ``"low_contrast"``.
        element: Id of the element.
        attribute: What was changed, joined by ``+`` where it is several.
        before: The value before.
        after: The value after.
        magnitude: How strong it is, in the operation's own unit.
        measures: The measured quantities on which the labels rest, by name.
        harms: Names of the indicators that it harms by the label rules; empty for a harmless one.
    """

    operation: str
    element: str
    attribute: str
    before: Any
    after: Any
    magnitude: float = 0.0
    measures: Mapping[str, float] = field(default_factory=dict)
    harms: tuple[str, ...] = ()


@dataclass(frozen=True)
class Element:
    """One element of a design as it is shown.

    Attributes:
        id: Its layer's id, or its index in a data set.
        kind: Text, picture, shape, group, or what covers the whole page.
        role: What it is for, such as ``"title"``; empty where nothing is known.
        box: Hull of the turned element after the perturbation, clipped to the page.
        text: What it says; empty for all but text.
    """

    id: str
    kind: ElementKind
    role: str
    box: FractionBox
    text: str = ""


@dataclass(frozen=True, eq=False)
class Sample:
    """A design, perturbed or not.

    Attributes:
        id: Names the sample in its source.
        width: Page px.
        height: Page px.
        elements: Back to front.
        flaws: What was done, harmless perturbations included.
        harmed: Indicator -> ids of the elements that harm it; an indicator that is missing is met.
        document: The design as shown, where it is known as layers.
        clean_document: The design before; None where it is not known.
        preview: An image file of the page, for designs that come rendered; used instead of the document.
        metadata: Page and elements in the form of AesEval-Bench's ``simplified_meta_info.json``.
        judged: Indicators about which something is known; of the others neither harm nor good is claimed.
    """

    id: str
    width: int
    height: int
    elements: tuple[Element, ...]
    flaws: tuple[Flaw, ...] = ()
    harmed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    document: Document | None = None
    clean_document: Document | None = None
    preview: bytes | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    judged: tuple[str, ...] = ()

    def element(self, element_id: str) -> Element:
        """The element with this id; ``KeyError`` with the known ids otherwise."""
        for element in self.elements:
            if element.id == element_id:
                return element
        raise KeyError(f"No element {element_id!r}; this sample has {[element.id for element in self.elements]}.")

    def page(self, longest_px: int) -> NDArray[np.uint8]:
        """The page as uint8 H x W x 3, its longer side ``longest_px`` px long."""
        scale = longest_px / max(self.width, self.height)
        if self.preview is None:
            assert self.document is not None, f"Sample {self.id!r} has neither layers nor a preview."
            return redraw(self.clean_document or self.document, self.document, scale)
        size = (max(1, round(self.width * scale)), max(1, round(self.height * scale)))
        shown = Image.fromarray(decode_image(self.preview).pixels)
        paper = Image.new("RGBA", shown.size, "white")
        paper.alpha_composite(shown)
        return np.asarray(paper.convert("RGB").resize(size, Image.Resampling.LANCZOS))


class Source(Protocol):
    """Where samples come from. A task is a sample and the indicator that is asked about."""

    @property
    def name(self) -> str:
        """Names the source in results, with what decides its content, such as a folder's hash."""
        ...

    def size(self, split: Split) -> int:
        """Number of tasks in a split; 0 where it has none."""
        ...

    def ask(self, split: Split, number: int) -> tuple[Sample, str]:
        """The sample and the name of the indicator of a task: a pure function of the arguments."""
        ...


def png_bytes(pixels: NDArray[np.uint8]) -> bytes:
    """An image file of pixels, uint8 H x W x 3 or 4."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, "PNG")
    return buffer.getvalue()

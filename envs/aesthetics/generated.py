"""Samples out of generated designs: drawn by the layout engine, perturbed, labelled by the rule."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping, Sequence

import numpy as np

from designgym.envs.aesthetics.blocks.design import FONTS
from designgym.envs.aesthetics.geometry import frame_hull, page_box
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.labels import verdicts
from designgym.envs.aesthetics.measures import measure_view
from designgym.envs.aesthetics.metadata import design_metadata
from designgym.envs.aesthetics.operations.base import Operation
from designgym.envs.aesthetics.operations.table import OOD_OPERATIONS, OPERATIONS
from designgym.envs.aesthetics.perturb import Perturbation, perturb
from designgym.envs.aesthetics.sample import Element, ElementKind, Sample
from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.document import Document, ImageLayer, Layer, TextLayer
from designgym.layout.brief import GeneratedDesign
from designgym.layout.generate import generate_design
from designgym.layout.themes import themes
from designgym.pool.embedded import embedded
from designgym.pool.pool import ImagePool
from designgym.tasks import Split

SPLIT_SIZES: dict[Split, int] = {"train": 1_000_000, "validation": 10_000, "test": 10_000}
"""Number of tasks of each split."""
CLEAN_SHARE = 0.35
"""Default share of tasks whose indicator is not harmed: at this share no constant answer is worth learning under the
default reward of localization (docs/architecture.md)."""
UNTOUCHED_SHARE = 0.25
"""Of the tasks whose indicator is not harmed, this share shows designs that were not touched,"""
HARMLESS_SHARE = 0.25
"""this share designs with perturbations too small to harm anything, and the rest, half of them, designs that are harmed
in other respects alone: the fewer these are, the more the sight of any flaw at all tells, whatever is asked."""
DESIGN_TRIES = 5
"""Draws of perturbations before another design is drawn."""


def design_scene(design: GeneratedDesign, split: Split, pool: ImagePool | None = None) -> Scene:
    """What perturbing a generated design needs. Faces are swapped for those of the same split."""
    theme = themes().get(design.theme)
    return Scene(
        design.document,
        design.roles,
        design.pictures,
        design.fitting,
        theme.mood if theme else "",
        pool or embedded(),
        design.palette.colors(),
        FONTS[split],
    )


def clean_faults(scene: Scene) -> tuple[tuple[str, str], ...]:
    """Elements of a clean design that the label rule does not call good, each with the indicator; empty for most."""
    view = scene.clean
    found = []
    for layer in scene.document.layers:
        harmed, doubtful = verdicts(measure_view(view, layer.id))
        found += [(layer.id, name) for name in INDICATORS if name in harmed or name in doubtful]
    return tuple(found)


def draw_scene(rng: np.random.Generator, split: Split, pool: ImagePool | None = None) -> Scene:
    """A clean generated design that passes the label rule."""
    while True:
        scene = design_scene(generate_design(rng, split, pool or embedded()), split, pool)
        if not clean_faults(scene):
            return scene


def make_sample(
    rng: np.random.Generator,
    split: Split,
    indicator: str,
    harmed: bool,
    *,
    ood: bool = False,
    pool: ImagePool | None = None,
    sample_id: str = "",
) -> Sample:
    """Draw a design in which exactly one element harms an indicator, or none does.

    Other indicators may be harmed as well, each by one element at most; none is left unclear, so all twelve are judged.

    Args:
        rng: Source of randomness: the same state gives the same sample in every process.
        split: Decides skeletons, hues, faces and themes.
        indicator: The one that is to be asked about.
        harmed: Whether it is harmed.
        ood: Harm by the compound operations that training never shows.
        pool: Where pictures come from; the embedded pool if None.
        sample_id: Names the sample.

    Raises:
        ValueError: For an unknown indicator, or one that the compound operations do not harm.
    """
    operations = OOD_OPERATIONS if ood else OPERATIONS
    _check(indicator, operations)
    draw = float(rng.random())
    untouched = not harmed and draw < UNTOUCHED_SHARE
    harmless = not harmed and not untouched and draw < UNTOUCHED_SHARE + HARMLESS_SHARE
    while True:
        scene = draw_scene(rng, split, pool)
        if untouched:
            return scene_sample(scene, Perturbation(scene.document), sample_id)
        for _ in range(DESIGN_TRIES):
            done = perturb(rng, scene, indicator, harmed, operations, harmless=harmless)
            if done is not None:
                return scene_sample(scene, done, sample_id)


def scene_sample(scene: Scene, done: Perturbation, sample_id: str = "") -> Sample:
    """The sample of a perturbed scene."""
    used = {layer.asset for layer in done.document.layers if isinstance(layer, ImageLayer)}
    assets = {name: data for name, data in done.document.assets.items() if name in used}
    document = dataclasses.replace(done.document, assets=assets)
    return Sample(
        id=sample_id,
        width=document.width,
        height=document.height,
        elements=tuple(_element(scene, layer, document) for layer in document.layers),
        flaws=done.flaws,
        harmed=done.harmed,
        document=document,
        clean_document=scene.document,
        metadata=design_metadata(document),
        judged=tuple(INDICATORS),
    )


def _element(scene: Scene, layer: Layer, document: Document) -> Element:
    role = scene.role(layer)
    kind: ElementKind = "shape"
    if isinstance(layer, TextLayer):
        kind = "text"
    elif role == "background":
        kind = "background"
    elif isinstance(layer, ImageLayer):
        kind = "picture"
    text = layer.text if isinstance(layer, TextLayer) else ""
    return Element(layer.id, kind, role, page_box(frame_hull(layer), document), text)


class GeneratedSource:
    """Generated designs without end; tasks go round the indicators, so that these are balanced.

    Args:
        indicators: Which to ask about, in the order of the table.
        clean_share: Share of tasks whose indicator is not harmed, 0 to 1.
        ood: Harm by compound operations that training never shows. Indicators that these do not harm are left out.
        pool: Where pictures come from; the embedded pool if None.

    Raises:
        ValueError: For an unknown indicator, none, or a share out of range.
    """

    def __init__(
        self,
        indicators: Sequence[str] = tuple(INDICATORS),
        clean_share: float = CLEAN_SHARE,
        ood: bool = False,
        pool: ImagePool | None = None,
    ) -> None:
        if isinstance(clean_share, bool) or not isinstance(clean_share, int | float) or not 0 <= clean_share <= 1:
            raise ValueError(f"clean_share is {clean_share!r}; it must be a number from 0 to 1.")
        wanted = tuple(indicators)
        for name in wanted:
            _check(name, OPERATIONS)
        if ood:
            wanted = tuple(name for name in wanted if name in OOD_INDICATORS)
        if not wanted:
            raise ValueError(f"indicators is {indicators!r}; give one or more of {list(_askable(ood))}.")
        self.indicators, self.clean_share, self.ood, self.pool = wanted, float(clean_share), ood, pool
        self.name = "layouts-ood" if ood else "layouts"

    def size(self, split: Split) -> int:
        """Number of tasks in a split."""
        return SPLIT_SIZES[split]

    def ask(self, split: Split, number: int) -> tuple[Sample, str]:
        """The sample and the indicator of a task: a pure function of the arguments and of the source's own.

        Raises:
            ValueError: For a number that the split does not have.
        """
        if not 0 <= number < self.size(split):
            raise ValueError(f"Task {number!r} does not exist; {split} has 0 to {self.size(split) - 1}.")
        indicator = self.indicators[number % len(self.indicators)]
        rng = np.random.default_rng(_entropy(self.name, split, number))
        harmed = bool(rng.random() >= self.clean_share)
        sample_id = f"{self.name}/{split}-{number:06d}"
        return make_sample(rng, split, indicator, harmed, ood=self.ood, pool=self.pool, sample_id=sample_id), indicator


def _targets(operations: Mapping[str, Operation]) -> tuple[str, ...]:
    return tuple(name for name in INDICATORS if any(name in operation.targets for operation in operations.values()))


OOD_INDICATORS = _targets(OOD_OPERATIONS)
"""The indicators that the compound operations harm."""


def _askable(ood: bool) -> tuple[str, ...]:
    return OOD_INDICATORS if ood else tuple(INDICATORS)


def _check(indicator: str, operations: Mapping[str, Operation]) -> None:
    known = _targets(operations)
    if indicator not in known:
        raise ValueError(f"Indicator {indicator!r} cannot be harmed by these operations; use one of {list(known)}.")


def _entropy(source: str, split: str, number: int) -> int:
    """Independent streams for every task, without Python's salted hash."""
    return int.from_bytes(hashlib.sha256(f"{source}/{split}/{number}".encode()).digest()[:16])

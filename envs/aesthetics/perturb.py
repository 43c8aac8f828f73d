"""Perturbing a scene: one to three operations on as many elements, measured, labelled, drawn again where unclear."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.labels import doubtful, verdicts
from designgym.envs.aesthetics.measure_color import text_contrast
from designgym.envs.aesthetics.measures import STAGES, measure_view
from designgym.envs.aesthetics.operations.base import LEAST_AREA, Operation
from designgym.envs.aesthetics.sample import Flaw
from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.view import View
from designgym.graphics.document import Document

MOST = 3
"""Perturbations of a design, at most (AesEval-Bench 3.1: one to three)."""
TRIES = 12
"""Draws of one perturbation before it is given up."""
LEAST_ON_PAGE = 0.5
"""A harmed element has at least this share of its hull on the page."""
LEAST_SEEN = 0.4
"""And at least this share of it in sight, not behind others."""
LEAST_CONTRAST = 1.12
"""As much of a text has at least this WCAG contrast: a trace of it."""
MOST_BURIED = 0.8
"""An element that hides another leaves a trace of it: nobody can tell what is hidden altogether."""


@dataclass(frozen=True, eq=False)
class Perturbation:
    """A perturbed design with its labels.

    Attributes:
        document: As perturbed.
        flaws: What was done, with measures and harmed indicators.
        harmed: Indicator -> ids of the elements that harm it.
        view: What was measured of its layers, where it was kept.
    """

    document: Document
    flaws: tuple[Flaw, ...] = ()
    harmed: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    view: View | None = dataclasses.field(default=None, repr=False)


def label(scene: Scene, document: Document, flaws: Sequence[Flaw]) -> tuple[Perturbation, tuple[str, ...]]:
    """Measure and label every perturbed element of a design.

    Args:
        scene: The clean design.
        document: The perturbed one.
        flaws: What was done to it; measures and harmed indicators are filled in.

    Returns:
        The labelled design, and the indicators of which some element is neither free nor a flaw.
    """
    view = View(scene, document)
    done = []
    doubts: set[str] = set()
    for flaw in flaws:
        labelled, unsure = _labelled(flaw, measure_view(view, flaw.element))
        done.append(labelled)
        doubts.update(unsure)
    return Perturbation(document, tuple(done), _harmed(done)), tuple(name for name in INDICATORS if name in doubts)


def _labelled(flaw: Flaw, measures: Mapping[str, float]) -> tuple[Flaw, tuple[str, ...]]:
    """A flaw with its labels, and the indicators of which it is neither free nor a flaw."""
    harmed, doubts = verdicts(measures)
    return dataclasses.replace(flaw, measures=measures, harms=harmed), doubts


def _harmed(flaws: Sequence[Flaw]) -> dict[str, tuple[str, ...]]:
    found = {name: tuple(flaw.element for flaw in flaws if name in flaw.harms) for name in INDICATORS}
    return {name: elements for name, elements in found.items() if elements}


def findable(view: View, element: str) -> bool:
    """Whether a harmed element can be found by looking: enough of it is in sight, and what it hides still shows."""
    scene, document, own = view.scene, view.document, view.traits[element]
    left, top, right, bottom = own.hull
    width = min(right, document.width) - max(left, 0.0)
    height = min(bottom, document.height) - max(top, 0.0)
    shown = width > 0 and height > 0 and width * height >= LEAST_ON_PAGE * (right - left) * (bottom - top)
    if not shown or own.share < LEAST_AREA:
        return False
    if own.kind == "text" and text_contrast(view, element, 1.0 - LEAST_SEEN) < LEAST_CONTRAST:
        return False
    seen = own.mask
    for layer in document.layers[view.depth[element] + 1 :]:
        above = view.traits[layer.id]
        if above.kind != "text" and scene.hidden(layer.id, element) < 0.02:
            seen = seen * (1.0 - above.solid)
    if float(seen.sum()) < LEAST_SEEN * own.area:
        return False
    for layer in document.layers[: view.depth[element]] if own.kind != "text" else ():
        below = view.traits[layer.id]
        newly = below.content and below.area > 0 and scene.hidden(element, layer.id) < 0.02
        if newly and float(own.solid @ below.mask) > MOST_BURIED * below.area:
            return False
    return True


def perturb(
    rng: np.random.Generator,
    scene: Scene,
    indicator: str,
    harmed: bool,
    operations: Mapping[str, Operation],
    *,
    harmless: bool = False,
) -> Perturbation | None:
    """Perturb a scene so that exactly one element harms an indicator, or none does.

    Every other indicator is harmed by one element at most, too, and none is left unclear.

    Args:
        rng: Source of randomness.
        scene: The clean design.
        indicator: The one that is asked about.
        harmed: Whether it is to be harmed.
        operations: What to choose from.
        harmless: Whether no indicator may be harmed; only where ``harmed`` is False. Else at least one is.

    Returns:
        The perturbed design, or None where this design does not carry it.
    """
    count = int(rng.choice(MOST, p=_COUNTS)) + 1
    done = Perturbation(scene.document)
    if harmed:
        found = _harm(rng, scene, indicator, operations)
        if found is None:
            return None
        done = found
    for _ in range(count - len(done.flaws)):
        more = _one_more(rng, scene, done, indicator, operations, harmless)
        done = more or done
    # A design of the third kind of good ones, harmed in other respects alone, must be harmed.
    return done if done.flaws and (harmed or harmless or done.harmed) else None


_COUNTS = (0.5, 0.3, 0.2)
"""How often a design gets one, two and three perturbations."""


def _harm(
    rng: np.random.Generator, scene: Scene, indicator: str, operations: Mapping[str, Operation]
) -> Perturbation | None:
    """The perturbation that harms the indicator; those operations that are meant for it are tried more often."""
    able = [operation for operation in operations.values() if indicator in operation.targets and operation.able(scene)]
    shares = np.array([1.0 / (1 + operation.targets.index(indicator)) for operation in able])
    if not able:
        return None
    for _ in range(TRIES):
        operation = able[int(rng.choice(len(able), p=shares / shares.sum()))]
        strength = float(rng.uniform(operation.harmful_from, 1.0))
        done = _apply(rng, scene, Perturbation(scene.document), operation, strength)
        if done is not None and indicator in done.harmed:
            return done
    return None


def _one_more(
    rng: np.random.Generator,
    scene: Scene,
    done: Perturbation,
    indicator: str,
    operations: Mapping[str, Operation],
    harmless: bool,
) -> Perturbation | None:
    """Another perturbation that leaves the asked indicator as it is."""
    names = list(operations)
    before = done.harmed.get(indicator, ())
    for _ in range(TRIES):
        operation = operations[names[int(rng.integers(len(names)))]]
        weak = harmless or (bool(done.flaws) and rng.random() < 0.5)
        strength = float(rng.uniform(0.0, 0.35) if weak else rng.uniform(0.35, 1.0))
        more = _apply(rng, scene, done, operation, strength)
        if more is None or more.harmed.get(indicator, ()) != before or (harmless and more.harmed):
            continue
        if all(now.harms == old.harms for now, old in zip(more.flaws, done.flaws, strict=False)):
            return more
    return None


def _apply(
    rng: np.random.Generator, scene: Scene, done: Perturbation, operation: Operation, strength: float
) -> Perturbation | None:
    """Apply an operation to an element that is as it was; None if the outcome is unclear or cannot be found."""
    touched = {flaw.element for flaw in done.flaws}
    able = [i for i in operation.able(scene) if i not in touched]
    if not able:
        return None
    element = able[int(rng.integers(len(able)))]
    result = operation.apply(rng, scene, done.document, element, strength)
    if result is None:
        return None
    document, flaw = result
    view = View(scene, document, done.view)
    measures: dict[str, float] = {}
    for stage in STAGES:  # most that are unclear are so by a measure that costs little
        more = stage(view, flaw.element)
        if doubtful(more):
            return None
        measures.update(more)
    flaws = []
    for old in done.flaws:
        labelled, doubts = _labelled(old, measure_view(view, old.element))
        if doubts:
            return None
        flaws.append(labelled)
    flaws.append(_labelled(flaw, measures)[0])
    harmed = _harmed(flaws)
    if any(len(elements) > 1 for elements in harmed.values()):
        return None
    if flaws[-1].harms and not findable(view, flaw.element):
        return None
    return Perturbation(document, tuple(flaws), harmed, view)

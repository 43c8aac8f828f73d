"""What is measured of a perturbed element: all quantities on which the labels rest."""

from __future__ import annotations

from collections.abc import Callable

from designgym.envs.aesthetics.measure_color import color_measures
from designgym.envs.aesthetics.measure_layout import cover_measures, place_measures
from designgym.envs.aesthetics.measure_picture import picture_measures
from designgym.envs.aesthetics.measure_type import type_measures
from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.view import View
from designgym.graphics.document import Document


def measure(scene: Scene, document: Document, element: str) -> dict[str, float]:
    """Measure one element of a perturbed design.

    The measures depend on the two documents and on what the scene knows of the design, never on how it was perturbed.
    ``contrast``, ``type_px``, ``ornate_px``, ``resolution``, ``blur`` and ``irrelevant`` look at the perturbed
    design alone; all others compare it with the clean one.

    Args:
        scene: The clean design.
        document: The perturbed one; it may have elements more than the clean one, and none less.
        element: Id of the layer.

    Returns:
        The quantities by name, as the four modules ``measure_layout``, ``measure_color``, ``measure_type`` and
        ``measure_picture`` describe them; those that do not apply to the kind of element have neutral values.
    """
    return measure_view(View(scene, document), element)


Stage = Callable[[View, str], dict[str, float]]

STAGES: tuple[Stage, ...] = (place_measures, type_measures, cover_measures, color_measures, picture_measures)
"""All measures, those first that cost least."""


def measure_view(view: View, element: str) -> dict[str, float]:
    """As :func:`measure`, for a view that may be used for several elements."""
    found: dict[str, float] = {}
    for stage in STAGES:
        found.update(stage(view, element))
    return found

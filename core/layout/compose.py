"""The layout engine: a brief becomes a page; skeletons, colours and faces are drawn until everything fits and holds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from designgym.graphics.document import Document
from designgym.layout.arrangement import BASES, Arrangement
from designgym.layout.brief import Brief, GeneratedDesign, LayoutError
from designgym.layout.checks import problems
from designgym.layout.faces import sample_pair
from designgym.layout.moods import MOODS
from designgym.layout.ornaments import decorate
from designgym.layout.page import Misfit, Page, Parameters
from designgym.layout.palettes import Palette, sample_palette
from designgym.layout.skeletons import sample_skeleton
from designgym.layout.visibility import stands_out
from designgym.tasks import Split

MOST_TRIES = 400
_PALETTES = 6


def compose(
    brief: Brief, rng: np.random.Generator, pool: Any, split: Split | None = None, tries: int = MOST_TRIES
) -> GeneratedDesign:
    """Lay out given texts and pictures on a page.

    Args:
        brief: What the page holds.
        rng: Source of randomness: the same state gives the same design.
        pool: The image pool that holds the brief's pictures.
        split: Skeletons, hues and faces are those of this split; those of training, with any skeleton, if None.
        tries: How many layouts are tried.

    Returns:
        A design that keeps every rule of ``checks``.

    Raises:
        LayoutError: If the brief names an unknown mood, has too many parts, or texts that fit no arrangement.
    """
    if brief.mood not in MOODS:
        raise LayoutError(f"The mood {brief.mood!r} is unknown; use one of {sorted(MOODS)}.")
    if not brief.title.strip():
        raise LayoutError("The brief has no title; give the text that is to be read first.")
    reasons: dict[str, int] = {}
    for _ in range(tries):
        try:
            design = _attempt(brief, rng, pool, split)
        except Misfit as misfit:
            reasons[str(misfit)] = reasons.get(str(misfit), 0) + 1
            continue
        broken = problems(design)
        if not broken:
            return design
        reasons[broken[0]] = reasons.get(broken[0], 0) + 1
    often = max(reasons, key=lambda reason: reasons[reason])
    raise LayoutError(
        f"The brief {brief.title!r} fits no layout on a {brief.format.name} in {tries} tries, most often since "
        f"{often}; shorten its texts or leave a picture out."
    )


def _attempt(brief: Brief, rng: np.random.Generator, pool: Any, split: Split | None) -> GeneratedDesign:
    arrangement, parameters, skeleton = sample_skeleton(rng, brief, split)
    palette = _palette(brief, rng, pool, split or "train")
    pair = sample_pair(rng, split or "train", MOODS[brief.mood].voices)
    page = _built(arrangement, parameters, lambda settings: Page(brief, pool, palette, pair, settings))
    decorate(page)
    used = {getattr(layer, "asset", "") for layer in page.layers}
    document = Document(
        brief.format.width,
        brief.format.height,
        page.background,
        tuple(page.layers),
        {name: data for name, data in page.assets.items() if name in used},
    )
    return GeneratedDesign(
        document, page.roles, palette, brief.theme, brief.format, skeleton, page.pictures, brief.fitting, page.grounds
    )


def _palette(brief: Brief, rng: np.random.Generator, pool: Any, split: Split) -> Palette:
    """A palette from whose page the pictures stand out, if a few draws give one."""
    for _ in range(_PALETTES):
        palette = sample_palette(rng, split, brief.mood)
        if all(stands_out(pool, picture, palette.page) for picture in brief.pictures):
            break
    return palette


def _built(arrangement: Arrangement, parameters: Parameters, start: Callable[[Parameters], Page]) -> Page:
    """The page with its texts as large as was drawn, or as large as fits."""
    for base in [base for base in reversed(BASES) if base <= parameters["base"]]:
        page = start({**parameters, "base": base})
        try:
            arrangement.build(page)
            return page
        except Misfit as misfit:
            if not misfit.by_size or base == BASES[0]:
                raise
    raise AssertionError(f"{parameters['base']} is smaller than every size of {BASES}.")

"""The flaws of generated designs: for each indicator good designs, and beside them the same ones harmed.

``python docs/flaw_sheet.py [folder]`` writes ``flaws-<indicator>.png`` for all twelve, and ``flaws-ood.png``. None is
chosen by hand: the designs are the first of their kind.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from designgym.envs.aesthetics.generated import OOD_INDICATORS, make_sample
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.labels import reasons
from designgym.envs.aesthetics.sample import Sample
from designgym.graphics.fonts import find_family
from designgym.graphics.render import render
from designgym.tasks import Split

PAIRS = 3
"""Designs shown for each indicator."""
TILE_PX = 250
GAP_PX = 10
PAIR_GAP_PX = 26
CAPTION_PX = 30
FONT_PX = 15
CAPTION = "#7a828e"


def pictures(split: Split = "test", seed: int = 0, pairs: int = PAIRS) -> Iterator[tuple[str, Image.Image]]:
    """File names and pictures of all indicators."""
    for name in INDICATORS:
        yield f"flaws-{name}.png", sheet([sample(name, split, seed + k) for k in range(pairs)], name)
    ood = [sample(name, split, seed + k, ood=True) for k, name in enumerate(OOD_INDICATORS)]
    yield "flaws-ood.png", sheet(ood, "")


def sample(indicator: str, split: Split, number: int, ood: bool = False) -> Sample:
    """A sample in which one element harms the indicator."""
    key = list(INDICATORS).index(indicator)
    rng = np.random.default_rng([number, key, int(ood)])
    return make_sample(rng, split, indicator, True, ood=ood, sample_id=f"{indicator} {number}")


def sheet(samples: list[Sample], indicator: str) -> Image.Image:
    """Each design, good and harmed, side by side; RGBA, transparent around the pages."""
    tiles = [(_pair(s), _words(s, indicator)) for s in samples]
    height = max(pair.height for pair, _ in tiles) + CAPTION_PX
    width = sum(pair.width for pair, _ in tiles) + PAIR_GAP_PX * (len(tiles) - 1)
    whole = Image.new("RGBA", (width, height))
    draw = ImageDraw.Draw(whole)
    font = ImageFont.truetype(str(find_family("Open Sans").path(400)), FONT_PX)
    left = 0
    for pair, words in tiles:
        top = (height - CAPTION_PX - pair.height) // 2
        whole.paste(pair, (left, top))
        draw.text((left + pair.width / 2, height - 9), words, fill=CAPTION, font=font, anchor="ms")
        left += pair.width + PAIR_GAP_PX
    return whole


def _pair(shown: Sample) -> Image.Image:
    assert shown.clean_document is not None and shown.document is not None
    scale = TILE_PX / max(shown.width, shown.height)
    good, bad = (Image.fromarray(_page(document, scale)) for document in (shown.clean_document, shown.document))
    pair = Image.new("RGBA", (2 * good.width + GAP_PX, good.height))
    pair.paste(good, (0, 0))
    pair.paste(bad, (good.width + GAP_PX, 0))
    return pair


def _page(document: object, scale: float) -> npt.NDArray[np.uint8]:
    return render(document, scale)  # type: ignore[arg-type]


def _words(shown: Sample, indicator: str) -> str:
    """The operation and what was measured; for an empty indicator, the operations."""
    if not indicator:
        return " + ".join(flaw.operation for flaw in shown.flaws)
    flaw = next(flaw for flaw in shown.flaws if indicator in flaw.harms)
    found = reasons(indicator, flaw.measures)[0]
    return f"{flaw.operation}: {found.measure} {flaw.measures[found.measure]:.2g}"


def main() -> None:
    """Write the pictures into the folder given, or into ``docs/img``."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent / "img"
    for name, picture in pictures():
        picture.save(folder / name)


if __name__ == "__main__":
    main()

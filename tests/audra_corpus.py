"""A small corpus in AuDrA's layout, with drawings whose ratings grow with their shapes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from designgym.eval.ratings.corpus import PRIMARY, SETS


def drawing(circles: int, strokes: int, rng: np.random.Generator, size: int = 400) -> Image.Image:
    """Circles, which "people" find creative, and straight strokes, which they do not."""
    image = Image.new("RGB", (size, size), "white")
    page = ImageDraw.Draw(image)
    unit = size / 400
    for _ in range(circles):
        x, y, r = (unit * int(rng.integers(low, high)) for low, high in ((60, 340), (60, 340), (15, 50)))
        page.ellipse((x - r, y - r, x + r, y + r), outline="black", width=max(1, round(5 * unit)))
    for _ in range(strokes):
        ends = (rng.integers(20, 380, 4) * unit).tolist()
        page.line(ends, fill="black", width=max(1, round(5 * unit)))
    return image


def write_set(
    folder: Path, name: str, ratings: Mapping[str, float], images: Mapping[str, Image.Image] | None = None
) -> None:
    """One set: its folder of JPEG files and its table."""
    place, table = SETS[name]
    (folder / place).mkdir(parents=True)
    rng = np.random.default_rng(0)
    for stem in ratings:
        image = images[stem] if images else drawing(2, 3, rng)
        image.save(folder / place / f"{stem}.jpg", quality=90)
    (folder / table).write_text("".join(f"{stem},{rating}\n" for stem, rating in ratings.items()))


def write_corpus(folder: Path, primary: int = 60, other: int = 12, seed: int = 0, noise: float = 0.3) -> None:
    """All four sets; ratings are the number of circles with some noise."""
    rng = np.random.default_rng(seed)
    for name in SETS:
        images, ratings = {}, {}
        for i in range(primary if name == PRIMARY else other):
            circles, strokes = int(rng.integers(0, 8)), int(rng.integers(0, 8))
            stem = f"{1 + i % 3}_{i}"
            images[stem] = drawing(circles, strokes, rng)
            ratings[stem] = round(circles + noise * float(rng.normal()), 4)
        write_set(folder, name, ratings, images)

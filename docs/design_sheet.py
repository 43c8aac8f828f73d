"""Draw a sheet of generated designs, to look at: ``python docs/design_sheet.py sheet.png --count 50``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.graphics.render import render
from designgym.layout.formats import FORMATS
from designgym.layout.generate import generate_design
from designgym.tasks import SPLITS

GREY = 128


def sheet(pages: Sequence[NDArray[np.uint8]], width: int, gap: int = 8) -> NDArray[np.uint8]:
    """Pages of one height set side by side in rows of at most ``width`` px, on grey."""
    rows: list[list[NDArray[np.uint8]]] = [[]]
    for page in pages:
        if rows[-1] and sum(other.shape[1] + gap for other in rows[-1]) + page.shape[1] > width:
            rows.append([])
        rows[-1].append(page)
    height = pages[0].shape[0]
    paper = np.full((len(rows) * (height + gap) - gap, width, 3), GREY, np.uint8)
    for number, row in enumerate(rows):
        left, top = 0, number * (height + gap)
        for page in row:
            paper[top : top + height, left : left + page.shape[1]] = page[:, :width]
            left += page.shape[1] + gap
    return paper


def main() -> None:
    """Read the arguments, draw the designs and save the sheet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="the PNG file to write")
    parser.add_argument("--count", type=int, default=50, help="number of designs (50)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the first one; the others follow (0)")
    parser.add_argument("--split", choices=SPLITS, default="train")
    parser.add_argument("--format", choices=sorted(FORMATS), action="append", help="a format; all if left out")
    parser.add_argument("--height", type=int, default=230, help="px of every page (230)")
    parser.add_argument("--width", type=int, default=1540, help="px of the sheet (1540)")
    asked = parser.parse_args()
    pages = []
    for seed in range(asked.seed, asked.seed + asked.count):
        design = generate_design(np.random.default_rng(seed), asked.split, formats=asked.format)
        pages.append(render(design.document, asked.height / design.document.height))
        print(f"{seed}: {design.theme}; {'/'.join(design.skeleton.split('/')[:3])}; {design.palette.scheme}")
    Image.fromarray(sheet(pages, asked.width)).save(asked.file)


if __name__ == "__main__":
    main()

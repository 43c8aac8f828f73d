"""What the pages of the three aesthetics environments have in common: designs, protocols, prompts and the indicators.

The pictures show a good design beside the same one harmed. None is chosen by hand: each is the first of the test split
whose harmed element can be seen at this size.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path

import flaw_sheet
import numpy as np
from pictures import GAP_PX, tile
from PIL import Image
from tables import summary

from designgym.envs.aesthetics.blocks import flaws
from designgym.envs.aesthetics.blocks.item import INDICATORS as SIMPLE_QUESTIONS
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.items import SAME_IOU
from designgym.envs.aesthetics.questions import question
from designgym.envs.aesthetics.sample import Sample
from designgym.envs.aesthetics.settings import CLEAN_SHARES, TaskKind
from designgym.graphics.render import render
from designgym.layout.generate import generate_design

PART = Path(__file__).resolve().parent / "parts" / "aesthetics.md"
LONGEST_PX = 250
LEAST_SHARE = 0.025
"""A design is shown if its harmed element covers this share of the page."""
SEARCHED = 50
SHEET = "layouts.png"
SHEET_ROWS, SHEET_ROW_PX, SHEET_PX = 2, 220, 1400
SHEET_SEED = 0
PAD_PX = 4
"""Between an element and its outline, so that small type can be read."""

ABOUT = """\
The question tells what its indicator means. Each picture shows a good design of the test split (left) and the same one
after an element was harmed in this respect (right), with its true box."""

ABOUT_SIMPLE_PAGES = """\
With `designs="blocks"` pages have a few elements, of which one was harmed in one of five ways, or none was. The
question names the indicator, never the kind of flaw. Each picture shows a test page before (left) and after (right) one
element was harmed, with the true box: that of the element after the change, clipped to the page. In about two of a
hundred paragraphs the last line runs out of that box below."""


def section(task: TaskKind) -> str:
    """The common text with its numbers, and every indicator with its question and a picture."""
    text = PART.read_text(encoding="utf-8")
    for name, share in CLEAN_SHARES.items():
        text = text.replace(f"<{name}>", f"{share:g}")
    parts = [text.replace("<same>", f"{SAME_IOU:g}").strip(), "## Indicators", ABOUT]
    for name, indicator in INDICATORS.items():
        asked = question(task, indicator).replace("\n", "\n> ")
        picture = f"![A good design and the same one with an issue of {name}](../img/{file_name(name)})"
        parts.append(f"### `{name}`\n\n> {asked}\n\n{picture}")
    return "\n\n".join(parts)


def simple_pages() -> str:
    """What is done to simple pages, kind by kind, with a page before and after."""
    parts = ["## Simple pages", ABOUT_SIMPLE_PAGES]
    for kind, (harm, short) in flaws.KINDS.items():
        picture = f"![The same page before and after the flaw {kind.replace('_', ' ')}](../img/flaw-{kind}.png)"
        about = f"{summary(harm)} It harms the {short}; the question is:\n\n> {SIMPLE_QUESTIONS[short]}"
        parts.append(f"### `{kind}`\n\n{about}\n\n{picture}")
    return "\n\n".join(parts)


def file_name(indicator: str) -> str:
    """Of the picture of an indicator."""
    return f"harm-{indicator}.png"


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """File names and pictures of all indicators."""
    for name in INDICATORS:
        yield file_name(name), pair(shown(name), name)
    yield SHEET, sheet()


def sheet() -> Image.Image:
    """The first designs of the training split, before anything is done to them, in rows of equal height."""
    rows: list[list[Image.Image]] = [[] for _ in range(SHEET_ROWS)]
    for number in itertools.count():
        design = generate_design(np.random.default_rng([SHEET_SEED, number]), "train")
        scale = SHEET_ROW_PX / design.document.height
        page = tile(render(design.document, scale), None)
        room = [row for row in rows if sum(other.width + GAP_PX for other in row) + page.width <= SHEET_PX]
        if not room:
            break
        room[0].append(page)
    paper = Image.new("RGBA", (SHEET_PX, SHEET_ROWS * (SHEET_ROW_PX + GAP_PX) - GAP_PX))
    for index, row in enumerate(rows):
        free = SHEET_PX - sum(page.width for page in row)
        left = 0.0
        for page in row:
            paper.paste(page, (round(left), index * (SHEET_ROW_PX + GAP_PX)))
            left += page.width + free / max(1, len(row) - 1)
    return paper


def shown(indicator: str) -> Sample:
    """The design that is shown of an indicator."""
    for number in range(SEARCHED):
        sample = flaw_sheet.sample(indicator, "test", number)
        left, top, right, bottom = sample.element(sample.harmed[indicator][0]).box
        if LEAST_SHARE <= (right - left) * (bottom - top) < 1:
            return sample
    raise RuntimeError(f"None of {SEARCHED} designs shows an issue of {indicator} well enough.")


def pair(sample: Sample, indicator: str) -> Image.Image:
    """A design before and after it was harmed, side by side, with the true box on the second."""
    assert sample.clean_document is not None and sample.document is not None
    scale = LONGEST_PX / max(sample.width, sample.height)
    good = tile(render(sample.clean_document, scale), None)
    harmed = tile(render(sample.document, scale), sample.element(sample.harmed[indicator][0]).box, PAD_PX)
    both = Image.new("RGBA", (good.width + GAP_PX + harmed.width, good.height))
    both.paste(good, (0, 0))
    both.paste(harmed, (good.width + GAP_PX, 0))
    return both

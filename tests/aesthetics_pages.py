"""A handful of designs made by hand, of two page sizes, as a source for the tests of the aesthetics environments."""

from __future__ import annotations

from functools import lru_cache

from designgym.envs.aesthetics import deal, env
from designgym.envs.aesthetics.sample import Element, Flaw, Sample
from designgym.graphics.document import Document, ShapeLayer

INKS = ("#203050", "#507090", "#a04030", "#308050", "#806090")


def design(name, width, height, boxes, harmed=(), changed=()):
    """Coloured rectangles at px boxes; those of ``harmed`` harm color-contrast, those of ``changed`` harm nothing."""
    layers = tuple(
        ShapeLayer(id=f"e{n}", x=x1, y=y1, width=x2 - x1, height=y2 - y1, shape="rectangle", fill=INKS[n % len(INKS)])
        for n, (x1, y1, x2, y2) in enumerate(boxes)
    )
    sides = (width, height, width, height)
    elements = tuple(
        Element(f"e{n}", "shape", "", tuple(min(max(v / s, 0.0), 1.0) for v, s in zip(box, sides, strict=True)))
        for n, box in enumerate(boxes)
    )
    flaws = [Flaw("low_contrast", f"e{n}", "fill", "a", "b", harms=("color-contrast",)) for n in harmed]
    flaws += [Flaw("size", f"e{n}", "width", 1, 2) for n in changed]
    return Sample(
        id=name,
        width=width,
        height=height,
        elements=elements,
        flaws=tuple(flaws),
        harmed={"color-contrast": tuple(f"e{n}" for n in harmed)} if harmed else {},
        document=Document(width, height, "#f4f2ec", layers),
    )


ROW = [(20, 20 + 160 * n, 300, 140 + 160 * n) for n in range(5)]
TALL = [(40, 40, 600, 240), (40, 280, 600, 480), (40, 520, 320, 720), (40, 760, 320, 1080)]


class HandMade:
    """Six designs, each asked about once in each split."""

    name = "hand-made"

    def __init__(self):
        self.samples = [
            design("flawed", 800, 800, ROW, harmed=(1,)),
            design("good", 800, 800, ROW),
            design("tall-flawed", 640, 1120, TALL, harmed=(3,)),
            design("tall-good", 640, 1120, TALL, changed=(0,)),
            design("two-flaws", 800, 800, ROW, harmed=(2, 0), changed=(3,)),
            design("too-few", 800, 800, ROW[:2], harmed=(1,)),
        ]

    def size(self, split):
        return len(self.samples) if split != "validation" else 0

    def ask(self, split, number):
        return self.samples[number], "color-contrast"


def show_hand_made(monkeypatch):
    """Let every environment show these designs, whatever its arguments say."""
    source = HandMade()
    for module in (deal, env):
        monkeypatch.setattr(module, "source_of", lambda settings: source)
    # What was dealt before, and what is dealt now, must not be found in the memory of the others.
    deals = lru_cache(deal.deal.__wrapped__)
    monkeypatch.setattr(deal, "deal", deals)
    monkeypatch.setattr(deal, "page_of", lru_cache(deal.page_of.__wrapped__))
    monkeypatch.setattr(env, "page_of", deal.page_of)
    return source

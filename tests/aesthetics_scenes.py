"""Clean pages laid out by hand, on which operations and labels are tested."""

import functools

from designgym.envs.aesthetics.scene import Scene
from designgym.graphics.document import Document, ImageLayer, ShapeLayer, TextLayer
from designgym.pool.embedded import embedded


@functools.cache
def handmade() -> tuple[Scene, ...]:
    """Three pages: a poster of one column, one of two, and one on a background that fills the page."""
    pool = embedded()
    tulip, rose, cat = (next(p.id for p in pool.pictures if p.caption == c) for c in ("tulip", "rose", "cat"))
    assets = {p: pool.png(p, 256) for p in (tulip, rose, cat)}

    def text(role: str, x: float, y: float, width: float, size: float, words: str, color: str, font: str) -> TextLayer:
        return TextLayer(
            id=role, x=x, y=y, width=width, height=1.2 * size, size_px=size, text=words, color=color, font=font
        )

    column = (
        ImageLayer(id="picture", asset=tulip, x=250, y=70, width=300, height=300, fit="contain"),
        text("title", 80, 420, 640, 84, "Open Gardens", "#1f4d3a", "Playfair Display"),
        text("body-1", 80, 560, 640, 34, "A hundred gardens open their gates", "#2b2b2b", "Lato"),
        text("body-2", 80, 640, 640, 34, "Gardeners answer every question", "#2b2b2b", "Lato"),
        text("detail-1", 80, 760, 640, 28, "Saturday 6 May, 2 pm", "#2b2b2b", "Lato"),
        ShapeLayer(id="badge", x=80, y=860, width=240, height=80, fill="#c0392b"),
    )
    halves = (
        ShapeLayer(id="panel", x=0, y=0, width=520, height=800, fill="#d8e8f3"),
        ImageLayer(id="picture-1", asset=cat, x=110, y=60, width=300, height=300, fit="contain"),
        ImageLayer(id="picture-2", asset=rose, x=110, y=430, width=300, height=300, fit="contain"),
        text("title", 580, 90, 480, 90, "Cat Fair", "#12395b", "Open Sans"),
        text("body-1", 580, 260, 480, 36, "Every breed under one roof", "#222222", "Open Sans"),
        text("body-2", 580, 340, 480, 36, "Doors open at nine", "#222222", "Open Sans"),
    )
    night = (
        ShapeLayer(id="background", x=0, y=0, width=800, height=1120, fill="#1b2a49"),
        ImageLayer(id="picture", asset=rose, x=260, y=520, width=280, height=280, fit="contain"),
        text("title", 100, 140, 600, 96, "Rose Ball", "#f6d6a8", "Lato"),
        text("body-1", 100, 330, 600, 36, "Dancing until two in the morning", "#ffffff", "Lato"),
        text("body-2", 100, 900, 600, 36, "Tickets at the door", "#ffffff", "Lato"),
    )
    made = []
    for layers, size, ground, mood, fitting in (
        (column, (800, 1120), "#fdf6ec", "calm", ("tulip",)),
        (halves, (1120, 800), "#ffffff", "technical", ("cat", "rose")),
        (night, (800, 1120), "#ffffff", "dark", ("rose",)),
    ):
        pictures = {layer.id: layer.asset for layer in layers if isinstance(layer, ImageLayer)}
        used = {name: assets[name] for name in pictures.values()}
        roles = {layer.id: layer.id.split("-")[0] for layer in layers}
        document = Document(*size, ground, layers, used).validate()
        made.append(Scene(document, roles, pictures, fitting, mood, pool, ("#c0392b", "#f6d6a8", "#12395b")))
    return tuple(made)

"""A Crello design as a scene, so that the operations for generated designs perturb it: roles, mood and other pictures.

Crello tells what a design is about in keywords, but not what an element is for. Roles follow from kinds and sizes; the
pictures that may take another's place are those of other designs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.labels import verdict
from designgym.envs.aesthetics.measures import measure_view
from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.sources.crello import CrelloDesign
from designgym.envs.aesthetics.sources.crello_text import read_color
from designgym.errors import UserError
from designgym.graphics.document import Document, ImageLayer, Layer, TextLayer
from designgym.nearest import did_you_mean
from designgym.pool.pool import ImagePool, PoolPicture

SUBTITLE_SHARE = 0.6
"""Texts of the largest size are titles, others of at least this share of it subtitles."""
DETAIL_SHARE = 0.3
"""Texts of less than this share of the largest size are details; what lies between is body."""
ACCENTS = 8

# Words of a subject -> the feeling that suits it. The first mood with a word wins; most subjects make no claim.
_MOODS: tuple[tuple[str, str], ...] = (
    ("halloween|horror|gothic|mystery|noir", "dark"),
    ("wedding|love|valentine|romantic|bridal|engagement", "romantic"),
    ("kids?|children|birthday|toys?|baby|fun|party|carnival", "playful"),
    ("spa|yoga|meditation|massage|wellness|relax", "calm"),
    ("law|finance|insurance|corporate|consulting|certificate|bank|accounting", "formal"),
    ("technology|software|digital|programming|cyber|robots?|electronics", "technical"),
    ("nature|eco|ecology|garden|plants?|forest|organic|environment", "natural"),
    ("coffee|autumn|bakery|thanksgiving|cozy|barbecue", "warm"),
    ("summer|fruits?|lemonade|smoothie|juice|cleaning", "fresh"),
    ("sale|discount|black friday|festival|concert", "loud"),
)


class DesignPictures:
    """Pictures of some designs as a pool; implements :class:`designgym.pool.pool.ImagePool`.

    Args:
        designs: Key -> design, the key being part of the pictures' ids. Of each there are the photos and drawings, not
            its backgrounds, texts and ornaments. The designs themselves are not kept.
        read: Reads the design of a key again.
    """

    name = "crello"

    def __init__(self, designs: Mapping[int, CrelloDesign], read: Callable[[int], CrelloDesign]) -> None:
        self._read = read
        self.pictures: Sequence[PoolPicture] = tuple(
            PoolPicture(
                picture_id(key, layer),
                design.title,
                design.keywords,
                str(design.record.get("category") or ""),
                layer.width / layer.height,
                source="Crello",
            )
            for key, design in designs.items()
            for layer in design.document.layers
            if is_picture(layer)
        )
        self._by_id = {picture.id: picture for picture in self.pictures}

    def get(self, id: str) -> PoolPicture:
        """The picture of an id; ``UserError`` if there is none."""
        if id not in self._by_id:
            raise UserError(f"There is no picture {id!r} in these designs.{did_you_mean(id, self._by_id)}")
        return self._by_id[id]

    def png(self, id: str, longest_px: int) -> bytes:
        """Its file as it is, whatever the size: Crello's pictures are small already."""
        key, _, layer_id = self.get(id).id.partition("/")
        document = self._read(int(key)).document
        layer = document.layer(layer_id)
        assert isinstance(layer, ImageLayer)
        return document.assets[layer.asset]


def is_picture(layer: Layer) -> bool:
    """Whether a layer is a photo or drawing in its own right; layers are named by their type in Crello."""
    return isinstance(layer, ImageLayer) and layer.name.casefold() in ("imageelement", "svgmaskelement", "maskelement")


def picture_id(key: int, layer: Layer) -> str:
    """The id of a layer's picture in a pool."""
    return f"{key}/{layer.id}"


def crello_scene(design: CrelloDesign, key: int = 0, pool: ImagePool | None = None) -> Scene | None:
    """The scene of a design; None if the label rule finds fault with the design as it is.

    Professional designs break the rule now and then, as with a text on a photo whose contrast no single number tells. A
    flaw that is planted could not be told from one that was there, so such designs are left out. A mood that the design
    itself contradicts is dropped instead.

    Args:
        design: The design.
        key: Its key in the pool.
        pool: Pictures of this and other designs; None: no picture is replaced.
    """
    pictures = {layer.id: picture_id(key, layer) for layer in design.document.layers if is_picture(layer)}
    for mood in dict.fromkeys((mood_of((design.title, *design.keywords)), "")):
        scene = Scene(
            design.document,
            roles=roles_of(design.document),
            pictures=pictures,
            fitting=(design.title, *design.keywords),
            mood=mood,
            pool=pool,
            accents=_accents(design),
        )
        faults = {
            name
            for layer in design.document.layers
            for measures in (measure_view(scene.clean, layer.id),)
            for name in INDICATORS
            if verdict(name, measures) != "good"
        }
        if not faults:
            return scene
        if faults != {"color-psychology"}:
            return None
    return None


def roles_of(document: Document) -> dict[str, str]:
    """Layer id -> role. What covers nine tenths of the page is told by :class:`Scene` and has no entry."""
    sizes = [layer.size_px for layer in document.layers if isinstance(layer, TextLayer)]
    largest = max(sizes, default=0.0)
    roles = {}
    for layer in document.layers:
        if isinstance(layer, TextLayer):
            share = layer.size_px / largest
            smaller = "subtitle" if share >= SUBTITLE_SHARE else "body" if share >= DETAIL_SHARE else "detail"
            roles[layer.id] = "title" if share == 1.0 else smaller
        elif layer.width * layer.height < 0.9 * document.width * document.height:
            roles[layer.id] = "picture" if is_picture(layer) else "shape"
    return roles


def mood_of(words: Iterable[str]) -> str:
    """The feeling that suits a subject; empty where its words make no claim.

    >>> mood_of(["Summer", "yoga class"])
    'calm'
    """
    text = " ".join(words).casefold()
    return next((mood for pattern, mood in _MOODS if re.search(rf"\b(?:{pattern})\b", text)), "")


def _accents(design: CrelloDesign) -> tuple[str, ...]:
    """The colours that the record names, opaque, in order."""
    found: dict[str, None] = {}
    for colors in design.record.get("color") or ():
        for color in colors or ():
            try:
                found[read_color(color)[:7]] = None
            except BrokenRecord:
                continue
    return tuple(found)[:ACCENTS]

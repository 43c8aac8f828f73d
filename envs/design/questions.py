"""Questions about a brief's page, derived from its components: about nine, each with its polarity twin.

Every text, picture and the background are asked about; the rest is drawn so that all kinds of questions come up. Twins
ask for another text, picture, colour, place, size or order, one that no page can have along with the right one; where
the opposite has a word of its own ("cut off"), they ask for that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np

from designgym.envs.design import asking
from designgym.envs.design.briefs.brief import TYPES, Brief, DesignType, TextPart, VisualPart
from designgym.envs.design.briefs.colors import unlike
from designgym.envs.design.briefs.concepts import concepts
from designgym.envs.design.briefs.draw import draw_components, one
from designgym.envs.design.briefs.naming import with_article
from designgym.envs.design.briefs.pairing import candidates, fitting
from designgym.pool.embedded import embedded
from designgym.rewards.judges.meanings import EXTENTS, SLACK, TEXT_SIZES, ImageSize, Position, words_of
from designgym.rewards.judges.questions import Item, Kind, Question

MEAN_ITEMS: dict[DesignType, float] = {"book cover": 9.07, "business card": 10.0, "postcard": 7.89, "poster": 8.70}
"""Questions a query on average (paper, section 4.2, footnote on the VQA pass rate)."""

_OPPOSITES: dict[Position, tuple[Position, ...]] = {
    "top left": ("bottom right", "right", "bottom"),
    "top center": ("bottom center", "bottom"),
    "top right": ("bottom left", "left", "bottom"),
    "center left": ("center right", "right"),
    "center": ("top", "bottom", "left", "right"),
    "center right": ("center left", "left"),
    "bottom left": ("top right", "right", "top"),
    "bottom center": ("top center", "top"),
    "bottom right": ("top left", "left", "top"),
    "top": ("bottom",),
    "bottom": ("top",),
    "left": ("right",),
    "right": ("left",),
}
"""Position -> those that share no point with it, even widened by the slack."""


def items(brief: Brief) -> tuple[Item, ...]:
    """The questions about a brief's page, each with its twin: a pure function of the brief.

    Args:
        brief: A generated brief, or one that was read from a file.

    Returns:
        Items in the order background, texts, pictures; as many as on average the paper has for this type, one or two
        more or fewer, and fewer where a brief leaves more open than that.
    """
    rng = _rng(brief)
    known = list(_all(rng, brief))
    kept = [item for item in known if item.question.kind in _ALWAYS]
    others: dict[Kind, list[Item]] = {}
    for number in rng.permutation(len(known)):
        item = known[int(number)]
        if item.question.kind not in _ALWAYS:
            others.setdefault(item.question.kind, []).append(item)
    wanted = int(MEAN_ITEMS[brief.type] + 3 * rng.random() - 1)  # whole numbers with exactly this mean
    while others and len(kept) < wanted:
        for kind in list(others):
            if len(kept) < wanted:
                kept.append(others[kind].pop())
            if not others[kind]:
                del others[kind]
    return tuple(item for item in known if item in kept)


def items_about(brief: Brief, kinds: Sequence[Kind]) -> tuple[Item, ...]:
    """All questions of some kinds about a brief's page, each with its twin: a pure function of the brief.

    Args:
        brief: A brief.
        kinds: What is asked about.

    Returns:
        Items in the order background, texts, pictures.
    """
    return tuple(item for item in _all(_rng(brief), brief) if item.question.kind in kinds)


def _rng(brief: Brief) -> np.random.Generator:
    digest = hashlib.sha256(f"design questions {brief.id}\n{brief.query}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16]))


_ALWAYS: tuple[Kind, ...] = ("background-color", "text-present", "image-present")


def _all(rng: np.random.Generator, brief: Brief) -> Iterator[Item]:
    """Every item that a brief's components allow."""
    ground = brief.background
    yield _pair(rng, "background-color", "background", asking.BACKGROUND, *(
        ({"rgb": list(color.rgb)}, {"color": color.name}) for color in (ground, one(rng, unlike(ground)))
    ))  # fmt: skip
    decoys = _decoy_texts(rng, brief)
    for text, decoy in zip(brief.texts, decoys, strict=True):
        yield from _of_text(rng, brief, text, decoy)
    sizes = list(TEXT_SIZES)
    for large in brief.texts:
        for small in brief.texts:
            if large.size and small.size and sizes.index(large.size) > sizes.index(small.size):
                yield _order(rng, large, small)
    for number, visual in enumerate(brief.visuals):
        yield from _of_visual(rng, brief, number, visual)


def _of_text(rng: np.random.Generator, brief: Brief, text: TextPart, decoy: str) -> Iterator[Item]:
    about = {"text": text.content}
    yield _pair(rng, "text-present", text.role, asking.TEXT_PRESENT,
                (about, {"text": text.content}), ({"text": decoy}, {"text": decoy}))  # fmt: skip
    said = {"text": asking.referred(rng, text.role, text.content)}
    if text.color:
        yield _pair(rng, "text-color", text.role, asking.TEXT_COLOR, *(
            (about | {"rgb": list(color.rgb)}, said | {"color": color.name})
            for color in (text.color, one(rng, unlike(text.color, brief.background.rgb) or unlike(text.color)))
        ))  # fmt: skip
    if text.position:
        yield _pair(rng, "text-position", text.role, asking.TEXT_POSITION, *_places(rng, text.position, about, said))
    yield _opposed(rng, "text-legible", text.role, asking.TEXT_LEGIBLE, about, said)
    yield _opposed(rng, "uncut", text.role, asking.TEXT_UNCUT, about, said)


def _of_visual(rng: np.random.Generator, brief: Brief, number: int, visual: VisualPart) -> Iterator[Item]:
    image = brief.images[number] if number < len(brief.images) else None
    shown = with_article(visual.name)
    about = _picture(visual.name, image.picture if image else "", image.file if image else "")
    decoy = _decoy_picture(rng, brief)
    other = _picture(decoy, candidates(embedded(), decoy)[0].id, "")
    yield _pair(rng, "image-present", visual.name, asking.IMAGE_PRESENT,
                (about, {"shown": shown}), (other, {"shown": with_article(decoy)}))  # fmt: skip
    said = {"shown": shown}
    if visual.position:
        yield _pair(
            rng, "image-position", visual.name, asking.IMAGE_POSITION, *_places(rng, visual.position, about, said)
        )
    if visual.size:
        wrong = one(rng, _other_sizes(visual.size))
        yield _pair(rng, "image-size", visual.name, asking.IMAGE_SIZE, *(
            (about | {"size": size}, said | {"size": asking.SIZES[size]}) for size in (visual.size, wrong)
        ))  # fmt: skip
    if visual.size != "full":  # behind everything else, it is covered by right
        yield _opposed(rng, "uncut", visual.name, asking.IMAGE_UNCUT, about, said)


def _order(rng: np.random.Generator, large: TextPart, small: TextPart) -> Item:
    said = {part.role: asking.referred(rng, part.role, part.content) for part in (large, small)}
    one_way, other_way = (
        ({"larger": a.content, "smaller": b.content}, {"larger": said[a.role], "smaller": said[b.role]})
        for a, b in ((large, small), (small, large))
    )
    return _pair(rng, "text-order", f"{large.role}>{small.role}", asking.TEXT_ORDER, one_way, other_way)


Asked = tuple[dict[str, Any], dict[str, str]]
"""A question's arguments, and the words for its skeleton."""


def _pair(
    rng: np.random.Generator, kind: Kind, target: str, skeletons: tuple[str, ...], right: Asked, wrong: Asked
) -> Item:
    """A question, and a twin of the same words that asks for something else."""
    skeleton = one(rng, skeletons)
    question, twin = (
        Question(skeleton.format(**words), kind, target, arguments, expected)
        for (arguments, words), expected in ((right, True), (wrong, False))
    )
    return Item(question, twin)


def _opposed(
    rng: np.random.Generator,
    kind: Kind,
    target: str,
    skeletons: tuple[tuple[str, str], ...],
    arguments: dict[str, Any],
    words: dict[str, str],
) -> Item:
    """A question, and a twin that asks for the opposite of the same thing."""
    skeleton, opposite = one(rng, skeletons)
    return Item(
        Question(skeleton.format(**words), kind, target, arguments, True),
        Question(opposite.format(**words), kind, target, arguments, False, negated=True),
    )


def _places(
    rng: np.random.Generator, position: Position, about: dict[str, Any], said: dict[str, str]
) -> tuple[Asked, Asked]:
    opposite = one(rng, _OPPOSITES[position])
    return (
        (about | {"position": position, "slack": SLACK}, said | {"place": asking.PLACES[position]}),
        (about | {"position": opposite, "slack": -SLACK}, said | {"place": asking.PLACES[opposite]}),
    )


def _picture(caption: str, picture: str, file: str) -> dict[str, Any]:
    return {"caption": caption, "picture": picture, "file": file}


@cache
def _other_sizes(size: ImageSize) -> tuple[ImageSize, ...]:
    """The sizes that no picture of this size is called."""
    least, most = EXTENTS[size]
    return tuple(other for other, (low, high) in EXTENTS.items() if low > most or high < least)


def _decoy_texts(rng: np.random.Generator, brief: Brief) -> list[str]:
    """For each text another one of its role that is not on the page and shares hardly a word with what is."""
    shown = {word for text in brief.texts for word in words_of(text.content)}
    decoys: dict[str, str] = {}
    spare: list[str] = []
    for _ in range(60):
        for text in draw_components(rng, brief.type).texts:
            words = set(words_of(text.content))
            if 3 * len(words & shown) <= len(words) and text.content not in (*decoys.values(), *spare):
                spare.append(text.content)
                decoys.setdefault(text.role, text.content)
        if all(text.role in decoys for text in brief.texts):
            break
    used = {decoys[text.role] for text in brief.texts if text.role in decoys}
    left = iter([content for content in spare if content not in used])
    return [decoys.get(text.role) or next(left) for text in brief.texts]


def _decoy_picture(rng: np.random.Generator, brief: Brief) -> str:
    """What a picture of the embedded pool could show that none of the brief's does, nor a thing of the same kind."""
    shown = {word for visual in brief.visuals for word in words_of(visual.name)}
    kinds = {found[0].category for visual in brief.visuals if (found := fitting(embedded(), visual.name))}
    names = [name for name in _names() if not shown & set(words_of(name))]
    other = [name for name in names if _category(name) not in kinds]
    return one(rng, other or names)


@cache
def _category(name: str) -> str:
    return candidates(embedded(), name)[0].category


@cache
def _names() -> tuple[str, ...]:
    """All that pictures of generated briefs show."""
    return tuple(sorted({name for type in TYPES for concept in concepts(type) for name in concept.pictures}))

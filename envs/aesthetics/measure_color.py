"""What an element's colours do to a page. They are compared in OKLab; chroma is distance from grey, 0 to 0.32."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.flat_color import flat_color
from designgym.envs.aesthetics.moods import mood_distance
from designgym.envs.aesthetics.scene import Scene
from designgym.envs.aesthetics.traits import Trait
from designgym.envs.aesthetics.view import View
from designgym.graphics.color import parse_color, srgb_to_oklab
from designgym.graphics.document import ImageLayer

Float = NDArray[np.float64]

WORST_SHARE = 0.2
"""The contrast of a text is that which a fifth of its ink falls short of: a text is read whole or not at all."""
GREY_CHROMA = 0.04
"""Colours nearer to grey have no hue that could clash."""
AMPLE_DIFFERENCE = 0.3
"""More difference than this (of 1) is not needed to stand out: losing what is beyond is no loss."""
FAINT_DIFFERENCE = 0.04
"""What differs less than this (of 1) from its ground in the clean design is an ornament that makes no claim."""
DRAB_LAB = srgb_to_oklab(np.array([[74, 65, 42], [92, 82, 48], [108, 98, 62], [98, 80, 54]], np.float64))
"""Pantone 448 C, which a survey found the least liked of all colours (GfK, 2012), and its murky kin, in OKLab."""
DRAB_REACH = 0.09
"""A colour this far from the drab ones is not drab at all."""
CLASH_SHARE = 0.003
"""A colour that covers less of the page than this (a line of small type) clashes by so much less."""
NEW = 0.12
"""OKLab distance from which on two colours are taken for different ones, and not for shades of one."""
TONE_SHARE = 0.01
"""And one that covers less than this (a short title, a button) is ugly by so much less."""
MOOD_SHARE = 0.03
"""And one that covers less than this (a large title, one picture of several) sets the mood by so much less."""
_SAMPLES = 160  # pixels of a picture that are looked at

_LINEAR = np.array([v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in np.arange(256) / 255])
_LUMINANCE = np.array([0.2126, 0.7152, 0.0722])


def color_measures(view: View, element: str) -> dict[str, float]:
    """Measures of one element of a perturbed design beside the clean one.

    Returns:
        ``contrast``: WCAG contrast ratio of a text (1 to 21) that four fifths of its ink reach; 21 for others.
        ``borne_contrast``: the least one of the texts that lie on the element, where it changed; 21 without any.
        ``standout``: difference from the ground after to before, for what is no text; at most 1. ``clash``: chroma
        in hues that the clean palette lacks. ``drab``: by how much it came near to the least liked colours, 0 to 1.
        ``mood``: by how much colours that are new on the page speak against the subject's mood.
    """
    after, before = view.traits[element], view.scene.traits.get(element)
    found = {"contrast": 21.0, "borne_contrast": 21.0, "standout": 1.0, "clash": 0.0, "drab": 0.0, "mood": 0.0}
    if after.kind == "text":
        found["contrast"] = text_contrast(view, element)
    elif before is not None and after.role != "background":
        other = after is not before or view.changed_below(element)
        was = _clean_difference(view.scene, element) if other else 0.0
        if was >= FAINT_DIFFERENCE:
            found["standout"] = min(1.0, difference(view, element) / min(was, AMPLE_DIFFERENCE))
    if before is not None and after is not before:
        borne = [i for i in view.scene.borne.get(element, ()) if i in view.traits and view.traits[i].kind == "text"]
        found["borne_contrast"] = min((text_contrast(view, i) for i in borne), default=21.0)
    if before is not None and same_colors(view, element):
        return found
    now = tone(view.scene, after)
    then = _clean_tone(view.scene, element) if before is not None else (0.0, 0.0, 0.0)
    share = after.ink_share
    found["clash"] = min(1.0, share / CLASH_SHARE) * max(0.0, now[0] - then[0])
    found["drab"] = min(1.0, share / TONE_SHARE) * max(0.0, now[1] - then[1])
    found["mood"] = min(1.0, share / MOOD_SHARE) * max(0.0, now[2] - then[2])
    return found


def same_colors(view: View, element: str) -> bool:
    """Whether an element shows the colours that it showed in the clean design."""
    after, before = view.traits[element], view.scene.traits[element]
    color = flat_color(after.layer)
    if color is not None or not isinstance(after.layer, ImageLayer) or not isinstance(before.layer, ImageLayer):
        return color == flat_color(before.layer)
    return view.document.assets[after.layer.asset] is view.scene.document.assets[before.layer.asset]


def tone(scene: Scene, own: Trait) -> tuple[float, float, float]:
    """How far an element's colours are off the hues of the clean palette, how drab they are, how far off the mood."""
    lab, palette = element_lab(own), scene.palette_lab
    return off_hue(lab, palette), drabness(lab), mood_distance(lab, scene.mood, novelty(lab, palette))


def _clean_tone(scene: Scene, element: str) -> tuple[float, float, float]:
    found = scene.memory.get(("tone", element))
    if found is None:
        found = scene.memory["tone", element] = tone(scene, scene.traits[element])
    return cast(tuple[float, float, float], found)


def novelty(lab: Float, palette: Float) -> Float:
    """How new each colour is on the page, 0 to 1: its distance from the nearest of the palette, at most ``NEW``."""
    near = np.linalg.norm(lab[:, None, :] - palette[None], axis=-1).min(axis=1)
    return np.minimum(near / NEW, 1.0)


def ink_share(own: Trait) -> float:
    """Share of the page that an element inks, 0 to 1."""
    return own.inked[0] / (own.map_size[0] * own.map_size[1])


def element_lab(own: Trait) -> Float:
    """Colours of an element in OKLab, (n, 3): one for text and shapes, a sample of the inked pixels of pictures."""
    color = flat_color(own.layer)
    if color is not None:
        return srgb_to_oklab(np.array([parse_color(color)[:3]], np.float64))
    rgb = own.rgb
    return srgb_to_oklab(rgb[:: max(1, len(rgb) // _SAMPLES)])


def text_contrast(view: View, element: str, worst_share: float = WORST_SHARE) -> float:
    """The WCAG contrast with its ground that all but the worst share of a text's ink reaches, 1 to 21."""
    own = view.traits[element]
    color = flat_color(own.layer)
    if own.image.pixels is None or color is None:
        return 1.0
    ground = view.ground_below(element)
    ink = own.image.pixels[..., 3]
    inked = ink > 24
    if not inked.any():
        return 1.0
    red, green, blue, alpha = parse_color(color)
    share = alpha / 255 * own.layer.opacity
    behind = ground[inked]
    below = _LINEAR[behind] @ _LUMINANCE
    if share < 1:
        mixed = behind + (np.array([red, green, blue]) - behind) * share
        above = _LINEAR[np.clip(np.rint(mixed), 0, 255).astype(np.uint8)] @ _LUMINANCE
    else:
        above = np.full(len(below), _LINEAR[[red, green, blue]] @ _LUMINANCE)
    ratios = (np.maximum(above, below) + 0.05) / (np.minimum(above, below) + 0.05)
    order = np.argsort(ratios)
    reached = np.cumsum(ink[inked][order].astype(np.float64))
    return float(ratios[order[int(np.searchsorted(reached, worst_share * reached[-1]))]])


def difference(view: View, element: str) -> float:
    """Mean difference of an element's ink from what lies below it, 0 to 1; less the more transparent it is."""
    own = view.traits[element]
    ink = own.inked[0]
    if own.image.pixels is None or ink <= 0:
        return 0.0
    pixels = own.image.pixels.astype(np.float32)
    ground = view.ground_below(element)[..., ::-1]
    change = np.abs(pixels[..., :3] - ground * (pixels[..., 3:] / 255)).mean(axis=-1)
    return float(change.sum()) / 255 / ink


def _clean_difference(scene: Scene, element: str) -> float:
    found = scene.memory.get(("difference", element))
    if found is None:
        found = scene.memory["difference", element] = difference(scene.clean, element)
    return cast(float, found)


def off_hue(lab: Float, palette: Float) -> float:
    """Mean chroma that lies off the hues of a palette.

    That is chroma times the sine of the angle to the nearest hue, all of it from 90 degrees on; 0 if the palette is
    grey, since anything goes with grey.
    """
    chromatic = palette[np.hypot(palette[:, 1], palette[:, 2]) >= GREY_CHROMA]
    if not len(chromatic) or not len(lab):
        return 0.0
    chroma = np.hypot(lab[:, 1], lab[:, 2])
    hues = np.arctan2(lab[:, 2], lab[:, 1])
    known = np.arctan2(chromatic[:, 2], chromatic[:, 1])
    apart = np.abs((hues[:, None] - known[None, :] + np.pi) % (2 * np.pi) - np.pi).min(axis=1)
    return float((chroma * np.sin(np.minimum(apart, np.pi / 2))).mean())


def drabness(lab: Float) -> float:
    """How near colours are to the least liked ones, 0 to 1, the mean of all."""
    if not len(lab):
        return 0.0
    near = np.linalg.norm(lab[:, None, :] - DRAB_LAB[None], axis=-1).min(axis=1)
    return float(np.clip(1.0 - near / DRAB_REACH, 0.0, 1.0).mean())

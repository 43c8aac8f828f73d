"""Each of the 46 actions on a page: what is seen afterwards, by its pixels, is what the action's name says."""

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from design_bench import L, P, V, do, done, page
from numpy.typing import NDArray
from PIL import Image

from designgym.envs.design.actions import ACTIONS
from designgym.envs.design.experts import EXPERTS
from designgym.envs.design.tools import action_table
from designgym.envs.design.workspace import Workspace
from designgym.graphics.render import render
from designgym.tools import Declined

Pixels = NDArray[np.int64]
WIDTH, HEIGHT = 400, 300
RED, GREEN, BLUE = (255, 0, 0), (0, 160, 0), (0, 0, 255)
IN_RED = {"red": 255, "green": 0, "blue": 0}


def patchwork() -> bytes:
    """200 x 100 px: eight colours in squares, each with a gradient from left to right."""
    y, x = np.mgrid[0:100, 0:200]
    number = x // 50 + 4 * (y // 50)
    colors = np.array([[200, 60, 40], [60, 180, 80], [40, 80, 200], [220, 200, 60],
                       [120, 60, 160], [230, 130, 50], [70, 200, 200], [150, 150, 150]])  # fmt: skip
    stream = io.BytesIO()
    pixels = np.clip(colors[number] + (x % 50 - 25)[..., None], 0, 255).astype(np.uint8)
    Image.fromarray(pixels).save(stream, "PNG")
    return stream.getvalue()


PICTURES = {"grid_png": patchwork()}


def empty(expert: str) -> Workspace:
    return page(expert, WIDTH, HEIGHT, **PICTURES)


def with_drawing(expert: str) -> Workspace:
    """A green rectangle of 100 x 60 px in the middle."""
    bench = empty(expert)
    done(bench, "DrawRectangle", layerName="it", width=100, height=60, red=0, green=160, blue=0)
    return bench


def with_text(expert: str) -> Workspace:
    """Two green lines of 40 px in the middle."""
    bench = empty(expert)
    done(bench, "CreateText", layerName="it", textString="Open\nall the day")
    done(bench, "ResizeText", layerName="it", fontSize=40)
    done(bench, "ColorText", layerName="it", red=0, green=160, blue=0)
    return bench


def with_two_texts(expert: str) -> Workspace:
    """A blue letter that hides a green one."""
    bench = empty(expert)
    for name, color in (("it", GREEN), ("other", BLUE)):
        done(bench, "CreateText", layerName=name, textString="H")
        done(bench, "ResizeText", layerName=name, fontSize=120)
        done(bench, "ColorText", layerName=name, red=color[0], green=color[1], blue=color[2])
    return bench


def with_object(expert: str) -> Workspace:
    """The patchwork in the middle, 200 x 100 px."""
    bench = empty(expert)
    done(bench, "ImportObject", fileName="grid.png", layerName="it")
    return bench


def seen(bench: Workspace) -> Pixels:
    assert bench.document is not None
    return render(bench.document.validate()).astype(np.int64)


def box(pixels: Pixels, color: tuple[int, int, int] | None = None) -> tuple[int, int, int, int]:
    """x1, y1, x2, y2 of what is not white, or of what is about of a colour."""
    if color is None:
        ink = pixels.min(axis=-1) < 250
    else:
        ink = np.abs(pixels - np.array(color)).max(axis=-1) < 40
    ys, xs = np.nonzero(ink)
    return int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1


def size(pixels: Pixels, color: tuple[int, int, int] | None = None) -> tuple[int, int]:
    x1, y1, x2, y2 = box(pixels, color)
    return x2 - x1, y2 - y1


def middle(pixels: Pixels) -> tuple[float, float]:
    x1, y1, x2, y2 = box(pixels)
    return (x1 + x2) / 2, (y1 + y2) / 2


def inked(pixels: Pixels, color: tuple[int, int, int]) -> int:
    return int((np.abs(pixels - np.array(color)).max(axis=-1) < 40).sum())


def near(one: Any, two: Any, most: float = 3) -> bool:
    return bool(np.abs(np.array(one, float) - np.array(two, float)).max() <= most)


def picture_of(pixels: Pixels) -> Pixels:
    return pixels[100:200, 100:300]


def edges(pixels: Pixels) -> float:
    """Mean change from one pixel to the next, of the picture in the middle."""
    inner = picture_of(pixels)
    return float(np.abs(np.diff(inner, axis=1)).mean() + np.abs(np.diff(inner, axis=0)).mean())


def chroma(pixels: Pixels) -> int:
    inner = picture_of(pixels)
    return int((inner.max(axis=-1) - inner.min(axis=-1)).max())


def shape(ends: tuple[int, int], share: tuple[float, float]) -> Callable[[Pixels, Pixels, Workspace], bool]:
    """A red thing in the middle with this size, that fills so much of its box."""

    def check(before: Pixels, after: Pixels, bench: Workspace) -> bool:
        filled = inked(after, RED) / (ends[0] * ends[1])
        return near(middle(after), (WIDTH / 2, HEIGHT / 2), 2) and near(size(after), ends, 2) and (
            share[0] < filled < share[1])  # fmt: skip

    return check


Check = Callable[[Pixels, Pixels, Workspace], bool]


@dataclass(frozen=True)
class Case:
    """An action of an expert on a page, and what must hold of the pixels before and after it."""

    expert: str
    make: Callable[[str], Workspace]
    arguments: dict[str, Any]
    check: Check


def filtered(check: Callable[[Pixels, Pixels], bool], **arguments: Any) -> Case:
    """A filter on the patchwork: what the check says holds, and nothing changes far from the picture."""

    def both(before: Pixels, after: Pixels, bench: Workspace) -> bool:
        away = np.abs(after - before).max(axis=-1)
        away[60:240, 60:340] = 0
        return away.max() == 0 and check(before, after)

    return Case(P, with_object, {"layerName": "it", **arguments}, both)


def brighter(before: Pixels, after: Pixels) -> bool:
    return picture_of(after).mean() > picture_of(before).mean() + 10


def panes(before: Pixels, after: Pixels) -> bool:
    """Dark leads between panes of one colour each."""
    inner = picture_of(after)
    return inner.max(axis=-1).min() < 60 and np.median(np.abs(np.diff(inner, axis=1)).max(axis=-1)) == 0


def wavy(before: Pixels, after: Pixels) -> bool:
    """The straight line between two squares is straight no more, and the colours are still there."""
    inner = picture_of(after)
    is_red = (inner[:50, :, 0] - inner[:50, :, 1] > 70) & (np.arange(200) < 90)
    ends = is_red.sum(axis=1)
    kept = picture_of(before).mean(axis=(0, 1)) - inner.mean(axis=(0, 1))
    return len(set(ends.tolist())) > 3 and np.abs(kept).max() < 25


def squares(before: Pixels, after: Pixels) -> bool:
    """Fewer colours along a row: each patch has one, but for its raised edge."""
    rows = picture_of(before)[10], picture_of(after)[10]
    steps = [float((np.abs(np.diff(row, axis=0)).max(axis=-1) > 0).mean()) for row in rows]
    return steps[1] < 0.8 * steps[0]


def painted(before: Pixels, after: Pixels) -> bool:
    """Other strokes within squares, while the large areas keep their hues."""
    was, now = (picture_of(each).reshape(2, 50, 4, 50, 3).mean(axis=(1, 3)) for each in (before, after))
    same = np.argmax(was, axis=-1) == np.argmax(now, axis=-1)
    return np.abs(picture_of(after) - picture_of(before)).mean() > 4 and same.mean() >= 0.75


R = {"layerName": "it", **IN_RED}
CASES: dict[str, Case] = {
    "CreateDocument": Case(L, with_text, {"docType": "postcard"}, lambda b, a, _: a.shape == (640, 1000, 3) and
                           a.min() == 255),
    "CreateDocumentCustom": Case(P, with_text, {"width": 310, "height": 320}, lambda b, a, _: a.shape == (320, 310, 3)
                                 and a.min() == 255),
    "SetBackgroundColor": Case(L, with_object, {"red": 9, "green": 90, "blue": 200}, lambda b, a, _:
                               (a[0, 0] == (9, 90, 200)).all() and (picture_of(a) == picture_of(b)).all()),
    "SaveDocument": Case(L, with_text, {"fileName": "page", "format": "png"}, lambda b, a, bench: (a == b).all() and
                         (np.asarray(Image.open(io.BytesIO(bench.files["page.png"].data))) == a).all()),
    "DrawCircle": Case(V, empty, {"radius": 50, **R}, shape((100, 100), (0.75, 0.82))),
    "DrawEllipse": Case(V, empty, {"majorRadius": 80, "minorRadius": 30, **R}, shape((160, 60), (0.75, 0.82))),
    "DrawLine": Case(V, empty, {"startX": 100, "startY": 50, "endX": 300, "endY": 250, "strokeWidth": 5, **R},
                     lambda b, a, _: near(box(a), (100, 50, 300, 250), 4) and near(a[150, 200], RED)
                     and a[60, 290].min() == 255),
    "DrawPolygon": Case(V, empty, {"sides": 4, "radius": 50, **R}, shape((100, 100), (0.46, 0.53))),
    "DrawRectangle": Case(V, empty, {"width": 120, "height": 70, **R}, shape((120, 70), (0.99, 1.01))),
    "DrawStar": Case(V, empty, {"numPoints": 4, "radius": 50, **R}, shape((100, 100), (0.2, 0.45))),
    "DrawTriangle": Case(V, empty, {"base": 120, "height": 80, **R}, shape((120, 80), (0.45, 0.53))),
    "OpacityDrawing": Case(V, with_drawing, {"layerName": "it", "opacity": 50}, lambda b, a, _:
                           near(a[150, 200], (127, 207, 127))),
    "RemoveDrawing": Case(V, with_drawing, {"layerName": "it"}, lambda b, a, _: a.min() == 255),
    "RepositionDrawing": Case(V, with_drawing, {"layerName": "it", "posX": 10, "posY": 20}, lambda b, a, _:
                              box(a) == (10, 20, 110, 80)),
    "ResizeDrawing": Case(V, with_drawing, {"layerName": "it", "width": 40, "height": 200}, lambda b, a, _:
                          box(a) == (180, 50, 220, 250)),
    "RotateDrawing": Case(V, with_drawing, {"layerName": "it", "angle": 90}, lambda b, a, _: box(a) ==
                          (170, 100, 230, 200)),
    "StorkeDrawing": Case(V, with_drawing, {"strokeWidth": 4, **R}, lambda b, a, _: near(box(a, RED),
                          (148, 118, 252, 182)) and near(a[150, 200], GREEN)),
    "AlignText": Case(L, with_text, {"layerName": "it", "alignment": "right"}, lambda b, a, _: near(box(a), box(b))
                      and box(a[:150])[0] > box(b[:150])[0] + 20 and near(box(a[:150])[2], box(a)[2], 6)),
    "ApplyFont": Case(P, with_text, {"layerName": "it", "fontName": "Playfair Display Bold"}, lambda b, a, _:
                      inked(a, GREEN) > 1.2 * inked(b, GREEN) and near(middle(a), middle(b), 6)),
    "ArrangeText": Case(L, with_two_texts, {"layerName": "it", "arrangement": "front"}, lambda b, a, _:
                        inked(a, BLUE) < 20 > inked(b, GREEN) and inked(b, BLUE) > 500 < inked(a, GREEN)),
    "ColorText": Case(V, with_text, R, lambda b, a, _: inked(b, GREEN) > 500 and
                      0.8 < inked(a, RED) / inked(b, GREEN) < 1.25 and not inked(a, GREEN)),
    "CreateText": Case(L, empty, {"layerName": "it", "textString": "Open day"}, lambda b, a, _: b.min() == 255 and
                       near(middle(a), (200, 150), 8) and 100 < size(a)[0] < 150 and 20 < size(a)[1] < 35),
    "OpacityText": Case(P, with_text, {"layerName": "it", "opacity": 50}, lambda b, a, _: near(box(a), box(b)) and
                        near(a[b.sum(axis=-1) == 160].min(axis=0), (127, 207, 127))),
    "RemoveText": Case(P, with_text, {"layerName": "it"}, lambda b, a, _: a.min() == 255),
    "RepositionText": Case(L, with_text, {"layerName": "it", "posX": 5, "posY": 5}, lambda b, a, _: near(box(a)[:2],
                           (5, 12), 8) and size(a) == size(b)),
    "ResizeText": Case(L, with_text, {"layerName": "it", "fontSize": 20}, lambda b, a, _: near(np.array(size(a)) * 2,
                       size(b), 8) and near(middle(a), middle(b), 4)),
    "RotateText": Case(L, with_text, {"layerName": "it", "angle": 90}, lambda b, a, _: near(size(a), size(b)[::-1])),
    "StrokeText": Case(L, with_text, {"strokeWidth": 3, **R}, lambda b, a, _: inked(a, RED) > 200 and
                       size(a)[0] > size(b)[0]),
    "ImportObject": Case(L, empty, {"layerName": "it", "fileName": "grid.png"}, lambda b, a, _: b.min() == 255 and
                         box(a) == (100, 100, 300, 200) and near(a[125, 125], (200, 60, 40))),
    "OpacityObject": Case(V, with_object, {"fileName": "it", "opacity": 50}, lambda b, a, _: near(a, (b + 255) / 2)),
    "RemoveObject": Case(L, with_object, {"fileName": "grid.png"}, lambda b, a, _: a.min() == 255),
    "RepositionObject": Case(L, with_object, {"fileName": "it", "posX": 0, "posY": 7}, lambda b, a, _:
                             (a[7:107, :200] == picture_of(b)).all() and a[110:].min() == 255),
    "ResizeObject": Case(P, with_object, {"fileName": "it", "width": 100, "height": 200}, lambda b, a, _: box(a) ==
                         (150, 50, 250, 250) and near(a[100, 162], (200, 60, 40), 12)),
    "RotateObject": Case(V, with_object, {"fileName": "it", "angle": 90}, lambda b, a, _: box(a) == (150, 50, 250, 250)
                         and near(a[75, 225], (200, 60, 40), 12)),  # clockwise: its top left is now at the top right
    "GenerateQRObject": Case(L, empty, {"layerName": "it", "linkURL": "https://example.com"}, lambda b, a, _:
                             size(a)[0] == size(a)[1] > 90 and near(middle(a), (200, 150)) and
                             0.3 < (a < 128).mean() * WIDTH * HEIGHT / size(a)[0] ** 2 < 0.7),
    "AdjustBC": filtered(brighter, brightness=100, contrast=0),
    "AdjustBW": filtered(lambda b, a: chroma(a) <= 1 < chroma(b)),
    "AdjustHSL": filtered(lambda b, a: a[125, 125, 1] > a[125, 125, 0] > a[125, 125, 2] - 40, hue=120, saturation=0,
                          light=0),
    "BlurObject": filtered(lambda b, a: edges(a) < 0.6 * edges(b), blurAmount=40),
    "PhotoFilter": filtered(lambda b, a: (picture_of(a)[..., 2] - picture_of(a)[..., 0]).mean() > 20 +
                            (picture_of(b)[..., 2] - picture_of(b)[..., 0]).mean(), filterType="Blue", density=90),
    "GlassFilter": filtered(wavy, distortion=12, smoothness=3, scaling=100),
    "GlowFilter": filtered(brighter, graininess=0, glowAmount=15, clearAmount=5),
    "OceanRippleFilter": filtered(wavy, rippleSize=9, rippleMagnitude=12),
    "StainedGlassFilter": filtered(panes, cellSize=12, borderThickness=3, lightIntensity=0),
    "PatchWorkFilter": filtered(squares, squareSize=6, relief=0),
    "WatercolorFilter": filtered(painted, brushDetail=5, shadowIntensity=2, texture=1),
}  # fmt: skip


def test_every_action_has_a_case() -> None:
    assert list(CASES) == list(ACTIONS)
    assert all(case.expert in ACTIONS[name].experts for name, case in CASES.items())


@pytest.mark.parametrize("name", CASES)
def test_what_is_seen_afterwards_is_what_the_name_says(name: str) -> None:
    case = CASES[name]
    bench = case.make(case.expert)
    before = seen(bench)
    done(bench, name, case.expert, **case.arguments)
    assert case.check(before, seen(bench), bench)


@pytest.mark.parametrize("name", CASES)
def test_experts_who_lack_it_are_told_who_has_it_and_nothing_changes(name: str) -> None:
    case = CASES[name]
    for expert in EXPERTS:
        read = action_table().read({"name": name, "arguments": {**case.arguments, "expert": expert}})
        if expert in ACTIONS[name].experts:
            assert not isinstance(read, Declined)
            continue
        assert isinstance(read, Declined) and read.kind == "invalid_action"
        assert expert in read.message and all(one in read.message for one in ACTIONS[name].experts)
        bench = page(expert, WIDTH, HEIGHT)
        before = bench.document
        step = do(bench, name, None, **case.arguments)  # who is at work
        assert step.error == "invalid_action" and bench.document is before
        assert all(one in step.message for one in ACTIONS[name].experts)

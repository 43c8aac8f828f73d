"""Groups: layers that turn, fade and are cut off together; their JSON form, pixels, edits and visibility."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from designgym.graphics.document import Document, DocumentError, Group, Layer, ShapeLayer, Stroke, TextLayer
from designgym.graphics.raster import reach
from designgym.graphics.render import Renderer, render
from designgym.graphics.visible import Rule, visibility


def box(id: str, x: float, y: float, width: float, height: float, fill: str, **fields: object) -> ShapeLayer:
    return ShapeLayer(id=id, x=x, y=y, width=width, height=height, fill=fill, **fields)  # type: ignore[arg-type]


def page(*layers: Layer, groups: tuple[Group, ...] = (), background: str = "#ffffff") -> Document:
    return Document(100, 80, background, layers, groups=groups).validate()


def group(**fields: object) -> Group:
    return Group(**{"id": "g", "x": 0, "y": 0, "width": 100, "height": 80, **fields})  # type: ignore[arg-type]


RED = box("red", 10, 10, 40, 40, "#ff0000", group="g")
BLUE = box("blue", 30, 30, 40, 40, "#0000ff", group="g")


def test_the_json_form_round_trips_and_says_nothing_of_groups_where_there_are_none() -> None:
    grouped = page(RED, BLUE, groups=(group(rotation_deg=30, opacity=0.5, clip=True, name="both"),))
    assert Document.from_json(grouped.to_json()) == grouped
    plain = page(dataclasses.replace(RED, group=""))
    data = plain.to_json()
    assert "groups" not in data and "group" not in data["layers"][0]
    assert Document.from_json(data) == plain


@pytest.mark.parametrize(
    ("layers", "groups", "message"),
    [
        ((RED,), (), "layer 'red': group 'g' is not in the document"),
        ((RED, box("x", 0, 0, 5, 5, "#000000"), BLUE), (group(),), "other layers lie between it and the rest"),
        ((), (group(), group()), "Two groups have the id 'g'"),
        ((), (group(id=""),), "group's id is empty"),
        ((), (group(opacity=1.5),), "group 'g': opacity is 1.5"),
        ((), (group(width=0),), "group 'g': width is 0"),
        ((), (group(clip=1),), "group 'g': clip is 1"),
        ((), (group(x=float("nan")),), "group 'g': x is nan"),
        ((), ("g",), "A group is a str"),
    ],
)
def test_groups_that_break_a_rule_are_refused(layers: tuple[Layer, ...], groups: tuple, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        page(*layers, groups=groups)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"groups": {}}, "'groups' too"),
        ({"groups": [3]}, "A group is a JSON object"),
        ({"groups": [{"id": "g"}]}, "the key 'height' is missing"),
        ({"groups": [{"id": "g", "x": 0, "y": 0, "width": 1, "height": 1, "z": 1}]}, "unknown key 'z'"),
    ],
)
def test_json_groups_of_another_shape_are_refused(data: dict, message: str) -> None:
    with pytest.raises(DocumentError, match=message):
        Document.from_json({"format": 1, "width": 10, "height": 10, **data})


def test_a_group_that_does_nothing_changes_no_pixel() -> None:
    plain = page(dataclasses.replace(RED, group=""), dataclasses.replace(BLUE, group=""))
    assert np.array_equal(render(page(RED, BLUE, groups=(group(),))), render(plain))


def test_members_of_a_faded_group_do_not_show_through_each_other() -> None:
    pixels = render(page(RED, BLUE, groups=(group(opacity=0.5),)))
    red, blue, both = pixels[15, 15], pixels[65, 65], pixels[40, 40]
    assert np.abs(red.astype(int) - (255, 127, 127)).max() <= 1
    assert np.abs(blue.astype(int) - (127, 127, 255)).max() <= 1
    assert np.array_equal(both, blue)


def test_a_clipped_group_ends_at_its_box() -> None:
    pixels = render(page(RED, BLUE, groups=(group(x=20, y=0, width=40, height=35, clip=True),)))
    expected = np.full((80, 100, 3), 255, np.uint8)
    expected[10:35, 20:50] = (255, 0, 0)
    expected[30:35, 30:60] = (0, 0, 255)
    assert np.array_equal(pixels, expected)


def test_a_group_turns_its_members_and_its_edge_about_its_middle() -> None:
    # A quarter turn about (50, 40): (x, y) goes to (90 - y, x - 10).
    pixels = render(page(box("a", 40, 10, 20, 10, "#000000", group="g"), groups=(group(rotation_deg=90),)))
    expected = np.full((80, 100, 3), 255, np.uint8)
    expected[30:50, 70:80] = 0
    assert np.array_equal(pixels, expected)
    cut = group(x=45, y=0, width=10, height=80, rotation_deg=90, clip=True)
    pixels = render(page(box("a", 40, 10, 20, 10, "#000000", group="g"), groups=(cut,)))
    expected[30:35] = expected[45:50] = 255
    assert np.array_equal(pixels, expected)


def test_a_member_turned_back_by_itself_stands_upright_where_the_group_carries_it() -> None:
    member = box("a", 40, 10, 20, 10, "#000000", rotation_deg=-90, group="g")
    pixels = render(page(member, groups=(group(rotation_deg=90),)))
    expected = np.full((80, 100, 3), 255, np.uint8)
    expected[35:45, 65:85] = 0  # its middle, (50, 15), goes to (75, 40)
    assert np.array_equal(pixels, expected)


def test_the_reach_of_a_member_holds_its_turned_ink() -> None:
    document = page(RED, groups=(group(rotation_deg=45),))
    x1, y1, x2, y2 = reach(RED, document)
    rows, columns = np.nonzero(render(document)[..., 1] < 250)
    assert x1 - 1 <= columns.min() <= x1 + 2 and x2 - 2 <= columns.max() + 1 <= x2 + 1
    assert y1 - 1 <= rows.min() and rows.max() + 1 <= y2 + 1


def random_document(rng: random.Random) -> Document:
    layers: list[Layer] = []
    groups = []
    for number in range(rng.randint(1, 4)):
        name = rng.choice(["", f"g{number}"])
        if name:
            groups.append(random_group(rng, name))
        layers += [random_layer(rng, f"{number}-{i}", name) for i in range(rng.randint(1, 3))]
    return page(*layers, groups=tuple(groups), background=rng.choice(["#ffffff", "#203040"]))


def random_group(rng: random.Random, name: str) -> Group:
    return Group(
        id=name,
        x=rng.uniform(-10, 60),
        y=rng.uniform(-10, 40),
        width=rng.uniform(5, 80),
        height=rng.uniform(5, 60),
        rotation_deg=rng.choice([0, 0, 17.5, 90]),
        opacity=rng.choice([1, 0.6, 0.25, 0]),
        clip=rng.random() < 0.5,
    )


def random_layer(rng: random.Random, name: str, member_of: str) -> Layer:
    place = {"x": rng.uniform(-20, 80), "y": rng.uniform(-20, 60), "width": rng.uniform(4, 60), "height": 30.0}
    shared = {"id": name, "group": member_of, "rotation_deg": rng.choice([0, 30]), "opacity": rng.choice([1, 0.7])}
    color = rng.choice(["#ff0000", "#00aa44", "#0033ff", "#ffee00"])
    if rng.random() < 0.3:
        return TextLayer(**shared, **place, text="Group", size_px=20, color=color)
    return ShapeLayer(**shared, **place, shape="ellipse", fill=color, stroke=Stroke("#111111", 2))


def edited(document: Document, rng: random.Random) -> Document:
    """One edit that an editor would make: of a layer, a group, or who belongs to it."""
    kind = rng.choice(["layer", "group", "free", "order"])
    if kind == "group" and document.groups:
        chosen = rng.choice(document.groups)
        new = tuple(random_group(rng, g.id) if g is chosen else g for g in document.groups)
        return dataclasses.replace(document, groups=new)
    if kind == "free":
        member = rng.choice(document.layers)
        rest = tuple(layer for layer in document.layers if layer is not member)
        return dataclasses.replace(document, layers=(*rest, dataclasses.replace(member, group="")))
    if kind == "order":
        runs: dict[str, list[Layer]] = {}
        for layer in document.layers:
            runs.setdefault(layer.group or layer.id, []).append(layer)
        order = list(runs.values())
        rng.shuffle(order)
        return dataclasses.replace(document, layers=tuple(layer for run in order for layer in run))
    old = rng.choice(document.layers)
    return document.replace_layer(random_layer(rng, old.id, old.group))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("scale", [1.0, 0.7])
def test_edits_give_the_bytes_of_a_full_render(seed: int, scale: float) -> None:
    rng = random.Random(seed)
    document = random_document(rng)
    renderer = Renderer(document, scale)
    for _ in range(12):
        document = edited(document, rng).validate()
        renderer.update(document)
        assert np.array_equal(renderer.image(), render(document, scale))


@pytest.mark.parametrize("seed", range(12))
def test_what_is_visible_is_what_changes_when_a_layer_is_taken_away(seed: int) -> None:
    document = random_document(random.Random(100 + seed))
    seen = visibility(document, rule=Rule(min_coverage=0, min_text_px=1))
    whole = render(document).astype(int)
    for layer in document.layers:
        without = dataclasses.replace(document, layers=tuple(other for other in document.layers if other is not layer))
        change = np.abs(render(without).astype(int) - whole).max(axis=-1)
        mask = seen.masks[layer.id]
        assert not (mask & (change < 12 - 4)).any()  # up to four levels of rounding, one a layer
        assert not (~mask & (change > 12 + 4)).any()


def test_a_member_behind_another_one_is_hidden_however_faded_their_group() -> None:
    hidden = box("hidden", 35, 35, 10, 10, "#00ff00", group="g")
    seen = visibility(page(box("under", 0, 0, 100, 80, "#ffff00"), hidden, BLUE, groups=(group(opacity=0.4),)))
    assert seen.box("hidden") is None and seen.fraction("hidden") == 0
    assert seen.fraction("under") == 1 and seen.fraction("blue") == 1


def test_the_visible_box_of_a_member_ends_where_its_group_cuts_it_off() -> None:
    seen = visibility(page(RED, groups=(group(x=20, y=20, width=15, height=80, clip=True),)))
    assert seen.box("red") == (0.2, 0.25, 0.35, 0.625)
    assert seen.fraction("red") == pytest.approx(15 * 30 / 1600)


def test_a_turned_member_that_leaves_the_page_is_visible_in_part() -> None:
    # A quarter turn about (50, 40) carries the bar to x 10 to 90: on the page. One about (10, 40) takes (x, y) to
    # (50 - y, x + 30): x -30 to 50, of which 50 of 80 are on the page, and y 75 to 85, of which 5 of 10 are.
    bar = box("bar", 45, 0, 10, 80, "#000000", group="g")
    assert visibility(page(bar, groups=(group(rotation_deg=90),))).fraction("bar") == pytest.approx(1)
    off = group(x=10, width=0.001, rotation_deg=90)
    assert visibility(page(bar, groups=(off,))).fraction("bar") == pytest.approx(50 / 80 * 5 / 10, abs=0.01)


def test_an_empty_group_and_one_beyond_the_page_draw_nothing() -> None:
    away = group(x=500, y=500, width=10, height=10, clip=True)
    white = np.full((80, 100, 3), 255)
    assert np.array_equal(render(page(RED, BLUE, groups=(away,))), white)
    assert np.array_equal(render(page(groups=(group(),))), white)

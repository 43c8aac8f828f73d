"""The declaration of the 46 design actions, against the facts of GraphicBench's Table 8 written out as data."""

import pytest

from designgym.envs.design.actions import ACTIONS, ALIASES, FILTER_ACTIONS
from designgym.envs.design.adjusting import FILTER_OF
from designgym.envs.design.tools import FINISH, action_table
from designgym.graphics.filters.registry import FILTERS
from designgym.tools import Accepted, Choice, Declined, Number

P, V, L = "photo_editor", "vector_graphic_editor", "layout_designer"

# Category, name, parameters and experts (p photo editor, v vector graphic editor, l layout designer), as in the table.
# There the parameters of AdjustHSL are missing.
TABLE_8 = """
basic CreateDocument docType pvl
basic CreateDocumentCustom width,height pvl
basic SetBackgroundColor red,green,blue pvl
basic SaveDocument fileName,format pvl
drawing DrawCircle layerName,radius,red,green,blue v
drawing DrawEllipse layerName,majorRadius,minorRadius,red,green,blue v
drawing DrawLine layerName,startX,startY,endX,endY,strokeWidth,red,green,blue v
drawing DrawPolygon layerName,sides,radius,red,green,blue v
drawing DrawRectangle layerName,width,height,red,green,blue v
drawing DrawStar layerName,numPoints,radius,red,green,blue v
drawing DrawTriangle layerName,base,height,red,green,blue v
drawing OpacityDrawing layerName,opacity v
drawing RemoveDrawing layerName v
drawing RepositionDrawing layerName,posX,posY v
drawing ResizeDrawing layerName,width,height v
drawing RotateDrawing layerName,angle v
drawing StorkeDrawing layerName,strokeWidth,red,green,blue v
text AlignText layerName,alignment pvl
text ApplyFont layerName,fontName pvl
text ArrangeText layerName,arrangement pvl
text ColorText layerName,red,green,blue pvl
text CreateText layerName,textString pvl
text OpacityText layerName,opacity pv
text RemoveText layerName pvl
text RepositionText layerName,posX,posY pvl
text ResizeText layerName,fontSize pvl
text RotateText layerName,angle pvl
text StrokeText layerName,strokeWidth,red,green,blue vl
object ImportObject fileName,layerName pvl
object OpacityObject fileName,opacity pv
object RemoveObject fileName pvl
object RepositionObject fileName,posX,posY pvl
object ResizeObject fileName,width,height pvl
object RotateObject fileName,angle pvl
object GenerateQRObject layerName,linkURL l
object AdjustBC layerName,brightness,contrast p
object AdjustBW layerName p
object AdjustHSL layerName,hue,saturation,light p
object BlurObject layerName,blurAmount p
object PhotoFilter layerName,filterType,density p
object GlassFilter layerName,distortion,smoothness,scaling p
object GlowFilter layerName,graininess,glowAmount,clearAmount p
object OceanRippleFilter layerName,rippleSize,rippleMagnitude p
object StainedGlassFilter layerName,cellSize,borderThickness,lightIntensity p
object PatchWorkFilter layerName,squareSize,relief p
object WatercolorFilter layerName,brushDetail,shadowIntensity,texture p
"""

RANGES = {
    ("AdjustBC", "brightness"): (-150, 150),
    ("AdjustBC", "contrast"): (-100, 100),
    ("AdjustHSL", "hue"): (-180, 180),
    ("AdjustHSL", "saturation"): (-100, 100),
    ("AdjustHSL", "light"): (-100, 100),
    ("BlurObject", "blurAmount"): (0, 100),
    ("PhotoFilter", "density"): (0, 100),
    ("OpacityText", "opacity"): (0, 100),
    ("RotateText", "angle"): (0, 360),
    ("StrokeText", "strokeWidth"): (0.5, 5),
    ("DrawLine", "strokeWidth"): (0.5, 5),
    ("SetBackgroundColor", "green"): (0, 255),
    ("GlassFilter", "distortion"): (0, 20),
    ("GlassFilter", "smoothness"): (1, 15),
    ("GlassFilter", "scaling"): (50, 200),
    ("GlowFilter", "graininess"): (0, 10),
    ("GlowFilter", "glowAmount"): (0, 20),
    ("GlowFilter", "clearAmount"): (0, 20),
    ("OceanRippleFilter", "rippleSize"): (1, 15),
    ("OceanRippleFilter", "rippleMagnitude"): (0, 20),
    ("StainedGlassFilter", "cellSize"): (2, 50),
    ("StainedGlassFilter", "borderThickness"): (1, 20),
    ("StainedGlassFilter", "lightIntensity"): (0, 10),
    ("PatchWorkFilter", "squareSize"): (0, 10),
    ("PatchWorkFilter", "relief"): (0, 25),
    ("WatercolorFilter", "brushDetail"): (1, 14),
    ("WatercolorFilter", "shadowIntensity"): (0, 15),
    ("WatercolorFilter", "texture"): (1, 3),
}


def rows() -> list[list[str]]:
    return [line.split() for line in TABLE_8.strip().splitlines()]


def test_names_parameters_and_experts_are_those_of_table_8() -> None:
    letters = {"p": P, "v": V, "l": L}
    table = [(c, name, keys.split(","), [letters[e] for e in experts]) for c, name, keys, experts in rows()]
    declared = [(a.category, a.name, [p.name for p in a.parameters], list(a.experts)) for a in ACTIONS.values()]
    assert declared == table


def test_there_are_4_basic_13_drawing_11_text_and_18_object_actions() -> None:
    categories = [action.category for action in ACTIONS.values()]
    assert {c: categories.count(c) for c in set(categories)} == {"basic": 4, "drawing": 13, "text": 11, "object": 18}


@pytest.mark.parametrize(("place", "ends"), RANGES.items())
def test_ranges_are_the_advertised_ones(place: tuple[str, str], ends: tuple[float, float]) -> None:
    (kind,) = [p.type for p in ACTIONS[place[0]].parameters if p.name == place[1]]
    assert isinstance(kind, Number)
    assert (kind.low, kind.high) == ends


def test_filter_actions_have_the_parameters_of_their_filters() -> None:
    assert set(FILTER_OF) == set(FILTER_ACTIONS)
    assert set(FILTER_OF.values()) == set(FILTERS)
    for action, name in FILTER_OF.items():
        declared = {p.name: p.type for p in ACTIONS[action].parameters[1:]}
        assert set(declared) == set(FILTERS[name].parameters)
        for key, kind in FILTERS[name].parameters.items():
            own = declared[key]
            if isinstance(kind, Number):
                assert isinstance(own, Number)
                assert (own.low, own.high) == (kind.low, kind.high)
            else:
                assert isinstance(own, Choice)
                assert own.options == kind.options


def test_every_action_is_a_tool_and_finish_beside_them() -> None:
    assert action_table().names == (*(row[1] for row in rows()), FINISH)


@pytest.mark.parametrize(
    ("alias", "name"),
    [
        ("StrokeDrawing", "StorkeDrawing"),
        ("PatchworkFilter", "PatchWorkFilter"),
        ("ExportDocument", "SaveDocument"),
    ],
)
def test_other_spellings_stand_for_the_papers(alias: str, name: str) -> None:
    tool = action_table()[name]
    read = action_table().read({"name": alias, "arguments": {**tool.example(), "expert": None}})
    assert isinstance(read, Accepted)
    assert read.name == name
    assert ALIASES[alias] == name


def test_exporting_is_the_layout_designers_word_for_saving() -> None:
    arguments = {"fileName": "a", "format": "png"}
    assert isinstance(action_table().read({"name": "ExportDocument", "arguments": arguments | {"expert": L}}), Accepted)
    declined = action_table().read({"name": "ExportDocument", "arguments": arguments | {"expert": P}})
    assert isinstance(declined, Declined)
    assert declined.kind == "invalid_action"
    assert "SaveDocument" in declined.message


def test_objects_are_named_by_file_or_layer() -> None:
    for name, key in (("RemoveObject", "layerName"), ("AdjustBW", "fileName")):
        canonical = {"RemoveObject": "fileName", "AdjustBW": "layerName"}[name]
        read = action_table().read({"name": name, "arguments": {key: "sun"}})
        assert isinstance(read, Accepted)
        assert read.arguments == {canonical: "sun", "expert": None}


def test_both_keys_at_once_are_refused() -> None:
    declined = action_table().read({"name": "RemoveObject", "arguments": {"fileName": "a", "layerName": "b"}})
    assert isinstance(declined, Declined)
    assert declined.kind == "invalid_parameters"


@pytest.mark.parametrize(
    ("call", "kind", "word"),
    [
        ({"name": "CreateText", "arguments": {"expert": "text_editor"}}, "invalid_expert", "layout_designer"),
        ({"name": "CreateText", "arguments": {"expert": 7, "nonsense": 1}}, "invalid_expert", "7"),
        ({"name": "DrawCircle", "arguments": {"expert": P}}, "invalid_action", V),
        ({"name": "ApplyArialFont", "arguments": {}}, "invalid_action", "ApplyFont"),
        ({"name": "CreateDocument", "arguments": {"doc": "poster"}}, "invalid_parameters", "docType"),
        ({"name": "CreateDocument", "arguments": {"docType": "placard"}}, "invalid_parameters", "poster"),
        ({"name": "SetBackgroundColor", "arguments": {"red": 1, "green": 256, "blue": 0}}, "invalid_parameters", "255"),
        ({"name": "CreateText", "arguments": {"layerName": "a", "textString": "x" * 2001}}, "limit", "2000"),
        ("CreateText", "format", "call"),
    ],
)  # fmt: skip
def test_errors_are_of_their_kind_and_say_what_is_allowed(call: object, kind: str, word: str) -> None:
    declined = action_table().read(call)
    assert isinstance(declined, Declined)
    assert declined.kind == kind
    assert word in declined.message


@pytest.mark.parametrize("spelled", ["Book Cover", "book_cover", "bookcover", "book-cover"])
def test_choices_may_be_spelled_otherwise(spelled: str) -> None:
    read = action_table().read({"name": "CreateDocument", "arguments": {"docType": spelled, "expert": "Photo Editor"}})
    assert isinstance(read, Accepted)
    assert read.arguments == {"docType": "book cover", "expert": P}

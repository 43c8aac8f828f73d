"""The document model: its JSON form round-trips, and what breaks a rule is a sentence that says what is allowed."""

import copy
import dataclasses
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from designgym.graphics.document import (
    MAX_LAYERS,
    MAX_TEXT,
    Document,
    DocumentError,
    ImageLayer,
    ShapeLayer,
    Stroke,
    TextLayer,
    layer_from_json,
    layer_to_json,
)

FULL = Document(
    600,
    900,
    "#f4efe6cc",
    (
        ShapeLayer(id="panel", width=600, height=300.5, fill=None, stroke=Stroke("#26465380", 2.5)),
        ShapeLayer(id="star", shape="polygon", width=80, height=80, points=((0.5, 0), (1, 1), (0, 0.7)), radius_px=3),
        ImageLayer(id="photo", x=-40, y=320, width=520, height=300, asset="a b.png", fit="cover", rotation_deg=-15),
        TextLayer(
            id="title",
            name="Überschrift",
            x=40,
            y=50,
            width=430,
            height=160,
            text="Jazz\n\u202e夜\x00",
            font="Abril Fatface",
            size_px=64,
            weight=700,
            italic=True,
            color="#ABCDEF",
            align="justify",
            line_height=0.9,
            letter_spacing_px=-1.5,
            stroke=Stroke(),
            opacity=0.25,
        ),
    ),
    {"a b.png": b"\x89PNG\x00\xff"},
).validate()

names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
floats = st.floats(-500, 500)
colors = st.from_regex(r"#[0-9a-fA-F]{6}([0-9a-fA-F]{2})?", fullmatch=True)
shapes = st.builds(
    ShapeLayer,
    id=names,
    name=names,
    x=floats,
    y=floats | st.integers(-500, 500),
    width=st.floats(1e-6, 5000),
    height=st.integers(1, 5000),
    rotation_deg=floats,
    opacity=st.floats(0, 1),
    fill=st.none() | colors,
    stroke=st.none() | st.builds(Stroke, colors, st.floats(0, 500)),
    points=st.lists(st.tuples(st.floats(-10, 10), st.floats(-10, 10)), max_size=4).map(tuple),
)
texts = st.builds(TextLayer, id=names, text=names, width=st.floats(1, 50), height=st.floats(1, 50), color=colors)
documents = st.builds(
    Document,
    st.integers(1, 4096),
    st.integers(1, 4096),
    colors,
    st.lists(shapes | texts, max_size=5, unique_by=lambda layer: layer.id).map(tuple),
    st.dictionaries(names, st.binary(max_size=20), max_size=2),
)


def one(layer, **page) -> Document:
    return Document(**{"width": 100, "height": 100, "layers": (layer,), "assets": {"a": b"x"}, **page})


def test_the_json_form_of_every_kind_of_layer_round_trips():
    assert Document.from_json(json.loads(json.dumps(FULL.to_json()))) == FULL


def test_the_json_form_is_plain_json_already():
    assert json.loads(json.dumps(FULL.to_json())) == FULL.to_json()


@settings(max_examples=60, deadline=None)
@given(documents)
def test_every_valid_document_round_trips_through_json_text_pickle_and_copy(document):
    document.validate()
    assert Document.from_json(json.loads(json.dumps(document.to_json()))) == document
    assert pickle.loads(pickle.dumps(document)) == document
    assert copy.deepcopy(document) == document


def test_text_is_kept_as_written_in_logical_order():
    text = "שלום 123 \u202eabc\u202c\tend\r\n"
    layer = TextLayer(id="t", width=10, height=10, text=text)
    assert layer_from_json(json.loads(json.dumps(layer_to_json(layer)))).text == text


def test_layers_are_found_and_replaced_by_id_at_the_same_depth():
    changed = dataclasses.replace(FULL.layer("star"), fill="#000000")
    assert [layer.id for layer in FULL.replace_layer(changed).layers] == ["panel", "star", "photo", "title"]
    assert FULL.replace_layer(changed).layer("star").fill == "#000000"
    assert FULL.layer("star").fill == "#000000"
    with pytest.raises(KeyError, match=r"No layer 'nope'; this document has \['panel', 'star', 'photo', 'title'\]"):
        FULL.layer("nope")
    with pytest.raises(KeyError, match="'new'"):
        FULL.replace_layer(ShapeLayer(id="new", width=1, height=1))


BOX = {"id": "s", "width": 10, "height": 10}
BROKEN = [
    (Document(0, 10), "width is 0; it must be a whole number from 1 to 4096"),
    (Document(10, 4097), "height is 4097"),
    (Document(10.0, 10), r"width is 10\.0"),
    (Document(True, 10), "width is True"),
    (Document(10, 10, "white"), "background is 'white'; a colour is '#rrggbb' or '#rrggbbaa'"),
    (Document(10, 10, layers=[ShapeLayer(**BOX)]), "layers are a list; they must be a tuple"),
    (Document(10, 10, layers=(ShapeLayer(**BOX),) * 2), "Two layers have the id 's'"),
    (Document(10, 10, layers=tuple(ShapeLayer(**{**BOX, "id": str(i)}) for i in range(MAX_LAYERS + 1))), "201 layers"),
    (Document(10, 10, layers=("text",)), "A layer is a str"),
    (Document(10, 10, assets={"a": "text"}), "Asset 'a' is a str"),
    (Document(10, 10, assets={3: b""}), "asset name is 3"),
    (one(ShapeLayer(**{**BOX, "id": ""})), "id is empty"),
    (one(ShapeLayer(**{**BOX, "id": ["s"]})), r"id is \['s'\]; it must be a string"),
    (one(ShapeLayer(**BOX, name="n" * 201)), "name has 201 characters; at most 200"),
    (one(ShapeLayer(**{**BOX, "width": 0})), "width is 0; it must be above 0"),
    (one(ShapeLayer(**{**BOX, "height": -5})), "height is -5"),
    (one(ShapeLayer(**{**BOX, "width": 1e12})), "width is 1000000000000.0; it must be a number from 0 to 8096"),
    (one(ShapeLayer(**BOX, x=float("nan"))), "x is nan; it must be a number from -2000 to 2100"),
    (one(ShapeLayer(**BOX, y=float("inf"))), "y is inf"),
    (one(ShapeLayer(**BOX, x=10**400)), "x is 1000.*; it must be a number from -2000"),
    (one(ShapeLayer(**BOX, x=10**5000)), "x is a number with thousands of digits"),
    (one(ShapeLayer(**BOX, x=True)), "x is True"),
    (one(ShapeLayer(**BOX, x="10")), "x is '10'"),
    (one(ShapeLayer(**BOX, rotation_deg=3601)), "rotation_deg is 3601"),
    (one(ShapeLayer(**BOX, opacity=1.01)), r"opacity is 1\.01; it must be a number from 0 to 1"),
    (one(ShapeLayer(**BOX, shape="blob")), "shape is 'blob'; it must be one of"),
    (one(ShapeLayer(**BOX, shape=["line"])), "shape is"),
    (one(ShapeLayer(**BOX, fill="#12345")), "fill is '#12345'"),
    (one(ShapeLayer(**BOX, fill="#123456\n")), "fill is"),
    (one(ShapeLayer(**BOX, stroke="#000000")), "stroke is '#000000'; it must be an object"),
    (one(ShapeLayer(**BOX, stroke=Stroke("#000000", -1))), r"stroke.width_px is -1; it must be a number from 0 to 500"),
    (one(ShapeLayer(**BOX, stroke=Stroke("black"))), "stroke.color is 'black'"),
    (one(ShapeLayer(**BOX, radius_px=-1)), "radius_px is -1"),
    (one(ShapeLayer(**BOX, points=[(0, 0)])), r"points must be a tuple of \(x, y\) pairs"),
    (one(ShapeLayer(**BOX, points=((0, 0, 0),))), r"points must be a tuple of \(x, y\) pairs"),
    (one(ShapeLayer(**BOX, points=((0, "1"),))), "points.y is '1'"),
    (one(ShapeLayer(**BOX, points=((0, 0),) * 2001)), "2001 points; at most 2000"),
    (one(ShapeLayer(**BOX, shape="polygon", points=((0, 0), (1, 1)))), "a polygon with 2 points; it needs at least 3"),
    (one(ShapeLayer(**BOX, shape="line", points=((0, 0),))), "a line with 1 points"),
    (one(ImageLayer(**BOX, asset="b")), r"asset 'b' is not in the document; it has \['a'\]"),
    (one(ImageLayer(**BOX, asset=["a"])), "asset"),
    (one(ImageLayer(**BOX, asset="a", fit="stretch")), "fit is 'stretch'"),
    (one(TextLayer(**BOX, text="x" * (MAX_TEXT + 1))), "text has 2001 characters; at most 2000"),
    (one(TextLayer(**BOX, text=None)), "text is None"),
    (one(TextLayer(**BOX, text="\ud83d")), "text holds half a surrogate pair"),
    (one(TextLayer(**BOX, text="x", font="Ariel")), r"layer 's': The font family 'Ariel' .* Did you mean 'Arial'\?"),
    (one(TextLayer(**BOX, text="x", font=None)), "font is None"),
    (one(TextLayer(**BOX, text="x", italic=1)), "italic is 1; it must be true or false"),
    (one(TextLayer(**BOX, text="x", weight=450.5)), "weight is 450.5; it must be a whole number"),
    (one(TextLayer(**BOX, text="x", weight=1000)), "weight is 1000"),
    (one(TextLayer(**BOX, text="x", line_height=0.1)), "line_height is 0.1"),
    (one(TextLayer(**BOX, text="x", letter_spacing_px=-101)), "letter_spacing_px is -101"),
    (one(TextLayer(**BOX, text="x", align="middle")), "align is 'middle'"),
    *(
        (one(TextLayer(**BOX, text="x", size_px=size)), r"size_px is .*; it must be a number from 1 to 2000")
        for size in (0, -5, 0.4, float("nan"), 1e7, "24", "24px", True)
    ),
]


@pytest.mark.parametrize(("document", "message"), BROKEN, ids=[message[:40] for _, message in BROKEN])
def test_a_broken_rule_is_named_with_field_value_and_range(document, message):
    with pytest.raises(DocumentError, match=message):
        document.validate()


PLAIN = {"format": 1, "width": 10, "height": 10}


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (None, "A document is a JSON object, not NoneType"),
        ([], "not list"),
        ({}, "format None is unknown; this version reads 1"),
        ({**PLAIN, "format": 2}, "format 2 is unknown"),
        ({"format": 1, "width": 10}, "the key 'height' is missing"),
        ({**PLAIN, "heigth": 3}, "unknown key 'heigth'; known are"),
        ({**PLAIN, "layers": {}}, "'layers' must be a list"),
        ({**PLAIN, "layers": ["x"]}, "A layer is a JSON object, not str"),
        (
            {**PLAIN, "layers": [{"type": "video"}]},
            r"Layer type 'video' is unknown; use one of \['image', 'shape', 'text'\]",
        ),
        ({**PLAIN, "layers": [{"type": ["text"]}]}, "Layer type"),
        ({**PLAIN, "layers": [{"type": "shape", "id": "s", "width": 1}]}, "layer 's': the key 'height' is missing"),
        ({**PLAIN, "layers": [{"type": "shape", **BOX, "colour": 1}]}, "layer 's': unknown key 'colour'"),
        ({**PLAIN, "layers": [{"type": "shape", **BOX, "stroke": {"size": 1}}]}, "stroke: unknown key 'size'"),
        ({**PLAIN, "layers": [{"type": "shape", **BOX, "stroke": 3}]}, "stroke is 3"),
        (
            {**PLAIN, "layers": [{"type": "shape", **BOX, "points": [[0, 1, 2]]}]},
            r"'points' must be a list of \[x, y\]",
        ),
        ({**PLAIN, "layers": [{"type": "shape", **BOX, "points": "0,1"}]}, r"'points' must be a list of \[x, y\]"),
        ({**PLAIN, "assets": {"a": "%%%"}}, "not valid base64"),
        ({**PLAIN, "assets": {"a": 5}}, "not valid base64"),
        ({**PLAIN, "assets": []}, "'assets' an object"),
    ],
)
def test_json_of_another_shape_is_refused_with_what_is_wrong(data, message):
    with pytest.raises(DocumentError, match=message):
        Document.from_json(data)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 3),
    st.sampled_from([*layer_to_json(FULL.layers[3]), "type", "points", "asset", "fill", "shape"]),
    values,
)
def test_no_json_value_in_any_field_raises_anything_but_a_document_error(number, key, value):
    data = FULL.to_json()
    data["layers"][number][key] = value
    try:
        Document.from_json(data)
    except DocumentError as error:
        assert str(error).endswith(("]", ".", "?")), str(error)

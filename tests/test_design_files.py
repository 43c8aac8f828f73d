"""Files of the workbench: saving, importing, the sandbox, experts who share nothing else, and QR codes."""

import copy
import io
import json
import re
import zlib
from pathlib import Path

import numpy as np
import pytest
from design_bench import L, P, V, do, done, page, picture, workspace
from PIL import Image

from designgym.envs.design.failure import Failed
from designgym.envs.design.importing import laid
from designgym.envs.design.sandbox import File, plain_name, saved, write_files
from designgym.envs.design.workspace import Workspace
from designgym.graphics.document import Document, ImageLayer, TextLayer
from designgym.graphics.render import render
from designgym.graphics.visible import visibility

BLUE = {"red": 0, "green": 0, "blue": 255}


def poster(expert: str = V, **files: bytes) -> Workspace:
    """A blue page with a picture and a text, of the vector graphic editor unless told otherwise."""
    bench = page(expert, width=400, height=300, **files)
    done(bench, "SetBackgroundColor", **BLUE)
    done(bench, "ImportObject", fileName="sun.png", layerName="sun")
    done(bench, "CreateText", layerName="title", textString="Open day")
    done(bench, "ColorText", layerName="title", red=255, green=255, blue=255)
    return bench


def shown(bench: Workspace) -> Document:
    assert bench.document is not None
    return bench.document.validate()


# --- saving


@pytest.mark.parametrize(("form", "kind"), [("png", "PNG"), ("jpg", "JPEG"), ("jpeg", "JPEG")])
def test_pictures_are_real_files_of_the_page(form: str, kind: str) -> None:
    bench = poster()
    step = done(bench, "SaveDocument", fileName="page", format=form)
    with Image.open(io.BytesIO(bench.files[f"page.{form}"].data)) as image:
        assert image.format == kind
        difference = np.asarray(image.convert("RGB")).astype(int) - render(shown(bench))
    assert np.abs(difference).mean() < (0.001 if kind == "PNG" else 3)
    assert f"page.{form}" in step.message


def test_a_pdf_has_one_page_of_the_documents_size_and_a_table_that_leads_to_every_object() -> None:
    bench = poster()
    done(bench, "SaveDocument", fileName="page", format="pdf")
    data = bench.files["page.pdf"].data
    assert data.startswith(b"%PDF-1.")
    assert data.rstrip().endswith(b"%%EOF")
    assert re.search(rb"/MediaBox \[0 0 400 300\]", data)
    assert data.count(b"/Type /Page\n") == 1
    start = int(re.findall(rb"startxref\s+(\d+)", data)[-1])
    assert data[start : start + 4] == b"xref"
    entries = re.findall(rb"(\d{10}) \d{5} n", data[start:])
    assert len(entries) >= 6
    for number, offset in enumerate(map(int, entries), start=1):
        assert re.match(rb"%d 0 obj" % number, data[offset:]), "the table leads to every object"
    streams = [zlib.decompress(s) for s in re.findall(rb"FlateDecode[^>]*>>\s*stream\n(.*?)\nendstream", data, re.S)]
    assert any(b"BT" in stream and (b"Tj" in stream or b"TJ" in stream) for stream in streams), "text is kept as text"


def test_endings_are_added_and_exchanged() -> None:
    bench = poster()
    for name, form, expected in (
        ("a", "png", "a.png"),
        ("b.png", "png", "b.png"),
        ("c.psd", "png", "c.png"),
        ("v1.2", "jpg", "v1.2.jpg"),
    ):
        done(bench, "SaveDocument", fileName=name, format=form)
        assert expected in bench.files


@pytest.mark.parametrize("form", ["psd", "ai", "indd"])
def test_editable_files_are_documents_and_say_so(form: str) -> None:
    bench = poster()
    step = done(bench, "SaveDocument", fileName="work", format=form)
    assert "own form" in step.message
    assert Document.from_json(json.loads(bench.files[f"work.{form}"].data)) == shown(bench)


# --- importing what another expert saved


def test_editable_files_come_with_their_layers_and_the_same_pixels() -> None:
    bench = poster()
    before = render(shown(bench))
    done(bench, "SaveDocument", fileName="work", format="psd")
    done(bench, "CreateDocumentCustom", L, width=400, height=300)
    done(bench, "ImportObject", fileName="work.psd", layerName="art")
    assert [layer.id for layer in shown(bench).layers] == ["art/background", "art/sun", "art/title"]
    np.testing.assert_array_equal(render(shown(bench)), before)
    done(bench, "ColorText", layerName="art/title", red=255, green=0, blue=0)
    assert (render(shown(bench)) != before).any()


def test_an_imported_document_moves_grows_turns_and_goes_as_one() -> None:
    bench = poster()
    done(bench, "SaveDocument", fileName="work", format="psd")
    done(bench, "CreateDocumentCustom", L, width=1000, height=1000)
    done(bench, "ImportObject", fileName="work.psd", layerName="art")
    done(bench, "RepositionObject", fileName="work.psd", posX=0, posY=0)
    blue = (render(shown(bench)) == (0, 0, 255)).all(axis=-1)
    assert blue[0, 0]
    assert blue[299, 399]
    assert not blue[300:].any()
    done(bench, "ResizeObject", fileName="art", width=800, height=900)
    group = shown(bench).groups[0]
    assert (group.width, group.height) == (800, 600), "it keeps its proportions"
    assert (group.x, group.y) == (-200, -150)
    title = shown(bench).layer("art/title")
    assert isinstance(title, TextLayer)
    assert title.size_px == 60
    assert (title.x + title.width / 2, title.y + title.height / 2) == pytest.approx((200, 150))
    done(bench, "RotateObject", fileName="art", angle=90)
    done(bench, "RemoveObject", fileName="art")
    assert (shown(bench).layers, shown(bench).groups, dict(shown(bench).assets)) == ((), (), {})


def test_documents_within_documents_keep_their_layers_as_far_as_groups_can() -> None:
    bench = poster()
    done(bench, "SaveDocument", fileName="inner", format="ai")
    done(bench, "CreateDocumentCustom", P, width=500, height=500)
    done(bench, "ImportObject", fileName="inner.ai", layerName="inner")
    done(bench, "RotateObject", fileName="inner", angle=90)
    turned = render(shown(bench))
    done(bench, "SaveDocument", fileName="outer", format="psd")
    done(bench, "OpacityObject", fileName="inner", opacity=50)
    done(bench, "SaveDocument", fileName="faded", format="psd")
    faded = render(shown(bench))
    done(bench, "CreateDocumentCustom", L, width=500, height=500)
    done(bench, "ImportObject", fileName="outer.psd", layerName="outer")
    assert "outer/inner/title" in {layer.id for layer in shown(bench).layers}
    difference = np.abs(render(shown(bench)).astype(int) - turned)
    assert (difference > 40).mean() < 0.002, "edges aside"
    step = done(bench, "ImportObject", fileName="faded.psd", layerName="faded")
    assert "flat" in step.message
    assert isinstance(shown(bench).layer("faded"), ImageLayer)
    assert np.abs(render(shown(bench)).astype(int) - faded).max() < 20, "edges are resampled"


def test_flat_files_come_as_pictures_whose_layers_judges_can_still_see() -> None:
    for form in ("png", "jpg", "pdf"):
        bench = poster()
        done(bench, "SaveDocument", fileName="page", format=form)
        done(bench, "CreateDocumentCustom", L, width=1000, height=640)
        done(bench, "ImportObject", fileName=f"page.{form}", layerName="page")
        done(bench, "ResizeObject", fileName="page", width=800, height=600)
        assert [type(layer) for layer in shown(bench).layers] == [ImageLayer]
        seen = bench.visible_design
        assert seen is not None
        seen.validate()
        masks = visibility(seen, 0.5)
        title = next(layer for layer in seen.layers if isinstance(layer, TextLayer))
        assert (title.text, title.size_px) == ("Open day", 60)
        assert masks.fraction(title.id) > 0.9
        difference = np.abs(render(seen, 0.5).astype(int) - render(shown(bench), 0.5))
        assert difference.mean() < 3, "it looks like the picture"


def test_a_stretched_flat_page_stays_a_picture() -> None:
    bench = poster()
    done(bench, "SaveDocument", fileName="page", format="png")
    done(bench, "CreateDocumentCustom", L, width=1000, height=640)
    done(bench, "ImportObject", fileName="page.png", layerName="page")
    done(bench, "ResizeObject", fileName="page", width=800, height=300)
    seen = bench.visible_design
    assert seen is not None
    assert [type(layer) for layer in seen.layers] == [ImageLayer]


def test_experts_share_nothing_but_files() -> None:
    bench = poster()
    step = do(bench, "ColorText", L, layerName="title", **BLUE)
    assert (step.error, step.dependency) == ("dependency", "local")
    assert bench.expert == V, "who failed is not at work"
    done(bench, "CreateDocument", L, docType="postcard")
    step = do(bench, "ImportObject", fileName="page.png", layerName="page")
    assert (step.error, step.dependency) == ("dependency", "global")
    assert "sun.png" in step.message
    done(bench, "SaveDocument", V, fileName="page", format="png")
    done(bench, "ImportObject", L, fileName="page.png", layerName="page")


def test_what_is_submitted_is_what_was_delivered_else_what_was_last_changed_or_saved() -> None:
    bench = workspace()
    assert bench.design is None
    done(bench, "CreateDocument", docType="postcard")
    assert bench.design == Document(1000, 640)
    done(bench, "CreateDocument", V, docType="poster")
    assert bench.design == Document(1000, 640), "an empty page is no newer design"
    done(bench, "SetBackgroundColor", **BLUE)
    blue = bench.design
    assert (blue.width, blue.background) == (1296, "#0000ff")
    done(bench, "SaveDocument", fileName="blue", format="pdf")
    done(bench, "SetBackgroundColor", L, red=255, green=0, blue=0)
    assert bench.design.background == "#ff0000"
    bench.deliver("blue.pdf")
    assert bench.design is blue
    for name, dependency in (("sun.png", "global"), ("no.png", "global")):
        with pytest.raises(Failed) as failure:
            bench.deliver(name)
        assert (failure.value.kind, failure.value.dependency) == ("dependency", dependency)


# --- the files themselves


@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../secret.png",
        "..",
        ".",
        "a/b.png",
        "a\\b.png",
        "C:x.png",
        "~/x.png",
        "~x",
        "con",
        "NUL.png",
        "com1.txt",
        "a\0.png",
        "a\nb.png",
        "x" * 121,
        "é" * 121,
        " ",
        " a.png",
        "a.png ",
        ".hidden",
        "-rf",
        "$HOME",
        "a\u202eb.png",
        "x.png\u2028",
    ],
)
def test_names_that_are_not_plain_are_refused(name: str) -> None:
    with pytest.raises(Failed) as failure:
        plain_name(name)
    assert failure.value.kind == "invalid_parameters"
    assert "plain name" in failure.value.message


@pytest.mark.parametrize("name", ["hero.png", "Ünïcode fîle (2).png", "v1.2_final-b.indd", "日本.png", "cones.png"])
def test_plain_names_are_taken(name: str) -> None:
    assert plain_name(name) == name


def test_given_pictures_are_not_overwritten() -> None:
    bench = poster()
    step = do(bench, "SaveDocument", fileName="sun.png", format="png")
    assert step.error == "dependency"
    assert bench.files["sun.png"].data == picture()


def test_files_have_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    files: dict[str, File] = {}
    for number in range(100):
        files = saved(files, File(f"{number}.png", b"x", document=Document(1, 1)))
    with pytest.raises(Failed, match="100 files"):
        saved(files, File("more.png", b"x", document=Document(1, 1)))
    saved(files, File("7.png", b"y", document=Document(1, 1)))
    monkeypatch.setattr("designgym.envs.design.sandbox.MAX_BYTES", 110)
    with pytest.raises(Failed, match="bytes together"):
        saved(files, File("7.png", b"y" * 12, document=Document(1, 1)))


def test_files_are_written_into_a_new_folder_alone(tmp_path: Path) -> None:
    bench = poster()
    done(bench, "SaveDocument", fileName="page", format="pdf")
    paths = write_files(bench.files, tmp_path / "out")
    assert {path.name: path.read_bytes() for path in paths} == {n: f.data for n, f in bench.files.items()}
    with pytest.raises(FileExistsError):
        write_files(bench.files, tmp_path / "out")
    (tmp_path / "target").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(FileExistsError):
        write_files(bench.files, tmp_path / "link")


def test_what_is_no_picture_is_refused_with_the_reason() -> None:
    entities = b'<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY a "b">]><svg xmlns="http://www.w3.org/2000/svg">&a;</svg>'
    bench = page(torn_png=picture()[:60], text_png=b"hello", bad_svg=entities)
    for name in ("torn.png", "text.png", "bad.svg"):
        step = do(bench, "ImportObject", fileName=name, layerName="x")
        assert (step.error, step.dependency) == ("dependency", "global")
        assert name in step.message
    assert shown(bench).layers == ()


def test_svg_files_are_drawn() -> None:
    circle = (
        b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 10"><rect width="20" height="10" fill="#0f0"/></svg>'
    )
    bench = page(ok_svg=circle)
    done(bench, "ImportObject", fileName="ok.svg", layerName="x")
    layer = shown(bench).layer("x")
    assert isinstance(layer, ImageLayer)
    assert layer.width / layer.height == pytest.approx(2)
    assert laid(bench.files["ok.svg"]) == shown(bench).assets[layer.asset]
    assert tuple(render(shown(bench))[320, 500]) == (0, 255, 0)


# --- QR codes


def decoded(pixels: np.ndarray) -> str:
    zxing = pytest.importorskip("zxingcpp", reason="a decoder of QR codes, zxing-cpp, is not installed")
    found = zxing.read_barcodes(pixels)
    return found[0].text if found else ""


@pytest.mark.parametrize("link", ["https://example.com/open-day?x=1&y=2", "mailto:a@b.c", "https://例え.jp/ü"])
def test_qr_codes_are_read_by_a_real_decoder_off_the_page(link: str) -> None:
    bench = page()
    done(bench, "SetBackgroundColor", red=20, green=60, blue=40)
    done(bench, "GenerateQRObject", layerName="code", linkURL=link)
    assert decoded(render(shown(bench))) == link
    done(bench, "ResizeObject", fileName="code", width=150, height=150)
    done(bench, "RepositionObject", fileName="code", posX=830, posY=470)
    done(bench, "RotateObject", fileName="code", angle=15)
    assert decoded(render(shown(bench))) == link


def test_a_link_that_no_code_can_hold_is_past_a_limit() -> None:
    step = do(page(), "GenerateQRObject", layerName="code", linkURL="😀" * 1000)
    assert step.error == "limit"


def test_pages_whose_picture_could_not_be_read_again_are_past_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = poster(P)
    done(bench, "SaveDocument", fileName="art", format="psd")
    done(bench, "OpacityObject", fileName="sun", opacity=50)
    done(bench, "CreateDocumentCustom", L, width=400, height=300)
    done(bench, "CreateDocumentCustom", P, width=400, height=300)
    done(bench, "ImportObject", fileName="art.psd", layerName="art")
    done(bench, "OpacityObject", fileName="art", opacity=50)
    done(bench, "SaveDocument", fileName="faded", format="psd")  # comes flat, since groups do not nest
    monkeypatch.setattr("designgym.envs.design.saving.MAX_BYTES", 500)
    for expert, action, arguments in (
        (P, "SaveDocument", {"fileName": "big", "format": "png"}),
        (P, "SaveDocument", {"fileName": "big", "format": "jpg"}),
        (P, "SaveDocument", {"fileName": "big", "format": "pdf"}),
        (P, "AdjustBW", {"layerName": "art"}),
        (L, "ImportObject", {"fileName": "faded.psd", "layerName": "faded"}),
    ):
        before = copy.deepcopy(bench)
        step = do(bench, action, expert, **arguments)
        assert step.error == "limit" and "at most 500" in step.message
        assert vars(bench) == vars(before)


def test_flat_files_of_very_many_large_filters_are_past_a_limit() -> None:
    bench = page(P, width=2000, height=2000)
    done(bench, "ImportObject", fileName="sun.png", layerName="sun")
    done(bench, "ResizeObject", fileName="sun", width=2000, height=2000)
    for _ in range(7):
        done(bench, "AdjustBW", layerName="sun")  # 4 million px each
    step = do(bench, "SaveDocument", fileName="page", format="png")
    assert step.error == "limit" and "28,000,000 px" in step.message and "psd" in step.message
    done(bench, "SaveDocument", fileName="page", format="psd")
    done(bench, "ResizeObject", fileName="sun", width=400, height=400)
    done(bench, "SaveDocument", fileName="page", format="png")


def test_documents_are_saved_so_often_and_no_more() -> None:
    bench = page(width=20, height=20)
    for _ in range(20):
        done(bench, "SaveDocument", fileName="a", format="psd")
    step = do(bench, "SaveDocument", fileName="b", format="psd")
    assert step.error == "limit"
    assert "b.psd" not in bench.files

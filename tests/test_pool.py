"""Pools of pictures: the embedded one, folders, openclipart; drawing, caching and searching."""

from __future__ import annotations

import io
import json
import logging
import pickle
import struct
import subprocess
import sys
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from designgym.cli.pool import run
from designgym.errors import UserError
from designgym.folders import cache_folder
from designgym.pool.embedded import FOLDER, embedded
from designgym.pool.folder import folder
from designgym.pool.openclipart import openclipart
from designgym.pool.pool import FilePool, ImagePool, PoolPicture
from designgym.pool.resolve import resolve_pool
from designgym.pool.search import search

DOT = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 90 90"><rect x="10" y="10" width="40" height="20"/></svg>'


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DESIGNGYM_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def pixels_of(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG" and image.mode == "RGBA"
        return np.asarray(image)


def fresh() -> FilePool:
    """The embedded pool as a new process has it: nothing drawn."""
    return pickle.loads(pickle.dumps(embedded()))


def test_the_embedded_pool_has_some_hundred_pictures_of_every_category() -> None:
    pool = embedded()
    assert isinstance(pool, ImagePool) and pool.name == "embedded" and 300 <= len(pool.pictures) <= 600
    ids = [picture.id for picture in pool.pictures]
    assert ids == sorted(set(ids))
    counts: dict[str, int] = {}
    for picture in pool.pictures:
        counts[picture.category] = counts.get(picture.category, 0) + 1
        assert picture.caption and picture.keywords and picture.source and 0.2 < picture.aspect < 4
        assert picture.licence in {"Apache-2.0", "MIT", "Public-Domain"}
    assert set(counts) == {
        *("animals", "plants", "food", "music", "sport", "buildings", "landscapes"),
        *("vehicles", "people", "tools", "seasons", "objects"),
    }
    assert min(counts.values()) >= 15


def test_every_embedded_file_is_listed_and_every_set_has_its_licence() -> None:
    listed = {picture.id for picture in embedded().pictures}
    drawings = FOLDER / "pictures"
    assert listed == {path.relative_to(drawings).with_suffix("").as_posix() for path in drawings.rglob("*.svg")}
    notice = (Path(__file__).parents[1] / "NOTICE").read_text(encoding="utf-8")
    for set_ in {name.split("/")[0] for name in listed}:
        assert (drawings / set_ / "LICENSE").stat().st_size > 500
        assert f"pictures/{set_}" in notice
    assert sum(path.stat().st_size for path in drawings.rglob("*")) < 5 * 2**20


def test_embedded_pictures_are_drawn_cropped_at_the_size_asked_for_with_the_aspect_listed() -> None:
    pool = fresh()
    for picture in pool.pictures[::23]:
        pixels = pixels_of(pool.png(picture.id, 120))
        height, width = pixels.shape[:2]
        assert max(width, height) == 120
        assert width / height == pytest.approx(picture.aspect, rel=0.03)
        ink = pixels[..., 3] > 0
        assert ink[:, :3].any() and ink[:, -3:].any() and ink[:3].any() and ink[-3:].any()
        assert (pixels[..., 3] == 255).mean() > 0.05


def test_two_processes_draw_the_same_bytes_without_a_cache_in_common(tmp_path: Path) -> None:
    program = (
        "import hashlib, os, sys; os.environ['DESIGNGYM_CACHE'] = sys.argv[1]\n"
        "from designgym.pool.embedded import embedded\n"
        "pool = embedded()\n"
        "print(hashlib.sha256(b''.join(pool.png(p.id, 90) for p in pool.pictures[::60])).hexdigest())"
    )
    hashes = [
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / name)], capture_output=True, text=True, check=True
        ).stdout
        for name in ("a", "b")
    ]
    assert hashes[0] == hashes[1] and len(hashes[0]) > 60
    assert len(list((tmp_path / "a").rglob("*.png"))) == len(embedded().pictures[::60])


def test_a_drawn_picture_comes_from_the_disk_and_a_cut_off_file_there_is_drawn_again(own_cache: Path) -> None:
    png = fresh().png("noto/guitar", 64)
    (kept,) = own_cache.rglob("*.png")
    assert kept.read_bytes() == png
    other = fresh().png("noto/violin", 64)
    kept.write_bytes(other)  # tells whether the disk is read
    assert fresh().png("noto/guitar", 64) == other
    kept.write_bytes(png[:100])
    assert fresh().png("noto/guitar", 64) == png == kept.read_bytes()


def test_many_at_once_leave_whole_files_alone(own_cache: Path) -> None:
    pools = [fresh() for _ in range(8)]
    with ThreadPoolExecutor(8) as threads:
        assert len(set(threads.map(lambda pool: pool.png("noto/sailboat", 80), pools))) == 1
    assert not [path for path in own_cache.rglob("*") if path.is_file() and path.suffix != ".png"]


def test_where_nothing_can_be_kept_pictures_are_drawn_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_bytes(b"")
    monkeypatch.setenv("DESIGNGYM_CACHE", str(tmp_path / "file" / "below"))
    assert fresh().png("noto/guitar", 32) == fresh().png("noto/guitar", 32)
    assert "DESIGNGYM_CACHE" in caplog.text


def test_the_cache_folder_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/x")
    monkeypatch.setenv("HOME", "/home/me")
    monkeypatch.setenv("DESIGNGYM_CACHE", "/own")
    assert cache_folder() == Path("/own")
    monkeypatch.delenv("DESIGNGYM_CACHE")
    assert cache_folder() == Path("/x/designgym")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_folder() == Path("/home/me/.cache/designgym")


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("designgym.pool.pool.MEMORY_BYTES", 10_000)
    pool = fresh()
    for picture in pool.pictures[:10]:
        pool.png(picture.id, 64)
    assert sum(map(len, pool._kept.values())) == pool._kept_bytes <= 10_000


def test_unknown_ids_and_sizes_are_sentences() -> None:
    with pytest.raises(UserError, match=r"no picture 'noto/guitr'.*'noto/guitar'"):
        embedded().get("noto/guitr")
    for side in (0, 2049, 10.5, True):
        with pytest.raises(ValueError, match="from 1 to 2048"):
            embedded().png("noto/guitar", side)  # type: ignore[arg-type]


def picture(id: str, caption: str, keywords: tuple[str, ...] = (), category: str = "things") -> PoolPicture:
    return PoolPicture(id, caption, keywords, category, 1.0)


def test_search_ranks_captions_before_keywords_before_categories_and_breaks_ties_by_length_and_id() -> None:
    pool = FilePool(
        "toy",
        [
            picture("a", "a lighthouse", ("coast", "sea")),
            picture("b", "sea", ()),
            picture("c", "boats on the sea", ()),
            picture("d", "shell", (), "seas"),
            picture("e", "car", ("road",)),
            picture("f", "sea", ()),
        ],
        {},
    )
    assert [found.id for found in search(pool, "Seas", 9)] == ["b", "f", "c", "a", "d"]
    assert [found.id for found in search(pool, ["boat", "sea"], 1)] == ["c"]
    assert search(pool, "harbour", 5) == [] == search(pool, "", 5) == search(pool, "sea", 0)


def test_search_finds_what_a_poster_needs() -> None:
    for words, expected in {
        "jazz saxophone concert": "saxophone",
        "coffee": "hot-beverage",
        "christmas": "christmas-tree",
        "running race": "running",
        "space": "rocket",
        "pizza": "pizza",
    }.items():
        assert any(expected in found.id for found in search(embedded(), words, 6)), words


def make_folder(root: Path) -> None:
    (root / "sea").mkdir(parents=True)
    (root / "dot.svg").write_bytes(DOT)
    Image.new("RGB", (60, 30), "red").save(root / "sea" / "red_sail-boat.jpg")
    wide = np.zeros((50, 200, 4), np.uint8)
    wide[10:20, 50:90] = (10, 20, 200, 255)
    Image.fromarray(wide).save(root / "sea" / "bar.png")
    Image.new("RGB", (10, 40), "green").save(root / "tall.webp")


def test_a_folder_is_a_pool_with_captions_from_file_names(tmp_path: Path) -> None:
    make_folder(tmp_path / "mine")
    pool = folder(tmp_path / "mine")
    assert [(p.id, p.caption, p.category, p.aspect) for p in pool.pictures] == [
        ("dot.svg", "dot", "mine", pytest.approx(2, rel=0.02)),
        ("sea/bar.png", "bar", "sea", 4.0),
        ("sea/red_sail-boat.jpg", "red sail boat", "sea", 2.0),
        ("tall.webp", "tall", "mine", 0.25),
    ]
    bar = pixels_of(pool.png("sea/bar.png", 80))
    assert bar.shape == (20, 80, 4) and (bar[5:-5, 5:-5] == (10, 20, 200, 255)).all()
    assert pixels_of(pool.png("tall.webp", 20)).shape == (20, 5, 4)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("captions.csv", "file,caption,keywords,licence\ndot.svg,A black dot,Round; small,CC0-1.0\n"),
        (
            "captions.json",
            '[{"file": "dot.svg", "caption": "A black dot", "keywords": "Round, small", "licence": "CC0-1.0"}]',
        ),
        (
            "captions.jsonl",
            '\n{"file": "./dot.svg", "caption": "A black dot", "keywords": ["Round", "small"], "licence": "CC0-1.0"}\n',
        ),
    ],
)
def test_captions_of_a_folder_come_from_a_file_beside(tmp_path: Path, name: str, text: str) -> None:
    make_folder(tmp_path)
    (tmp_path / name).write_text(text)
    dot = folder(tmp_path).get("dot.svg")
    assert dot.caption == "A black dot" and dot.licence == "CC0-1.0"
    assert dot.keywords[:2] == ("round", "small") and {"black", "dot"} <= set(dot.keywords)


@pytest.mark.parametrize("text", ["[1]", '{"a"', '[{"caption": "x"}]', "[" * 100_000])
def test_captions_that_cannot_be_read_are_an_error(tmp_path: Path, text: str) -> None:
    make_folder(tmp_path)
    (tmp_path / "captions.json").write_text(text)
    with pytest.raises(UserError, match=r"captions\.json"):
        folder(tmp_path)


def test_broken_files_are_skipped_counted_and_named_at_every_use(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    make_folder(tmp_path)
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnot really")
    (tmp_path / "evil.svg").write_bytes(DOT.replace(b"<rect", b"<script/><rect"))
    header = b"IHDR" + struct.pack(">IIBBBBB", 20_000, 20_000, 8, 6, 0, 0, 0)  # 1.6 GB of pixels
    bomb = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + header + struct.pack(">I", zlib.crc32(header))
    (tmp_path / "bomb.png").write_bytes(bomb)
    Image.new("RGBA", (5, 5)).save(tmp_path / "clear.png")
    (tmp_path / "notes.txt").write_text("no picture")
    for _ in range(2):
        caplog.clear()
        assert len(folder(tmp_path).pictures) == 4
        assert "4 of 8 files" in caplog.text
        assert all(name in caplog.text for name in ("broken.png", "evil.svg", "bomb.png", "clear.png"))


def test_svg_files_that_are_not_drawn_whole_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "words.svg").write_bytes(DOT.replace(b"</svg>", b"<text>Hi</text></svg>"))
    (tmp_path / "dot.svg").write_bytes(DOT)
    assert len(folder(tmp_path).pictures) == 2
    assert "words.svg" in caplog.text and "<text> is not drawn" in caplog.text and "dot.svg" not in caplog.text


def test_links_out_of_a_folder_are_not_followed(tmp_path: Path) -> None:
    make_folder(tmp_path / "in")
    (tmp_path / "secret.svg").write_bytes(DOT)
    (tmp_path / "in" / "link.svg").symlink_to(tmp_path / "secret.svg")
    assert "link.svg" not in [p.id for p in folder(tmp_path / "in").pictures]


def test_a_changed_folder_is_read_again(tmp_path: Path) -> None:
    make_folder(tmp_path / "p")
    assert folder(tmp_path / "p").get("tall.webp").aspect == 0.25
    Image.new("RGB", (40, 10), "green").save(tmp_path / "p" / "tall.webp")
    (tmp_path / "p" / "dot.svg").unlink()
    pool = folder(tmp_path / "p")
    assert pool.get("tall.webp").aspect == 4.0 and len(pool.pictures) == 3


CLIP = """<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.0//EN" "http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd">
<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"><metadata>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:cc="http://web.resource.org/cc/"
 xmlns:dc="http://purl.org/dc/elements/1.1/"><cc:Work rdf:about=""><dc:title>Sleeping_cat</dc:title>
<dc:subject><rdf:Bag><rdf:li>animal</rdf:li><rdf:li>Pet</rdf:li></rdf:Bag></dc:subject>
<dc:creator><cc:Agent><dc:title>A. Drawer</dc:title></cc:Agent></dc:creator>
<cc:license rdf:resource="{licence}"/></cc:Work></rdf:RDF></metadata>
<rect x="10" y="10" width="90" height="30"/>{more}</svg>"""
FREE = "http://web.resource.org/cc/PublicDomain"


def test_openclipart_takes_what_is_tagged_as_public_domain_and_drawn_whole(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "animals" / "mammals").mkdir(parents=True)
    (tmp_path / "logos").mkdir()
    where = tmp_path / "animals" / "mammals"
    (where / "cat_01.svg").write_text(CLIP.format(licence=FREE, more=""))
    (where / "untagged.svg").write_text(CLIP.format(licence="", more=""))
    (where / "gpl.svg").write_text(CLIP.format(licence="http://creativecommons.org/licenses/GPL/2.0/", more=""))
    (where / "text.svg").write_text(CLIP.format(licence=FREE, more="<text>Hi</text>"))
    (where / "again.svg").symlink_to("cat_01.svg")
    (tmp_path / "logos" / "logo.svg").write_text(CLIP.format(licence=FREE, more=""))
    with caplog.at_level(logging.INFO):
        (cat,) = openclipart(tmp_path).pictures
    assert cat == PoolPicture(
        id="animals/mammals/cat_01",
        caption="Sleeping cat",
        keywords=("animal", "pet", "sleeping", "cat"),
        category="animals",
        aspect=cat.aspect,
        licence="Public-Domain",
        source="Open Clip Art Library, A. Drawer",
    )
    assert cat.aspect == pytest.approx(3, rel=0.03)
    assert "2 pictures" in caplog.text and "not marked as public domain" in caplog.text


def test_pools_are_found_by_name_or_folder(tmp_path: Path) -> None:
    make_folder(tmp_path)
    assert resolve_pool("embedded") is embedded()
    assert len(resolve_pool(tmp_path).pictures) == 4 and len(resolve_pool(str(tmp_path)).pictures) == 4
    with pytest.raises(UserError, match="Did you mean 'embedded'"):
        resolve_pool("embeded")
    with pytest.raises(UserError, match="apt install openclipart-svg"):
        resolve_pool("openclipart:/nowhere")
    with pytest.raises(UserError, match="holds no readable"):
        (tmp_path / "empty").mkdir()
        resolve_pool(tmp_path / "empty")


def test_the_list_of_pictures_is_plain_json_in_the_order_of_ids() -> None:
    rows = [json.loads(line) for line in (FOLDER / "pictures.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [row["id"] for row in rows] == [p.id for p in embedded().pictures]


def test_the_command_lists_finds_and_draws_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run([], "embedded", 20, None)
    listed = capsys.readouterr().out
    assert "animals" in listed and listed.split()[-2:] == ["all", str(len(embedded().pictures))]
    run(["guitar"], "embedded", 2, tmp_path / "sheet.png")
    listed = capsys.readouterr().out
    assert "guitar" in listed and "Apache-2.0" in listed
    sheet = pixels_of((tmp_path / "sheet.png").read_bytes())
    assert sheet.shape == (96, 192, 4)
    assert sheet[:, :96, 3].any() and sheet[:, 96:, 3].any() and not sheet[:4, :, 3].any()
    with pytest.raises(UserError, match="fits 'qwertz'"):
        run(["qwertz"], "embedded", 20, None)

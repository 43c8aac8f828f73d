"""Studies of drawings: batches, pages that hide names, answers that come back as ratings."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, PngImagePlugin

import designgym.cli.main as cli
from designgym.errors import UserError
from designgym.eval.ratings.cli import export, gather, print_allocation, print_reliability
from designgym.eval.ratings.collect import collect
from designgym.eval.ratings.drawings import Drawing, find_drawings, locate, read_picture
from designgym.eval.ratings.rating import Rating, Ratings, counted
from designgym.eval.ratings.read import read_ratings
from designgym.eval.ratings.study import plan


def drawings(folder: Path, number: int, models: int = 3) -> Path:
    """A folder of small drawings with an index; the files' metadata name the models as well."""
    folder.mkdir()
    rows = ["image,model,stimulus"]
    for i in range(number):
        pixels = np.full((20, 20), 255, np.uint8)
        pixels[2 : 4 + i % 15, 3] = 0
        pixels[5, 1 : 2 + i // 15] = 0
        info = PngImagePlugin.PngInfo()
        info.add_text("Author", f"model{i % models}")
        Image.fromarray(pixels).save(folder / f"secret{i:02}.png", pnginfo=info)
        rows.append(f"secret{i:02}.png,model{i % models},stim{i % 2}")
    (folder / "drawings.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as exit_:
        cli.main(list(arguments))
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


def rows_of(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8"))))


# --- the plan


def test_every_drawing_is_in_one_batch_and_every_rater_sees_all_of_a_batch() -> None:
    study = plan([Drawing(f"{i}.png", Path(), f"m{i % 4}") for i in range(64)], raters=5, seed=3)
    assert len(study.drawings) == 64
    sizes = Counter(study.batches.values())
    assert sorted(sizes.values()) == [21, 21, 22]
    assert len(study.seats) == len({seat.rater for seat in study.seats}) == 15
    for seat in study.seats:
        assert set(seat.codes) == {code for code, batch in study.batches.items() if batch == seat.batch}
    assert len({seat.codes for seat in study.seats}) == 15  # each in an order of their own


def test_models_are_dealt_evenly_over_the_batches() -> None:
    study = plan([Drawing(f"{i}.png", Path(), f"m{i % 4}") for i in range(120)], raters=1)
    shares = Counter((study.batches[code], drawing.model) for code, drawing in study.drawings.items())
    assert set(shares.values()) <= {7, 8}
    assert len(shares) == 16


def test_a_plan_is_a_function_of_its_seed() -> None:
    given = [Drawing(f"{i}.png", Path()) for i in range(40)]
    assert plan(given, 2, seed=1) == plan(given, 2, seed=1)
    assert plan(given, 2, seed=1).seats != plan(given, 2, seed=2).seats


def test_thirty_drawings_are_one_batch_and_a_pilot() -> None:
    study = plan([Drawing(f"{i}.png", Path()) for i in range(30)], raters=4)
    assert [len(seat.codes) for seat in study.seats] == [30] * 4


# --- export


def test_pages_and_tables_tell_nothing_about_who_drew(tmp_path: Path) -> None:
    export(drawings(tmp_path / "in", 33), tmp_path / "study", raters=2)
    files = sorted((tmp_path / "study" / "forms").iterdir())
    assert [path.name for path in files[:2]] == ["b01-r01.csv", "b01-r01.html"]
    assert len(files) == 8
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"secret|model\d|stim\d|tmp", text)
    page = (tmp_path / "study" / "forms" / "b01-r01.html").read_text(encoding="utf-8")
    assert "{{" not in page
    assert not re.search(r"""(src|href)=["']?(http|//|/)""", page)  # nothing is loaded from elsewhere
    data = json.loads(re.search(r'id="data">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    assert [d["code"] for d in data["drawings"]] == [r["code"] for r in rows_of(files[0])]
    assert data["rater"] == "b01-r01"
    assert all(b"Author" not in base64.b64decode(d["src"].split(",")[1]) for d in data["drawings"])


def test_a_corrupt_drawing_is_left_out_and_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = drawings(tmp_path / "in", 4)
    (folder / "secret01.png").write_bytes(b"\x89PNG\r\n\x1a\n broken")
    export(folder, tmp_path / "study", raters=1)
    shown = capsys.readouterr().out
    assert "3 drawings in 1 batches of 3" in shown
    assert re.search(r"drawing that cannot be read +1 +secret01\.png", shown)


def test_a_folder_that_holds_something_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "mine.txt").write_text("x")
    with pytest.raises(UserError, match="already holds something"):
        export(drawings(tmp_path / "in", 3), tmp_path / "study", raters=1)


# --- the way back


def test_what_raters_fill_in_comes_back_under_the_drawings_names(tmp_path: Path) -> None:
    export(drawings(tmp_path / "in", 33), tmp_path / "study", raters=2, seed=5)
    study = tmp_path / "study"
    names = {row["code"]: row for row in rows_of(study / "key.csv")}
    truth = {}
    for number, form in enumerate(sorted((study / "forms").glob("*.csv"))[:3]):
        lines = ["code,rater,creativity,recognisability"]
        for i, row in enumerate(rows_of(form)):
            lines.append(f"{row['code']},{row['rater']},{1 + i % 5},{1 + (i + number) % 5}")
            truth[names[row["code"]]["image"], row["rater"]] = (1 + i % 5, 1 + (i + number) % 5)
        (study / "answers" / f"anything {number}.csv").write_text("\n".join(lines) + "\n")
    gather(study, tmp_path / "ratings.csv")
    found = read_ratings(tmp_path / "ratings.csv")
    assert {(r.image, r.rater): (r.creativity, r.recognisability) for r in found.ratings} == truth
    assert found.excluded == ()
    origin = {row["image"]: (row["model"], row["stimulus"]) for row in names.values()}
    assert all((r.model, r.stimulus) == origin[r.image] for r in found.ratings)
    assert collect(study).answered == ("b01-r01", "b01-r02", "b02-r01")
    assert collect(study).seats == 4


def test_answers_that_do_not_belong_are_counted(tmp_path: Path) -> None:
    export(drawings(tmp_path / "in", 3), tmp_path / "study", raters=2)
    answers = tmp_path / "study" / "answers"
    codes = [row["code"] for row in rows_of(tmp_path / "study" / "forms" / "b01-r01.csv")]
    (answers / "1.csv").write_text(
        "code,rater,creativity,recognisability\n"
        f"{codes[0]},b01-r01,3,3\n{codes[1]},b01-r01,,\n{codes[2]},nobody,2,2\n1,b01-r01,2,2\n"
    )
    (answers / "2.csv").write_text(f"code,rater,creativity,recognisability\n{codes[0]},b01-r01,5,5\n")
    template = tmp_path / "study" / "forms" / "b01-r02.csv"
    (answers / "untouched.csv").write_text(template.read_text())
    found = collect(tmp_path / "study")
    assert [(r.rater, r.creativity) for r in found.ratings.ratings] == [("b01-r01", 3.0)]
    assert counted(found.ratings.excluded) == {
        "creativity is not answered": 4,
        "recognisability is not answered": 4,
        "answer of a rater whom the study does not know": 1,
        "answer about a code that is not in the study": 1,
        "a rater's further answer about the same drawing": 1,
    }


# --- drawings


def test_without_an_index_the_files_are_the_drawings(tmp_path: Path) -> None:
    folder = drawings(tmp_path / "in", 2)
    (folder / "drawings.csv").unlink()
    (folder / "more").mkdir()
    Image.new("L", (5, 5)).save(folder / "more" / "c.jpg")
    assert [d.image for d in find_drawings(folder)] == ["more/c.jpg", "secret00.png", "secret01.png"]


def test_an_index_that_names_a_missing_file_is_refused(tmp_path: Path) -> None:
    folder = drawings(tmp_path / "in", 2)
    (folder / "secret01.png").unlink()
    with pytest.raises(UserError, match=r"drawings\.csv:3: there is no drawing 'secret01\.png'"):
        find_drawings(folder)


def test_ratings_of_drawings_that_are_missing_are_counted(tmp_path: Path) -> None:
    folder = drawings(tmp_path / "in", 2)
    given = Ratings(tuple(Rating(name, "r", creativity=3) for name in ("secret00", "secret01.png", "gone", "gone2")))
    paths, kept = locate(given, folder)
    assert paths == {"secret00": folder / "secret00.png", "secret01.png": folder / "secret01.png"}
    assert len(kept.ratings) == 2
    assert counted(kept.excluded) == {"rating of a drawing that is not there": 2}


def test_ratings_without_any_drawing_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="None of the 1 rated drawings"):
        locate(Ratings((Rating("gone", "r", creativity=3),)), drawings(tmp_path / "in", 1))


def test_transparent_paper_is_white(tmp_path: Path) -> None:
    pixels = np.zeros((2, 2, 4), np.uint8)
    pixels[0, 0, 3] = 255
    Image.fromarray(pixels).save(tmp_path / "a.png")
    np.testing.assert_array_equal(read_picture(tmp_path / "a.png")[..., 0], [[0, 255], [255, 255]])


# --- the command line


def pilot(path: Path, raters: int = 8, drawings: int = 30) -> Path:
    rng = np.random.default_rng(4)
    lines = ["image,model,stimulus,rater,creativity,recognisability"]
    quality = rng.normal(size=(2, drawings))
    for d in range(drawings):
        for r in range(raters):
            answers = np.clip(np.round(3 + quality[:, d] + rng.normal(size=2)), 1, 5).astype(int)
            lines.append(f"d{d},m,s,r{r},{answers[0]},{answers[1]}")
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_reliability_and_allocation_are_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = pilot(tmp_path / "pilot.csv")
    assert run("ratings", "reliability", str(file), "--output", str(tmp_path / "out.json")) == 0
    shown = capsys.readouterr().out
    assert "ICC(C,k)" in shown and "creativity" in shown and "recognisability" in shown
    saved = json.loads((tmp_path / "out.json").read_text())
    assert set(saved["creativity"]["values"].values()) >= {0.0, 1.0}
    assert set(saved["creativity"]["raters"].values()) == {8}
    assert run("ratings", "allocate", str(file), "--drawings", "3000") == 0
    shown = capsys.readouterr().out
    collected = int(re.search(r"Collect (\d+) ratings", shown)[1])  # type: ignore[index]
    assert f"3,000 drawings need {3000 * collected:,} ratings" in shown


def test_one_rater_only_says_that_reliability_is_undefined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = pilot(tmp_path / "pilot.csv", raters=1)
    assert print_reliability(file) == 0
    assert "creativity: one rater only" in " ".join(capsys.readouterr().out.split())
    assert print_allocation(file) == 1
    assert "creativity: one rater only" in capsys.readouterr().out


@pytest.mark.parametrize(
    "arguments",
    [
        ("reliability", "none.csv"),
        ("allocate", "none.csv"),
        ("allocate", "pilot.csv", "--target", "1"),
        ("reliability", "pilot.csv", "--output", "x.txt"),
        ("export", "none", "--output", "out", "--raters", "2"),
        ("collect", "none"),
    ],
)
def test_mistakes_are_one_sentence_and_exit_code_2(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pilot(tmp_path / "pilot.csv")
    assert run("ratings", *arguments) == 2
    said = capsys.readouterr().err
    assert said.startswith("designgym: ") and said.count("\n") == 1

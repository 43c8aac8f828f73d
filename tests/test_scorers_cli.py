"""`designgym fit` from files to a head: end to end on drawings that the test makes, and what bad input gets."""

from __future__ import annotations

import json
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest
from audra_corpus import drawing, write_corpus

import designgym.cli.main as cli
from designgym.eval.ratings.drawings import read_picture
from designgym.rewards.features.hog import Hog
from designgym.rewards.kernel_head import KernelHead


def run(*arguments: str | Path) -> int:
    with pytest.raises(SystemExit) as exit_:
        cli.main([str(argument) for argument in arguments])
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the user's is read or written."""
    monkeypatch.setenv("DESIGNGYM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


def rated_drawings(folder: Path, number: int = 48, models: int = 3, stimuli: int = 4, raters: int = 3) -> Path:
    """Drawings of several models, and what raters say about them: circles are creative. Returns the ratings."""
    rng = np.random.default_rng(3)
    folder.mkdir()
    lines = ["image,model,stimulus,rater,creativity,recognisability"]
    for i in range(number):
        circles = int(rng.integers(0, 6))
        drawing(circles, int(rng.integers(0, 6)), rng, size=120).save(folder / f"d{i:02}.png")
        for rater in range(raters):
            felt = int(np.clip(1 + circles * 0.8 + rng.normal(0, 0.7), 1, 5))
            lines.append(f"d{i:02}.png,model{i % models},stim{i % stimuli},r{rater},{felt},{1 + i % 5}")
    path = folder / "ratings.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


# --- ViDrA


def test_a_corpus_becomes_a_head_with_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(tmp_path / "corpus", primary=50, other=5)
    broken = tmp_path / "corpus" / "primary_images" / "1_0.jpg"
    broken.write_bytes(broken.read_bytes()[:200])
    with (tmp_path / "corpus" / "primary_jrt.csv").open("a") as table:
        table.write("9_999,3.5\n")
    out = tmp_path / "head"
    arguments = ("fit", "vidra", "--corpus", tmp_path / "corpus", "--features", "hog", "--output", out)
    assert run(*arguments, "--partitions", 3) == 0
    shown = capsys.readouterr().out
    assert "ink baseline" in shown and "far generalization" in shown
    assert "drawing that cannot be read" in shown and "rating of a drawing that is not there" in shown
    report = json.loads((out / "report.json").read_text())
    assert report["excluded"] == {"rating of a drawing that is not there": 1, "drawing that cannot be read": 1}
    vidra, ink = report["tables"]["Accuracy on held-out human drawings, 3 random 70/10/20 partitions"]
    assert (vidra["name"], ink["name"]) == ("ViDrA", "ink baseline")
    assert vidra["r"]["n"] == 3 and vidra["r"]["sd"] is not None
    assert "## Accuracy on held-out human drawings" in (out / "report.md").read_text()

    head = KernelHead.load(out)
    parts = json.loads((out / "partition.json").read_text())
    assert len(head.support) == len(parts["train"]) == 34
    assert not {*parts["train"]} & {*parts["test"], *parts["validation"]}
    assert "1_0" not in {*parts["train"], *parts["validation"], *parts["test"]}
    # The head scores a drawing that it was not fitted on as the report's features would have it.
    page = read_picture(tmp_path / "corpus" / "primary_images" / f"{parts['test'][0]}.jpg")
    assert np.isfinite(head.predict(Hog().extract([page]))).all()
    head.check_features(Hog().backend)


def test_features_are_computed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_corpus(tmp_path / "corpus", primary=30, other=3)
    arguments = ("fit", "vidra", "--corpus", tmp_path / "corpus", "--features", "hog", "--partitions", 1)
    assert run(*arguments, "--output", tmp_path / "first") == 0

    def never(self: Hog, images: object) -> None:
        raise AssertionError("features were computed a second time")

    monkeypatch.setattr(Hog, "extract", never)
    assert run(*arguments, "--output", tmp_path / "second") == 0
    first, second = (KernelHead.load(tmp_path / name) for name in ("first", "second"))
    assert first.hash == second.hash


def test_a_given_width_is_used_and_a_head_can_see_all(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", primary=30, other=3)
    arguments = ("fit", "vidra", "--corpus", tmp_path / "corpus", "--features", "hog", "--partitions", 1)
    assert run(*arguments, "--output", tmp_path / "head", "--gamma", 0.02, "--fit-on", "all") == 0
    head = KernelHead.load(tmp_path / "head")
    assert (head.gamma, len(head.support)) == (0.02, 30)


def test_without_output_the_head_goes_where_the_reward_looks(tmp_path: Path) -> None:
    write_corpus(tmp_path / "corpus", primary=30, other=3)
    assert run("fit", "vidra", "--corpus", tmp_path / "corpus", "--features", "hog", "--partitions", 1) == 0
    assert KernelHead.load(tmp_path / "data" / "designgym" / "heads" / "vidra").name == "vidra"


# --- ViDrA-adapted


def test_ratings_become_an_adapted_head_with_its_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ratings = rated_drawings(tmp_path / "in")
    (tmp_path / "in" / "d07.png").write_bytes(b"no picture")
    with ratings.open("a") as file:
        file.write("d08.png,model2,stim0,r0,1,1\n")  # r0 rates it again
        file.write("gone.png,model0,stim0,r0,3,3\n")
        file.write("d09.png,model0,stim1,r9,nan,3\n")
        file.writelines(f"d{i:02}.png,model{i % 3},stim{i % 4},same,4,{1 + i % 5}\n" for i in range(20))
    out = tmp_path / "head"
    arguments = ("fit", "vidra-adapted", "--ratings", ratings, "--features", "hog", "--output", out)
    assert run(*arguments, "--partitions", 2, "--select-gamma") == 0
    shown = capsys.readouterr().out
    assert "leave one model out, pooled" in shown
    report = json.loads((out / "report.json").read_text())
    assert report["excluded"] == {
        "a rater's further answer about the same drawing": 1,
        "creativity is not a number": 1,
        "rating of a drawing that is not there": 1,
        "creativity: rater who gave every drawing the same answer": 1,
        "drawing that cannot be read": 1,
    }
    rows = {row["name"]: row for row in report["tables"]["Accuracy on held-out drawings of agents"]}
    assert rows["leave one model out, pooled"]["n"] == 47
    assert rows["leave one stimulus out, pooled"]["r"]["low"] is not None
    assert [row["name"] for row in report["tables"]["Leave one model out"]] == ["model0", "model1", "model2"]
    assert len(report["tables"]["Leave one stimulus out"]) == 4
    head = KernelHead.load(out)
    assert (head.name, len(head.support)) == ("vidra-adapted", 47)
    assert report["facts"]["raters_per_drawing"] == pytest.approx(3.0)


def test_one_drawing_under_two_names_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ratings = rated_drawings(tmp_path / "in", number=24)
    with ratings.open("a") as file:
        file.write("d03,model0,stim3,somebody,4,2\nd04,model1,stim0,somebody,3,2\n")
    arguments = ("fit", "vidra-adapted", "--ratings", ratings, "--features", "hog", "--output", tmp_path / "head")
    assert run(*arguments) == 2
    assert "'d03.png' and 'd03' are ratings of one drawing" in " ".join(capsys.readouterr().err.split())


def test_drawings_may_lie_elsewhere_and_models_be_unknown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ratings = rated_drawings(tmp_path / "in", number=24)
    moved = tmp_path / "ratings.csv"
    lines = [line.split(",") for line in ratings.read_text().splitlines()]
    moved.write_text("\n".join(",".join(line[:1] + line[3:]) for line in lines) + "\n")
    arguments = ("fit", "vidra-adapted", "--ratings", moved, "--drawings", tmp_path / "in", "--features", "hog")
    assert run(*arguments, "--output", tmp_path / "head", "--partitions", 1, "--gamma", 0.01) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "leave one model out: the drawings are of one model only" in shown


def test_a_fitted_head_is_a_base_to_compare_with_and_a_reward(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_corpus(tmp_path / "corpus", primary=40, other=3)
    fit = ("fit", "vidra", "--corpus", tmp_path / "corpus", "--features", "hog", "--partitions", 1)
    assert run(*fit) == 0
    head = tmp_path / "data" / "designgym" / "heads" / "vidra"
    ratings = rated_drawings(tmp_path / "in", number=24)
    arguments = ("fit", "vidra-adapted", "--ratings", ratings, "--features", "hog", "--partitions", 1, "--base", head)
    assert run(*arguments) == 0
    assert "vidra, all drawings" in capsys.readouterr().out
    env = gym.make("designgym/CanvasDrawing-v0", reward=[("vidra", 0.5), ("vidra-adapted", 0.5)])
    env.reset(seed=0)
    circle = {"circles": [{"x": 200, "y": 300, "radius": 60}]}
    assert env.step({"name": "draw_circles", "arguments": circle})[4]["error"] == ""
    info = env.step({"name": "drawing_finished", "arguments": {"label": "a wheel"}})[4]
    assert 0 <= info["reward/vidra"] <= 1 and 0 <= info["reward/vidra-adapted"] <= 1


# --- mistakes


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("--corpus", "none"), "does not exist"),
        (("--features", "hogg"), "no features 'hogg'"),
        (("--gamma", "0"), "--gamma is 0.0; it must be a number above 0"),
        (("--alpha", "-1"), "--alpha is -1.0"),
        (("--gamma", "1", "--select-gamma"), "--gamma says nothing beside --select-gamma"),
        (("--fit-on", "test"), "--fit-on is 'test'"),
        (("--output", "file"), "cannot be written"),
        (("--device", "cuda"), "--device cuda says nothing beside --features hog"),
    ],
)
def test_mistakes_are_one_sentence_before_any_work(
    change: tuple[str, ...],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "corpus", primary=20, other=2)
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(Hog, "extract", lambda *_: pytest.fail("the work has begun"))
    given = {"--corpus": "corpus", "--features": "hog", "--output": "head"}
    options = [part for name, value in given.items() if name not in change for part in (name, value)]
    assert run("fit", "vidra", *options, *change) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.startswith("designgym: ") and error.count("\n") == 1
    assert not (tmp_path / "head").exists()


def test_a_corpus_without_its_table_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_corpus(tmp_path / "corpus", primary=20, other=2)
    (tmp_path / "corpus" / "primary_jrt.csv").unlink()
    assert run("fit", "vidra", "--corpus", tmp_path / "corpus", "--features", "hog") == 2
    assert "not its table of ratings 'primary_jrt.csv'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["d00.png,m,s,r0,4,4", "d01.png,m,s,r0,4,4"], "no rating of creativity"),
        (["nothing.png,m,s,r0,1,4", "nought.png,m,s,r0,2,4"], "None of the 2 rated drawings"),
        (["d00.png,m,s,r0,nan,", "d01.png,m,s,r0,9,"], "no rating that can be used"),
        (["d00.png,m,s,r0,1,2", "d01.png,m,s,r0,5,2"], "2 rated drawings that can be used; 20 are the least"),
    ],
)
def test_ratings_that_teach_nothing_are_refused(
    rows: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ratings = rated_drawings(tmp_path / "in", number=3)
    ratings.write_text("\n".join(["image,model,stimulus,rater,creativity,recognisability", *rows]) + "\n")
    arguments = ("fit", "vidra-adapted", "--ratings", ratings, "--features", "hog", "--output", tmp_path / "head")
    assert run(*arguments) == 2
    assert said in capsys.readouterr().err

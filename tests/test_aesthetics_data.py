"""Folders of training pairs: what they hold, that they go on where they were stopped, and that TRL takes them."""

from __future__ import annotations

import hashlib
import io
import json
import os
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from aesthetics_samples import faint_line, sample
from PIL import Image
from rich.console import Console

from designgym.envs.aesthetics.indicators import INDICATORS
from designgym.envs.aesthetics.sample import Sample
from designgym.errors import UserError
from designgym.parse import parse_calls, single_call
from designgym.train.aesthetics_data.schedule import Schedule
from designgym.train.aesthetics_data.settings import DataSettings

datasets = pytest.importorskip("datasets")

from designgym.train.aesthetics_data import build as building  # noqa: E402
from designgym.train.aesthetics_data import cli, rows  # noqa: E402
from designgym.train.aesthetics_data.build import build, check  # noqa: E402
from designgym.train.aesthetics_data.pairs import TOOLS  # noqa: E402
from designgym.train.aesthetics_data.supply import Counted, count  # noqa: E402

BLOCKS = ("layout-balance", "layout-layering", "layout-alignment", "color-harmony", "color-contrast")


def settings(**changes: Any) -> DataSettings:
    return DataSettings(**{"n": 12, "indicators": BLOCKS, "source": "blocks", "shard": 5, **changes})


def quiet() -> Console:
    return Console(file=io.StringIO())


def files(folder: Path) -> dict[str, str]:
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted((folder / "data").iterdir())}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pairs") / "out"
    build(settings(), folder, quiet())
    return folder


# ---------------------------------------------------------------- the schedule


@pytest.mark.parametrize("share", [0.0, 0.4, 1 / 3, 1.0])
def test_tasks_labels_and_indicators_are_balanced(share: float) -> None:
    asked = DataSettings(n=720, positive_share=share)
    cells = [Schedule(asked).cell(number) for number in range(720)]
    assert Counter(cell.task for cell in cells) == {"judgment": 240, "selection": 240, "localization": 240}
    for task in asked.tasks:
        mine = [cell for cell in cells if cell.task == task]
        assert abs(sum(not cell.harmed for cell in mine) - 240 * share) < 1
        for harmed in (True, False):
            each = Counter(cell.indicator for cell in mine if cell.harmed is harmed)
            assert not each or max(each.values()) - min(each[name] for name in INDICATORS) <= 1


def test_ranks_count_up_within_task_indicator_and_label() -> None:
    cells = [Schedule(DataSettings(n=300)).cell(number) for number in range(300)]
    ranks: dict[Any, list[int]] = {}
    for cell in cells:
        ranks.setdefault((cell.task, cell.indicator, cell.harmed), []).append(cell.rank)
    assert all(sorted(found) == list(range(len(found))) for found in ranks.values())


def test_what_is_needed_of_each_indicator_is_the_largest_rank() -> None:
    needed = Schedule(
        DataSettings(n=90, tasks=("judgment", "selection"), indicators=BLOCKS, positive_share=0.4)
    ).needed()
    # 45 pairs a task: 18 good, 27 flawed; over five indicators 4 and 6 at most
    assert set(needed.values()) == {4, 3, 6, 5} or set(needed.values()) <= {3, 4, 5, 6}
    assert max(v for (_, harmed), v in needed.items() if harmed) == 6
    assert max(v for (_, harmed), v in needed.items() if not harmed) == 4


def test_the_order_is_mixed_by_the_seed() -> None:
    one, two = (Schedule(DataSettings(n=60, seed=seed)) for seed in (0, 1))
    assert [one.cell(n) for n in range(60)] != [two.cell(n) for n in range(60)]


# ---------------------------------------------------------------- what a folder holds


def test_a_row_has_prompt_page_path_and_right_call(whole: Path) -> None:
    found = datasets.load_dataset(str(whole), split="train")
    assert len(found) == 12
    assert sorted(found["number"]) == list(range(12))
    for row in found:
        (page,) = row["images"]
        assert isinstance(page, Image.Image) and page.size == (448, 448)
        kinds = [part["type"] for message in row["prompt"] for part in message["content"]]
        assert kinds == ["text", "image", "text"]
        (message,) = row["completion"]
        text = message["content"][0]["text"]
        path, _, _ = text.partition("\n<tool_call>")
        assert len(path) > 60 and re.search(r"\[\d+, \d+, \d+, \d+\]", path)
        call, problem = single_call(parse_calls(text, TOOLS[row["task"]]))
        assert problem == "" and call is not None
        (value,) = call.arguments.values()
        if row["task"] == "judgment":
            assert value == ("yes" if row["harmed"] else "no")
        if row["task"] == "localization":
            assert (value is not None) == row["harmed"]
            assert value is None or str(value) in path
        if row["task"] == "selection":
            options = row["prompt"][1]["content"][1]["text"].splitlines()[-4:]
            assert (options["ABCD".index(value)] == f"{value}: None") == (not row["harmed"])


def test_the_manifest_counts_and_hashes(whole: Path) -> None:
    manifest = json.loads((whole / "manifest.json").read_text())
    assert manifest["pairs"] == 12
    assert manifest["counts"]["task"] == {"judgment": 4, "localization": 4, "selection": 4}
    assert manifest["counts"]["label"] == {"flawed": 9, "good": 3}  # of four pairs a task, one is good: floor(1.6)
    assert manifest["counts"]["writer"] == {"rules": 12}
    assert {name.rpartition("/")[2]: digest for name, digest in manifest["files"].items()} == files(whole)
    listed = "".join(f"{name} {digest}\n" for name, digest in sorted(manifest["files"].items()))
    assert manifest["hash"] == hashlib.sha256(listed.encode()).hexdigest()
    assert manifest["hash"] in (whole / "README.md").read_text()
    assert manifest["diversity"]["texts"] == 12


def test_without_reasoning_the_call_stands_alone_and_without_positives_all_are_flawed(tmp_path: Path) -> None:
    asked = settings(n=6, reasoning=False, positive_share=0.0, wording="brief", frame="fraction")
    manifest = build(asked, tmp_path / "out", quiet())
    assert manifest["counts"]["label"] == {"flawed": 6} and manifest["counts"]["writer"] == {"nobody": 6}
    assert manifest["diversity"]["texts"] == 0
    for row in datasets.load_dataset(str(tmp_path / "out"), split="train"):
        text = row["completion"][0]["content"][0]["text"]
        assert text.startswith("<tool_call>")
        assert [message["role"] for message in row["prompt"]] == ["user"]
        if row["task"] == "localization":
            assert re.search(r'"bbox": \[0\.\d+, 0\.\d+, [01]\.\d+, [01]\.\d+\]', text)


# ---------------------------------------------------------------- going on


def test_a_run_that_goes_on_gives_the_same_bytes(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, made = tmp_path / "out", 0
    plain_groups = rows.groups

    def stopping(*arguments: Any) -> Any:
        nonlocal made
        made += 1
        if made == 2:
            raise KeyboardInterrupt
        return plain_groups(*arguments)

    monkeypatch.setattr(building, "groups", stopping)
    with pytest.raises(KeyboardInterrupt):
        build(settings(), folder, quiet())
    assert [path.name for path in (folder / "data").iterdir()] == ["train-00000-of-00003.parquet"]
    assert not (folder / "manifest.json").exists()
    (folder / "data" / ".train-00001-of-00003.parquet.1.part").write_bytes(b"half a file")
    kept = (folder / "data" / "train-00000-of-00003.parquet").stat().st_mtime_ns
    build(settings(), folder, quiet())
    assert made == 4
    assert files(folder) == files(whole)
    assert (folder / "data" / "train-00000-of-00003.parquet").stat().st_mtime_ns == kept
    one, two = (json.loads((f / "manifest.json").read_text()) for f in (folder, whole))
    assert one == two


def test_a_finished_folder_is_left_alone(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(building, "write_shard", lambda *arguments: pytest.fail("nothing is to be written"))
    before = (whole / "manifest.json").stat().st_mtime_ns
    assert build(settings(), whole, quiet())["pairs"] == 12
    assert (whole / "manifest.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("change", "words"),
    [({"seed": 1}, "'seed' is 0 there and 1 here"), ({"n": 13}, "'n' is 12"), ({"frame": "fraction"}, "'frame'")],
)
def test_another_run_in_the_same_folder_is_refused(whole: Path, change: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        check(settings(**change), whole, 1)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="holds something else"):
        check(settings(), tmp_path, 1)
    with pytest.raises(UserError, match="is a file"):
        check(settings(), tmp_path / "thesis.tex", 1)


@pytest.mark.slow
def test_a_killed_run_with_two_workers_gives_the_same_bytes_as_one_without(tmp_path: Path) -> None:
    options = ["--n", "60", "--shard", "6", "--source", "blocks", "--indicators", ",".join(BLOCKS)]
    command = [sys.executable, "-m", "designgym.cli.main", "data", "aesthetics", *options, "--out"]
    subprocess.run([*command, str(tmp_path / "one")], check=True, capture_output=True)
    running = subprocess.Popen(
        [*command, str(tmp_path / "two"), "--workers", "2"], stdout=subprocess.DEVNULL, start_new_session=True
    )
    data = tmp_path / "two" / "data"
    deadline = time.monotonic() + 120
    while not (data.is_dir() and len(list(data.glob("train-*"))) >= 2):
        assert time.monotonic() < deadline and running.poll() is None
        time.sleep(0.02)
    running.kill()
    running.wait()
    with pytest.raises(ProcessLookupError):  # the workers end, too
        while time.monotonic() < deadline:
            os.killpg(running.pid, 0)
            time.sleep(0.05)
    assert 0 < len(list(data.glob("train-*"))) < 10
    done = subprocess.run([*command, str(tmp_path / "two"), "--workers", "2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "two") == files(tmp_path / "one")


# ---------------------------------------------------------------- a data folder's designs


class Stored:
    """Ten stored designs, every other one with a faint line of text; all asked about contrast."""

    name = "stored"

    def size(self, split: str) -> int:
        return 10 if split == "train" else 0

    def ask(self, split: str, number: int) -> tuple[Sample, str]:
        return sample(*([faint_line()] if number % 2 else []), name=f"stored-{number}"), "color-contrast"


def test_stored_designs_serve_each_task_once_with_the_label_that_is_asked_for() -> None:
    asked = DataSettings(n=24, indicators=("color-contrast",), positive_share=0.4, source="folder")
    seen: list[tuple[int, int]] = []
    supply = Counted(Stored(), count(Stored(), asked, lambda *told: seen.append(told)))
    assert seen[-1] == (10, 10)
    schedule, used = Schedule(asked), Counter()
    for number in range(24):
        cell = schedule.cell(number)
        design = next(supply.candidates(cell, number))
        assert bool(design.harmed) == cell.harmed
        used[cell.task, design.id] += 1
    assert set(used.values()) == {1}


def test_too_few_stored_designs_are_refused_before_work() -> None:
    asked = DataSettings(n=60, indicators=("color-contrast",), source="folder")
    with pytest.raises(UserError, match=r"has 5 good designs for color-contrast.*needs 8"):
        count(Stored(), asked, lambda *told: None)
    with pytest.raises(UserError, match="has 0 good designs for color-appeal"):
        count(Stored(), DataSettings(n=9, indicators=("color-appeal",), source="folder"), lambda *told: None)


# ---------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n": 0}, "--n is 0"),
        ({"tasks": "judgment,sorting"}, "--tasks names 'sorting'"),
        ({"tasks": "judgement"}, "Did you mean 'judgment'"),
        ({"tasks": ","}, "--tasks is empty"),
        ({"tasks": "judgment,judgment"}, "names something twice"),
        ({"indicators": "color-contrast,contrast"}, "--indicators names 'contrast'"),
        ({"positive_share": 1.2}, "--positive-share is 1.2"),
        ({"positive_share": float("nan")}, "--positive-share is nan"),
        ({"positive_share": 0.3, "positive": False}, "contradict"),
        ({"seed": -1}, "--seed is -1"),
        ({"frame": "thousands"}, "Did you mean 'thousand'"),
        ({"wording": "short"}, "--wording 'short'"),
        ({"image_size": 20}, "--image-size is 20"),
        ({"workers": 0}, "--workers is 0"),
        ({"shard": 0}, "--shard is 0"),
        ({"source": "layots"}, "Did you mean 'layouts'"),
        ({"source": "layouts-ood"}, "kept out of training"),
        ({"source": "blocks"}, "no flaws of layout-whitespace"),
        ({"endpoint": "http://localhost:1/v1"}, "--endpoint and --model"),
        ({"endpoint": "http://localhost:1/v1", "model": "m", "reasoning": False}, "--no-reasoning"),
        ({"endpoint": "localhost", "model": "m"}, "no endpoint"),
        ({"endpoint": "http://localhost:1/v1", "model": "m", "attempts": 0}, "--attempts is 0"),
        ({"rejected": "shrug"}, "--rejected 'shrug'"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence_before_any_work(
    options: dict[str, Any], words: str, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match=words):
        cli.pairs(out=tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_folders_of_one_name_are_told_apart_by_the_cache_of_datasets(whole: Path, tmp_path: Path) -> None:
    build(settings(n=3), tmp_path / whole.name, quiet())
    found = [len(datasets.load_dataset(str(folder), split="train")) for folder in (whole, tmp_path / whole.name)]
    assert found == [12, 3]


# ---------------------------------------------------------------- data folders


def crello(folder: Path, count: int) -> Path:
    """So many posters in the form of Crello's files."""
    from crello_shape import background, design, element, png, write

    rows = []
    for number in range(count):
        shapes: dict[str, Any] = {
            "left": 60.0,
            "top": 160.0,
            "width": 120.0,
            "height": 80.0,
            "color": ["rgba(40, 60, 120, 1)"],
        }
        title = {"text": f"Summer fair {number}", "font_size": 44.0, "left": 60.0, "top": 30.0, "width": 280.0}
        line = {"text": "On the green at noon", "font_size": 20.0, "left": 60.0, "top": 100.0, "width": 280.0}
        picture: dict[str, Any] = {"left": 230.0, "top": 160.0, "width": 110.0, "height": 80.0}
        shapes["image"] = {"bytes": png((40, 60, 120, 255), (360, 240)), "path": None}
        picture["image"] = {"bytes": png((150, 80, 40, 255), (330, 240)), "path": None}
        parts = (
            background(image={"bytes": png((250, 240, 230, 255), (400, 300)), "path": None}),
            element("SvgElement", **shapes),
            element("ImageElement", **picture),
            element("TextElement", height=50.0, **title),
            element("TextElement", height=26.0, **line),
        )
        rows.append(design(*parts, id=f"poster-{number}"))
    write(folder / "train-00000-of-00001.parquet", rows)
    return folder


def test_pairs_of_crello_show_its_designs_perturbed(tmp_path: Path) -> None:
    source = crello(tmp_path / "crello", 8)
    asked = DataSettings(
        n=4, tasks=("judgment",), indicators=("color-contrast",), source=str(source), positive_share=0.5
    )
    check(asked, tmp_path / "out", 1)
    build(asked, tmp_path / "out", quiet())
    found = datasets.load_dataset(str(tmp_path / "out"), split="train")
    assert sorted(found["harmed"]) == [False, False, True, True]
    for row in found:
        assert row["images"][0].size == (448, 336)
        assert ("has an issue" in str(row["prompt"])) or "issue" in str(row["prompt"])
    with pytest.raises(UserError, match=r"has 8 training designs for color-contrast, and 40 pairs need 20"):
        build(DataSettings(**{**vars(asked), "n": 40}), tmp_path / "more", quiet())


def test_pairs_of_a_frozen_folder_are_about_its_own_designs(tmp_path: Path) -> None:
    from designgym.envs.aesthetics.generated import GeneratedSource
    from designgym.envs.aesthetics.sources.frozen import write_benchmark

    source = GeneratedSource(("graphic-relevance",), 1.0)
    write_benchmark(source, tmp_path / "frozen", 3, split="train")
    asked = DataSettings(
        n=2, tasks=("judgment",), indicators=("graphic-relevance",), source=str(tmp_path / "frozen"), positive_share=1.0
    )
    build(asked, tmp_path / "out", quiet())
    stored = {json.loads(line)["id"] for line in (tmp_path / "frozen" / "designs.jsonl").read_text().splitlines()}
    used = datasets.load_dataset(str(tmp_path / "out"), split="train")["design"]
    assert len(set(used)) == 2 and set(used) <= stored
    with pytest.raises(UserError, match="no training split"):
        write_benchmark(source, tmp_path / "test", 2, split="test")
        build(DataSettings(**{**vars(asked), "source": str(tmp_path / "test")}), tmp_path / "none", quiet())

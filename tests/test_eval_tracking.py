"""Evaluations go to wandb when asked for: offline unless online is asked for, and all below the evaluation's folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from designgym.cli.main import app
from designgym.errors import UserError
from designgym.eval import evaluate as evaluation
from designgym.eval import wandb_run
from designgym.eval.config import AgentSection, EnvSection, EvalConfig, ReportTracking
from designgym.eval.report.data import Drawing, Example, Measure, Report, Row, Scatter, Sheet, Table
from designgym.eval.statistics import Interval
from designgym.eval.tracking import figures

PAGE = np.full((32, 32, 3), 200, np.uint8)
DRAWN = np.full((40, 40, 1), 255, np.uint8)
HOSTILE = "../../</script> \ud800 {{7*7}}"
REPORT = Report(
    "title",
    tables=(
        Table(
            "The Results",
            (Measure("m", "M"), Measure("said", "Said")),
            (Row("one", {"m": Interval(0.5, 0.25, 0.75, 9, "BCa"), "said": HOSTILE}), Row("two", {"m": "constant"})),
        ),
        Table("Nothing", (Measure("m", "M"),), ()),
    ),
    examples=(
        Example(PAGE, (0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.5), "t0", kind="clash", more=((0.5, 0.5, 0.6, 0.6),)),
        Example(PAGE // 2, None, None, "t1", "Which?", right="C", said="A", text=HOSTILE),
    ),
    sheets=(
        Sheet(HOSTILE, (Drawing(DRAWN, None, "is01", HOSTILE, 0.5), Drawing(PAGE, None, "test-0"))),
        Sheet("none", ()),
    ),
    scatters=(Scatter("Ink, and score", ((HOSTILE, ((900.0, 0.5),)),), "ink", "score"),),
)
SCRIPT = """
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_eval_tracking import REPORT
from designgym.eval.config import ReportTracking
from designgym.eval.tracking import track
settings = {{"seed": 7, "agents": [{{"name": "grow"}}]}}
track(REPORT, Path(sys.argv[1]), ReportTracking(wandb="offline"), settings, lambda said: print("SAID", said))
print("ENDED")
"""


@pytest.fixture(scope="module")
def tracked(tmp_path_factory):
    """A tracked report: in a process without a terminal or a home, with a key that would be refused if it were used."""
    pytest.importorskip("wandb")
    folder, home = (tmp_path_factory.mktemp(name) for name in ("evaluation", "home"))
    env = {name: value for name, value in os.environ.items() if not name.startswith("WANDB")}
    key = "not-a-real-key-" + "0" * 25
    env |= {"HOME": str(home), "XDG_CACHE_HOME": str(home), "WANDB_API_KEY": key}
    script = SCRIPT.format(tests=os.path.dirname(__file__))
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)],
        env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "ENDED" in done.stdout and "SAID" not in done.stdout
    return folder, home, key


def files(folder: Path, pattern: str) -> list[Path]:
    return sorted(folder.glob(f"wandb/offline-run-*/files/media/{pattern}"))


def test_all_lands_below_the_evaluations_folder_without_a_key_or_a_way_out(tracked):
    folder, home, key = tracked
    assert len(list(folder.glob("wandb/offline-run-*/run-*.wandb"))) == 1
    assert [path for path in home.rglob("*") if path.is_file()] == []
    assert {path.name for path in folder.iterdir()} == {"wandb"}
    assert not any(key.encode() in path.read_bytes() for path in folder.rglob("*") if path.is_file())


def test_tables_have_the_columns_of_their_files_and_texts_as_they_are(tracked):
    folder, _, _ = tracked
    (path,) = files(folder, "table/tables/the-results_*.table.json")
    table = json.loads(path.read_text(encoding="utf-8"))
    assert table["columns"] == ["group", "policy", "m", "m_low", "m_high", "m_n", "said"]
    shown = "../../</script> \\ud800 {{7*7}}"  # the lone surrogate has become six characters
    assert table["data"] == [["", "one", 0.5, 0.25, 0.75, 9, shown], ["", "two", "constant", None, None, None, None]]
    (path,) = files(folder, "table/plots/ink-and-score_*.table.json")
    assert json.loads(path.read_text(encoding="utf-8"))["data"] == [[shown, 900, 0.5]]


def test_examples_have_their_boxes_and_drawings_are_pictures(tracked):
    folder, _, _ = tracked
    kept = [json.loads(path.read_text()) for path in files(folder, "metadata/boxes2D/examples_*.json")]
    places = sorted(tuple(box["position"].values()) for boxes in kept for box in boxes["box_data"])
    assert places == [(0.1, 0.2, 0.3, 0.4), (0.1, 0.2, 0.3, 0.5), (0.5, 0.5, 0.6, 0.6)]
    sizes = sorted(Image.open(path).size for path in files(folder, "images/drawings/**/*.png"))
    assert sizes == [(32, 32), (40, 40)]
    (path,) = files(folder, "table/answers_*.table.json")
    answers = json.loads(path.read_text(encoding="utf-8"))
    assert [row[:5] for row in answers["data"]] == [["t0", "clash", "", "", ""], ["t1", "", "Which?", "C", "A"]]


def test_captions_tell_answers_in_words():
    assert wandb_run.caption(REPORT.examples[1]) == "t1: truth C, answer A"


def test_the_summary_has_the_numbers_of_the_first_table():
    assert figures(REPORT) == {"one/m": 0.5}
    assert figures(Report("empty")) == {}


CANVAS = EnvSection(id="designgym/CanvasDrawing-v0")
SMALL = EvalConfig(env=CANVAS, agents=(AgentSection(name="blank"),), limit=1, examples=0)


def with_tracking(**section) -> EvalConfig:
    return SMALL.model_copy(update={"tracking": ReportTracking(**section)})


def test_nothing_is_tracked_unless_it_is_asked_for(monkeypatch, tmp_path):
    asked = []
    monkeypatch.setattr(evaluation, "track", lambda report, folder, section, settings, say: asked.append(section.wandb))
    evaluation.evaluate(SMALL, tmp_path / "off")
    assert asked == []
    evaluation.evaluate(with_tracking(wandb="offline"), tmp_path / "offline")
    assert asked == ["offline"]


def test_what_is_missing_is_one_sentence_before_any_work(monkeypatch, tmp_path):
    monkeypatch.delenv("WANDB_API_KEY", raising=False)
    monkeypatch.delenv("WANDB_MODE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(wandb_run, "installed", lambda: True)
    with pytest.raises(UserError, match="there is no key for it"):
        evaluation.check(with_tracking(wandb="online"), tmp_path / "out", resume=False)
    evaluation.check(with_tracking(wandb="offline"), tmp_path / "out", resume=False)
    monkeypatch.setattr(wandb_run, "installed", lambda: False)
    with pytest.raises(UserError, match="wandb is not installed: pip install 'designgym"):
        evaluation.check(with_tracking(wandb="offline"), tmp_path / "out", resume=False)
    evaluation.check(SMALL, tmp_path / "out", resume=False)


@pytest.mark.parametrize(
    ("arguments", "mode"),
    [([], "off"), (["--wandb"], "offline"), (["--wandb", "--set", "tracking.wandb=online"], "online")],
)
def test_the_flag_means_offline_unless_online_is_set(arguments, mode, monkeypatch, tmp_path):
    from designgym.eval import cli

    seen = []
    monkeypatch.setattr(cli, "check", lambda config, folder, resume: seen.append(config.tracking.wandb))
    app(["eval", "eval/canvas", "--dry-run", "--output", str(tmp_path / "out"), *arguments], standalone_mode=False)
    assert seen == [mode]

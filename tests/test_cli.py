"""The command line: exit codes, sentences instead of tracebacks, and nothing heavy before it is needed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from PIL import Image

import designgym.cli.main as cli
from designgym.cli import command as every_command
from designgym.cli.loading import missing_extra
from designgym.cli.settings import settings_table
from designgym.config import Section, bundled_names, read_config
from designgym.errors import MissingExtra, UserError
from designgym.trace import TraceWriter

ENV = "designgym/AestheticLocalization-v0"


def run(*arguments: str) -> int:
    """Run the command line in this process and return its exit code."""
    with pytest.raises(SystemExit) as exit_:
        cli.main(list(arguments))
    assert isinstance(exit_.value.code, int)
    return exit_.value.code


@pytest.fixture
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Commands record what they were called with instead of doing it."""
    calls: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(every_command, "load", lambda target: lambda **arguments: calls.append((target, arguments)))
    return calls


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "traces.jsonl"
    env = gym.make(ENV, split="test", image_size=64)
    with TraceWriter(path) as writer:
        for task, bbox in (("test-000001", None), ("test-000002", [0.1, 0.1, 0.5, 0.5])):
            episode = writer.begin(env, *env.reset(seed=1, options={"task": task}), seed=1)
            action = {"name": "answer", "arguments": {"bbox": bbox}}
            episode.step(action, *env.step(action))
    return path


# --- help and start


def test_help_comes_at_once_and_loads_nothing_heavy() -> None:
    script = (
        "import sys\n"
        "from designgym.cli.main import main\n"
        "try:\n    main(['--help'])\n"
        "except SystemExit as end:\n    assert end.code == 0, end.code\n"
        "heavy = {'torch', 'trl', 'transformers', 'datasets', 'matplotlib', 'wandb', 'pydantic', 'skia'}\n"
        "assert not heavy & set(sys.modules), heavy & set(sys.modules)\n"
    )
    started = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert time.perf_counter() - started < 10  # a loaded machine; alone it is well below 1.5 s
    for command in ("list", "show", "train", "eval", "replay", "model", "version"):
        assert command in done.stdout


def test_the_entry_point_is_installed() -> None:
    script = Path(sys.executable).with_name("designgym")
    done = subprocess.run([script, "version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("python")
    assert np.__version__ in done.stdout


# --- usage errors


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("trian", "x"), "No such command 'trian'"),
        (("train",), "Missing argument"),
        (("train", "x", "--max-turn", "8"), "No such option: --max-turn"),
        (("train", "x", "--dry"), "No such option: --dry"),
        (("train", "x", "--outp", "y"), "No such option: --outp"),
        (("train", "x", "--output=a", "--output=b"), "Invalid value for '--output': it stands twice"),
        (("train", "x", "--num_epochs=3", "--num-epochs=4"), "No such option: --num_epochs"),
        (("eval", "x", "--limit", "1", "--limit", "2"), "Invalid value for '--limit': it stands twice"),
        (("eval", "x", "--limit", "0"), "Invalid value for '--limit'"),
    ],
)
def test_a_wrong_command_line_is_refused_before_any_work(called, capsys, arguments, says) -> None:
    assert run(*arguments) == 2
    assert says in capsys.readouterr().err
    assert called == []


def test_commands_get_what_was_given(called) -> None:
    assert run("train", "quickstart", "--set", "seed=1", "--set", "a.b=2", "--output", "runs/x", "--dry-run") == 0
    assert run("eval", ENV, "--agent", "random", "--agent", "full-page", "--limit", "5") == 0
    assert called == [
        (
            "designgym.train.cli:run",
            {"config": "quickstart", "overrides": ["seed=1", "a.b=2"], "output": Path("runs/x"), "dry_run": True},
        ),
        (
            "designgym.eval.cli:run",
            {
                "target": ENV,
                "agents": ["random", "full-page"],
                "split": None,
                "limit": 5,
                "seed": None,
                "overrides": [],
                "output": None,
                "resume": False,
                "workers": None,
                "ray": None,
                "wandb": False,
                "dry_run": False,
            },
        ),
    ]


def test_a_command_without_overrides_is_not_handed_those_of_the_last_one(called) -> None:
    run("train", "x", "--set", "a=1")
    run("train", "x")
    assert [arguments["overrides"] for _, arguments in called] == [["a=1"], []]


# --- what becomes of failures


def failing(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    def load(target: str) -> Any:
        def command(**_: Any) -> None:
            raise error

        return command

    monkeypatch.setattr(every_command, "load", load)


def test_a_users_mistake_is_a_sentence_and_exit_code_2(monkeypatch, capsys) -> None:
    failing(monkeypatch, UserError("The file [x] is not there."))
    assert run("train", "x") == 2
    assert capsys.readouterr().err == "designgym: The file [x] is not there.\n"


def test_a_text_out_of_a_file_cannot_steer_the_terminal(trace: Path, capsys) -> None:
    steps = [json.loads(line) for line in trace.read_text().splitlines()]
    evil = "\x1b[2J\x9b2J\ud800"
    trace.write_text("".join(json.dumps(step | {"episode": evil, "reward": 0.2}) + "\n" for step in steps))
    assert run("replay", str(trace)) == 1
    assert run("replay", str(trace), "--episode", "other") == 2
    shown = "".join(capsys.readouterr())
    assert "\\x1b[2J\\x9b2J\\ud800" in shown and not {"\x1b", "\x9b", "\ud800"} & set(shown)


@pytest.mark.parametrize("way", [{"PYTHONIOENCODING": "ascii"}, {"close": "1"}])
def test_an_output_that_is_closed_or_lacks_characters_ends_nothing(way: dict[str, str], tmp_path: Path) -> None:
    arguments = ["eval", ENV, "--set", "env.kwargs.image_size=32", "--limit", "2", "--output", str(tmp_path / "out")]
    command = [sys.executable, "-m", "designgym.cli.main", *arguments, "--agent", "random", "--agent", "full-page"]
    closed = "exec >&- 2>&-; " if "close" in way else ""
    done = subprocess.run(
        ["sh", "-c", f'{closed}exec "$@"', "sh", *command], env={**os.environ, **way}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "report.html").is_file() and "Traceback" not in done.stderr


def test_a_missing_extra_is_named(monkeypatch, capsys) -> None:
    failing(monkeypatch, ModuleNotFoundError("No module named 'trl'", name="trl"))
    assert run("train", "x") == 2
    assert "pip install 'designgym[train]'" in capsys.readouterr().err
    failing(monkeypatch, MissingExtra("This needs the package 'jinja2'."))
    assert run("train", "x") == 2
    assert "jinja2" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("package", "extra"),
    [("torch", "train"), ("wandb", "train"), ("scipy", "eval"), ("jinja2", "eval"), ("rapidocr", "ocr")],
)
def test_every_optional_package_belongs_to_an_extra(package: str, extra: str) -> None:
    said = missing_extra(ModuleNotFoundError(f"No module named '{package}'", name=package))
    assert said is not None
    assert f"designgym[{extra}]" in said


@pytest.mark.parametrize(
    "error",
    [
        ModuleNotFoundError("No module named 'designgym.train.methods.sft'", name="designgym.train.methods.sft"),
        ModuleNotFoundError("No module named 'torch.nn.new'", name="torch.nn.new"),
        ModuleNotFoundError("No module named 'somebody'", name="somebody"),
        ImportError("cannot import name 'x' from 'trl'", name="trl"),
        RuntimeError("the loss is not finite"),
    ],
)
def test_any_other_failure_is_not_hidden(monkeypatch, error) -> None:
    failing(monkeypatch, error)
    with pytest.raises(type(error)):
        cli.main(["train", "x"])


def test_an_interrupt_is_exit_code_130(monkeypatch) -> None:
    failing(monkeypatch, KeyboardInterrupt())
    assert run("train", "x") == 130


def test_a_scheduler_that_asks_to_stop_is_answered_as_ctrl_c_is(monkeypatch) -> None:
    cleaned: list[bool] = []

    def command(target: str) -> Any:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(5)
        finally:
            cleaned.append(True)

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(every_command, "load", command)
    try:
        assert run("version") == 130 and cleaned
    finally:
        signal.signal(signal.SIGTERM, before)


def test_the_commands_own_exit_code_is_kept(monkeypatch) -> None:
    monkeypatch.setattr(every_command, "load", lambda target: lambda **_: 1)
    assert run("train", "x") == 1


# --- list and show


def test_list_names_all_that_there_is(capsys) -> None:
    assert run("list") == 0
    shown = capsys.readouterr().out
    for name in (ENV, "hurdle", "iou", "answer", "always-none", "demonstrator", "qwen"):
        assert name in shown
    for name in bundled_names():
        assert name in shown


def test_show_prints_the_page_of_an_environment(capsys) -> None:
    for name in (ENV, "AestheticLocalization", "designgym/AestheticLocalization"):
        assert run("show", name) == 0
        shown = capsys.readouterr().out
        assert "Find the element that harms" in shown
        assert "answer" in shown
        assert "test tasks: 10000" in shown


def test_show_saves_the_image_that_the_environment_observes(tmp_path: Path, capsys) -> None:
    out = tmp_path / "folder" / "page.png"
    assert run("show", ENV, "--task", "test-000012", "--out", str(out)) == 0
    observation, _ = gym.make(ENV, split="test").reset(options={"task": "test-000012"})
    assert (np.asarray(Image.open(out)) == observation["image"]).all()
    assert observation["task"] in capsys.readouterr().out
    assert run("show", ENV, "--out", str(out)) == 0
    first, _ = gym.make(ENV).reset(options={"task": "train-000000"})
    assert (np.asarray(Image.open(out)) == first["image"]).all()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("show", "AestheticLocalisation"), "Did you mean 'AestheticLocalization'?"),
        (("show", ENV, "--task", "exam-000001"), "has no task 'exam-000001': train has train-000000 to"),
        (("show", ENV, "--task", "test-999999"), "test-999999"),
        (("show", ENV, "--out", "page.jpg"), "must have a name that ends in .png"),
    ],
)
def test_what_show_cannot_find_is_named(capsys, arguments, says) -> None:
    assert run(*arguments) == 2
    assert says in capsys.readouterr().err


# --- replay


def test_replay_says_that_all_is_as_recorded(trace: Path, tmp_path: Path, capsys) -> None:
    assert run("replay", str(trace), "--filmstrip", str(tmp_path / "strip.png")) == 0
    assert "2 episodes, 4 steps played again: all as recorded." in capsys.readouterr().out
    assert Image.open(tmp_path / "strip.png").size == (2 * 64 + 4, 64)


def test_replay_fails_where_a_hash_differs(trace: Path, capsys) -> None:
    lines = trace.read_text().splitlines()
    changed = json.loads(lines[2])
    changed["image"]["sha256"] = "0" * 64
    trace.write_text("\n".join([*lines[:2], json.dumps(changed), lines[3]]) + "\n")
    assert run("replay", str(trace)) == 1
    shown = capsys.readouterr().out
    assert "test-000002#1: step 0: image was 000000000000" in shown
    assert "1 differ from the record" in shown
    assert run("replay", str(trace), "--episode", "test-000001#0") == 0


def test_replay_prints_a_bounded_number_of_differences(trace: Path, capsys) -> None:
    first, second = [json.loads(line) for line in trace.read_text().splitlines()[:2]]
    lines = []
    for number in range(15):
        lines += [first | {"episode": str(number)}, second | {"episode": str(number), "reward": 0.5, "error": "limit"}]
    trace.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert run("replay", str(trace)) == 1
    shown = capsys.readouterr().out
    assert "... and 10 more differences" in shown
    assert "15 differ from the record" in shown
    assert len(shown.splitlines()) == 22


def test_replay_opens_the_trace_of_a_killed_run_with_a_note(trace: Path, capsys) -> None:
    lines = trace.read_text().splitlines()
    trace.write_text("\n".join(lines[:3]) + "\n" + lines[3][:40])
    assert run("replay", str(trace)) == 0
    shown = capsys.readouterr().out
    assert "the last line is cut off" in shown
    assert "1 of the episodes did not come to their end" in shown


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere.jsonl",), "cannot be read"),
        ((os.devnull,), "holds no episodes"),
        ((os.devnull, "--filmstrip", "x.gif"), "must have a name that ends in .png"),
    ],
)
def test_what_cannot_be_replayed_is_a_users_mistake(capsys, arguments, says) -> None:
    assert run("replay", *arguments) == 2
    assert says in capsys.readouterr().err


# --- settings for --dry-run


class Inner(Section):
    flaws: tuple[str, ...] = ("clash",)
    ratio: str = "16:9"


class Outer(Section):
    seed: int = 0
    note: str | None = None
    inner: Inner = Inner()


def test_the_effective_settings_are_shown_with_their_origin() -> None:
    table = settings_table(read_config(None, Outer, ["inner.ratio=4:3", "seed=3"]))
    rows = list(zip(*(column.cells for column in table.columns), strict=True))
    assert rows == [
        ("seed", "3", "--set seed=3"),
        ("note", "null", "default"),
        ("inner.flaws", '["clash"]', "default"),
        ("inner.ratio", "4:3", "--set inner.ratio=4:3"),
    ]

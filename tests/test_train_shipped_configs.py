"""Every training configuration that ships is planned on the machine it is for, with the variants its comment names."""

import re
import shlex
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

from designgym.config import bundled_names, load_config
from designgym.config_file import bundled_folder
from designgym.train.config import TrainConfig
from designgym.train.memory.facts import published
from designgym.train.memory.machines import Machines
from designgym.train.memory.plan import plan
from designgym.train.memory.planned import GIB, ROOM
from designgym.train.methods import vllm
from designgym.train.model import checks as check_weights

ROOT = Path(__file__).resolve().parents[1]
NAMES = [name for name in bundled_names() if name.startswith(("train/", "quickstart"))]
PUBLISHED = [name for name in NAMES if not name.startswith("quickstart") and not name.endswith("-tiny")]


def text_of(name: str) -> str:
    return (bundled_folder() / f"{name}.yaml").read_text(encoding="utf-8")


def comment_of(name: str) -> str:
    return text_of(name).split("\nseed:")[0]


def machines() -> dict[str, Machines]:
    """The machine of each configuration, as the table of docs/training.md has it."""
    table = (ROOT / "docs/training.md").read_text(encoding="utf-8")
    found = {}
    for name, machine in re.findall(r"^\| `((?:train/|quickstart)[\w-]*)` \|.*\| ([^|]+) \|$", table, re.MULTILINE):
        size = re.fullmatch(r"(\d+) x (\d+) GiB(?:, (\w+))?", machine)
        count, memory, sharding = size.groups() if size else (1, 16, None)
        found[name] = Machines(int(count), 1, float(memory), sharding or "ddp", "as told")  # type: ignore[arg-type]
    return found


def variants() -> list[tuple[str, tuple[str, ...]]]:
    """A configuration, and each command of its comment that changes settings."""
    found: list[tuple[str, tuple[str, ...]]] = [(name, ()) for name in NAMES]
    for name in PUBLISHED:
        for command in re.findall(rf"^#     designgym train {re.escape(name)} (.*)$", comment_of(name), re.MULTILINE):
            words = shlex.split(command)
            found.append((name, tuple(after for word, after in pairwise(words) if word == "--set")))
    return found


@pytest.fixture
def everything_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Packages that need a GPU are taken to be there, as on the machine that is planned for."""
    there = SimpleNamespace(util=SimpleNamespace(find_spec=lambda name: name))
    for module in (check_weights, vllm):
        monkeypatch.setattr(module, "importlib", there)


def test_the_table_of_the_documentation_has_every_configuration_and_no_other() -> None:
    assert set(machines()) == set(NAMES)


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_comment_says_how_it_is_run_and_where_each_value_comes_from(name: str) -> None:
    comment = comment_of(name)
    assert all(line.startswith("#") for line in comment.splitlines())
    assert "Where the values come from:" in comment and re.search(r"\bNot run\b", comment)
    assert f"designgym train {name}" in comment or name == "train/aesthetic-localization-qwen3-vl-4b"


@pytest.mark.parametrize(("name", "overrides"), variants(), ids=lambda value: value if isinstance(value, str) else "")
@pytest.mark.usefixtures("everything_installed")
def test_it_is_planned_offline_and_fits_the_machine_it_is_for(name: str, overrides: tuple[str, ...]) -> None:
    config = load_config(name, TrainConfig, overrides)
    machine = machines()[name]
    made = plan(config, machine)
    assert made.problems == []
    assert len(made.stages) == len(config.stages)
    for stage in made.stages:
        assert 0 < stage.peak <= machine.memory_gib * GIB
        assert stage.sequences.length > stage.sequences.completion > 0
    if config.model != "tiny":
        assert config.model in published()


@pytest.mark.usefixtures("everything_installed")
@pytest.mark.parametrize("name", PUBLISHED)
def test_what_is_estimated_leaves_room_where_it_can(name: str) -> None:
    machine = machines()[name]
    room = (1 - ROOM) * machine.memory_gib * GIB
    assert [each.stage.name for each in plan(load_config(name, TrainConfig), machine).stages if each.peak > room] == []

"""The documentation is true: its code runs, its commands parse, its tables equal the registries, its recipes work."""

from __future__ import annotations

import importlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from PIL import Image

from designgym.agents.table import AGENTS
from designgym.cli import command as every_command
from designgym.cli import main as command_line
from designgym.config import read_config
from designgym.envs.design.actions import ACTIONS
from designgym.registration import ENTRY_POINTS
from designgym.rewards import REWARDS
from designgym.rewards.table import GROUP_REWARDS, SCORERS
from designgym.train.config import TrainConfig

ROOT = Path(__file__).resolve().parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))


def blocks(page: Path, language: str, after: str = "") -> list[str]:
    """The code blocks of a language, perhaps only those of the section with this heading."""
    text = page.read_text(encoding="utf-8")
    if after:
        text = re.split(r"^## ", text.split(f"\n## {after}\n")[1], flags=re.MULTILINE)[0]
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def run(*command: str, cwd: Path = ROOT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a Python command."""
    env = {**os.environ, **environment}
    return subprocess.run([sys.executable, *command], cwd=cwd, env=env, capture_output=True, text=True, timeout=300)


# ---------------------------------------------------------------- what is made from the code


def test_what_is_made_from_the_code_is_up_to_date() -> None:
    done = run("docs/build.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_readme_lists_every_environment_reward_and_agent() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rewards = REWARDS | SCORERS | GROUP_REWARDS
    for name, known in (("environments", ENTRY_POINTS), ("rewards", rewards), ("agents", AGENTS)):
        block = text.split(f"<!-- {name} -->")[1].split(f"<!-- /{name} -->")[0]
        assert set(re.findall(r"^\| \[?`([^`]+)`", block, re.MULTILINE)) == set(known)


def test_the_pictures_are_small_and_have_no_background() -> None:
    sizes = {}
    for path in (ROOT / "docs/img").glob("*.png"):
        sizes[path.name] = path.stat().st_size
        with Image.open(path) as picture:
            assert picture.convert("RGBA").getpixel((0, 0))[3] == 0  # type: ignore[index]
    assert sizes.pop("designs.png") + sizes.pop("layouts.png") < 400_000
    assert sum(sizes.pop(name) for name in list(sizes) if name.startswith("actions-")) < 400_000
    assert sum(sizes.values()) < 800_000


def test_each_of_the_46_actions_has_its_picture_on_one_of_the_sheets() -> None:
    page = (ROOT / "docs/environments/design-actions.md").read_text(encoding="utf-8")
    sheets = re.findall(r"!\[Pages before and after ([^\]]*)\]\(\.\./img/(actions-\w+\.png)\)", page)
    shown = [name for names, file in sheets for name in names.split(", ") if (ROOT / "docs/img" / file).is_file()]
    assert sorted(shown) == sorted(ACTIONS) and len(shown) == 46


# ---------------------------------------------------------------- code and commands


def test_the_readmes_python_runs_and_is_short(capsys: pytest.CaptureFixture[str]) -> None:
    judging, drawing, designing = blocks(ROOT / "README.md", "python")
    for code, most in ((judging, 10), (drawing, 10), (designing, 17)):
        assert len([line for line in code.splitlines() if line.strip()]) <= most
    exec(compile(judging, "README.md", "exec"), {})
    _, question, outcome = capsys.readouterr().out.splitlines()  # the first line explains the indicator
    assert question.endswith("?")
    assert re.fullmatch(r"[01]\.\d+ \[.*\] \w*", outcome)
    exec(compile(drawing, "README.md", "exec"), {})
    became, _, outcome = capsys.readouterr().out.splitlines()
    assert became == "OK" and re.fullmatch(r"0\.\d+ Sun", outcome)
    exec(compile(designing, "README.md", "exec"), {})
    brief, *_, outcome = capsys.readouterr().out.splitlines()
    assert "postcard" in brief and "yellow" in brief
    reward, success = map(float, outcome.split())
    assert 0.8 <= reward < 1 and success == 1  # the colour of the message is what is missing


def commands() -> Iterator[tuple[str, str]]:
    """Every `designgym` command that a page tells the reader to type, with the page's name."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        found = [command for block in blocks(page, "sh") for command in re.findall(r"designgym [^;\n]+", block)]
        found += [command for command in re.findall(r"`(designgym [^`]+)`", text) if "`, `" not in command]
        for command in found:
            yield page.name, command.strip().replace("$seed", "1")


@pytest.mark.parametrize(("page", "command"), sorted(set(commands())))
def test_every_command_of_the_documentation_parses(page: str, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[dict[str, Any]] = []
    monkeypatch.setattr(every_command, "load", lambda target: lambda **arguments: called.append(arguments))
    arguments = shlex.split(command)[1:]
    arguments = ["train/aesthetic-localization-qwen3-vl-4b" if word == "CONFIG" else word for word in arguments]
    names = (
        "train",
        "eval",
        "ratings",
        "fit",
        "replay",
        "markers",
        "study",
        "show",
        "model tiny",
        "data aesthetics",
        "data label",
    )
    alone = " ".join(arguments) in names  # the command's name, in prose
    with pytest.raises(SystemExit) as ended:
        command_line.main([*arguments, "--help"] if alone else arguments)
    assert ended.value.code == 0
    assert len(called) == (0 if alone else 1)
    for given in called:
        if "config" in given:
            read_config(given["config"], TrainConfig, given["overrides"])


@every_page
def test_make_targets_and_scripts_exist(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:^|`)make ([a-z-]+)", text, re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for script in re.findall(r"python ((?:docs|examples|benchmarks)/\S+?\.py)", text):
        assert (ROOT / script).is_file(), script


@every_page
def test_links_and_names_lead_somewhere(page: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        if not target.startswith("https://"):
            assert (page.parent / target).exists(), target
    for path in re.findall(
        r"`((?:core|envs|rewards|agents|eval|train|docs|examples|tests|benchmarks)/[\w./-]*)`", text
    ):
        assert (ROOT / path).exists() or (ROOT / f"configs/{path}.yaml").exists(), path
    for name in re.findall(r"`(designgym(?:\.\w+)+)`", text):
        assert found(name), name


def found(name: str) -> bool:
    """Whether a dotted name is a module or something in one."""
    try:
        importlib.import_module(name)
    except ImportError:
        module, _, attribute = name.rpartition(".")
        return hasattr(importlib.import_module(module), attribute)
    return True


@pytest.mark.parametrize(
    ("script", "arguments", "says"),
    [
        ("step_environment", [], "error 'invalid_parameters', terminated False"),
        ("evaluate_an_agent", ["--pages", "40"], "over 40 pages"),
        ("score_again", ["--reward", "iou"], "iou 1.000 (exact@1)"),
        ("trl_environment", ["--steps", "1"], "1 steps; reward 0.000"),
        ("ppo_stable_baselines3", ["--steps", "256"], "closure on 40 validation shapes: 0."),
    ],
)
def test_examples_run(script: str, arguments: list[str], says: str) -> None:
    if script == "ppo_stable_baselines3":
        pytest.importorskip("stable_baselines3")  # no dependency of the package, and of no extra
    done = run(f"examples/{script}.py", *arguments)
    assert done.returncode == 0, done.stderr
    assert says in done.stdout


def test_every_example_is_run() -> None:
    parameters = next(mark for mark in test_examples_run.pytestmark if mark.name == "parametrize")  # type: ignore[attr-defined]
    assert {case[0] for case in parameters.args[1]} == {path.stem for path in (ROOT / "examples").glob("*.py")}


# ---------------------------------------------------------------- facts


def test_the_table_of_dependencies_is_complete() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    groups = {"base": project["dependencies"], **project["optional-dependencies"]}
    wanted = {
        (Requirement(text).name, group)
        for group, texts in groups.items()
        for text in texts
        if Requirement(text).name != "designgym"
    }
    text = (ROOT / "docs/architecture.md").read_text(encoding="utf-8").split("\n## Dependencies\n")[1]
    rows = re.findall(r"^\| `([\w-]+)` \| (\w+) \| .+ \| .+ \| .+ \|$", text, re.MULTILINE)
    assert set(rows) == wanted
    assert len(rows) == len(wanted)


def test_figures_have_their_places() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    results = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    assert readme.count("<!-- quickstart-results -->") == readme.count("<!-- /quickstart-results -->") == 1
    for name in re.findall(r"<!-- ([a-z-]+) -->", results):
        assert results.count(f"<!-- /{name} -->") == 1


# ---------------------------------------------------------------- recipes


RECIPES = ("Add a reward", "Add an environment", "Add an agent")
COPIED = ("core", "rewards", "envs", "agents", "eval", "train", "configs", "tests", "docs")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout in which all recipes of CONTRIBUTING.md were followed, to the letter."""
    root = tmp_path_factory.mktemp("recipes")
    for name in COPIED:
        shutil.copytree(ROOT / name, root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / name, root)
    for recipe in RECIPES:
        for block in blocks(ROOT / "CONTRIBUTING.md", "python", after=recipe):
            follow(root, block)
    # The import package, as the wheel would lay it out.
    package = root / "site/designgym"
    package.mkdir(parents=True)
    for entry in (root / "core").iterdir():
        (package / entry.name).symlink_to(entry)
    for name in ("rewards", "envs", "agents", "eval", "train", "configs"):
        (package / name).symlink_to(root / name)
    return root


def follow(root: Path, block: str) -> None:
    """Write the file that a code block holds, or add its line to the table that it names."""
    first, _, content = block.partition("\n")
    named = re.fullmatch(r"# (\S+\.py)(?:, in ([A-Z]+(?:_[A-Z]+)*))?", first)
    assert named, f"This block does not say which file it belongs to: {first}"
    path = root / named[1]
    if named[2] is None:
        assert not path.exists(), f"{named[1]} exists already; choose another name for the recipe"
        path.write_text(content, encoding="utf-8")
        return
    assert len(content.strip().splitlines()) == 1, "registering is one line"
    text = path.read_text(encoding="utf-8")
    table = re.compile(rf"^{named[2]}\b.*= \{{\n", re.MULTILINE)
    assert len(table.findall(text)) == 1
    path.write_text(table.sub(lambda found: found[0] + content, text), encoding="utf-8")


def new_files() -> list[str]:
    """The files that the recipes add."""
    code = [block for recipe in RECIPES for block in blocks(ROOT / "CONTRIBUTING.md", "python", after=recipe)]
    firsts = [block.partition("\n")[0] for block in code]
    return [first.removeprefix("# ") for first in firsts if ", in " not in first]


def in_copy(checkout: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return run(*command, cwd=checkout, PYTHONPATH=str(checkout / "site"), PYTHONDONTWRITEBYTECODE="1")


def test_each_recipe_is_one_file_one_line_and_one_test() -> None:
    for recipe in RECIPES:
        firsts = [b.partition("\n")[0] for b in blocks(ROOT / "CONTRIBUTING.md", "python", after=recipe)]
        assert ["tests/" in first for first in firsts] == [False, False, True]
        assert [", in " in first for first in firsts] == [False, True, False]


def test_the_tests_of_the_recipes_pass_and_the_contract_tests_find_what_they_add(checkout: Path) -> None:
    shared = ["tests/test_env_contract.py", "tests/test_rewards.py", "tests/test_agents.py"]
    own = [name for name in new_files() if name.startswith("tests/")]
    done = in_copy(
        checkout, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "DarkSquare or square or center or darkest",
        "-rA", *shared, *own,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    passed = re.findall(r"^PASSED (tests/\w+\.py)::(\S+)", done.stdout, re.MULTILINE)
    count = {name: sum(1 for file, _ in passed if file == name) for name in (*shared, *own)}
    assert all(count.values()), count
    assert count["tests/test_env_contract.py"] > 20


def test_the_recipes_files_keep_the_style(checkout: Path) -> None:
    done = in_copy(checkout, "-m", "ruff", "check", "--no-cache", *new_files())
    assert done.returncode == 0, done.stdout
    done = in_copy(checkout, "-m", "ruff", "format", "--check", "--no-cache", *new_files())
    assert done.returncode == 0, done.stdout


def test_what_the_recipes_add_is_listed_and_documented(checkout: Path) -> None:
    done = in_copy(checkout, "-m", "designgym.cli.main", "list")
    assert done.returncode == 0, done.stderr
    for name in ("designgym/DarkSquare-v0", "center", "darkest"):
        assert re.search(rf"^{name} ", done.stdout, re.MULTILINE), done.stdout
    done = in_copy(checkout, "docs/build.py")
    assert done.returncode == 0, done.stdout + done.stderr
    page = (checkout / "docs/environments/dark-square.md").read_text(encoding="utf-8")
    assert "| `center` | 1 for a right None;" in page
    assert "[`designgym/DarkSquare-v0`](docs/environments/dark-square.md)" in (checkout / "README.md").read_text()

"""The built wheel, the extras and their pins, and the set-up step that the make commands share."""

import os
import re
import shutil
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

import designgym

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
FOLDERS = {"core": "designgym"} | {
    name: f"designgym/{name}" for name in ("agents", "configs", "envs", "eval", "rewards", "train")
}
LIGHT = {"gymnasium", "numpy", "pillow", "skia-python", "pydantic", "pyyaml", "typer", "rich", "segno"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built from an sdist of a copy of the tree, so that nothing is left behind in the checkout."""
    work = tmp_path_factory.mktemp("build")
    source = work / "source"
    source.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        if (ROOT / name).exists():
            shutil.copy(ROOT / name, source)
    for name in (*FOLDERS, "tests", "docs", "benchmarks", "examples"):
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(work / "dist"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (built,) = (work / "dist").glob("*.whl")
    return zipfile.ZipFile(built)


# --- the wheel


def test_the_wheel_holds_every_file_of_the_package(wheel: zipfile.ZipFile) -> None:
    expected = {
        f"{package}/{path.relative_to(ROOT / folder).as_posix()}"
        for folder, package in FOLDERS.items()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert sorted(expected - set(wheel.namelist())) == []


def test_the_wheel_installs_one_name_and_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.partition("/")[0] for name in wheel.namelist()}
    assert tops == {"designgym", f"designgym-{designgym.__version__}.dist-info"}
    parts = {part for name in wheel.namelist() for part in name.split("/")}
    assert not parts & {"core", "tests", "docs", "benchmarks", "examples", "__pycache__", ".ci"}


def test_the_wheel_carries_types_licences_and_the_command(wheel: zipfile.ZipFile) -> None:
    info = f"designgym-{designgym.__version__}.dist-info"
    names = wheel.namelist()
    assert "designgym/py.typed" in names
    assert {f"{info}/licenses/LICENSE", f"{info}/licenses/NOTICE"} <= set(names)
    assert b"Apache License" in wheel.read(f"{info}/licenses/LICENSE")
    assert b"designgym = designgym.cli.main:main" in wheel.read(f"{info}/entry_points.txt")
    assert re.search(r"^License-Expression: Apache-2\.0$", wheel.read(f"{info}/METADATA").decode(), re.MULTILINE)


def test_fonts_come_with_their_licences(wheel: zipfile.ZipFile) -> None:
    fonts = [Path(name) for name in wheel.namelist() if name.endswith((".woff", ".ttf", ".otf"))]
    licences = [
        Path(name).parent for name in wheel.namelist() if re.search(r"(OFL|LICEN[CS]E)[^/]*$", name, re.IGNORECASE)
    ]
    assert fonts
    for font in fonts:
        assert any(folder in font.parents for folder in licences), f"{font} has no licence beside it"


def test_the_version_is_the_same_everywhere() -> None:
    assert PROJECT["project"]["version"] == designgym.__version__


# --- requirements


def requirements() -> dict[str, list[Requirement]]:
    project = PROJECT["project"]
    groups = {"base": project["dependencies"], **project["optional-dependencies"]}
    return {name: [Requirement(text) for text in texts] for name, texts in groups.items()}


def pins() -> dict[str, Version]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    found = {}
    for line in lines:
        if line and not line.startswith("#"):
            name, equals, version = line.partition("==")
            assert equals, line
            found[name.casefold().replace("_", "-")] = Version(version)
    return found


def test_the_base_install_is_light() -> None:
    assert {requirement.name for requirement in requirements()["base"]} == LIGHT


def test_the_extra_all_is_what_users_may_want() -> None:
    (everything,) = requirements()["all"]
    assert everything.name == "designgym"
    assert everything.extras == set(requirements()) - {"base", "all", "dev"}


def test_every_requirement_is_pinned_to_a_version_that_it_allows() -> None:
    pinned = pins()
    for group, members in requirements().items():
        for requirement in members:
            if requirement.name == "designgym":
                continue
            version = pinned.get(requirement.name.casefold().replace("_", "-"))
            assert version is not None, f"{requirement.name} of {group} is not in constraints.txt"
            assert version in requirement.specifier, f"{requirement} of {group} excludes {version}"
            assert version.local is None, f"{requirement.name}: a local version such as +cpu is found on few indexes"


# --- the set-up step


FAKE_PYTHON = """#!/bin/bash
# Stands for Python: notes what it is asked for, and makes environments of copies of itself.
echo "$@" >> "$LOG"
case "$*" in
  "-m venv --clear "*) mkdir -p "$4/bin" && cp "$0" "$4/bin/python" ;;
  "-m pip install "*) exit "${PIP_EXIT:-0}" ;;
  "--version") echo "Python 3.11.7" ;;
  "-") cat > /dev/null; echo "${MISSING:-}" ;;
  "-c "*"version_info"*) exit "${TOO_OLD:-0}" ;;
esac
"""


class SetUp:
    """A folder with the set-up script and a stand-in for Python."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "a checkout"
        self.folder.mkdir()
        for name in ("setup.sh", "pyproject.toml", "constraints.txt"):
            shutil.copy(ROOT / name, self.folder)
        self.python = folder / "bin" / "python3"
        self.python.parent.mkdir()
        self.python.write_text(FAKE_PYTHON)
        self.python.chmod(0o755)
        self.log = folder / "log"

    def run(self, **environment: str) -> subprocess.CompletedProcess[str]:
        self.log.write_text("")
        path = f"{self.python.parent}:/usr/bin:/bin"
        return subprocess.run(
            ["bash", str(self.folder / "setup.sh")],
            env={"PATH": path, "LOG": str(self.log), "PYTHON": str(self.python), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    @property
    def installs(self) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.startswith("-m pip install")]

    @property
    def made(self) -> list[str]:
        return [line for line in self.log.read_text().splitlines() if line.startswith("-m venv")]


@pytest.fixture
def set_up(tmp_path: Path) -> SetUp:
    return SetUp(tmp_path)


def test_set_up_makes_an_environment_from_the_pins_and_then_does_nothing(set_up: SetUp) -> None:
    first = set_up.run()
    assert first.returncode == 0, first.stderr
    assert set_up.made == ["-m venv --clear .venv"]
    (install,) = set_up.installs
    assert "-c constraints.txt -e .[train,qlora,tensorboard,eval,chat,ray,scorers,assets,dev]" in install
    second = set_up.run()
    assert (second.returncode, second.stderr, second.stdout) == (0, "", "")
    assert set_up.made == []
    assert set_up.installs == []


def test_set_up_installs_again_when_the_pins_change(set_up: SetUp) -> None:
    set_up.run()
    with (set_up.folder / "constraints.txt").open("a") as stream:
        stream.write("six==1.0\n")
    assert set_up.run().returncode == 0
    assert set_up.made == []
    assert len(set_up.installs) == 1


def test_set_up_makes_a_half_made_environment_anew(set_up: SetUp) -> None:
    set_up.run()
    (set_up.folder / ".venv/bin/python").unlink()
    assert set_up.run().returncode == 0
    assert len(set_up.made) == len(set_up.installs) == 1


def test_a_failed_installation_is_tried_again(set_up: SetUp) -> None:
    failed = set_up.run(PIP_EXIT="1")
    assert failed.returncode == 2
    assert "pip could not install" in failed.stderr
    assert set_up.run().returncode == 0
    assert set_up.made == []
    assert len(set_up.installs) == 1


def test_a_missing_system_library_is_named_with_its_package_before_any_download(set_up: SetUp) -> None:
    done = set_up.run(MISSING="libGL.so.1:libgl1\nlibEGL.so.1:libegl1")
    assert done.returncode == 2
    assert "needs libGL.so.1 libEGL.so.1" in done.stderr
    assert "apt-get install libgl1 libegl1" in done.stderr
    assert set_up.installs == []


def test_a_missing_or_old_python_is_named(set_up: SetUp) -> None:
    old = set_up.run(TOO_OLD="1")
    assert old.returncode == 2
    assert "older than Python 3.11" in old.stderr
    absent = set_up.run(PYTHON="python-that-is-not-there")
    assert absent.returncode == 2
    assert "is not a program" in absent.stderr
    none = set_up.run(PYTHON="", PATH=str(_tools(set_up.folder.parent / "tools")))
    assert none.returncode == 2
    assert "no Python 3.11 or newer" in none.stderr
    assert "apt-get install python3 python3-venv" in none.stderr


def _tools(folder: Path) -> Path:
    """Return a folder with the plain tools that the script needs, and no Python."""
    folder.mkdir()
    for tool in ("bash", "dirname", "cksum", "cat", "flock", "uname", "cut", "paste", "rm"):
        found = shutil.which(tool)
        if found:
            (folder / tool).symlink_to(found)
    return folder


def test_the_scripts_can_be_run() -> None:
    for script in ("setup.sh", ".ci/run"):
        assert (ROOT / script).stat().st_mode & stat.S_IXUSR, script
        subprocess.run(["bash", "-n", str(ROOT / script)], check=True)
    assert os.access(ROOT / "setup.sh", os.X_OK)

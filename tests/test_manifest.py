"""Manifests: what they name, and that they are written whole or not at all."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from designgym.errors import UserError
from designgym.manifest import Checkout, checkout, collect, read_manifest, versions, write_manifest


def git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org"]
    return subprocess.run(
        ["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True, text=True
    ).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "--quiet")
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "one")
    return tmp_path


def test_a_manifest_reads_back_as_it_was_written(tmp_path: Path) -> None:
    manifest = collect(
        seeds={"run": 3},
        config={"lr": np.float32(0.5), "flaws": ("clash",)},
        rewards=[{"name": "hurdle", "version": "1"}],
    )
    write_manifest(manifest, tmp_path / "run" / "manifest.json")
    data = read_manifest(tmp_path / "run" / "manifest.json")
    assert data["seeds"] == {"run": 3}
    assert data["config"] == {"lr": 0.5, "flaws": ["clash"]}
    assert data["rewards"] == [{"name": "hurdle", "version": "1"}]
    assert data["versions"]["python"] == "{}.{}.{}".format(*sys.version_info[:3])
    assert data["versions"]["numpy"] == np.__version__
    assert data["machine"]["cores"] >= 1


def test_the_commit_and_its_dirtiness_are_those_of_the_checkout(repository: Path) -> None:
    commit = git(repository, "rev-parse", "HEAD")
    assert checkout(repository) == Checkout(commit, dirty=False)
    (repository / "new.py").write_text("")
    assert checkout(repository) == Checkout(commit, dirty=True)


def test_a_package_inside_another_projects_checkout_has_no_commit(repository: Path) -> None:
    site = repository / ".venv" / "site-packages"
    site.mkdir(parents=True)
    assert checkout(site) is None


def test_without_git_there_is_no_commit(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository / "nowhere"))
    assert checkout(repository) is None


def test_versions_are_read_without_importing_heavy_packages() -> None:
    script = "import sys, designgym.manifest as m; m.versions(); assert not {'torch', 'trl'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)
    assert versions()["gymnasium"]


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 99}', '{"format": 1}'])
def test_a_file_that_is_no_manifest_is_refused(tmp_path: Path, content: str) -> None:
    (tmp_path / "manifest.json").write_text(content)
    with pytest.raises(UserError, match=r"manifest\.json"):
        read_manifest(tmp_path / "manifest.json")

"""Files and folders are written whole or not at all, by one process, and what cannot be is known before the work."""

import json
import os
from pathlib import Path

import pytest

from designgym.atomic import folder_written_whole, require_writable, write_atomically
from designgym.errors import UserError
from designgym.lock import hold


def test_an_atomic_write_replaces_the_file_and_leaves_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_atomically(path, "old")
    write_atomically(path, "né\u2028w")
    assert path.read_text(encoding="utf-8") == "né\u2028w"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report.html"]
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask


def test_a_failed_write_keeps_the_old_file_and_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "manifest.json"
    write_atomically(path, json.dumps({}))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(UserError, match="cannot be written: No space left"):
        write_atomically(path, "new")
    assert [(entry.name, entry.read_text()) for entry in tmp_path.iterdir()] == [("manifest.json", "{}")]
    with pytest.raises(UserError, match="cannot be written"):
        write_atomically(path / "below-a-file" / "x", "new")


def test_a_folder_appears_when_it_is_whole_and_a_failure_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), folder_written_whole(tmp_path / "a" / "model") as part:
        (part / "weights").write_text("half")
        raise ZeroDivisionError
    assert list((tmp_path / "a").iterdir()) == []
    with folder_written_whole(tmp_path / "a" / "model") as part:
        (part / "weights").write_text("all")
        assert not (tmp_path / "a" / "model").exists()
    assert [entry.name for entry in (tmp_path / "a").iterdir()] == ["model"]
    assert (tmp_path / "a" / "model" / "weights").read_text() == "all"


def test_of_two_that_write_one_folder_at_once_the_second_fails_and_the_first_keeps_it(tmp_path: Path) -> None:
    with pytest.raises(OSError), folder_written_whole(tmp_path / "model") as slow:
        (slow / "weights").write_text("slow")
        with folder_written_whole(tmp_path / "model") as quick:
            (quick / "weights").write_text("quick")
    assert (tmp_path / "model" / "weights").read_text() == "quick"
    assert [entry.name for entry in tmp_path.iterdir()] == ["model"]


def test_the_current_folder_has_a_name_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    with folder_written_whole(Path()) as part:
        (part / "weights").write_text("all")
    assert (tmp_path / "empty" / "weights").read_text() == "all"


def test_a_folder_that_cannot_be_written_is_found_out_without_leaving_anything(tmp_path: Path) -> None:
    require_writable(tmp_path / "new" / "run")
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="file/run' cannot be written: Not a directory"):
        require_writable(tmp_path / "file" / "run")


def test_a_folder_is_held_by_one_and_free_again_afterwards(tmp_path: Path) -> None:
    with (
        hold(tmp_path / "run"),
        pytest.raises(UserError, match="Another process is working in"),
        hold(tmp_path / "run"),
    ):
        pass
    with hold(tmp_path / "run"):
        pass


def test_what_a_killed_process_left_half_written_is_removed(tmp_path: Path) -> None:
    left = ("stages/sft/.model.part/weights", ".init.x.part/weights", "evaluation/sft/.manifest.json.x.part")
    for name in left:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("half")
    with hold(tmp_path):
        assert [path for path in tmp_path.rglob("*") if ".part" in path.name] == []
        assert (tmp_path / "stages" / "sft").is_dir()

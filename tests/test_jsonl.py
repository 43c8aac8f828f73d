"""JSON lines: what a line is, what a crash leaves, and which encodings are refused."""

import json
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from designgym.errors import UserError
from designgym.jsonl import CutOffWarning, JsonlWriter, dump_line, read_jsonl

RECORDS = [
    {"id": 1, "prompt": "top\u2028bottom"},
    {"id": 2, "prompt": "raw \u0085 here"},
    {"id": 3, "prompt": "x"},
]


@pytest.fixture
def windows_file(tmp_path: Path) -> Path:
    """Two records with raw separators inside, Windows and Unix line ends, a mark, a blank line, no final line feed."""
    path = tmp_path / "data.jsonl"
    path.write_bytes(
        b"\xef\xbb\xbf"
        + '{"id":1,"prompt":"top\u2028bottom"}\r\n'.encode()
        + '{"id":2,"prompt":"raw \u0085 here"}\n'.encode()
        + b"\n"
        + b'{"id":3,"prompt":"x"}'
    )
    return path


def test_only_a_line_feed_ends_a_line(windows_file: Path) -> None:
    lines = list(read_jsonl(windows_file))
    assert [line.value for line in lines] == RECORDS
    assert [line.number for line in lines] == [1, 2, 4]


def test_an_appended_record_does_not_glue_to_the_last_one(windows_file: Path) -> None:
    with JsonlWriter(windows_file) as writer:
        writer.write({"id": 4})
        writer.write({"id": 5})
    assert [line.value["id"] for line in read_jsonl(windows_file)] == [1, 2, 3, 4, 5]


def test_a_cut_off_last_line_is_skipped_with_a_warning_and_removed_before_appending(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('{"id":1}\n{"id":2,"text":"hal')
    with pytest.warns(CutOffWarning, match=r"trace\.jsonl:2"):
        assert [line.value for line in read_jsonl(path)] == [{"id": 1}]
    with pytest.warns(CutOffWarning), JsonlWriter(path) as writer:
        writer.write({"id": 3})
    assert path.read_text() == '{"id":1}\n{"id":3}\n'


def test_a_line_cut_off_inside_a_character_counts_as_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b'{"id":1}\n' + '{"text":"café'.encode()[:-1])
    with pytest.warns(CutOffWarning):
        assert len(list(read_jsonl(path))) == 1


def test_a_broken_line_in_the_middle_is_an_error_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    path.write_text('{"id":1}\n\n{"id":2,\n{"id":3}\n')
    with pytest.raises(UserError, match=r"trace\.jsonl:3: this is not JSON"):
        list(read_jsonl(path))


@pytest.mark.parametrize("text", ["not json", "NaN\n", '{"x": Infinity}\n', "[" * 5000 + "]" * 5000 + "\n"])
def test_what_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match=r"x\.jsonl:1: this is not JSON"):
        list(read_jsonl(path))


def test_a_file_of_another_kind_is_never_appended_to_or_cut(tmp_path: Path) -> None:
    for content in (b"a list:\n- milk", "{}".encode("utf-16"), b"caf\xe9"):
        path = tmp_path / "notes"
        path.write_bytes(content)
        with pytest.raises(UserError):
            JsonlWriter(path).write({})
        assert path.read_bytes() == content


def test_wrong_encodings_are_named_with_the_byte_offset(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"id":1}\n' + '{"text":"café"}'.encode("latin-1"))
    with pytest.raises(UserError, match="byte 0xe9 at offset 21"):
        list(read_jsonl(path))
    path.write_bytes('{"id":1}\n'.encode("utf-16"))
    with pytest.raises(UserError, match="UTF-16"):
        list(read_jsonl(path))


def test_nothing_is_written_for_a_value_without_a_json_form(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with JsonlWriter(path) as writer:
        for value, kind in (({"x": float("nan")}, ValueError), ({"x": {1, 2}}, TypeError)):
            with pytest.raises(kind):
                writer.write(value)
    assert not path.exists()


def test_a_missing_folder_and_a_missing_file_are_sentences(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be written: No such file"):
        JsonlWriter(tmp_path / "no" / "x.jsonl").write({})
    with pytest.raises(UserError, match="cannot be read: No such file"):
        list(read_jsonl(tmp_path / "x.jsonl"))


def test_a_killed_process_leaves_every_record_it_had_written(tmp_path: Path) -> None:
    path = tmp_path / "trace.jsonl"
    script = textwrap.dedent("""
        import sys, time
        from designgym.jsonl import JsonlWriter
        writer = JsonlWriter(sys.argv[1])
        for step in range(2):
            writer.write({"step": step})
        print("written", flush=True)
        time.sleep(60)
    """)
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == b"written"
        os.kill(process.pid, signal.SIGKILL)
    assert [line.value for line in read_jsonl(path)] == [{"step": 0}, {"step": 1}]


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_any_value_is_one_line_that_reads_back(value: object) -> None:
    line = dump_line(value)
    assert len(line.splitlines()) == 1
    assert json.loads(line) == value

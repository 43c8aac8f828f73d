"""Freezing a benchmark from the command line, and checking it."""

from __future__ import annotations

from pathlib import Path

import pytest

from designgym.cli.main import main
from designgym.envs.aesthetics.indicators import INDICATORS


def run(capsys: pytest.CaptureFixture[str], *options: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        main(["data", "aesthetics", *options])
    told = capsys.readouterr()
    return int(ended.value.code or 0), told.out, told.err


def test_a_benchmark_is_frozen_shown_and_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "benchmark")
    code, told, _ = run(capsys, "--benchmark", "--out", out, "--designs", "4")
    assert code == 0
    rows = {line.split()[0]: line.split()[1:] for line in told.splitlines() if line.split()[:1]}
    assert all(rows[name][0] == "4" and 0 <= int(rows[name][1]) <= 4 for name in INDICATORS)
    assert "questions: judgment 48, selection " in told and ", localization 48" in told
    digest = told.rsplit("hash ", 1)[1].split()[0]

    code, again, _ = run(capsys, "--check", out)
    again = " ".join(again.split())  # long paths wrap the sentence
    assert code == 0 and f"hash {digest}" in again and "are as frozen" in again

    code, _, wrong = run(capsys, "--benchmark", "--out", out, "--designs", "5")
    assert code == 2 and "designs = 4" in wrong

    designs = tmp_path / "benchmark" / "designs.jsonl"
    designs.write_bytes(designs.read_bytes().replace(b"layouts", b"layoutz", 1))
    code, _, wrong = run(capsys, "--check", out)
    assert code == 2 and "was changed since it was frozen" in wrong


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "Name the folder to write with --out"),
        (["--benchmark"], "Name the folder to write with --out"),
        (["--out", "x", "--designs", "5"], "--designs belongs to --benchmark"),
        (["--out", "x", "--benchmark", "--designs", "0"], "--designs is 0"),
        (["--out", "x", "--benchmark", "--source", "layots"], "Did you mean 'layouts'"),
        (["--out", "x", "--benchmark", "--n", "5"], "--n says nothing beside --benchmark"),
        (["--check", "x", "--no-reasoning"], "--no-reasoning says nothing beside --check"),
        (["--check", "nowhere"], "has no benchmark.json"),
    ],
)
def test_wrong_options_are_refused_in_a_sentence(
    options: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, _, told = run(capsys, *options)
    assert code == 2 and words in told
    assert list(tmp_path.iterdir()) == []

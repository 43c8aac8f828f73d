"""The chat agent against a server that others wrote: `transformers serve` with a tiny random Qwen3-VL."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

for package in ("torch", "transformers", "fastapi", "uvicorn"):
    pytest.importorskip(package)

from qwen_stock import write_stock_folder  # noqa: E402

from designgym.agents.chat.agent import build  # noqa: E402
from designgym.eval.results import Result  # noqa: E402
from designgym.eval.runner import make, run  # noqa: E402

# Starting the server takes most of the time: it loads torch and all of transformers.
pytestmark = pytest.mark.slow

HERE = Path(__file__).resolve().parent
STARTS_WITHIN_S = 180


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The server's address, and the model's name there."""
    folder = write_stock_folder(tmp_path_factory.mktemp("served") / "tiny", "qwen3_vl")
    (folder / "video_preprocessor_config.json").unlink()
    preprocessor = json.loads((folder / "preprocessor_config.json").read_text())
    preprocessor["processor_class"] = "Qwen3VLImageOnlyProcessor"
    (folder / "preprocessor_config.json").write_text(json.dumps(preprocessor))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder.parent / "log.txt"
    command = [sys.executable, str(HERE / "transformers_server.py"), str(folder), "--host", "127.0.0.1"]
    with log.open("w") as out:
        server = subprocess.Popen(
            [*command, "--port", str(port), "--device", "cpu"],
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        )
    try:
        until = time.monotonic() + STARTS_WITHIN_S
        while not _answers(f"http://127.0.0.1:{port}/health"):
            assert server.poll() is None and time.monotonic() < until, log.read_text()[-2000:]
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}/v1", str(folder)
    finally:
        server.terminate()
        server.wait(30)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2):
            return True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False


def play(served: tuple[str, str], env_id: str, task: str, form: Any, **kwargs: Any) -> Result:
    url, model = served
    given = {"split": "test", **kwargs}
    agent = build(make(env_id, given), url=url, model=model, tools=form, max_tokens=8, tries=1, boxes="thousand")
    (result,) = run(agent, env_id, given, [task])
    return result


def test_a_question_about_a_design_is_asked_alike_with_native_tools_and_with_tools_in_words(
    served: tuple[str, str],
) -> None:
    page: dict[str, Any] = {"designs": "blocks", "image_size": 224}
    native, words = (
        play(served, "designgym/AestheticLocalization-v0", "test-000000", form, **page) for form in ("native", "json")
    )
    for result in (native, words):
        assert (result.failure, result.calls, result.scored) == ("", 1, True)
        assert 0 < result.usage["completion_tokens"] <= 8 and result.usage["requests"] == 1.0
    # The server writes the schemas that it is handed into the prompt, by the model's own template.
    assert native.usage["prompt_tokens"] == words.usage["prompt_tokens"] > 500


@pytest.mark.parametrize("form", ["native", "json"])
def test_a_drawing_is_played_to_its_end(served: tuple[str, str], form: str) -> None:
    result = play(served, "designgym/CanvasDrawing-v0", "is01", form, max_calls=2)
    assert result.failure == "" and result.end in ("budget", "silent") and result.scored
    assert result.rounds == result.usage["requests"] > 0 and result.usage["cut_off"] <= result.rounds

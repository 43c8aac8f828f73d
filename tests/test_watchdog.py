"""A run that stands still leaves the stacks of all threads of all its processes, and ends if that is asked for."""

import re
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

from designgym.train.guards.watchdog import HANG_EXIT, Watchdog, stacks  # noqa: E402
from designgym.train.tracking.callbacks import SignsOfLife  # noqa: E402


def wait_for(done, seconds=20):
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not done() and time.monotonic() < end:
        time.sleep(0.01)
    assert done()


def stand_in_the_way(event):
    event.wait()


def test_stacks_name_every_thread_and_where_it_stands():
    event = threading.Event()
    thread = threading.Thread(target=stand_in_the_way, args=(event,), name="environment_3")
    thread.start()
    written = stacks()
    event.set()
    thread.join()
    assert written.startswith("Thread MainThread:") and "test_stacks_name_every_thread" in written
    _, _, other = written.partition("Thread environment_3:")
    assert "stand_in_the_way" in other and "event.wait()" in other


def test_what_stands_still_is_written_down_once_and_said_once(tmp_path):
    said = []
    with Watchdog(0.2, tmp_path, "grpo", said.append, rank=1, ranks=1) as watchdog:
        watchdog.step = 7
        wait_for(lambda: said)
        time.sleep(0.5)  # it still stands
        (file,) = (tmp_path / "stacks").iterdir()
        for _ in range(2):  # goes on, and stands again: another file, if not within the same second, but no word
            watchdog.sign()
            time.sleep(0.5)
    assert len(said) == 1 and "(stage 'grpo', after step 7)" in said[0] and str(tmp_path / "stacks") in said[0]
    assert re.fullmatch(r"rank-1-\d{8}T\d{6}\.txt", file.name)
    written = file.read_text()
    assert "Process 1 of 1" in written and "Thread MainThread:" in written and "test_what_stands_still" in written


def test_what_gets_on_is_no_alarm_and_leaves_nothing(tmp_path):
    with Watchdog(0.4, tmp_path, "grpo", pytest.fail) as watchdog:
        for _ in range(40):
            watchdog.sign()
            time.sleep(0.02)
    assert list(tmp_path.iterdir()) == []


def test_a_process_that_waits_for_another_one_that_gets_on_is_no_alarm(tmp_path):
    said = []
    with Watchdog(0.5, tmp_path, "sft", said.append, rank=0, ranks=2):
        with Watchdog(0.5, tmp_path, "sft", said.append, rank=1, ranks=2) as other:
            for _ in range(40):
                other.sign()
                time.sleep(0.025)
            assert said == []
            wait_for(lambda: len(said) == 2)  # now both stand
        assert sorted(path.name[:6] for path in (tmp_path / "stacks").glob("rank*")) == ["rank-0", "rank-1"]


def test_a_process_that_stands_leaves_its_sign_alone_and_others_never_find_it_half_written(tmp_path):
    own, other = (Watchdog(None, tmp_path, "sft", pytest.fail, rank=rank, ranks=2) for rank in (0, 1))
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(other._seen()[1:] for _ in range(300)))
    own._seen()
    reader.start()
    while reader.is_alive():
        own.sign()
        own._seen()
    reader.join()
    assert all(sign.isdigit() for (sign, _) in seen)
    file = tmp_path / "stacks" / ".alive-0"
    before = file.stat()
    own._seen()
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)
    assert sorted(path.name for path in (tmp_path / "stacks").iterdir()) == [".alive-0", ".alive-1"]


def test_nothing_is_watched_if_nothing_is_asked(tmp_path):
    before = threading.active_count()
    with Watchdog(None, tmp_path, "sft", pytest.fail):
        assert threading.active_count() == before


def test_steps_and_passes_through_the_model_are_signs_of_life(tmp_path):
    model = SimpleNamespace(get_input_embeddings=lambda: layer)
    layer = torch.nn.Embedding(3, 2)
    watchdog = Watchdog(None, tmp_path, "sft", pytest.fail)
    signs = SignsOfLife(watchdog)
    signs.on_train_begin(None, SimpleNamespace(global_step=4), None, model=model)
    layer(torch.tensor([1]))
    layer(torch.tensor([1]))
    assert (watchdog._signs, watchdog.step) == (2, 4)
    signs.on_step_end(None, SimpleNamespace(global_step=5), None)
    assert (watchdog._signs, watchdog.step) == (3, 5)
    signs.on_train_end(None, None, None)
    layer(torch.tensor([1]))
    assert watchdog._signs == 3


SCRIPT = """
import re, sys, time
from pathlib import Path
from designgym.train.guards.watchdog import Watchdog
with Watchdog(1.0, Path(sys.argv[1]), "grpo", print, stop=True):
    if sys.argv[2] == "sleeps":
        time.sleep(100)
    re.fullmatch("(a+)+b", "a" * 60)  # for years, with Python's lock held
"""


@pytest.mark.parametrize("how", ["sleeps", "holds the lock"])
def test_a_process_that_hangs_is_ended_with_its_stacks_if_that_is_asked_for(how, tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    command = [sys.executable, str(tmp_path / "script.py"), str(tmp_path), how]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    if how == "sleeps":
        assert done.returncode == HANG_EXIT == 75, done.stderr
        (file,) = (tmp_path / "stacks").glob("rank-0-*.txt")
        assert "time.sleep(100)" in file.read_text()
        assert "It ends with exit code 75; the same command goes on" in done.stdout
    else:
        assert done.returncode == 1
        assert "Timeout" in done.stderr and "fullmatch" in done.stderr

"""Making a folder of pairs: files one after another, or several at once, going on where a run was stopped."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

import designgym
from designgym.errors import UserError, require
from designgym.lock import hold
from designgym.train.aesthetics_data.designs import check_source, counted, open_supply
from designgym.train.aesthetics_data.folder import check_folder, finish, missing_shards, read_manifest, write_settings
from designgym.train.aesthetics_data.rows import RuleWriter, Writer, groups
from designgym.train.aesthetics_data.schedule import Schedule
from designgym.train.aesthetics_data.settings import DataSettings
from designgym.train.aesthetics_data.shards import shard_path, write_shard
from designgym.train.aesthetics_data.supply import Numbers
from designgym.train.tracking.progress import work

MAX_WORKERS = 64


def check(settings: DataSettings, folder: Path, workers: int) -> None:
    """Find all that can be found wrong before any work.

    Raises:
        UserError: For the first thing that is.
    """
    if not 1 <= workers <= MAX_WORKERS:
        raise UserError(f"--workers is {workers}; it must be from 1 to {MAX_WORKERS}.")
    for package in ("datasets", "pyarrow"):
        require(package, extra="train")
    check_source(settings)
    check_folder(folder, settings.to_json())


def build(
    settings: DataSettings, folder: Path, console: Console, *, workers: int = 1, writer: Writer | None = None
) -> dict[str, Any]:
    """Make the pairs that are missing, and return the manifest.

    Whatever the number of workers, and however often the run was stopped, the files of a rule-based run are the same to
    the byte.

    Args:
        settings: What to make.
        folder: Where; see `check`.
        console: Shows progress.
        workers: Processes.
        writer: Writes the reasoning paths in this process, in place of the rules.

    Raises:
        UserError: If there are not enough designs, or files cannot be written.
    """
    with hold(folder):
        check_folder(folder, settings.to_json())
        missing = missing_shards(folder, settings)
        manifest = read_manifest(folder)
        if manifest is not None and not missing:
            return manifest
        maker = _Maker(settings, folder, _counted(settings, console), writer)
        # Other versions may draw other designs, and then the files would not be of one piece.
        made_with = {**settings.to_json(), "designs": maker.supply.name, "version": designgym.__version__}
        check_folder(folder, made_with)
        write_settings(folder, made_with)
        done = settings.n - sum(len(settings.numbers(shard)) for shard in missing)
        with work(console, "pairs", settings.n, done) as shown:
            for shard in _made(maker, missing, 1 if writer is not None else workers):
                done += len(settings.numbers(shard))
                shown.step(done)
        report = getattr(writer, "report", None)
        return finish(folder, settings, {} if report is None else {"endpoint": report()})


def _counted(settings: DataSettings, console: Console) -> Numbers | None:
    """Count the designs of a data folder, with progress."""
    with ExitStack() as stack:
        bar: list[Any] = []

        def seen(done: int, size: int) -> None:
            if not bar:
                bar.append(stack.enter_context(work(console, "designs counted", size)))
            bar[0].step(done)

        return counted(settings, seen)


def _made(maker: _Maker, shards: list[int], workers: int) -> Iterator[int]:
    """Make shards; yields each when its file is there."""
    if workers == 1 or len(shards) < 2:
        for shard in shards:
            maker.make(shard)
            yield shard
        return
    with _pool(min(workers, len(shards)), maker.settings, maker.folder, maker.numbers) as pool:
        futures = {pool.submit(_make_one, shard): shard for shard in shards}
        for future in as_completed(futures):
            future.result()
            yield futures[future]


class _Maker:
    """Makes shards in this process."""

    def __init__(self, settings: DataSettings, folder: Path, numbers: Numbers | None, writer: Writer | None) -> None:
        self.settings, self.folder, self.numbers = settings, folder, numbers
        self.schedule = Schedule(settings)
        self.supply = open_supply(settings, numbers)
        self.writer = writer or RuleWriter(settings)

    def make(self, shard: int) -> None:
        path = shard_path(self.folder, shard, self.settings.shards)
        write_shard(path, groups(self.settings, self.schedule, self.supply, shard, self.writer))


_maker: _Maker | None = None  # of a worker


def _begin(settings: DataSettings, folder: Path, numbers: Numbers | None) -> None:
    global _maker
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's affair
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _maker = _Maker(settings, folder, numbers, None)


def _end_with_parent() -> None:
    """A parent that is killed cannot end its workers, and they would wait for work for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _make_one(shard: int) -> None:
    assert _maker is not None
    _maker.make(shard)


@contextmanager
def _pool(workers: int, settings: DataSettings, folder: Path, numbers: Numbers | None) -> Iterator[ProcessPoolExecutor]:
    """Processes that make shards; what they had not begun is dropped when the block is left early."""
    # Spawned, not forked: skia and Arrow have threads of their own.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(settings, folder, numbers))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)

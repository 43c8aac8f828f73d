"""``designgym data aesthetics --benchmark`` and ``--check``: freezing a benchmark, and checking a frozen one."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from designgym.cli.console import stdout
from designgym.envs.aesthetics.sources.frozen import BENCHMARK_DESIGNS, write_benchmark
from designgym.envs.aesthetics.sources.frozen_folder import read_manifest, verify_benchmark
from designgym.envs.aesthetics.sources.resolve import resolve_source
from designgym.errors import UserError
from designgym.tasks import SPLITS
from designgym.train.tracking.progress import work


def freeze(
    *,
    out: Path,
    designs: int = BENCHMARK_DESIGNS,
    seed: int = 0,
    source: str = "layouts",
    split: str = "test",
    strict: bool = False,
) -> int:
    """Freeze designs of a source with all questions about them, and print what the folder holds.

    Args:
        out: Folder; one that the same command began is gone on with.
        designs: Number of designs.
        seed: Which of the source's designs.
        source: Where they come from.
        split: Of which split.
        strict: Whether the first broken record of a data folder ends the run, instead of being left out.

    Raises:
        UserError: If the folder holds something else, or there are too few designs.
    """
    if designs < 1:
        raise UserError(f"--designs is {designs}; it must be 1 or more.")
    if split not in SPLITS:
        raise UserError(f"--split '{split}' is unknown; choose one of {', '.join(SPLITS)}.")
    console = stdout()
    opened = resolve_source(source, strict=strict)
    try:
        with work(console, "designs", designs) as shown:
            manifest = write_benchmark(
                opened,
                out,
                designs,
                seed,
                split=split,
                progress=lambda done, _: shown.step(done),
            )
    except KeyboardInterrupt:
        console.print(f"Interrupted. The same command goes on in {out}.")
        raise
    print_benchmark(console, out, manifest)
    return 0


def check_frozen(*, folder: Path) -> int:
    """Check that a frozen benchmark is what was frozen, and print what it holds.

    Raises:
        UserError: With the first difference.
    """
    verify_benchmark(folder)
    console = stdout()
    print_benchmark(console, folder, read_manifest(folder))
    console.print("Designs, pictures, questions and right answers are as frozen.")
    return 0


def print_benchmark(console: Console, folder: Path, manifest: Mapping[str, Any]) -> None:
    """The table of flaws per indicator, and the hash."""
    counts = manifest["counts"]
    table = Table(box=None, pad_edge=False, header_style="bold")
    for column in ("indicator", "judged", "harmed", "share", "flaws"):
        table.add_column(column, justify="left" if column == "indicator" else "right")
    for name, found in counts["indicators"].items():
        table.add_row(name, str(found["judged"]), str(found["harmed"]), f"{found['share']:.1%}", str(found["flaws"]))
    console.print(table)
    flaws = counts["flaws"]
    console.print("operations: " + ", ".join(f"{name} {count}" for name, count in flaws["by_operation"].items()))
    console.print("flaws a design: " + ", ".join(f"{n} on {count}" for n, count in flaws["designs_by_number"].items()))
    console.print("questions: " + ", ".join(f"{task} {count}" for task, count in counts["questions"].items()))
    console.print(f"{counts['designs']} designs in {folder}, hash {manifest['hash']}")

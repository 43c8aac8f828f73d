"""`designgym replay`."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from designgym.cli.console import stdout
from designgym.cli.loading import load
from designgym.cli.png import require_png, save_png
from designgym.cli.printable import printable
from designgym.jsonl import CutOffWarning

SHOWN_DIFFERENCES = 20
"""Lines about differences that are printed; the rest is counted."""


def run(trace: Path, episodes: Sequence[str], strip: Path | None) -> int:
    """Replay a trace and print what differs.

    Returns:
        0 if every step is as it was recorded, else 1.
    """
    replay, filmstrip = load("designgym.eval.replay:replay"), load("designgym.eval.replay:filmstrip")
    if strip is not None:
        require_png(strip)
    console = stdout()
    played = steps = found = different = unfinished = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CutOffWarning)
        for again in replay(trace, episodes):
            if strip is not None and played == 0:
                save_png(strip, filmstrip(again.images))
                console.print(f"{printable(again.name)}: {len(again.images)} pages in {strip}")
            played += 1
            steps += len(again.steps)
            unfinished += not again.finished
            different += bool(again.differences)
            for difference in again.differences:
                found += 1
                if found <= SHOWN_DIFFERENCES:
                    console.print(Text(printable(f"{again.name}: {difference}"), style="red"))
    if found > SHOWN_DIFFERENCES:
        console.print(Text(f"... and {found - SHOWN_DIFFERENCES} more differences", style="red"))
    for warning in caught:
        console.print(Text(f"Note: {warning.message}", style="yellow"))
    if unfinished:
        console.print(Text(f"Note: {unfinished} of the episodes did not come to their end.", style="yellow"))
    equal = "all as recorded" if not different else f"{different} differ from the record"
    console.print(f"{played} episodes, {steps} steps played again: {equal}.")
    return 1 if different else 0

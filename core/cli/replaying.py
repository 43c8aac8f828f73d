"""`designgym replay`."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from designgym.cli.console import stdout
from designgym.cli.loading import load
from designgym.cli.png import require_gif, require_png, save_gif, save_png
from designgym.cli.printable import printable
from designgym.jsonl import CutOffWarning

SHOWN_DIFFERENCES = 20
"""Lines about differences that are printed; the rest is counted."""


def run(
    trace: Path,
    episodes: Sequence[str],
    images: Path | None,
    filmstrip: Path | None,
    gif: Path | None = None,
    pages: Path | None = None,
) -> int:
    """Replay a trace and print what differs.

    Args:
        trace: The trace.
        episodes: Names of the episodes to play; all if empty.
        images: Folder for an image a round, PNG, in a folder an episode.
        filmstrip: File for the images of the first episode in one, PNG.
        gif: File for the same one after the other, GIF.
        pages: Folder for a page an episode to step through, HTML.

    Returns:
        0 if every step is as it was recorded, else 1.
    """
    replay, join = load("designgym.eval.replay:replay"), load("designgym.eval.filmstrip:filmstrip")
    slug = load("designgym.eval.record:slug")
    write_page, policy_of = load("designgym.eval.report.episode:write"), load("designgym.eval.markers_cli:policy_of")
    if filmstrip is not None:
        require_png(filmstrip)
    if gif is not None:
        require_gif(gif)
    console = stdout()
    notes: Counter[str] = Counter()
    played = steps = found = different = unfinished = saved = written = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CutOffWarning)
        for again in replay(trace, episodes, images=any((images, filmstrip, gif, pages))):
            if filmstrip is not None and played == 0:
                save_png(filmstrip, join(again.images))
                console.print(f"{printable(again.name)}: {len(again.images)} images in {filmstrip}")
            if gif is not None and played == 0:
                save_gif(gif, again.images)
                console.print(f"{printable(again.name)}: {len(again.images)} images in {gif}")
            if images is not None:
                for name, image in zip(("start", *map(_round, again.rounds)), again.images, strict=True):
                    save_png(images / slug(again.name) / f"{name}.png", image)
                    saved += 1
            if pages is not None:
                write_page(pages / f"{slug(again.name)}.html", again.steps, again.images, policy=policy_of(trace))
                written += 1
            notes[again.note] += bool(again.note)
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
    for note, count in notes.items():
        if count:
            console.print(Text(printable(f"Note: {count} episodes were {note}; not a byte differs."), style="yellow"))
    if saved:
        console.print(f"{saved} images in {images}")
    if written:
        console.print(f"{written} pages in {pages}")
    if unfinished:
        console.print(Text(f"Note: {unfinished} of the episodes did not come to their end.", style="yellow"))
    equal = "all as recorded" if not different else f"{different} differ from the record"
    console.print(f"{played} episodes, {steps} steps played again: {equal}.")
    return 1 if different else 0


def _round(number: int) -> str:
    return f"round-{number:04}"

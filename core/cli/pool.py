"""`designgym pool`: what pictures a pool has, and a sheet of them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rich.table import Table

from designgym.cli.console import stdout
from designgym.cli.png import require_png
from designgym.errors import UserError
from designgym.pool.resolve import resolve_pool
from designgym.pool.search import search

MOST_ON_A_SHEET = 600


def run(words: list[str], pool: str, limit: int, sheet: Path | None) -> None:
    """Print the pictures that fit the words best, or without words how many there are of each category.

    Args:
        words: What to look for.
        pool: ``embedded``, ``openclipart`` or a folder of pictures.
        limit: The most pictures to list.
        sheet: File for a sheet of the pictures found (without words: of the first ones), PNG.

    Raises:
        UserError: For an unknown pool, or words that nothing fits.
    """
    if sheet is not None:
        require_png(sheet)
    pictures = resolve_pool(pool)
    console = stdout()
    found = search(pictures, words, limit) if words else list(pictures.pictures)
    if not found:
        raise UserError(f"No picture of {pictures.name} fits {' '.join(words)!r}; try other words.")
    table = Table(box=None, pad_edge=False, header_style="bold")
    if words:
        for column in ("picture", "caption", "category", "licence", "keywords"):
            table.add_column(column, no_wrap=column == "picture", overflow="fold")
        for picture in found:
            words_of = ", ".join(picture.keywords)
            table.add_row(picture.id, picture.caption, picture.category, picture.licence, words_of)
    else:
        table.add_column("category")
        table.add_column("pictures", justify="right")
        for category, count in sorted(Counter(picture.category for picture in found).items()):
            table.add_row(category, str(count))
        table.add_row("all", str(len(found)))
    console.print(table)
    if sheet is not None:
        from designgym.atomic import write_atomically
        from designgym.pool.sheet import picture_sheet

        shown = found[: limit if words else MOST_ON_A_SHEET]
        write_atomically(sheet, picture_sheet(pictures, [picture.id for picture in shown]))
        console.print(f"sheet of {len(shown)}: {sheet}")

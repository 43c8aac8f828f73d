"""Rows of Parquet and Arrow files, read singly and in any order without holding a file in memory."""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any

from designgym.broken import BrokenRecord
from designgym.envs.aesthetics.sources.crello_columns import decode_row, read_columns
from designgym.envs.aesthetics.sources.crello_record import Record, form_of
from designgym.errors import UserError, require
from designgym.tasks import Split

SUFFIXES = (".parquet", ".arrow")
GROUPS_KEPT = 4
"""Groups of rows that stay in memory, of all Parquet files together; Crello's have a hundred rows, some 20 MB."""

_SPLIT_NAMES: dict[str, Split] = {"train": "train", "validation": "validation", "val": "validation", "test": "test"}


def data_files(path: str | Path) -> list[tuple[Split, Path]]:
    """The files of a folder (or the file itself) with their splits, in order.

    The split is told by the file's name or else by the nearest folder's, as in ``data/train-00000-of-00011.parquet``
    and ``train/data-00000-of-00002.arrow``. A file that tells none belongs to ``"test"``.

    Raises:
        UserError: If there are none.
    """
    root = Path(path)
    if root.is_file():
        found = [root] if root.suffix in SUFFIXES else []
    else:
        # Files that `datasets` keeps of intermediate results begin with "cache-".
        found = sorted(
            file for file in root.rglob("*") if file.suffix in SUFFIXES and not file.name.startswith(("cache-", "."))
        )
    if not found:
        raise UserError(f"There are no Parquet or Arrow files in '{root}'.")
    return [(_split(file, root), file) for file in found]


class RowFile:
    """The rows of one file, as plain data with the names of categories.

    Args:
        path: A Parquet file, or an Arrow file as ``datasets`` writes them.

    Raises:
        UserError: If it cannot be read or is no Crello file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        arrow = require("pyarrow", extra="train")
        try:
            self._open(arrow)
        except (OSError, arrow.ArrowException) as error:
            raise UserError(f"'{path}' cannot be read: {str(error).splitlines()[0].rstrip('.')}.") from error
        self.columns = read_columns(self._schema, path.name)
        self.form = form_of(self.columns, path.name)

    def __len__(self) -> int:
        return self._starts[-1]

    def record(self, number: int) -> Record:
        """The record of a row.

        Raises:
            BrokenRecord: If its part of the file is damaged, or a category is unknown.
        """
        group = next(index for index, start in enumerate(self._starts[1:]) if number < start)
        arrow = require("pyarrow", extra="train")
        try:
            row = self._group(group).slice(number - self._starts[group], 1).to_pylist()[0]
        except (OSError, arrow.ArrowException, UnicodeDecodeError) as error:
            raise BrokenRecord(f"The file is damaged there: {str(error).splitlines()[0].rstrip('.')}.") from error
        return decode_row(row, self.columns)

    def _open(self, arrow: Any) -> None:
        self._table = None
        self._changed = self.path.stat().st_mtime_ns
        if self.path.suffix == ".parquet":
            with require("pyarrow.parquet", extra="train").ParquetFile(self.path) as file:
                self._schema, meta = file.schema_arrow, file.metadata
            sizes = [meta.row_group(index).num_rows for index in range(meta.num_row_groups)]
        else:
            source = arrow.memory_map(str(self.path))
            try:
                reader = arrow.ipc.open_stream(source)
            except arrow.ArrowInvalid:
                reader = arrow.ipc.open_file(source)
            self._table = reader.read_all()  # not copied: the pages of the file itself
            self._schema = self._table.schema
            sizes = [self._table.num_rows]
        self._starts = [0]
        for size in sizes:
            self._starts.append(self._starts[-1] + size)

    def _group(self, index: int) -> Any:
        return _row_group(self.path, self._changed, index) if self._table is None else self._table


@functools.lru_cache(maxsize=GROUPS_KEPT)
def _row_group(path: Path, changed: int, index: int) -> Any:
    """A group of rows of a Parquet file that was last changed then."""
    with require("pyarrow.parquet", extra="train").ParquetFile(path) as file:
        return file.read_row_group(index)


def _split(file: Path, root: Path) -> Split:
    parts = [file.name] if root.is_file() else list(reversed(file.relative_to(root.parent).parts))
    for part in parts:
        for word in re.split(r"[^a-z]+", part.lower()):
            if word in _SPLIT_NAMES:
                return _SPLIT_NAMES[word]
    return "test"

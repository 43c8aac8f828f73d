"""Files of pairs: Parquet with the page's PNG inside, which ``datasets.load_dataset`` gives back as TRL takes it.

A file is written aside and renamed when it is whole, so one that is there is finished. A row group holds a few pairs
and leaves memory when it is written.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from designgym.errors import UserError, require

FOLDER = "data"
GROUP = 50
"""Pairs in a row group."""


def shard_path(folder: Path, shard: int, shards: int) -> Path:
    """The file of a shard, under the name by which ``datasets`` knows it as training data."""
    return folder / FOLDER / f"train-{shard:05d}-of-{shards:05d}.parquet"


def features() -> Any:
    """The columns: TRL's ``prompt``, ``completion`` and ``images``, and what a pair is about."""
    datasets = require("datasets", extra="train")
    text = datasets.Value("string")
    messages = datasets.List({"role": text, "content": datasets.List({"type": text, "text": text})})
    return datasets.Features(
        {
            "prompt": messages,
            "completion": messages,
            "images": datasets.List(datasets.Image()),
            "number": datasets.Value("int64"),
            "task": text,
            "indicator": text,
            "harmed": datasets.Value("bool"),
            "flaw": text,
            "design": text,
            "writer": text,
        }
    )


def write_shard(path: Path, groups: Iterable[Sequence[Mapping[str, Any]]]) -> None:
    """Write a file whole or not at all.

    Args:
        path: The file.
        groups: Rows by column name, a row group at a time; ``images`` holds PNG files as bytes.

    Raises:
        UserError: If it cannot be written.
    """
    parquet = require("pyarrow.parquet", extra="train")
    pyarrow = require("pyarrow", extra="train")
    schema = features().arrow_schema
    part = path.parent / f".{path.name}.{os.getpid()}.part"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # PNG is packed already; of the texts snappy makes a third.
        with parquet.ParquetWriter(part, schema, compression="snappy") as writer:
            for group in groups:
                rows = [{**row, "images": [{"bytes": data, "path": None} for data in row["images"]]} for row in group]
                writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
        os.replace(part, path)
    except OSError as error:
        raise UserError(f"'{path}' cannot be written: {error.strerror or error}.") from error
    finally:
        with suppress(FileNotFoundError):
            part.unlink()


def read_columns(path: Path, columns: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The rows of a file with these columns only, a row group at a time."""
    parquet = require("pyarrow.parquet", extra="train")
    with parquet.ParquetFile(path) as file:
        for group in range(file.num_row_groups):
            yield from file.read_row_group(group, columns=list(columns)).to_pylist()


def sha256(path: Path) -> str:
    """Hash of a file's bytes, hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()

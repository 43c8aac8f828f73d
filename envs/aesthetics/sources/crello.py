"""Designs of the Crello data set (Yamaguchi, 2021) out of Parquet or Arrow files, and back into a Parquet file.

The data are not part of this package: they are on the Hugging Face hub as ``cyberagent/crello``, under terms that users
accept there. A folder as it is downloaded is read (``data/train-00000-of-00011.parquet``), one that
``Dataset.save_to_disk`` wrote (``train/data-00000-of-00002.arrow``), or a single file. Releases 4 and 5 are understood.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from designgym.broken import BrokenRecord, Skipped
from designgym.envs.aesthetics.sources.crello_columns import Columns, encode_row, names_in, schema_of, with_labels
from designgym.envs.aesthetics.sources.crello_document import draw_record
from designgym.envs.aesthetics.sources.crello_edits import record_of
from designgym.envs.aesthetics.sources.crello_files import RowFile, data_files
from designgym.envs.aesthetics.sources.crello_record import Record, to_v5
from designgym.envs.aesthetics.sources.crello_release import release_5_columns
from designgym.errors import UserError, require
from designgym.graphics.document import Document
from designgym.tasks import Split


@dataclass(frozen=True)
class CrelloDesign:
    """One design.

    Attributes:
        id: Its id in the data set.
        title: Its title; may be empty.
        keywords: Words on its theme.
        document: The design as layers, from back to front; ``element-<index>`` is the record's element of that index.
        record: The whole record in the form of release 5, with names for categories and the bytes of pictures.
        notes: Sentences on what the document shows otherwise than the record says.
    """

    id: str
    title: str
    keywords: tuple[str, ...]
    document: Document
    record: Record = field(repr=False)
    notes: tuple[str, ...] = ()

    def with_document(self, document: Document) -> CrelloDesign:
        """The design after an edit of its document, with a record that says the same."""
        record = record_of(document, self.record)
        return dataclasses.replace(self, document=document, record=record, notes=draw_record(record).notes)


def design_of(record: Mapping[str, Any]) -> CrelloDesign:
    """The design of a record in the form of release 5.

    Raises:
        BrokenRecord: If it cannot be drawn.
    """
    try:
        drawn = draw_record(dict(record))
        keywords = tuple(str(word) for word in record.get("keywords") or ())
    except TypeError as error:  # a column of another type than Crello's
        raise BrokenRecord(f"A field is of the wrong type: {error}.") from error
    title = str(record.get("title") or "")
    return CrelloDesign(str(record.get("id", "")), title, keywords, drawn.document, dict(record), drawn.notes)


def read_crello(path: str | Path, split: Split | None = None, *, strict: bool = False) -> Iterator[CrelloDesign]:
    """The designs of a folder or file, in order, one at a time in memory. What is broken is skipped and named.

    Args:
        path: A folder or file; see the module's description.
        split: Only the designs of this split; a file whose name tells no split belongs to ``"test"``.
        strict: Raise at the first broken record.

    Raises:
        UserError: If there are no Crello files, or a package is missing.
        BrokenRecord: If ``strict``.
    """
    skipped = Skipped(strict)
    for name, file in data_files(path):
        if split is None or name == split:
            rows = RowFile(file)
            for number in range(len(rows)):
                design = read_row(rows, number, skipped)
                if design is not None:
                    yield design


def read_row(rows: RowFile, number: int, skipped: Skipped) -> CrelloDesign | None:
    """The design of a row; None if it is broken."""
    place = f"{rows.path}, row {number}"
    try:
        record = rows.record(number)
        place = f"{rows.path}, row {number} (id {record.get('id')!r})"
        return design_of(to_v5(record) if rows.form == "older" else record)
    except BrokenRecord as error:
        skipped.record(place, str(error))
        return None


def write_crello(
    designs: Iterable[CrelloDesign], path: str | Path, columns: Columns | None = None, *, rows_a_group: int = 100
) -> int:
    """Write designs into a Parquet file of release 5's form, which ``datasets`` reads too; the number written.

    Args:
        designs: The designs, all of which are held in memory. Their records are written; see
            :meth:`CrelloDesign.with_document` for edited ones.
        path: The file; it appears when all is written.
        columns: Those of the file that the records are from; needed for fields that release 5 does not have. Columns
            that no record has are left out.
        rows_a_group: Designs that are read together.

    Raises:
        UserError: For a record with a field that the columns lack, or a file that cannot be written.
    """
    records = [design.record for design in designs]
    known = columns or release_5_columns()
    known = {
        name: column if column.labels is None else with_labels(column, sorted(_names(records, name)))
        for name, column in known.items()
        if any(name in record for record in records)
    }
    arrow, parquet = require("pyarrow", extra="train"), require("pyarrow.parquet", extra="train")
    path = Path(path)
    part = path.with_name(f".{path.name}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = [encode_row(record, known) for record in records]
        parquet.write_table(arrow.Table.from_pylist(rows, schema_of(known)), part, row_group_size=rows_a_group)
        part.replace(path)
    except (OSError, arrow.ArrowException) as error:
        raise UserError(f"'{path}' cannot be written: {error}.") from error
    finally:
        part.unlink(missing_ok=True)
    return len(records)


def _names(records: Sequence[Record], name: str) -> set[str]:
    return {label for record in records for label in names_in(record.get(name)) if label}

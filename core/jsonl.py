"""JSON lines: one JSON value a line, UTF-8, appended and flushed line by line.

A line ends at a line feed and nowhere else: U+2028, U+0085 and their like are ordinary characters of a text. Windows
line ends, blank lines and a byte-order mark are read over. A last line without line feed counts if it is whole; one cut
off in the middle, as a killed process leaves it, is skipped with a warning when reading and removed before appending.
"""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from designgym.encoding import decode_utf8
from designgym.errors import UserError

MAX_LINE_BYTES = 64_000_000


class CutOffWarning(UserWarning):
    """The last line of a file is only half written; it was skipped or removed."""


@dataclass(frozen=True)
class Line:
    """One record: its value and the number, from 1, of its physical line in the file."""

    number: int
    value: Any


def dump_line(value: Any) -> str:
    """Return a value as one line of strict JSON, without line feed.

    Raises:
        ValueError: For NaN or infinities, which are no JSON.
        TypeError: For a value that JSON has no form for.
    """
    return _LINE.encode(value)


_LINE = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
"""ASCII escapes keep a text with U+2028 or a lone surrogate on one line in every reader and editor."""


def read_jsonl(path: str | Path) -> Iterator[Line]:
    """Yield the records of a file, reading as it goes.

    Raises:
        UserError: If the file cannot be opened, is not UTF-8 (with the byte offset), or a line is not JSON (with its
            number).
    """
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 - the error of opening is told apart from those of reading
    except OSError as error:
        raise UserError(f"'{path}' cannot be read: {error.strerror}.") from error
    with stream:
        offset = number = 0
        while raw := stream.readline(MAX_LINE_BYTES):
            number += 1
            place = f"{path}:{number}"
            if len(raw) == MAX_LINE_BYTES:
                raise UserError(f"{place}: the line has {MAX_LINE_BYTES} bytes or more; this is no JSON-lines file.")
            try:
                found = _value(raw, str(path), offset, place)
            except _CutOff:
                warnings.warn(f"{place}: the last line is cut off and was skipped.", CutOffWarning, stacklevel=2)
                return
            if found is not None:
                yield Line(number, found[0])
            offset += len(raw)


def check_fields(record: Mapping[str, Any], fields: Mapping[str, tuple[type, ...]], place: str, what: str) -> None:
    """Check the types of a record's fields; a boolean is no number.

    Args:
        record: Holds every field.
        fields: The types that each may have, the usual one first.
        place: File and line number, for the message.
        what: What the record is, for the message.

    Raises:
        UserError: For the first field of another type.
    """
    for name, kinds in fields.items():
        value = record[name]
        if type(value) in kinds:  # nearly always, and fast
            continue
        if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds):
            raise UserError(f"{place}: '{name}' of {what} is {value!r}, which is no {kinds[0].__name__}.")


class JsonlWriter:
    """Appends records to a file; every one has been handed to the operating system when :meth:`write` returns.

    The file is made at the first record. If it exists, records follow the last whole one: a missing line feed is added,
    and a line that is cut off is removed with a :class:`CutOffWarning`.

    Args:
        path: The file; its folder must exist.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._descriptor: int | None = None

    def write(self, value: Any) -> None:
        """Append one record.

        Raises:
            UserError: If the file cannot be written, or its last line is not JSON.
            ValueError: For NaN or infinities.
            TypeError: For a value that JSON has no form for.
        """
        self.write_line(dump_line(value))

    def write_line(self, text: str) -> None:
        """Append one record that :func:`dump_line` has made a line of.

        Raises:
            UserError: As :meth:`write`.
        """
        line = (text + "\n").encode("ascii")
        try:
            if self._descriptor is None:
                self._descriptor = _open_at_end(self.path)
            # Unbuffered, so that a crash can leave at most the last line cut off.
            while line:
                line = line[os.write(self._descriptor, line) :]
        except OSError as error:
            raise UserError(f"'{self.path}' cannot be written: {error.strerror}.") from error

    def close(self) -> None:
        """Close the file; the next record opens it again."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _CutOff(Exception):
    """The line has no line feed and ends inside a JSON value or a character."""


def _value(raw: bytes, name: str, offset: int, place: str) -> tuple[Any] | None:
    """Return the value of one line in a tuple; None for a blank line."""
    # What never began as a record is no cut-off record, but a file of another kind.
    may_be_cut = not raw.endswith(b"\n") and raw.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
    try:
        text = decode_utf8(raw, name=name, offset=offset).strip(" \t\r\n")
    except UserError as error:
        cause = error.__cause__
        if may_be_cut and isinstance(cause, UnicodeDecodeError) and cause.reason == "unexpected end of data":
            raise _CutOff from error
        raise
    if not text:
        return None
    try:
        return (_READER.decode(text),)
    except (ValueError, RecursionError) as error:
        if may_be_cut:
            raise _CutOff from error
        raise UserError(f"{place}: this is not JSON: {error}.") from error


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON value")


_READER = json.JSONDecoder(parse_constant=_refuse)


def _open_at_end(path: Path) -> int:
    """Open a file for appending after its last whole line, mending the end that a crash left."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
    try:
        size = os.fstat(descriptor).st_size
        start, tail = size, b""
        while start > 0 and b"\n" not in tail:
            step = min(start, 65_536)
            start -= step
            tail = os.pread(descriptor, step, start) + tail
        last = tail[tail.rfind(b"\n") + 1 :]
        if last:
            try:
                _value(last, str(path), size - len(last), f"{path}: the last line")
                os.write(descriptor, b"\n")
            except _CutOff:
                warnings.warn(f"{path}: the last line was cut off and was removed.", CutOffWarning, stacklevel=3)
                os.ftruncate(descriptor, size - len(last))
        return descriptor
    except BaseException:
        os.close(descriptor)
        raise

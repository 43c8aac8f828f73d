"""The episode's files: all of them in memory, under plain names, so that no action reaches any other file.

Experts share nothing but these. A folder of the disk is only written to when a person asks for it
(:func:`write_files`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from designgym.envs.design.failure import Failed, lacking
from designgym.envs.design.file_names import problem_of
from designgym.graphics.document import Document
from designgym.nearest import nearest
from designgym.values import show

MAX_FILES = 100
MAX_BYTES = 200 * 2**20
"""Of all files together."""

_NAMED_IN_ERRORS = 20


@dataclass(frozen=True, eq=False)
class File:
    """A file of the episode.

    Attributes:
        name: Its plain name.
        data: Its content.
        caption: What a given picture shows, in words; empty for what experts saved.
        document: What was saved; None for a given picture.
        editable: Whether importing it brings its layers, and not a flat picture.
        shown: The flat picture that importing it lays down, as the bytes of an image file.
    """

    name: str
    data: bytes = field(repr=False)
    caption: str = ""
    document: Document | None = field(default=None, repr=False)
    editable: bool = False
    shown: bytes = field(default=b"", repr=False)


Files = Mapping[str, File]


def plain_name(name: str) -> str:
    """The name itself.

    Raises:
        Failed: If it is anything but the name of a file in this episode's folder: a path, a device, a control sign.
    """
    if problem := problem_of(name):
        raise Failed(
            "invalid_parameters",
            f"fileName {show(name)} {problem}; it must be a plain name, such as 'hero.png', without a path.",
        )
    return name


def saved(files: Files, file: File) -> dict[str, File]:
    """The files with one more, or with one exchanged; ``Failed`` past a limit or for a given picture's name."""
    plain_name(file.name)
    former = files.get(file.name)
    if former is not None and former.document is None:
        raise lacking(f"{show(file.name)} is a given picture; save under another fileName.")
    if former is None and len(files) >= MAX_FILES:
        raise Failed("limit", f"There are {MAX_FILES} files; there can be no more.")
    size = sum(len(each.data) for name, each in files.items() if name != file.name) + len(file.data)
    if size > MAX_BYTES:
        raise Failed("limit", f"The files would have {size:,} bytes together; at most {MAX_BYTES:,} are allowed.")
    return {**files, file.name: file}


def find_file(files: Files, name: str) -> File:
    """The file of this name.

    Raises:
        Failed: ``invalid_parameters`` for what is no plain name; a global ``dependency`` if nobody saved such a file.
    """
    plain_name(name)
    if name in files:
        return files[name]
    close = nearest(name, files)
    guess = f" Did you mean {close!r}?" if close else ""
    known = ", ".join(show(each) for each in list(files)[:_NAMED_IN_ERRORS]) or "none"
    raise lacking(f"There is no file {show(name)}: nobody has saved it.{guess} The files are: {known}.", "global")


def write_files(files: Files, folder: Path) -> list[Path]:
    """Write the files into a folder that is made for them, and return their paths.

    Raises:
        FileExistsError: If the folder is there already; nothing is ever overwritten, nor a link followed.
    """
    folder.mkdir(parents=True)
    paths = []
    for file in files.values():
        path = folder / plain_name(file.name)
        with open(path, "xb") as stream:
            stream.write(file.data)
        paths.append(path)
    return paths

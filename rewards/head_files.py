"""Heads on disk: numbers as safetensors, the rest as JSON, and a hash over both that is checked when they are read."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import Any, cast

import numpy as np

from designgym.atomic import write_atomically
from designgym.errors import require
from designgym.folders import data_folder
from designgym.rewards.kernel_head import HeadError, KernelHead
from designgym.score import Backend
from designgym.strict_json import JsonError, loads

ARRAYS, DESCRIPTION = "head.safetensors", "head.json"
FORMAT = 1
"""Version of the form of the two files."""

PICKLES = frozenset({".pkl", ".pickle", ".joblib", ".pt", ".pth", ".ckpt", ".bin", ".npz", ".npy"})
"""Names of files that are pickles or may hold some."""


def head_folder(name: str) -> Path:
    """Where a head is kept if nobody says otherwise: ``heads/<name>`` in the user's data folder."""
    return data_folder() / "heads" / name


def save_head(head: KernelHead, folder: str | Path) -> None:
    """Write a head's two files into a folder, which is made; a head that is there is replaced.

    Raises:
        UserError: If they cannot be written.
        MissingExtra: Without safetensors.
    """
    safetensors: Any = require("safetensors.numpy", extra="scorers")
    place = Path(folder).expanduser()
    arrays = safetensors.save({"support": head.support, "dual": head.dual})
    description = {"format": FORMAT, **head.description(), "sha256": head.hash}
    # Between the two writes the hash of the one does not fit the other, and a reader refuses the pair.
    write_atomically(place / ARRAYS, arrays)
    write_atomically(place / DESCRIPTION, json.dumps(description, indent=2, allow_nan=False) + "\n")


def load_head(folder: str | Path) -> KernelHead:
    """Read a head. Heads of one process are kept, so that the copies of an environment share their numbers.

    Raises:
        HeadError: If the folder holds none, one in another format, or one whose content is not what its hash says.
        MissingExtra: Without safetensors.
    """
    place = Path(folder).expanduser()
    _refuse_pickles(place)
    try:
        states = [(place / name).stat() for name in (DESCRIPTION, ARRAYS)]
    except OSError as error:
        lacks = Path(str(error.filename)).name
        raise HeadError(
            f"There is no head in '{place}' ({lacks} is missing): fit one with `designgym fit`, or name the folder of "
            "one, such as {'name': 'vidra', 'head': FOLDER}."
        ) from error
    return _read(place.resolve(), tuple((state.st_mtime_ns, state.st_size) for state in states))


@functools.lru_cache(maxsize=4)
def _read(place: Path, states: tuple[tuple[int, int], ...]) -> KernelHead:
    """Read the files; ``states`` tells versions of them apart."""
    safetensors: Any = require("safetensors.numpy", extra="scorers")
    try:
        text = loads((place / DESCRIPTION).read_text(encoding="utf-8"))
        if text["format"] != FORMAT:
            raise HeadError(f"It has format {text['format']!r}; this version reads {FORMAT}.")
        arrays = cast("dict[str, np.ndarray[Any, Any]]", safetensors.load((place / ARRAYS).read_bytes()))
        made_by = text["features"]
        head = KernelHead(
            arrays["support"],
            arrays["dual"],
            float(text["gamma"]),
            Backend(str(made_by["name"]), str(made_by["version"]), str(made_by["hash"])),
            str(text["name"]),
            dict(text["facts"]),
        )
    except HeadError as error:
        raise HeadError(f"The head in '{place}' cannot be used: {error}") from error
    except OSError as error:
        raise HeadError(f"The head in '{place}' cannot be read: {error.strerror}.") from error
    except (JsonError, UnicodeDecodeError) as error:
        raise HeadError(f"The head in '{place}' is damaged: {DESCRIPTION} is {error}. Fit it again.") from error
    except Exception as error:  # a damaged file fails in as many ways as safetensors and its fields have
        raise HeadError(f"The head in '{place}' is damaged ({type(error).__name__}: {error}). Fit it again.") from error
    if head.hash != (expected := text.get("sha256")):
        raise HeadError(
            f"The head in '{place}' is not what was saved: its content has SHA-256 {head.hash[:12]} and {DESCRIPTION} "
            f"says {str(expected)[:12]}. Copy both files again, or fit it again."
        )
    if text != {"format": FORMAT, **head.description(), "sha256": expected}:
        raise HeadError(
            f"The head in '{place}' is not what was saved: {DESCRIPTION} says more than its hash is of, or another "
            "shape. Copy it again, or fit it again."
        )
    return head


def _refuse_pickles(place: Path) -> None:
    """Say why a pickled head is not read, where one was named or is all that the folder holds."""
    if place.is_dir():
        if (place / DESCRIPTION).exists():
            return
        found = [path for path in sorted(place.iterdir()) if path.suffix.lower() in PICKLES]
    else:
        found = [place] if place.suffix.lower() in PICKLES else []
    if found:
        raise HeadError(
            f"'{found[0]}' may be a pickle, and unpickling can run any code, so it is not read: heads are "
            f"{ARRAYS} with {DESCRIPTION}. Fit the head anew on its data with `designgym fit`, or where you trust the "
            "file, read it yourself and save designgym.rewards.kernel_head.KernelHead(...).save(folder)."
        )
    if place.is_file():
        raise HeadError(f"A head is named by its folder, with {ARRAYS} and {DESCRIPTION}; '{place}' is a file.")

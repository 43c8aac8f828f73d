"""A study as files: a page for each rater that needs nothing but a browser, and a table for those who prefer one."""

from __future__ import annotations

import base64
import csv
import io
import json
import re
from collections.abc import Mapping
from importlib import resources
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.atomic import folder_written_whole
from designgym.errors import UserError
from designgym.eval.ratings.rating import QUESTIONS
from designgym.eval.ratings.study import Seat, Study

KEY, SETTINGS, FORMS, ANSWERS = "key.csv", "study.json", "forms", "answers"
"""What a study's folder holds: whose the codes are, how it was made, what raters get, and what they send back."""
ANSWER_COLUMNS = ("code", "rater", *QUESTIONS)
LONGEST_PX = 800
"""Longer side of larger drawings on the page."""
SECONDS = 20
"""What a rater is told that a drawing takes; an estimate."""

_NOTE = """\
forms/    A page for each rater, to be opened in a browser; it saves the answers as a table. Beside it the same table to
          be filled in by hand: its numbers are those of the drawings on the page.
answers/  Put the files here that raters send back, whatever their names.
key.csv   Whose drawing each code stands for. Keep it to yourself while people rate.

Then:     designgym ratings collect THIS_FOLDER --output ratings.csv
"""


def write_study(study: Study, sources: Mapping[str, str], folder: str | Path) -> None:
    """Write the forms, the tables, the key and a note about them, whole or not at all.

    Pages and tables hold codes and pixels only: no names of files or models, and no metadata of image files.

    Args:
        study: The plan.
        sources: Code -> the picture as a data URI (:func:`data_uri`).
        folder: To write; must not exist yet, or be empty.

    Raises:
        UserError: If it holds something, or cannot be written.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"'{folder}' already holds something; name a folder that does not exist yet.")
    template = _template()
    try:
        with folder_written_whole(folder) as part:
            (part / ANSWERS).mkdir()
            (part / FORMS).mkdir()
            for seat in study.seats:
                (part / FORMS / f"{seat.rater}.html").write_text(form(seat, sources, template), encoding="utf-8")
                (part / FORMS / f"{seat.rater}.csv").write_text(table(seat), encoding="utf-8")
            (part / KEY).write_text(_key(study), encoding="utf-8")
            facts = {
                "format": 1,
                "seed": study.seed,
                "drawings": len(study.drawings),
                "batches": max(study.batches.values()),
                "raters": len(study.seats) // max(study.batches.values()),
                "seats": [seat.rater for seat in study.seats],
            }
            (part / SETTINGS).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
            (part / "README.txt").write_text(_NOTE, encoding="utf-8")
    except OSError as error:
        raise UserError(f"The study '{folder}' cannot be written: {error.strerror}.") from error


def form(seat: Seat, sources: Mapping[str, str], template: str | None = None) -> str:
    """A rater's page: instructions, the drawings one by one with both questions, and a file of answers to save.

    Args:
        seat: Whose page.
        sources: Code -> the picture as a data URI.
        template: The page with style and script in it; read from the package by default.
    """
    drawings = [{"code": code, "src": sources[code]} for code in seat.codes]
    data = json.dumps({"rater": seat.rater, "columns": ANSWER_COLUMNS, "drawings": drawings})
    # What is inside a script element must not end it.
    data = data.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
    page = _template() if template is None else template
    minutes = max(1, round(len(drawings) * SECONDS / 60))
    filled = {"count": str(len(drawings)), "minutes": str(minutes), "data": data}
    return re.sub(r"\{\{(count|minutes|data)\}\}", lambda match: filled[match[1]], page)


def table(seat: Seat) -> str:
    """The same as CSV, with empty fields for the answers; ``number`` is the drawing's place on the page."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("number", *ANSWER_COLUMNS))
    for number, code in enumerate(seat.codes, start=1):
        writer.writerow((number, code, seat.rater, *("" for _ in QUESTIONS)))
    return stream.getvalue()


def _template() -> str:
    folder = resources.files("designgym.eval.ratings")
    parts = {name: folder.joinpath(f"form.{name}").read_text(encoding="utf-8") for name in ("html", "css", "js")}
    return re.sub(r"\{\{(css|js)\}\}", lambda match: parts[match[1]], parts["html"])


def data_uri(pixels: NDArray[np.uint8]) -> str:
    """A picture as a page holds it: PNG without metadata, grey where it has no colour, at most ``LONGEST_PX`` large.

    Args:
        pixels: uint8 H x W x 3.
    """
    image = Image.fromarray(pixels)
    image.thumbnail((LONGEST_PX, LONGEST_PX), Image.Resampling.LANCZOS)
    if (pixels == pixels[..., :1]).all():
        image = image.convert("L")
    content = io.BytesIO()
    image.save(content, format="PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(content.getvalue()).decode('ascii')}"


def _key(study: Study) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(("code", "batch", "image", "model", "stimulus"))
    for code, drawing in study.drawings.items():
        writer.writerow((code, study.batches[code], drawing.image, drawing.model, drawing.stimulus))
    return stream.getvalue()

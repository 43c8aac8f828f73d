"""Names of the columns of files of ratings: our own, and others that are taken to mean the same."""

from __future__ import annotations

from collections.abc import Iterable

from designgym.errors import UserError

ALIASES: dict[str, tuple[str, ...]] = {
    "image": ("code", "drawing", "drawing_id", "image_id", "image_file", "file", "file_name", "item", "trial_id"),
    "model": ("model_id", "model_name", "agent", "source"),
    "stimulus": ("stimulus_id", "stimulus_name", "stim", "stim_id", "shape", "starting_shape"),
    "rater": ("rater_id", "worker", "worker_id", "participant", "participant_id", "annotator", "annotator_id"),
    "creativity": ("creative", "creativity_rating", "rating_creativity", "creativity_score", "originality"),
    "recognisability": (
        "recognizability",
        "recognisable",
        "recognizable",
        "recognisability_rating",
        "recognizability_rating",
        "rating_recognisability",
        "rating_recognizability",
    ),
}
"""Column -> other names of it. Capitals, spaces, hyphens and underscores make no difference."""

NEEDED = ("image", "rater", "creativity")
"""The others may be absent: without a model or a stimulus nothing is left out by it in cross-validation."""


def columns_of(names: Iterable[str], file: str) -> dict[str, str]:
    """Which of a file's columns means what.

    Args:
        names: The file's names of columns.
        file: Its name, for the message.

    Returns:
        Our name -> the file's name, for the columns that were found.

    Raises:
        UserError: If a needed column is not among them, or two mean the same; lists what was found.
    """
    names = list(names)
    listed = ", ".join(repr(name) for name in names) or "none"
    found: dict[str, str] = {}
    for ours, aliases in ALIASES.items():
        known = {_plain(ours), *map(_plain, aliases)}
        own = [name for name in names if _plain(name) == _plain(ours)]
        same = own or [name for name in names if _plain(name) in known]
        if len(same) > 1:
            raise UserError(f"'{file}' has several columns for {ours!r}: {', '.join(map(repr, same))}; keep one.")
        if same:
            found[ours] = same[0]
    if missing := [column for column in NEEDED if column not in found]:
        raise UserError(
            f"'{file}' has no column {missing[0]!r}; ratings have the columns {', '.join(ALIASES)}. Found: {listed}."
        )
    return found


def _plain(name: str) -> str:
    return name.strip().casefold().replace("_", "").replace("-", "").replace(" ", "")

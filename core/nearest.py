"""The known name that a misspelt one most likely means."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, cutoff: float = 0.6) -> str | None:
    """Return the known name closest to ``name``, or None if none is close.

    A difference of case, or of hyphen and underscore, is no difference: such a name wins over every other one.

    Args:
        name: What was written.
        known: The names to choose from; of equally close ones the first in alphabetical order wins.
        cutoff: Least similarity, 0 to 1, in the sense of ``difflib.SequenceMatcher.ratio``.
    """
    folded = {_fold(candidate): candidate for candidate in sorted(known, reverse=True)}
    if _fold(name) in folded:
        return folded[_fold(name)]
    close = difflib.get_close_matches(_fold(name), sorted(folded), n=1, cutoff=cutoff)
    return folded[close[0]] if close else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `` Did you mean 'x'?``, or the list of what is known, with a space before it; ends an error message."""
    names = sorted(known)
    close = nearest(name, names)
    if close is not None:
        return f" Did you mean '{close}'?"
    return f" Known are: {', '.join(names)}." if names else ""


def _fold(name: str) -> str:
    return name.casefold().replace("-", "_")

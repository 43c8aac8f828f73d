"""Skipped elements and notes in words, for the answer to a call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from designgym.envs.canvas.svg.read import Note, Skipped

MAX_GROUPS = 8
"""Kinds of elements and reasons that are named; the rest is counted."""
_MAX_REASON = 100


def in_words(remarks: Sequence[Skipped] | Sequence[Note]) -> str:
    """What became of elements, like ones together: ``"2 text (not supported), circle (r is missing)"``.

    Args:
        remarks: In the order of the markup; none gives an empty text.
    """
    groups = Counter((remark.tag, remark.reason[:_MAX_REASON]) for remark in remarks)
    named = [
        f"{count} {tag} ({reason})" if count > 1 else f"{tag} ({reason})"
        for (tag, reason), count in list(groups.items())[:MAX_GROUPS]
    ]
    rest = sum(list(groups.values())[MAX_GROUPS:])
    return ", ".join(named) + (f" and {rest:,} more" if rest else "")

"""Texts out of files and arguments in a form that cannot steer the terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Return the text with control characters (but line feeds) and lone surrogates as escapes."""
    return "".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode("ascii") for c in text)

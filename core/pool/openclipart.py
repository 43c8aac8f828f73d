"""Debian's package openclipart-svg as a pool: some thousand drawings of the Open Clip Art Library, by their own tags.

Of each file the licence tag is read; only what is marked as public domain is taken. The package predates CC0, and the
tag is all that is known. Install it with ``apt install openclipart-svg``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from designgym.errors import UserError
from designgym.graphics.svg_picture import SvgError, read_svg
from designgym.pool.pool import FilePool, PoolPicture
from designgym.pool.scan import LeftOut, picture_files, scan, words

ROOT = "/usr/share/openclipart/svg"
PUBLIC_DOMAIN = "/cc/publicdomain"
"""How the address in the licence tag ends."""
NO_PICTURES = frozenset(
    {"buttons", "computer", "geography", "logos", "shapes", "signs_and_symbols", "special", "unsorted"}
)
"""Categories that are left out: icon themes, maps and flags, logos, signs and shapes make no illustrations."""
MAX_FILE_BYTES = 200_000
"""Larger drawings are slow to draw and no better."""

_CC, _RDF, _DC = (
    "http://web.resource.org/cc/",
    "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "http://purl.org/dc/elements/1.1/",
)


def openclipart(root: str | Path = ROOT) -> FilePool:
    """The drawings below a folder that are marked as public domain and can be drawn whole.

    Ids are paths relative to the folder, without ``.svg``; captions and keywords come from the files' own metadata. The
    first call reads every file, which takes a minute or two; the result is kept in the cache folder.

    Raises:
        UserError: If the folder is not there or holds no such drawing.
    """
    root = Path(root)
    if not root.is_dir():
        raise UserError(
            f"There are no openclipart drawings in '{root}'; install them with: apt install openclipart-svg"
        )
    files = picture_files(root, lambda name: name.endswith(".svg") and name.split("/")[0] not in NO_PICTURES)
    # Many drawings stand in several folders, as links to one file; each is taken once, under its own name.
    own = {name: path for name, path in files.items() if not path.is_symlink()}
    rows = scan(root, own, _describe, "openclipart-2")
    pictures = [
        PoolPicture(
            id=name.removesuffix(".svg"),
            caption=row["caption"],
            keywords=tuple(row["keywords"]),
            category=name.split("/")[0] if "/" in name else root.name,
            aspect=row["aspect"],
            licence="Public-Domain",
            source=row["source"],
        )
        for name, row in rows.items()
    ]
    if not pictures:
        raise UserError(f"The folder '{root}' holds no SVG file that is marked as public domain.")
    return FilePool("openclipart", pictures, {name.removesuffix(".svg"): own[name] for name in rows})


def _describe(name: str, data: bytes) -> dict[str, Any]:
    if len(data) > MAX_FILE_BYTES:
        raise LeftOut(f"larger than {MAX_FILE_BYTES:,} bytes")
    picture = read_svg(data, doctype=True)
    # Safe: a file with a declaration of entities has been refused above.
    root = ElementTree.fromstring(data)
    licence = next((tag.get(f"{{{_RDF}}}resource", "") for tag in root.iter(f"{{{_CC}}}license")), "")
    if not licence.casefold().rstrip("/").endswith(PUBLIC_DOMAIN):
        raise LeftOut("not marked as public domain")
    if picture.notes:
        raise LeftOut("with text or other parts that are not drawn")
    try:
        _, _, width, height = picture.ink()
    except SvgError:
        raise LeftOut("without ink") from None
    work = root.find(f".//{{{_CC}}}Work")
    title = _first(work, f"{{{_DC}}}title")
    subjects = _texts(work, f"{{{_DC}}}subject", f"{{{_RDF}}}li")
    author = _first(work, f"{{{_DC}}}creator", f"{{{_DC}}}title")
    stem = re.sub(r"[\W_\d]+", " ", name.rsplit("/", 1)[-1].removesuffix(".svg")).strip()
    caption = " ".join(title.replace("_", " ").split()) or stem or name
    return {
        "caption": caption[:200],
        "keywords": list(words([*subjects, *re.findall(r"[^\W\d]{3,}", caption)]))[:20],
        "aspect": round(width / height, 3),
        "source": "Open Clip Art Library" + (f", {author[:100]}" if author else ""),
    }


def _first(work: ElementTree.Element | None, *path: str) -> str:
    return next(iter(_texts(work, *path)), "")


def _texts(work: ElementTree.Element | None, tag: str, inner: str = "") -> list[str]:
    """The texts of a child of the work's description, or of what lies within it."""
    child = None if work is None else work.find(tag)
    if child is None:
        return []
    found = child.iter(inner) if inner else iter([child])
    return [" ".join(element.text.split()) for element in found if element.text and element.text.strip()]

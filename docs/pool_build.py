"""Rebuild the embedded pictures of `core/pool` from the packages that they come from.

    mkdir packages && cd packages
    npm pack @iconify-json/noto@1.2.9 @iconify-json/fluent-emoji-flat@1.2.6 emojilib@4.0.3
    for f in *.tgz; do mkdir "${f%-*}"; tar xzf "$f" -C "${f%-*}"; done
    apt download openclipart-svg && dpkg-deb -x openclipart-svg_*.deb openclipart
    cd .. && python docs/pool_build.py packages

Which pictures are taken says `pool_choice.yaml`. Keywords of the icon sets come from emojilib; the drawings are the
packages' own, those of the icon sets wrapped in an `<svg>` element, as they hold bodies alone.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from designgym.graphics.svg_picture import read_svg

POOL = Path(__file__).parent.parent / "core" / "pool"
CHOICE = Path(__file__).parent / "pool_choice.yaml"
SETS = {
    "noto": ("iconify-json-noto", "Apache-2.0", "Noto Emoji, npm @iconify-json/noto 1.2.9"),
    "fluent": ("iconify-json-fluent-emoji-flat", "MIT", "Fluent Emoji, npm @iconify-json/fluent-emoji-flat 1.2.6"),
}
OPENCLIPART = ("Public-Domain", "Open Clip Art Library, Debian openclipart-svg 1:0.18+dfsg-19")
PARTS_OF_A_PERSON = {"1f3fb", "1f3fc", "1f3fd", "1f3fe", "1f3ff", "fe0f"}
DROPPED = {"emoji", "symbol", "icon", "ios", "discord", "skin_tone"}
MOST_KEYWORDS = 10


def main() -> None:
    """Write `core/pool/pictures` and `core/pool/pictures.jsonl` anew."""
    packages = Path(sys.argv[1])
    choice = yaml.safe_load(CHOICE.read_text())
    for old in (POOL / "pictures").rglob("*.svg"):
        old.unlink()
    rows = []
    for category, sets in choice.items():
        for name, set_ in ((n, s) for s in SETS for n in sets.get(s, "").split()):
            rows.append(_icon(packages, set_, name, category))
        for entry in sets.get("openclipart", []):
            rows.append(_clip(packages, entry, category))
    rows.sort(key=lambda row: row["id"])
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (POOL / "pictures.jsonl").write_text(lines, encoding="utf-8")
    size = sum(path.stat().st_size for path in (POOL / "pictures").rglob("*") if path.is_file())
    print(f"{len(rows)} pictures, {size / 2**20:.2f} MB")


def _icon(packages: Path, set_: str, name: str, category: str) -> dict[str, Any]:
    folder, licence, source = SETS[set_]
    icons = _json(packages / folder / "package" / "icons.json")
    alias = icons.get("aliases", {}).get(name, {}).get("parent", name)
    if alias not in icons["icons"]:
        raise SystemExit(f"{set_} has no {name!r}.")
    icon = icons["icons"][alias]
    left, top = icon.get("left", 0), icon.get("top", 0)
    width, height = icon.get("width", icons["width"]), icon.get("height", icons["height"])
    text = (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{left} {top} {width} {height}">{icon["body"]}</svg>\n'
    )
    plain = re.sub(r"-(medium-light|medium-dark|light|medium|dark)(-skin-tone)?$", "", name)
    keywords = _keywords(packages, _characters(packages / folder / "package" / "chars.json").get(plain, ""))
    return _row(set_, name, plain.replace("-", " "), [*plain.split("-"), *keywords], category, licence, source, text)


def _clip(packages: Path, entry: dict[str, Any], category: str) -> dict[str, Any]:
    path = packages / "openclipart/usr/share/openclipart/svg" / f"{entry['path']}.svg"
    text = path.read_text(encoding="utf-8")
    if "web.resource.org/cc/PublicDomain" not in text:
        raise SystemExit(f"{path} is not tagged as public domain.")
    keywords = [*entry["caption"].split(), *entry["keywords"]]
    return _row("openclipart", entry["name"], entry["caption"], keywords, category, *OPENCLIPART, text)


def _row(
    set_: str, name: str, caption: str, keywords: list[str], category: str, licence: str, source: str, text: str
) -> dict[str, Any]:
    picture = read_svg(text.encode(), doctype=True)
    if picture.notes:
        raise SystemExit(f"{set_}/{name} is not drawn whole: {picture.notes}")
    _, _, width, height = picture.ink()
    path = POOL / "pictures" / set_ / f"{name}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    short = {"a", "with", "of", "in", "and", "the", "x", "at", "to"}
    kept = [word for word in dict.fromkeys(keyword.lower() for keyword in keywords) if word not in short]
    return {
        "id": f"{set_}/{name}",
        "caption": caption,
        "keywords": [category, *(word for word in kept if word != category)][:MOST_KEYWORDS],
        "category": category,
        "aspect": round(width / height, 3),
        "licence": licence,
        "source": source,
    }


def _characters(path: Path) -> dict[str, str]:
    """Icon name -> its character, without skin tones."""
    found: dict[str, str] = {}
    for codes, name in _json(path).items():
        parts = [code for code in codes.split("-") if code not in PARTS_OF_A_PERSON]
        found.setdefault(name, "".join(chr(int(code, 16)) for code in parts))
    return found


def _keywords(packages: Path, character: str) -> Iterator[str]:
    table = _json(packages / "emojilib/package/dist/emoji-en-US.json")
    for form in (character, character + "\ufe0f"):
        for word in table.get(form, []):
            if word not in DROPPED and re.fullmatch(r"[a-z_-]{3,}", word):
                yield word.replace("_", " ").replace("-", " ")


_loaded: dict[Path, Any] = {}


def _json(path: Path) -> Any:
    if path not in _loaded:
        _loaded[path] = json.loads(path.read_text(encoding="utf-8"))
    return _loaded[path]


if __name__ == "__main__":
    main()

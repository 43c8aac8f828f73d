"""Style sheets inside of SVG files, written into the ``style`` of the elements that they apply to.

Selectors of one element are understood: a tag, classes and an id, alone or together, in lists. Rules with others
(descendants, states, media) are left out and counted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from designgym.graphics.svg_tree import Node, SvgError

MAX_RULES = 2000
MAX_APPLIED = 2_000_000
"""Characters of declarations written into elements, together."""

_SELECTOR = re.compile(r"([A-Za-z][\w-]*|\*)?((?:[.#][\w-]+)*)")
_PART = re.compile(r"[.#][\w-]+")


@dataclass(frozen=True)
class _Rule:
    weight: tuple[int, int, int, int]
    """Ids, classes and tags named, and the place in the sheet: what comes later in this order wins."""
    tag: str
    parts: frozenset[str]
    declarations: str


def apply_styles(root: Node, sheet: str) -> int:
    """Write a style sheet's rules into the elements below a root; returns how many rules are left out.

    Raises:
        SvgError: If it imports another sheet, or has too many rules.
    """
    rules, left_out = _rules(sheet)
    by_key: dict[str, list[_Rule]] = {}
    for rule in rules:
        by_key.setdefault(min(rule.parts) if rule.parts else rule.tag, []).append(rule)
    applied = 0
    for node in root.walk():
        own = node.attributes.pop("style", "")
        classes = [f".{name}" for name in node.attributes.pop("class", "").split()]
        names = {*classes, f"#{node.attributes.get('id', '')}"}
        found = [
            rule
            for key in ("*", node.tag, *sorted(names))
            for rule in by_key.get(key, ())
            if rule.tag in ("*", node.tag) and rule.parts <= names
        ]
        texts = [rule.declarations for rule in sorted(found, key=lambda rule: rule.weight)]
        applied += sum(map(len, texts))
        if applied > MAX_APPLIED:
            raise SvgError(f"The SVG file's style sheet writes more than {MAX_APPLIED:,} characters into its elements.")
        # Last of the attributes: skia lets the last one win, and styles go before what attributes say.
        if texts or own:
            node.attributes["style"] = ";".join([*texts, own])
    return left_out


def _rules(sheet: str) -> tuple[list[_Rule], int]:
    head, *commented = sheet.split("/*")
    plain = head + "".join(part.partition("*/")[2] for part in commented)
    rules: list[_Rule] = []
    left_out = 0
    within_at_rule = False
    for number, chunk in enumerate(plain.split("}")):
        selectors, brace, declarations = chunk.partition("{")
        if "@import" in selectors.lower():
            raise SvgError("The SVG file imports a style sheet outside of it; write the styles into it.")
        if not brace:
            within_at_rule = False
            continue
        if within_at_rule or selectors.strip().startswith("@"):
            left_out += 1
            within_at_rule = within_at_rule or "{" in declarations
            continue
        for selector in selectors.split(","):
            found = _SELECTOR.fullmatch(selector.strip())
            if not found or not selector.strip() or "{" in declarations:
                left_out += 1
                continue
            tag, parts = found[1] or "*", frozenset(_PART.findall(found[2]))
            ids = sum(part.startswith("#") for part in parts)
            weight = (ids, len(parts) - ids, int(tag != "*"), number)
            rules.append(_Rule(weight, tag, parts, declarations.replace("!important", "").strip().rstrip(";")))
            if len(rules) > MAX_RULES:
                raise SvgError(f"The SVG file's style sheet has more than {MAX_RULES:,} rules.")
    return rules, left_out

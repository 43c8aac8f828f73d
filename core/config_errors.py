"""What pydantic found wrong with a configuration, said in sentences that name the place and the way out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from designgym.nearest import did_you_mean, nearest
from designgym.yaml12 import Key

_EXPECTED = {
    "bool_type": "true or false",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text (put it in quotes)",
    "list_type": "a list: [a, b]",
    "tuple_type": "a list: [a, b]",
    "dict_type": "a section with keys",
    "model_type": "a section with keys",
    "model_attributes_type": "a section with keys",
}


def explain(error: ValidationError, model: type[BaseModel], data: Any, origin: Callable[[Key], str]) -> str:
    """Return the message for a configuration that does not fit its model: one line for each mistake.

    Args:
        error: What validation raised.
        model: The model of the whole configuration.
        data: The configuration as it was read, overrides included.
        origin: Where a key was written (``"quickstart.yaml:12"``, ``"--set a.b=1"``).
    """
    lines: dict[Key, list[str]] = {}
    for item in error.errors():
        if item["type"] == "default_factory_not_called":
            continue  # it only follows from another mistake, which is named
        path = _written_path(item["loc"], data, missing=item["type"] == "missing")
        if item["type"].startswith("union_tag"):
            path = (*path, item["ctx"]["discriminator"].strip("'"))
        said = _sentence(item, path, model)
        if said not in lines.setdefault(path, []):
            lines[path].append(said)
    return "\n".join(f"{origin(path)}: {' Or: '.join(said)}" for path, said in lines.items())


def dotted(path: Key) -> str:
    """Return a path as it is written after ``--set``."""
    return ".".join(str(part) for part in path)


def holds(data: Any, part: str | int) -> bool:
    """Whether ``data`` is a mapping with this key, or a list with this index."""
    if isinstance(data, dict):
        return part in data
    return isinstance(data, list) and isinstance(part, int) and part < len(data)


def _sentence(item: Any, path: Key, model: type[BaseModel]) -> str:
    name = f"'{dotted(path)}'"
    if item["type"] == "extra_forbidden":
        return f"there is no setting {name}.{_suggestion(path, model)}"
    if item["type"] == "missing":
        return f"the setting {name} is missing and has no default."
    if item["type"] == "union_tag_not_found":
        return f"the setting {name} is missing; it says of which kind this section is."
    if item["type"] == "union_tag_invalid":
        return f"{name} must be one of {item['ctx']['expected_tags']}, not '{item['ctx']['tag']}'."
    value = item["input"]
    if item["type"] == "value_error":  # one of our own validators, which wrote a sentence
        said = str(item["ctx"]["error"]).rstrip(".")
        return f"{name}: {said}." if path else f"{said}."
    if value is None and item["type"].startswith(("model", "dict")):
        return f"{name} is empty (null). Give it keys, or remove the line for its defaults."
    must = _EXPECTED.get(item["type"])
    if must is None:
        subject, should, rest = item["msg"].partition(
            " should "
        )  # "Input should be greater than 0", "String should ..."
        return f"{name} should {rest}, not {_shown(value)}." if should else f"{name}: {subject}."
    return f"{name} must be {must}, not {_shown(value)}."


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def _written_path(loc: Sequence[str | int], data: Any, *, missing: bool) -> Key:
    """Return the part of pydantic's location that stands in the data; it also names the branches of unions."""
    path: list[str | int] = []
    current = data
    for position, part in enumerate(loc):
        last = position == len(loc) - 1
        if holds(current, part):
            path.append(part)
            current = current[part]
        elif missing and last:
            path.append(part)
    return tuple(path)


def _suggestion(path: Key, model: type[BaseModel]) -> str:
    """Return the way out for an unknown key.

    The same name in another section beats a similar one here, as a misplaced key is spelt right.
    """
    key = str(path[-1])
    here = {name for section in _sections_at(path[:-1], model) for name in section.model_fields}
    if key in here:
        return " It belongs to another kind of this section."
    elsewhere = [candidate for candidate in _all_paths(model) if candidate[:-1] != path[:-1]]
    for cutoff in (1.0, 0.75):
        if close := nearest(key, here, cutoff=cutoff):
            return f" Did you mean '{dotted((*path[:-1], close))}'?"
        if leaf := nearest(key, {candidate[-1] for candidate in elsewhere}, cutoff=cutoff):
            places = dict.fromkeys(
                f"'{dotted(c)}'" for c in elsewhere if c[-1] == leaf
            )  # kinds of a section share some
            return f" Did you mean {' or '.join(places)}?"
    return did_you_mean(key, here)


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models that an annotation names, through unions, lists and ``Annotated``."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)


def _sections_at(path: Key, model: type[BaseModel]) -> list[type[BaseModel]]:
    sections = [model]
    for part in path:
        if isinstance(part, int):  # an item of a list has the models that the list's annotation names
            continue
        fields = [section.model_fields[part] for section in sections if part in section.model_fields]
        sections = [found for field in fields for found in _models_in(field.annotation)]
    return sections


def _all_paths(model: type[BaseModel], above: tuple[str, ...] = (), depth: int = 8) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        yield (*above, name)
        if depth > 0:
            for inner in _models_in(field.annotation):
                yield from _all_paths(inner, (*above, name), depth - 1)

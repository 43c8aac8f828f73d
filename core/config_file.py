"""Finding and reading a configuration file: a path, or the name of one that ships with the package."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

from designgym import strict_json
from designgym.encoding import decode_utf8
from designgym.errors import UserError
from designgym.nearest import did_you_mean
from designgym.yaml12 import Document, parse_yaml

MAX_BYTES = 1_000_000
SUFFIXES = (".yaml", ".yml", ".json")


class ConfigError(UserError):
    """A configuration that cannot be used; nothing was done yet."""


def bundled_folder() -> Path:
    """Return the folder of the configurations that ship with the package."""
    return Path(str(resources.files("designgym.configs"))).resolve()


def bundled_names() -> list[str]:
    """Return the names by which they are found, such as ``quickstart``."""
    folder = bundled_folder()
    return sorted(path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.yaml"))


def find_config(source: str | Path) -> Path:
    """Return the file that ``source`` means: an existing file, else the bundled configuration of that name.

    Raises:
        ConfigError: If there is neither.
    """
    path = Path(source).expanduser()
    if path.is_file():
        return path
    names = bundled_names()
    name = str(source).removesuffix(".yaml")
    if name in names:
        return bundled_folder() / f"{name}.yaml"
    if path.is_dir():
        raise ConfigError(f"'{source}' is a folder, not a configuration file.")
    raise ConfigError(f"There is no file and no bundled configuration '{source}'.{did_you_mean(name, names)}")


def read_document(path: Path, shown: str) -> Document:
    """Read a YAML or JSON file.

    Args:
        path: The file.
        shown: Its name in messages.

    Raises:
        ConfigError: If it cannot be read or parsed.
    """
    if path.suffix not in SUFFIXES:
        raise ConfigError(f"'{shown}' is not a configuration file: its name must end in {', '.join(SUFFIXES)}.")
    try:
        with path.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"'{shown}' cannot be read: {error.strerror}.") from error
    if len(raw) > MAX_BYTES:
        raise ConfigError(f"'{shown}' is larger than {MAX_BYTES} bytes; this is no configuration.")
    text = decode_utf8(raw, name=shown)
    return Document(_parse_json(text, shown)) if path.suffix == ".json" else parse_yaml(text, name=shown)


def _parse_json(text: str, shown: str) -> Any:
    try:
        return strict_json.loads(text)
    except strict_json.JsonError as error:
        raise ConfigError(f"{shown}: {error}.") from error

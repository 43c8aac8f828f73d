"""A sample as JSON, with its pictures beside it in a folder that names each by its content."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from designgym import exact_json
from designgym.atomic import write_atomically
from designgym.envs.aesthetics.sample import Element, Flaw, Sample
from designgym.errors import UserError
from designgym.graphics.document import Document

ASSETS = "assets"


@dataclasses.dataclass(frozen=True)
class AssetFolder:
    """Files named by the sha256 of their content: equal pictures are stored once, and a changed one is found out."""

    path: Path

    def put(self, data: bytes) -> str:
        """Store a file unless it is there; its name."""
        name = hashlib.sha256(data).hexdigest()
        file = self.path / name
        if not file.exists():
            write_atomically(file, data)
        return name

    def get(self, name: str) -> bytes:
        """The content of a file.

        Raises:
            UserError: If it is missing or is no longer what was stored.
        """
        try:
            data = (self.path / name).read_bytes()
        except OSError as error:
            raise UserError(f"'{self.path / name}' cannot be read: {error.strerror}. Copy the folder anew.") from error
        if hashlib.sha256(data).hexdigest() != name:
            raise UserError(f"'{self.path / name}' was changed since it was frozen. Copy the folder anew.")
        return data


def sample_to_json(sample: Sample, assets: AssetFolder) -> dict[str, Any]:
    """The JSON data of a sample; pictures go into the folder."""
    document = _document_to_json(sample.document, assets)
    return {
        "id": sample.id,
        "width": sample.width,
        "height": sample.height,
        "elements": [dataclasses.asdict(element) for element in sample.elements],
        "flaws": [
            dataclasses.asdict(flaw)
            | {"before": _plain(flaw.before), "after": _plain(flaw.after), "measures": _plain(flaw.measures)}
            for flaw in (dataclasses.replace(flaw, measures=dict(flaw.measures)) for flaw in sample.flaws)
        ],
        "harmed": {name: list(ids) for name, ids in sample.harmed.items()},
        "judged": list(sample.judged),
        "document": document,
        "clean_document": "same"
        if sample.clean_document is not None and sample.clean_document == sample.document
        else _document_to_json(sample.clean_document, assets),
        "preview": None if sample.preview is None else assets.put(sample.preview),
        "metadata": _plain(sample.metadata),
    }


def sample_from_json(data: Mapping[str, Any], assets: AssetFolder | None) -> Sample:
    """The sample of JSON data. Lists of numbers within flaws come back as tuples.

    Args:
        data: What :func:`sample_to_json` gave.
        assets: Where its pictures are; None leaves pictures and documents out, where labels are all that is wanted.
    """
    document = clean = preview = None
    if assets is not None:
        # A picture that both documents show is one object, as it was: that tells what was left as it is.
        files = {name: assets.get(name) for name in asset_names(data)}
        document = _document_from_json(data["document"], files)
        clean = document if data["clean_document"] == "same" else _document_from_json(data["clean_document"], files)
        preview = None if data["preview"] is None else files[data["preview"]]
    return Sample(
        id=data["id"],
        width=data["width"],
        height=data["height"],
        elements=tuple(Element(**{**element, "box": tuple(element["box"])}) for element in data["elements"]),
        flaws=tuple(
            Flaw(
                **{
                    **flaw,
                    "before": _tuples(exact_json.decode(flaw["before"])),
                    "after": _tuples(exact_json.decode(flaw["after"])),
                    "measures": exact_json.decode(flaw["measures"]),
                    "harms": tuple(flaw["harms"]),
                }
            )
            for flaw in data["flaws"]
        ),
        harmed={name: tuple(ids) for name, ids in data["harmed"].items()},
        document=document,
        clean_document=clean,
        preview=preview,
        metadata=exact_json.decode(data["metadata"]),
        judged=tuple(data["judged"]),
    )


def asset_names(data: Mapping[str, Any]) -> set[str]:
    """The names of all files that a sample's JSON data need."""
    names = {data["preview"]} - {None}
    for document in (data["document"], data["clean_document"]):
        if isinstance(document, Mapping):
            names |= set(document["assets"].values())
    return names


def _document_to_json(document: Document | None, assets: AssetFolder) -> dict[str, Any] | None:
    """The document's own JSON form with names of stored files in place of its pictures."""
    if document is None:
        return None
    names = {name: assets.put(content) for name, content in document.assets.items()}
    return dataclasses.replace(document, assets={}).to_json() | {"assets": names}


def _document_from_json(data: Mapping[str, Any] | None, files: Mapping[str, bytes]) -> Document | None:
    if data is None:
        return None
    document = Document.from_json({**data, "assets": dict.fromkeys(data["assets"], "")})
    return dataclasses.replace(document, assets={name: files[stored] for name, stored in data["assets"].items()})


def _plain(value: Any) -> Any:
    """JSON data of a value out of a flaw, which may be a part of a layer such as an outline."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        value = dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return exact_json.encode({str(key): _plain(part) for key, part in value.items()})
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return exact_json.encode(value)


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_tuples(part) for part in value)
    if isinstance(value, dict):
        return {key: _tuples(part) for key, part in value.items()}
    return value

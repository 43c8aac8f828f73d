"""A picture of each of the 46 actions, made by calling it: the page before, and the page after.

They stand on a sheet for each family. Where no page changes, the picture shows what does: the list of files for
SaveDocument. The sheets have no background of their own, so that they suit light and dark pages alike.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from action_calls import EXAMPLES, PICTURES, Example
from pictures import CAPTION, tile
from PIL import Image, ImageDraw, ImageFont
from sheet_palette import with_palette

from designgym.envs.design.actions import ACTIONS, FILTER_ACTIONS
from designgym.envs.design.env import DesignActions
from designgym.envs.design.sandbox import File
from designgym.envs.design.task import Task
from designgym.envs.design.workspace import Workspace
from designgym.graphics.fonts import find_family
from designgym.graphics.render import render
from designgym.pool.embedded import embedded
from designgym.tasks import Split

SHEETS: dict[str, tuple[str, tuple[str, ...]]] = {
    "actions-basic.png": ("Basic", tuple(name for name, a in ACTIONS.items() if a.category == "basic")),
    "actions-drawing.png": ("Drawings", tuple(name for name, a in ACTIONS.items() if a.category == "drawing")),
    "actions-text.png": ("Texts", tuple(name for name, a in ACTIONS.items() if a.category == "text")),
    "actions-object.png": (
        "Objects",
        tuple(name for name, a in ACTIONS.items() if a.category == "object" and name not in FILTER_ACTIONS),
    ),
    "actions-filters.png": ("Objects: filters", FILTER_ACTIONS),
}
"""File -> heading and the actions on the sheet."""

COLUMNS = 2
TILE_PX = (210, 140)
ARROW_PX, COLUMN_GAP_PX, CAPTION_PX, ROW_GAP_PX = 34, 36, 52, 14
NAME_PX, WORDS_PX, FILE_PX = 17, 14, 14


class Given:
    """The one task of these pictures: files to import, and nothing asked."""

    name = "action-pictures"

    def ids(self, split: Split) -> Sequence[str]:
        """One."""
        return ("train-000000",)

    def type_of(self, id: str) -> str:
        """No type that GraphicBench has."""
        return "postcard"

    def task(self, id: str) -> Task:
        """The given pictures of the pool."""
        pool = embedded()
        files = (File(file, pool.png(of, px), file.removesuffix(".png")) for file, (of, px) in PICTURES.items())
        return Task(id, "postcard", "Show an action.", tuple(files))


def section() -> str:
    """The sheets with their headings, Markdown."""
    about = (
        "Each picture was made by calling the action in the environment: the page before, and the page after. Most "
        "pages have 300 x 200 px, so that strokes and type are seen at this size; `docs/action_calls.py` has the calls."
    )
    sheets = (
        f"### {title}\n\n![Pages before and after {', '.join(names)}](../img/{file})"
        for file, (title, names) in SHEETS.items()
    )
    return "\n\n".join(("## The actions in pictures", about, *sheets))


def pictures() -> Iterator[tuple[str, Image.Image]]:
    """File name and picture of every sheet."""
    missing = ACTIONS.keys() - {name for _, names in SHEETS.values() for name in names}
    if missing or ACTIONS.keys() != EXAMPLES.keys():
        raise RuntimeError(f"Actions without a picture: {missing | (ACTIONS.keys() ^ EXAMPLES.keys())}.")
    for file, (_, names) in SHEETS.items():
        yield file, sheet(names)


def sheet(names: Sequence[str]) -> Image.Image:
    """The actions in rows, each with its name and arguments beneath; palette of colours with transparency."""
    pair, high = 2 * TILE_PX[0] + ARROW_PX, TILE_PX[1] + CAPTION_PX + ROW_GAP_PX
    size = COLUMNS * (pair + COLUMN_GAP_PX) - COLUMN_GAP_PX, -(-len(names) // COLUMNS) * high
    whole = Image.new("RGBA", size)
    draw = ImageDraw.Draw(whole)
    for index, name in enumerate(names):
        left, top = index % COLUMNS * (pair + COLUMN_GAP_PX), index // COLUMNS * high
        before, after = shown(name, EXAMPLES[name])
        whole.paste(before, (left, top))
        whole.paste(after, (left + TILE_PX[0] + ARROW_PX, top))
        _arrow(draw, left + TILE_PX[0] + ARROW_PX / 2, top + TILE_PX[1] / 2)
        baseline = top + TILE_PX[1] + 22
        draw.text((left + 1, baseline), name, fill=CAPTION, font=_font(NAME_PX, 700), anchor="ls")
        words = told(EXAMPLES[name].arguments)
        draw.text((left + 1, baseline + 20), words, fill=CAPTION, font=_font(WORDS_PX), anchor="ls")
    return with_palette(whole, CAPTION)


def shown(name: str, example: Example) -> tuple[Image.Image, Image.Image]:
    """What there is before and after the action.

    Raises:
        RuntimeError: If the environment refuses a call.
    """
    env = DesignActions(split="train", briefs=Given(), reward="fidelity")
    env.reset(seed=0)
    calls = [*example.before, (name, example.arguments)]
    seen = _state(env.workspace, name)
    for action, arguments in calls:
        seen = _state(env.workspace, name)
        observation, *_, info = env.step({"name": action, "arguments": {**arguments, "expert": example.expert}})
        if info["error"]:
            raise RuntimeError(f"{name} is not shown: {action} was refused. {observation['text']}")
    return seen, _state(env.workspace, name)


def told(arguments: Mapping[str, Any]) -> str:
    """Arguments in words: colours as one, the names of layers and objects left out."""
    parts = []
    for key, value in arguments.items():
        if key == "red":
            parts.append("rgb({red}, {green}, {blue})".format(**arguments))
        elif key == "textString" or (key == "fileName" and "." in str(value)):
            parts.append(f"{key} “{value}”")
        elif key not in ("green", "blue", "layerName") and (key, value) != ("fileName", "picture"):
            parts.append(f"{key} {value}")
    return ", ".join(parts)


def _state(bench: Workspace, name: str) -> Image.Image:
    if name == "SaveDocument":
        return _file_list(list(bench.files))
    document = bench.document
    frame = Image.new("RGBA", TILE_PX)
    if document is None:
        return _in_the_middle(frame, "no open document")
    scale = min(TILE_PX[0] / document.width, TILE_PX[1] / document.height)
    page = tile(render(document, scale), None)
    frame.paste(page, ((TILE_PX[0] - page.width) // 2, (TILE_PX[1] - page.height) // 2))
    if name.startswith("CreateDocument"):
        _in_the_middle(frame, f"{document.width} × {document.height}")
    return frame


def _in_the_middle(frame: Image.Image, note: str) -> Image.Image:
    middle = TILE_PX[0] / 2, TILE_PX[1] / 2
    ImageDraw.Draw(frame).text(middle, note, fill=CAPTION, font=_font(FILE_PX), anchor="mm")
    return frame


def _file_list(names: Sequence[str]) -> Image.Image:
    """Files as a list, a sheet of paper before each."""
    frame = Image.new("RGBA", TILE_PX)
    draw = ImageDraw.Draw(frame)
    for row, name in enumerate(names):
        top = 14 + 29 * row
        draw.rounded_rectangle((14, top, 29, top + 19), 2, outline=CAPTION, width=1)
        draw.text((42, top + 15), name, fill=CAPTION, font=_font(FILE_PX), anchor="ls")
    return frame


def _arrow(draw: ImageDraw.ImageDraw, x: float, y: float) -> None:
    draw.line((x - 8, y, x + 7, y), fill=CAPTION, width=2)
    draw.line((x + 2, y - 5, x + 7, y, x + 2, y + 5), fill=CAPTION, width=2, joint="curve")


def _font(size: int, weight: int = 400) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(find_family("Open Sans").path(weight)), size)  # type: ignore[arg-type]

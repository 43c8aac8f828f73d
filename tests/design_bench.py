"""A workbench for tests: actions by name, as agents call them."""

import io
from typing import Any

import numpy as np
from PIL import Image

from designgym.envs.design.perform import perform
from designgym.envs.design.sandbox import File
from designgym.envs.design.tools import action_table
from designgym.envs.design.workspace import Step, Workspace
from designgym.tools import Accepted

V, P, L = "vector_graphic_editor", "photo_editor", "layout_designer"


def picture(width: int = 200, height: int = 100, color: tuple[int, int, int] = (200, 40, 40)) -> bytes:
    stream = io.BytesIO()
    Image.fromarray(np.full((height, width, 3), color, np.uint8)).save(stream, "PNG")
    return stream.getvalue()


def workspace(**files: bytes) -> Workspace:
    """With a red picture of 200 x 100 px, ``sun.png``, and what else is given (``_`` in a name stands for a dot)."""
    given = {"sun.png": picture(), **{name.replace("_", "."): data for name, data in files.items()}}
    return Workspace({name: File(name, data, caption=name) for name, data in given.items()})


def do(bench: Workspace, action: str, expert: str | None = None, **arguments: Any) -> Step:
    """Do one action; fails the test if the call cannot even be read."""
    read = action_table().read({"name": action, "arguments": {**arguments, "expert": expert}})
    assert isinstance(read, Accepted), read
    return perform(bench, read.name, read.arguments)


def done(bench: Workspace, action: str, expert: str | None = None, **arguments: Any) -> Step:
    """Do one action that must succeed."""
    step = do(bench, action, expert, **arguments)
    assert not step.error, step
    return step


def page(expert: str = L, width: int = 1000, height: int = 640, **files: bytes) -> Workspace:
    """A workspace in which an expert has an empty page."""
    bench = workspace(**files)
    done(bench, "CreateDocumentCustom", expert, width=width, height=height)
    return bench

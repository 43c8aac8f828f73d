"""Boxes in the frame that a Qwen-VL family writes, to and from the page fractions that the environments speak.

Qwen2-VL and Qwen3-VL write integers 0-1000 of the image; Qwen2.5-VL writes pixels of the image after its processor
resized it, so reading its answer as pixels of the page turns a perfect box into a wrong one. Training targets,
training rewards and the local agent all convert here. The frame follows from the family, never from the numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from PIL import Image
from PIL.Image import Resampling

from designgym.agents.qwen.families import Family
from designgym.boxes import NumberFrame, Size
from designgym.parameters import Array, BoundingBox, Number, Refused
from designgym.strict_json import JsonError, loads
from designgym.tools import ToolTable

Action = Mapping[str, Any]

# Whatever an environment would read as four numbers, and nothing else, is converted; the rest stays for the
# environment to refuse.
_FOUR_NUMBERS = Array(Number(-1e9, 1e9), 4, 4)


def number_frame(family: Family, image_processor: Any, size: Size) -> NumberFrame:
    """The frame in which a model of this family writes boxes on an image of this size.

    Args:
        family: The model's family.
        image_processor: The model's image processor; its patch size, merge size and pixel limits decide the resizing.
        size: Width and height of the image in px.
    """
    if family.frame == "resized_pixel":
        return NumberFrame("resized_pixel", seen_size(image_processor, size))
    return NumberFrame(family.frame)


def page_size(image: Any, options: Mapping[str, Any]) -> Size:
    """Width and height in px of what a prompt shows of an observation's image: its page, or all of it.

    Args:
        image: H x W x C.
        options: The environment's ``prompt_options()``; ``page`` holds the size of a page that does not fill the image.
    """
    width, height = options.get("page") or (image.shape[1], image.shape[0])
    return int(width), int(height)


def seen_size(image_processor: Any, size: Size) -> Size:
    """Width and height in px of an image after the processor resized it."""
    if not getattr(image_processor, "do_resize", True):
        return size
    limits = image_processor.size
    factor = image_processor.patch_size * image_processor.merge_size
    return resized(size, factor, limits["shortest_edge"], limits["longest_edge"])


def fitted(image_processor: Any, picture: Image.Image) -> Image.Image:
    """A picture in the size that the processor would give it, which it then leaves alone.

    Everything that is asked gets its pictures so, a server as well, whose own processor may have other limits than the
    one by which boxes are written. The filter is the processor's: what the model sees is the same.
    """
    size = seen_size(image_processor, picture.size)
    # Where the bounds leave no room between them, the processor would change its own sizes again.
    if picture.size == size or seen_size(image_processor, size) != size:
        return picture
    return picture.resize(size, Resampling(image_processor.resample))


def resized(size: Size, factor: int, least_px: int, most_px: int) -> Size:
    """Width and height in px of an image after Qwen-VL's preprocessing, which transformers calls ``smart_resize``.

    Args:
        size: Width and height before, px.
        factor: Sides become the nearest multiples of it (halves to even), px.
        least_px: Smaller areas are enlarged, px.
        most_px: Larger areas are reduced, px.
    """
    width, height = size
    sides = [round(side / factor) * factor for side in size]
    if sides[0] * sides[1] > most_px:
        scale = math.sqrt(width * height / most_px)
        sides = [max(factor, math.floor(side / scale / factor) * factor) for side in size]
    elif sides[0] * sides[1] < least_px:
        scale = math.sqrt(least_px / (width * height))
        sides = [math.ceil(side * scale / factor) * factor for side in size]
    return sides[0], sides[1]


def to_model(action: Action, tools: ToolTable, frame: NumberFrame, *, step: int = 1) -> dict[str, Any]:
    """A call with its boxes in the model's frame.

    Args:
        action: A tool call with boxes in fractions of the page.
        tools: The environment's tools, which say what of the arguments is a box.
        frame: How the model writes boxes.
        step: Coordinates are rounded to multiples of it (halves up); 1 except for models whose numbers are coarser. A
            box that rounding would flatten keeps one step of width and height.
    """
    return _convert(action, tools, lambda box: _rounded(box, frame, step))


def to_env(action: Action, tools: ToolTable, frame: NumberFrame) -> dict[str, Any]:
    """A call with its boxes as fractions of the page; what is no box of four numbers stays, to be refused there."""
    width, height = frame.limits
    return _convert(action, tools, lambda box: [box[0] / width, box[1] / height, box[2] / width, box[3] / height])


def _convert(action: Action, tools: ToolTable, change: Callable[[list[float]], list[Any]]) -> dict[str, Any]:
    arguments = action.get("arguments")
    if isinstance(arguments, str):  # some models encode the arguments as a JSON text once more
        try:
            arguments = loads(arguments)
        except JsonError:
            return dict(action)
    name = action.get("name")
    if not isinstance(name, str) or name not in tools or not isinstance(arguments, Mapping):
        return dict(action)
    converted = dict(arguments)
    for parameter in tools[name].parameters:
        if isinstance(parameter.type, BoundingBox) and parameter.name in arguments:
            try:
                box = _FOUR_NUMBERS.check(arguments[parameter.name], parameter.name, [])
            except Refused:
                continue
            converted[parameter.name] = change(box)
    return {**action, "arguments": converted}


def _rounded(box: list[float], frame: NumberFrame, step: int) -> list[int]:
    width, height = frame.limits
    values = [0, 0, 0, 0]
    for low, high, limit in ((0, 2, width), (1, 3, height)):
        last = int(limit) // step * step
        for edge in (low, high):
            values[edge] = min(last, max(0, step * math.floor(box[edge] * limit / step + 0.5)))
        if values[low] >= values[high] and box[low] < box[high]:
            values[high] = min(last, values[low] + step)
            values[low] = values[high] - step
    return values

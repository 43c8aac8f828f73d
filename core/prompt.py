"""What a model is told: messages of text and images, their wire formats, and tools in words.

A prompt builder (one an environment) makes ``Message`` objects. Chat agents, local models, fine-tuning data and GRPO
all convert those, so that every model of a kind sees the same prompt wherever it is asked.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from PIL import Image

from designgym.boxes import NumberFrame
from designgym.parse import CLOSE_CALL, CLOSE_THINK, OPEN_CALL, OPEN_THINK
from designgym.png import png
from designgym.tools import FRACTIONS, Tool, ToolTable

Wording = Literal["full", "brief"]
"""``full`` explains the task; ``brief`` is as short as can be understood, for models that learn it from nothing."""

Role = Literal["system", "user", "assistant", "tool"]

# What a tokenizer or a reader of replies could take for markup of its own; agents may have written it into their calls.
_MARKUP = re.compile(r"<(?=\||/?(?:tool_call|tool_response|tools|think)>)")


@dataclass(frozen=True)
class TextPart:
    """Text of a message."""

    text: str


@dataclass(frozen=True, eq=False)
class ImagePart:
    """An image of a message: uint8, H x W (grey), H x W x 1 or H x W x 3."""

    image: npt.NDArray[np.uint8]

    def pil(self) -> Image.Image:
        """The image as an RGB picture of Pillow's."""
        image = self.image[:, :, 0] if self.image.ndim == 3 and self.image.shape[2] == 1 else self.image
        return Image.fromarray(image).convert("RGB")


Part = TextPart | ImagePart


@dataclass(frozen=True)
class Message:
    """One turn of a conversation."""

    role: Role
    parts: tuple[Part, ...]

    @property
    def text(self) -> str:
        """All text of the message, a part a line."""
        return "\n".join(part.text for part in self.parts if isinstance(part, TextPart))


def images(messages: Iterable[Message]) -> list[Image.Image]:
    """All images of a conversation in order, as Pillow pictures."""
    return [part.pil() for message in messages for part in message.parts if isinstance(part, ImagePart)]


def to_transformers(messages: Iterable[Message], *, embed_images: bool = True) -> list[dict[str, Any]]:
    """Messages as transformers' processors and TRL take them: content blocks with Pillow images.

    Args:
        messages: The conversation.
        embed_images: False leaves the pictures out of the image blocks, for data sets with an ``images`` column.
    """

    def block(part: Part) -> dict[str, Any]:
        if isinstance(part, TextPart):
            return {"type": "text", "text": part.text}
        return {"type": "image", "image": part.pil()} if embed_images else {"type": "image"}

    return [{"role": message.role, "content": [block(part) for part in message.parts]} for message in messages]


def to_openai(messages: Iterable[Message], *, detail: str | None = None) -> list[dict[str, Any]]:
    """Messages for an OpenAI-compatible chat endpoint: images as PNG data URLs, a text alone as a plain string.

    Args:
        messages: The conversation.
        detail: How closely images are to be looked at, where the model offers a choice: ``"low"``, ``"high"`` or
            ``"auto"``; None leaves it out.
    """
    closely = {} if detail is None else {"detail": detail}

    def block(part: Part) -> dict[str, Any]:
        if isinstance(part, TextPart):
            return {"type": "text", "text": part.text}
        return {"type": "image_url", "image_url": {"url": data_url(part), **closely}}

    converted: list[dict[str, Any]] = []
    for message in messages:
        plain = all(isinstance(part, TextPart) for part in message.parts)
        content = message.text if plain else [block(part) for part in message.parts]
        converted.append({"role": message.role, "content": content})
    return converted


def data_url(part: ImagePart) -> str:
    """The image as a ``data:image/png;base64,...`` URL, lossless."""
    return "data:image/png;base64," + base64.b64encode(png(part.image)).decode("ascii")


def render_call(name: str, arguments: Mapping[str, Any]) -> str:
    """A tool call as Qwen models write it and :func:`designgym.parse.parse_calls` reads it.

    >>> print(render_call("answer", {"bbox": [100, 200, 300, 400]}))
    <tool_call>
    {"name": "answer", "arguments": {"bbox": [100, 200, 300, 400]}}
    </tool_call>
    """
    text = json.dumps({"name": name, "arguments": arguments}, ensure_ascii=False)
    if any(tag in text for tag in (OPEN_CALL, CLOSE_CALL, OPEN_THINK, CLOSE_THINK)):
        text = text.replace("<", "\\u003c")  # the same JSON, without anything that a reader could take for a tag
    return f"{OPEN_CALL}\n{text}\n{CLOSE_CALL}"


def describe_tools(table: ToolTable, wording: Wording = "full", frame: NumberFrame = FRACTIONS) -> str:
    """The tools in words.

    Args:
        table: The tools.
        wording: ``brief`` is a line a tool, such as ``Call answer with bbox [x1, y1, x2, y2] (0-1000) or null.``;
            ``full`` adds what everything means and how a call is written, for models that are not given schemas.
        frame: How the model is to write boxes.
    """
    if wording == "brief":
        return "\n".join(_brief(tool, frame) for tool in table)
    lines = ["Tools:"]
    for tool in table:
        lines.append(f"- {tool.name}: {tool.doc}")
        for parameter in tool.parameters:
            optional = "" if parameter.required else " (optional)"
            lines.append(f"    - {parameter.name}{optional}: {parameter.type.words(frame)}. {parameter.doc}".rstrip())
    lines += ["Write a call as", OPEN_CALL, '{"name": "...", "arguments": {...}}', CLOSE_CALL]
    return "\n".join(lines)


def _brief(tool: Tool, frame: NumberFrame) -> str:
    arguments = [
        f"{parameter.name}{'' if parameter.required else '?'} {parameter.type.words(frame)}"
        for parameter in tool.parameters
    ]
    return f"Call {tool.name}{' with ' + '; '.join(arguments) if arguments else ''}."


def plain(text: str) -> str:
    """The text, in which nothing passes for a model's special tokens and nothing cannot be encoded."""
    return _MARKUP.sub(r"\\u003c", text).encode("utf-8", "backslashreplace").decode()


def message(role: Role, *parts: str | npt.NDArray[np.uint8]) -> Message:
    """A message of texts and images in order."""
    return Message(role, tuple(TextPart(part) if isinstance(part, str) else ImagePart(part) for part in parts))

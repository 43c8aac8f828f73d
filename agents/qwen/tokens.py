"""Prompts as the tokens and images that a Qwen-VL model takes, image by image with as many pads as it has features.

The tokens are those of ``processor.apply_chat_template(..., tokenize=True, add_generation_prompt=True)``. They are
made without preparing any image: how many tokens an image becomes follows from its size alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PIL import Image

from designgym.agents.qwen.frames import fitted, seen_size
from designgym.boxes import Size
from designgym.prompt import plain

END = "<|im_end|>"
"""Ends every turn of a conversation."""
_IMAGE = "<|vision_start|><|image_pad|><|vision_end|>"


@dataclass(frozen=True, eq=False)
class Prompt:
    """What a model is asked with.

    Attributes:
        ids: Tokens, ending with the generation prompt; each image has one pad for each of its features.
        images: The images in the order of their pads, RGB, in sizes that the model's processor leaves alone.
    """

    ids: list[int]
    images: tuple[Image.Image, ...]


def to_prompt(processor: Any, chat: Sequence[dict[str, Any]]) -> Prompt:
    """A conversation as tokens.

    Args:
        processor: A processor of `designgym.agents.qwen.processor.load_processor`.
        chat: Messages of content blocks as `designgym.prompt.to_transformers` makes them, images included.

    Raises:
        ValueError: If there are other image pads than those of the images, because a text holds one.
    """
    blocks = [block for message in chat for block in message["content"] if block["type"] == "image"]
    images = [fitted(processor.image_processor, block["image"]) for block in blocks]
    text = processor.apply_chat_template(list(chat), tokenize=False, add_generation_prompt=True)
    return Prompt(tokens(processor, text, images), tuple(images))


def answer_tokens(processor: Any, image: Image.Image, text: str, *, ended: bool) -> list[int]:
    """What stands between two turns of a model: the environment's answer, up to the next generation prompt.

    It is what Qwen's chat templates make of a message of the role ``tool``, written here because not all of them can.

    Args:
        processor: As for :func:`to_prompt`.
        image: The image that the environment answers with.
        text: What it says.
        ended: Whether the model ended its turn itself; if not, the end comes first.
    """
    before = f"{'' if ended else END}\n<|im_start|>user\n<tool_response>\n"
    after = f"\n</tool_response>{END}\n{generation_prompt(processor)}"
    return tokens(processor, f"{before}{_IMAGE}{plain(text)}{after}", [image])


def generation_prompt(processor: Any) -> str:
    """What the chat template opens a model's turn with: who speaks, and in later families that it has no thoughts."""
    chat = [{"role": "user", "content": [{"type": "text", "text": "?"}]}]
    said = processor.apply_chat_template(chat, tokenize=False)
    asked: str = processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
    return asked.removeprefix(said)


def tokens(processor: Any, text: str, images: Sequence[Image.Image]) -> list[int]:
    """The tokens of a text in which each image is one pad so far.

    Raises:
        ValueError: If the text has more or fewer pads than there are images.
    """
    pad = processor.image_token_id
    ids: list[int] = processor.tokenizer(text)["input_ids"]
    if ids.count(pad) != len(images):
        raise ValueError(
            f"The prompt holds {ids.count(pad)} image pads for {len(images)} images; "
            "no text of a prompt may hold '<|image_pad|>'."
        )
    counts = iter([visual_tokens(processor.image_processor, image.size) for image in images])
    expanded: list[int] = []
    for token in ids:
        expanded += [pad] * next(counts) if token == pad else [token]
    return expanded


def visual_tokens(image_processor: Any, size: Size) -> int:
    """How many tokens an image becomes.

    Args:
        image_processor: The model's image processor; its patch size, merge size and pixel limits decide.
        size: Width and height of the image in px.
    """
    width, height = seen_size(image_processor, size)
    patch, merge = image_processor.patch_size, image_processor.merge_size
    return int((width // patch) * (height // patch) // merge**2)


def reply_tokens(processor: Any, text: str) -> list[int]:
    """The tokens with which a model would write a text as its turn, the end of the turn included.

    Special tokens within the text are spelled out, and so is what cannot be encoded, as JSON writes it.
    """
    readable = text.encode("utf-8", "backslashreplace").decode()
    ids = processor.tokenizer(readable, split_special_tokens=True)["input_ids"]
    return [*ids, processor.tokenizer.convert_tokens_to_ids(END)]


def image_fields(processor: Any, images: Sequence[Image.Image]) -> dict[str, Any]:
    """What a model takes of images.

    Args:
        processor: As for :func:`to_prompt`.
        images: The images of a whole batch, row after row. Equal ones are prepared once.

    Returns:
        ``pixel_values``, float32 tensor patches x values of a patch, and ``image_grid_thw``, int64 tensor images x 3,
        the patches of each image in time, height and width. Empty without images.
    """
    if not images:
        return {}
    fields, _ = processor._process_images(list(images), return_tensors="pt")
    return {name: fields[name] for name in ("pixel_values", "image_grid_thw")}


def model_inputs(processor: Any, prompts: Sequence[Prompt]) -> dict[str, Any]:
    """Prompts as one batch, padded on the left: what a model's ``generate`` takes.

    Returns:
        int64 tensors prompts x tokens ``input_ids``, ``attention_mask`` and ``mm_token_type_ids`` (1 where an image
        is), and :func:`image_fields`.
    """
    import torch

    pad = processor.tokenizer.pad_token_id
    longest = max(len(prompt.ids) for prompt in prompts)
    missing = [longest - len(prompt.ids) for prompt in prompts]
    ids = torch.tensor([[pad] * gap + prompt.ids for gap, prompt in zip(missing, prompts, strict=True)])
    mask = torch.tensor([[0] * gap + [1] * (longest - gap) for gap in missing])
    return {
        "input_ids": ids,
        "attention_mask": mask,
        "mm_token_type_ids": (ids == processor.image_token_id).long(),
        **image_fields(processor, [image for prompt in prompts for image in prompt.images]),
    }

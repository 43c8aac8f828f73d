import base64
import io

import numpy as np
import pytest
from PIL import Image

from designgym.boxes import NumberFrame
from designgym.prompt import describe_tools, images, message, render_call, to_openai, to_transformers
from designgym.tools import Boolean, BoundingBox, Number, Parameter, Tool, ToolTable

TABLE = ToolTable(
    (
        Tool("answer", "Answer the question.", (Parameter("bbox", BoundingBox(nullable=True), "The flaw."),)),
        Tool("zoom", "Look closer.", (Parameter("by", Number(1, 8)), Parameter("grid", Boolean(), required=False))),
        Tool("undo", "Take back."),
    )
)
PICTURE = np.arange(4 * 6 * 3, dtype=np.uint8).reshape(4, 6, 3)
TALK = [message("system", "Be brief."), message("user", PICTURE, "What is", "wrong?"), message("assistant", "Nothing.")]


def test_transformers_messages_hold_blocks_and_pillow_images():
    system, user, assistant = to_transformers(TALK)
    assert system == {"role": "system", "content": [{"type": "text", "text": "Be brief."}]}
    assert [block["type"] for block in user["content"]] == ["image", "text", "text"]
    assert np.array_equal(np.array(user["content"][0]["image"]), PICTURE)
    assert assistant["content"] == [{"type": "text", "text": "Nothing."}]


def test_images_may_be_kept_apart():
    assert to_transformers(TALK, embed_images=False)[1]["content"][0] == {"type": "image"}
    (picture,) = images(TALK)
    assert picture.mode == "RGB" and np.array_equal(np.array(picture), PICTURE)


def test_openai_messages_hold_lossless_data_urls_and_plain_strings():
    system, user, assistant = to_openai(TALK)
    assert system == {"role": "system", "content": "Be brief."}
    assert assistant == {"role": "assistant", "content": "Nothing."}
    image, *texts = user["content"]
    assert texts == [{"type": "text", "text": "What is"}, {"type": "text", "text": "wrong?"}]
    head, _, data = image["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    assert np.array_equal(np.array(Image.open(io.BytesIO(base64.b64decode(data)))), PICTURE)


@pytest.mark.parametrize("shape", [(4, 6), (4, 6, 1)])
def test_grey_pages_become_rgb(shape):
    grey = np.full(shape, 7, np.uint8)
    (picture,) = images([message("user", grey)])
    assert picture.mode == "RGB" and (np.array(picture) == 7).all() and picture.size == (6, 4)


def test_calls_are_rendered_as_qwen_writes_them():
    assert render_call("answer", {"bbox": [100, 200, 300, 400]}) == (
        '<tool_call>\n{"name": "answer", "arguments": {"bbox": [100, 200, 300, 400]}}\n</tool_call>'
    )
    assert '"bbox": null' in render_call("answer", {"bbox": None})
    assert "é😀" in render_call("say", {"text": "é😀"})


def test_brief_descriptions_take_a_line_a_tool():
    assert describe_tools(TABLE, "brief", NumberFrame("thousand")) == (
        "Call answer with bbox [x1, y1, x2, y2] (0-1000) or null.\n"
        "Call zoom with by number from 1 to 8; grid? true or false.\n"
        "Call undo."
    )


def test_full_descriptions_name_every_tool_argument_and_the_form_of_a_call():
    text = describe_tools(TABLE, "full", NumberFrame("resized_pixel", (448, 336)))
    assert (
        "- answer: Answer the question.\n    - bbox: [x1, y1, x2, y2] (pixels of a 448 x 336 image) or null. The flaw."
        in text
    )
    assert "    - grid (optional): true or false." in text
    assert text.endswith('Write a call as\n<tool_call>\n{"name": "...", "arguments": {...}}\n</tool_call>')

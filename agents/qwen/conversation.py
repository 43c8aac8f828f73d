"""Between the prompt builders of the environments and a Qwen model: what it is shown, and how its reply is read.

Training targets, training rewards and the agent go through these functions, so that a model is asked and read in the
same way wherever it is used.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from designgym.agents.base import Reply
from designgym.agents.qwen.frames import to_env
from designgym.boxes import NumberFrame
from designgym.parse import Parsed, parse_calls, single_call
from designgym.prompt import Message, TextPart, message
from designgym.tools import ToolTable

# The words with which Qwen2.5's and Qwen3's chat templates announce tools. They are written into a system message
# here, because TRL cannot hand schemas to the template where no Python functions stand behind them; a test compares
# the two.
_BEFORE_TOOLS = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>"
)
_AFTER_TOOLS = (
    "\n</tools>\n\nFor each function call, return a json object with function name and arguments within "
    '<tool_call></tool_call> XML tags:\n<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n'
    "</tool_call>"
)


def announce_tools(messages: Sequence[Message], table: ToolTable, frame: NumberFrame) -> list[Message]:
    """The conversation with the tools' schemas in its system message, as Qwen's chat template writes them.

    Args:
        messages: The conversation; a system message it begins with is kept in front of the tools.
        table: The environment's tools.
        frame: How the model writes boxes; the schemas say so.
    """
    schemas = "".join(f"\n{json.dumps(schema, ensure_ascii=False)}" for schema in table.schemas(frame))
    text = _BEFORE_TOOLS + schemas + _AFTER_TOOLS
    if messages and messages[0].role == "system":
        before = "".join(part.text for part in messages[0].parts if isinstance(part, TextPart))
        return [message("system", f"{before}\n\n{text}"), *messages[1:]]
    return [message("system", text), *messages]


def read_reply(text: str, table: ToolTable, frame: NumberFrame) -> Reply:
    """A model's text as one turn in an environment that takes one answer.

    Args:
        text: What the model wrote, without special tokens.
        table: The environment's tools.
        frame: How the model writes boxes.

    Returns:
        The text and its single call with boxes in fractions of the page; no call if the text holds none or several.
    """
    return reply_of(text, parse_calls(text, table), table, frame)


def reply_of(text: str, parsed: Parsed, table: ToolTable, frame: NumberFrame) -> Reply:
    """The same of a text that was parsed already."""
    call, _ = single_call(parsed)
    return Reply(text) if call is None else Reply(text, (to_env(call.action, table, frame),))


def decode(processor: Any, token_ids: Sequence[int]) -> str:
    """The text of generated tokens up to the first end token, without special tokens."""
    tokenizer = processor.tokenizer
    ends = {tokenizer.eos_token_id, tokenizer.pad_token_id}
    ids = []
    for token in token_ids:
        if int(token) in ends:
            break
        ids.append(int(token))
    return str(tokenizer.decode(ids, skip_special_tokens=True))

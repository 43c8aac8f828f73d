"""The texts that the tiny tokenizer learns its merges from: the project's own prompts and tool-call syntax."""

from __future__ import annotations

TOOL_SYNTAX = (
    "# Tools\n\nYou may call one or more functions to assist with the user query.\n\n"
    "You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n</tools>\n\n"
    "For each function call, return a json object with function name and arguments within "
    "<tool_call></tool_call> XML tags:\n",
    "system\nuser\nassistant\ntool\n",
    '<tool_call>\n{"name": "answer", "arguments": {"bbox": [12, 340, 567, 890]}}\n</tool_call>',
    "Which element is flawed? Call answer with bbox [x1, y1, x2, y2] (0-1000) or null.",
)


def prompt_corpus() -> list[str]:
    """Texts for `designgym.agents.qwen.tokenizer.build_tokenizer`, in a fixed order."""
    return list(TOOL_SYNTAX)

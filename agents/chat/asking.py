"""How a model behind an endpoint is asked: in the words of the environment's prompt builder, as every model is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from designgym.agents.base import Observation
from designgym.agents.chat.frames import number_frame
from designgym.agents.prompts import PromptBuilder
from designgym.agents.qwen.conversation import announce_tools
from designgym.agents.words import in_words
from designgym.boxes import Frame, NumberFrame
from designgym.history import Turn
from designgym.prompt import Message, Wording
from designgym.tools import ToolTable

ToolForm = Literal["native", "json"]
"""``native`` hands the tools to the server, which returns calls; ``json`` announces them in the system message, and
calls are read out of the text."""


@dataclass(frozen=True, eq=False)
class Asking:
    """All about asking that is the same for the episodes of an environment.

    Attributes:
        prompt: The environment's prompt builder.
        tools: Its tools.
        boxes: How the model writes boxes.
        form: How tools are announced and calls come back.
        wording: How much is explained.
        settings: What was chosen about the prompt beside: `designgym.agents.prompts.prompt_settings`.
    """

    prompt: PromptBuilder
    tools: ToolTable
    boxes: Frame = "fraction"
    form: ToolForm = "native"
    wording: Wording = "full"
    settings: Mapping[str, Any] = field(default_factory=dict)
    _schemas: dict[NumberFrame, list[dict[str, Any]]] = field(default_factory=dict, init=False, repr=False)

    @property
    def in_words(self) -> bool:
        """Whether an answer in words is asked for, so that there are no tools."""
        return in_words(self.settings)

    def frame(self, observation: Observation, options: Mapping[str, Any]) -> NumberFrame:
        """How the model writes boxes on what it is shown of this observation's image."""
        return number_frame(self.boxes, observation["image"], options)

    def messages(
        self, observation: Observation, history: Sequence[Turn], options: Mapping[str, Any], frame: NumberFrame
    ) -> list[Message]:
        """What the model is shown.

        Args:
            observation: What the environment gave last.
            history: All turns so far, the reset first.
            options: The environment's ``prompt_options()``.
            frame: How the model writes boxes.
        """
        keywords = {**options, **self.settings}
        messages = self.prompt(observation, self.tools, history=history, wording=self.wording, frame=frame, **keywords)
        announced = self.form == "json" and self.wording == "full" and not self.in_words
        return announce_tools(messages, self.tools, frame) if announced else messages

    def schemas(self, frame: NumberFrame) -> list[dict[str, Any]]:
        """The tools that are handed to the server."""
        if self.form != "native" or self.in_words:
            return []
        if frame not in self._schemas:  # each size of page has its own where boxes are px
            self._schemas[frame] = self.tools.schemas(frame)
        return self._schemas[frame]

"""An episode of a local model as tokens: what it was shown, and what it wrote.

The local agent, supervised training and reinforcement all ask and read a model through a :class:`Dialogue`, so that
it sees the same tokens wherever it is used. There are two histories:

* ``windowed``: every turn is asked anew by the environment's prompt builder, with as much of what came before as the
  builder shows. Every turn is a training row of its own.
* ``growing``: one sequence: the first prompt, what the model wrote, the environment's answer with its image, and so
  on. What was generated is never tokenised again. The episode is one training row, whose mask marks the model's words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from PIL import Image

from designgym.agents.base import Action, Info, Observation, Reply
from designgym.agents.memory import KEPT_IMAGES
from designgym.agents.prompts import PromptBuilder, prompt_builder
from designgym.agents.qwen.conversation import announce_tools, decode, reply_of
from designgym.agents.qwen.frames import fitted, number_frame, page_size
from designgym.agents.qwen.local import LocalModel
from designgym.agents.qwen.tokens import Prompt, answer_tokens, image_fields, reply_tokens, to_prompt
from designgym.agents.qwen.turn_tokens import TurnTokens
from designgym.agents.words import in_words, read_words
from designgym.boxes import NumberFrame
from designgym.history import Turn, appended, turn
from designgym.parse import parse_calls
from designgym.prompt import ImagePart, Message, Wording, to_transformers
from designgym.tools import ToolTable

__all__ = ["Asker", "Dialogue", "HistoryKind", "Prompt", "TokenRow", "image_fields", "reply_tokens"]

Options = Callable[[], Mapping[str, Any]]
"""The ``prompt_options`` of an environment: asked in every turn, for a page may have another size by then."""

HistoryKind = Literal["windowed", "growing"]
"""How a model is shown what came before."""


@dataclass(frozen=True, eq=False)
class TokenRow:
    """One sequence to train on.

    Attributes:
        prompt_ids: Tokens that the model was given, image pads included.
        completion_ids: Tokens that follow.
        mask: 1 for each token of ``completion_ids`` that the model wrote, 0 for those of the environment.
        images: All images of the sequence in order, RGB, in sizes that the model's processor leaves alone.
        turn: The model's turn that the row begins with, from 0.
    """

    prompt_ids: list[int]
    completion_ids: list[int]
    mask: list[int]
    images: tuple[Image.Image, ...]
    turn: int


@dataclass(frozen=True, eq=False)
class Asker:
    """All about asking a model that is the same for the episodes of an environment.

    Attributes:
        env_id: The environment, which decides the prompt builder.
        tools: Its tools.
        local: The model; only its processor and family are used.
        wording: ``"full"`` announces the tools' schemas in a system message; ``"brief"`` leaves it at the prompt's
            line.
        settings: What was chosen about the prompt beside the wording: `designgym.agents.prompts.prompt_settings`.
        history: See the module.
        prompt: A prompt builder in place of the environment's.
    """

    env_id: str
    tools: ToolTable
    local: LocalModel
    wording: Wording = "full"
    settings: Mapping[str, Any] = field(default_factory=dict)
    history: HistoryKind = "windowed"
    prompt: PromptBuilder | None = None

    def dialogue(self, options: Options = dict, *, rows: bool = True) -> Dialogue:
        """A new episode's.

        Args:
            options: The ``prompt_options`` of the environment that plays it.
            rows: Keep the training rows of a windowed dialogue; without them its size is bounded.
        """
        return Dialogue(self, options, keep_rows=rows)

    def messages(
        self, observation: Observation, history: Sequence[Turn], options: Mapping[str, Any], frame: NumberFrame
    ) -> list[Message]:
        """What a model is shown when it is asked anew.

        Args:
            observation: What the environment gave last.
            history: All turns so far, the reset first; empty stands for the reset alone.
            options: The environment's ``prompt_options()``.
            frame: How the model writes boxes.
        """
        build = self.prompt or prompt_builder(self.env_id)
        keywords = {**options, **self.settings}
        if self.history == "growing":
            keywords["growing"] = True
        messages = build(observation, self.tools, history=history, wording=self.wording, frame=frame, **keywords)
        announced = self.wording == "full" and not in_words(self.settings)
        return announce_tools(messages, self.tools, frame) if announced else messages

    def frame(self, observation: Observation, options: Mapping[str, Any]) -> NumberFrame:
        """How the model writes boxes on what it is shown of this observation's image.

        Args:
            observation: The observation.
            options: The environment's ``prompt_options()``.
        """
        size = page_size(observation["image"], options)
        return number_frame(self.local.family, self.local.processor.image_processor, size)

    @cached_property
    def vocabulary(self) -> TurnTokens:
        """The tokens that mean something to a dialogue."""
        return TurnTokens.of(self.local.processor.tokenizer)


class Dialogue:
    """One episode: `saw` and `prompt`, `wrote`, `saw` and `prompt`, and so on. For one thread at a time.

    Attributes:
        asker: Who asks.
        turns: How often the model has replied.
        silent: Whether its last reply holds nothing that looks like a call.
    """

    def __init__(self, asker: Asker, options: Options, *, keep_rows: bool = True) -> None:
        self.asker = asker
        self._options = options
        self.turns = 0
        self.silent = False
        self._keep_rows = keep_rows
        self._observation: Observation | None = None
        self._history: tuple[Turn, ...] = ()
        self._prompt: Prompt | None = None
        self._answered = True
        self._rows: list[TokenRow] = []

    @property
    def options(self) -> Mapping[str, Any]:
        """What the environment says about its prompt now."""
        return self._options()

    @property
    def waiting(self) -> bool:
        """Whether `saw` comes next: at the beginning, and after each reply."""
        return self._answered

    def saw(self, observation: Observation, info: Info, action: Action | str | None = None) -> None:
        """Take note of what the environment gave.

        Args:
            observation: The observation; its image is shared, not copied.
            info: The info.
            action: The call, or the text without one, that led to it; None at the reset.

        Raises:
            ValueError: If it is not the turn for it.
        """
        if not self._answered or (action is None) != (self._observation is None):
            raise ValueError(
                "A dialogue sees the reset first (action=None) and then the result of each reply; "
                "start another dialogue for another episode."
            )
        if self._observation is None or self.asker.history == "windowed":
            new = turn(action, observation, info, max(0, self.turns - 1))
            self._history = appended(self._history, new, images=KEPT_IMAGES)
        self._observation = observation
        self._prompt, self._answered = None, False

    @property
    def frame(self) -> NumberFrame:
        """How the model writes boxes now."""
        return self.asker.frame(self._seen(), self.options)

    def messages(self) -> list[Message]:
        """The conversation with which a windowed dialogue asks for the next turn, and a growing one for its first."""
        return self.asker.messages(self._seen(), self._history, self.options, self.frame)

    def prompt(self) -> Prompt:
        """What asks for the next turn; may be asked for more than once."""
        if self._prompt is None:
            processor = self.asker.local.processor
            if self.asker.history == "windowed" or not self._rows:
                self._prompt = to_prompt(processor, to_transformers(self.messages()))
            else:
                (row,) = self._rows
                observation = self._seen()
                image = fitted(processor.image_processor, ImagePart(observation["image"]).pil())
                ended = row.completion_ids[-1:] == [self.asker.vocabulary.end]
                answer = answer_tokens(processor, image, observation["text"], ended=ended)
                self._prompt = Prompt(row.prompt_ids + row.completion_ids + answer, (*row.images, image))
        return self._prompt

    def wrote(self, ids: Sequence[int]) -> Reply:
        """Take note of the model's reply.

        Args:
            ids: The tokens as they were generated. What follows the first end token, the padding of a batch, is cut
                off.

        Returns:
            The text and its single call with boxes in fractions of the page; no call if it holds none or several.

        Raises:
            ValueError: If there was nothing to reply to, or a token stands for pixels.
        """
        self._check_turn()
        own = self.asker.vocabulary.written(ids)
        prompt = self.prompt()
        if self.asker.history == "growing" and self._rows:
            (row,) = self._rows
            done = len(row.prompt_ids)
            answer = prompt.ids[done + len(row.completion_ids) :]
            completion = row.completion_ids + answer + own
            mask = row.mask + [0] * len(answer) + [1] * len(own)
            self._rows = [TokenRow(row.prompt_ids, completion, mask, prompt.images, 0)]
        elif self.asker.history == "growing" or self._keep_rows:
            self._rows.append(TokenRow(prompt.ids, own, [1] * len(own), prompt.images, self.turns))
        return self._read(decode(self.asker.local.processor, own))

    def said(self, text: str) -> Reply:
        """Take note of a reply of which there is only the text; it makes no training row.

        Raises:
            ValueError: If there was nothing to reply to, or the dialogue is growing, which goes on from tokens.
        """
        if self.asker.history == "growing":
            raise ValueError("A growing dialogue needs the tokens of every reply; use wrote(ids).")
        self._check_turn()
        return self._read(text)

    def rows(self) -> list[TokenRow]:
        """The training rows so far: one for each turn if windowed, one in all if growing."""
        return list(self._rows)

    def _seen(self) -> Observation:
        if self._observation is None:
            raise ValueError("The dialogue has seen nothing yet; let it see the reset first.")
        return self._observation

    def _read(self, text: str) -> Reply:
        if in_words(self.asker.settings):
            reply = read_words(text, self.asker.tools, self.frame, self.options)
            self.silent = not reply.calls
        else:
            parsed = parse_calls(text, self.asker.tools)
            reply = reply_of(text, parsed, self.asker.tools, self.frame)
            self.silent = not parsed.markup
        self.turns += 1
        self._prompt, self._answered = None, True
        return reply

    def _check_turn(self) -> None:
        if self._answered:
            raise ValueError("There is nothing to reply to; let the dialogue see what the environment gave last.")

"""A local Qwen-VL as an agent: it is prompted, generates a tool call, and its boxes are turned into page fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import gymnasium as gym

from designgym.agents.base import Action, Info, Observation, Reply
from designgym.agents.memory import NOTHING, ByTask, Recollection
from designgym.agents.prompts import PromptBuilder, prompt_builder, prompt_settings
from designgym.agents.qwen.conversation import decode
from designgym.agents.qwen.dialogue import Asker, Dialogue, HistoryKind, Options
from designgym.agents.qwen.local import LocalModel, load
from designgym.agents.qwen.tokens import Prompt, model_inputs, to_prompt
from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.prompt import Message, Wording, to_transformers
from designgym.tools import ToolTable


@dataclass
class _Episode:
    dialogue: Dialogue
    sent: Action | str | None = None


class QwenAgent:
    """Asks a local model, greedily or by sampling.

    The prompt of a second or later step shows what came before, if `begin` was called after the reset, as runs do.

    Attributes:
        asker: Makes the prompts: the model's processor, the environment's prompt builder and tools, and how they are
            used (``wording``, ``settings``, ``history``).
        local: The loaded model.
        tools: The environment's tools.
        sample: Sample at ``temperature`` instead of taking the most probable token.
        temperature: Divides the logits when sampling.
        max_new_tokens: Longest reply in tokens.
        seed: Sampling depends on it and on the order of the calls alone; torch's global state is left as it was.
    """

    def __init__(
        self,
        local: LocalModel,
        prompt: PromptBuilder,
        tools: ToolTable,
        *,
        wording: Wording = "full",
        settings: Mapping[str, Any] | None = None,
        history: HistoryKind = "windowed",
        sample: bool = False,
        temperature: float = 1.0,
        max_new_tokens: int = 128,
        seed: int = 0,
    ) -> None:
        self.asker = Asker("", tools, local, wording, dict(settings or {}), history, prompt)
        self.local = local
        self.tools = tools
        self.sample = sample
        self.temperature = temperature
        self.max_new_tokens = max_new_tokens
        self.seed = seed
        self._turns = 0
        self._episodes: ByTask[_Episode] = ByTask()

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Start to remember an episode."""
        options: Options = env.unwrapped.prompt_options  # type: ignore[attr-defined]
        self._episodes.put(env, info, _Episode(self.asker.dialogue(options, rows=False)))

    def __call__(self, observation: Observation, info: Info) -> Reply:
        """Reply to one observation."""
        return self.act_batch([observation], [info])[0]

    def act_batch(self, observations: Sequence[Observation], infos: Sequence[Info]) -> list[Reply]:
        """Reply to several observations in one left-padded batch; greedily, that equals asking one by one."""
        episodes = [self._episode(observation, info) for observation, info in zip(observations, infos, strict=True)]
        dialogues = [episode.dialogue for episode in episodes]
        if self.asker.history == "windowed":
            texts = self.generate([to_transformers(dialogue.messages()) for dialogue in dialogues])
            replies = [dialogue.said(text) for dialogue, text in zip(dialogues, texts, strict=True)]
        else:
            written = self.complete([dialogue.prompt() for dialogue in dialogues])
            replies = [dialogue.wrote(ids) for dialogue, ids in zip(dialogues, written, strict=True)]
        for episode, reply in zip(episodes, replies, strict=True):
            episode.sent = reply.calls[0] if reply.calls else reply.text
        return [replace(reply, silent=each.silent) for reply, each in zip(replies, dialogues, strict=True)]

    def _episode(self, observation: Observation, info: Info) -> _Episode:
        """The episode that an observation belongs to, which has seen it; one that was not begun starts here."""
        episode = self._episodes.find(info)
        if episode is None:
            episode = _Episode(self.asker.dialogue(rows=False))
            info = {"error": "", **info}
        if episode.dialogue.waiting:
            episode.dialogue.saw(observation, info, episode.sent)
        return episode

    def frame(self, observation: Observation, recalled: Recollection = NOTHING) -> NumberFrame:
        """How the model writes boxes on what it is shown of this observation's image."""
        return self.asker.frame(observation, recalled.options)

    def messages(self, observation: Observation, frame: NumberFrame, recalled: Recollection = NOTHING) -> list[Message]:
        """What the model is shown when it is asked anew."""
        return self.asker.messages(observation, recalled.history, recalled.options, frame)

    def generate(self, chats: Sequence[list[dict[str, Any]]]) -> list[str]:
        """The texts that the model answers to conversations in transformers' form."""
        processor = self.local.processor
        written = self.complete([to_prompt(processor, chat) for chat in chats])
        return [decode(processor, ids) for ids in written]

    def complete(self, prompts: Sequence[Prompt]) -> list[list[int]]:
        """The tokens that the model writes after prompts, in one left-padded batch."""
        import torch

        model, processor = self.local.model, self.local.processor
        inputs = {name: values.to(model.device) for name, values in model_inputs(processor, prompts).items()}
        choice: dict[str, Any] = {"do_sample": False}
        if self.sample:
            choice = {"do_sample": True, "temperature": self.temperature, "top_k": 0, "top_p": 1.0}
        devices = [model.device] if model.device.type == "cuda" else []
        with torch.inference_mode(), torch.random.fork_rng(devices=devices):
            torch.manual_seed(self.seed + 1_000_003 * self._turns)
            generated = model.generate(
                **inputs,
                **choice,
                max_new_tokens=self.max_new_tokens,
                suppress_tokens=sorted(self.asker.vocabulary.pixels),
                pad_token_id=processor.tokenizer.pad_token_id,
            )
        self._turns += 1
        rows: list[list[int]] = generated[:, inputs["input_ids"].shape[1] :].tolist()
        return rows


def build(
    env: gym.Env[Any, Any],
    seed: int = 0,
    *,
    model: str = "",
    wording: Wording = "full",
    framing: str | None = None,
    context: list[str] | None = None,
    history: HistoryKind = "windowed",
    sample: bool = False,
    temperature: float = 1.0,
    max_new_tokens: int = 128,
    max_pixels: int | None = None,
) -> QwenAgent:
    """Load a local model to play an environment.

    Args:
        env: The environment; its prompt builder and its tools are used.
        seed: Seed of sampling.
        model: Folder of a model or an adapter, or a hub id.
        wording: ``"full"`` announces the tools' schemas in a system message; ``"brief"`` leaves it at the prompt's
            line.
        framing: How the task is put, where the environment's prompt offers a choice; None takes its default.
        context: What is shown in each round, likewise.
        history: ``"windowed"`` asks every turn anew, with what the environment's prompt shows of those before;
            ``"growing"`` goes on from all that was shown and written.
        sample: Sample instead of answering greedily.
        temperature: Of sampling.
        max_new_tokens: Longest reply in tokens.
        max_pixels: See `designgym.agents.qwen.local.load`.

    Raises:
        UserError: If no model is named, it cannot be loaded, a number makes no sense, or there is no prompt for the
            environment, or none with these settings.
    """
    if not model:
        raise UserError("The agent 'qwen' needs the option 'model': a folder or a hub id of a Qwen-VL.")
    if wording not in get_args(Wording):
        raise UserError(f"The wording {wording!r} is unknown; it is one of {', '.join(get_args(Wording))}.")
    if history not in get_args(HistoryKind):
        raise UserError(f"The history {history!r} is unknown; it is one of {', '.join(get_args(HistoryKind))}.")
    if temperature <= 0 or max_new_tokens < 1:
        wrong = f"temperature is {temperature}" if temperature <= 0 else f"max_new_tokens is {max_new_tokens}"
        raise UserError(f"{wrong}; it must be above 0.")
    design: Any = env.unwrapped
    prompt = prompt_builder(design.env_id)
    settings = prompt_settings(design.env_id, framing=framing, context=context)
    local = load(model, max_pixels=max_pixels)
    choice: dict[str, Any] = {"sample": sample, "temperature": temperature, "max_new_tokens": max_new_tokens}
    asked: dict[str, Any] = {"wording": wording, "settings": settings, "history": history}
    return QwenAgent(local, prompt, design.tool_table, **asked, seed=seed, **choice)

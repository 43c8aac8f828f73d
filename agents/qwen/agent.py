"""A local Qwen-VL as an agent: it is prompted, generates a tool call, and its boxes are turned into page fractions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, get_args

import gymnasium as gym

from designgym.agents.base import Info, Observation, Reply
from designgym.agents.memory import NOTHING, Memory, Recollection
from designgym.agents.prompts import PromptBuilder, prompt_builder, prompt_settings
from designgym.agents.qwen.conversation import announce_tools, decode, read_reply
from designgym.agents.qwen.frames import number_frame
from designgym.agents.qwen.local import LocalModel, load
from designgym.agents.qwen.tokenizer import suppressed_tokens
from designgym.boxes import NumberFrame
from designgym.errors import UserError
from designgym.prompt import Message, Wording, to_transformers
from designgym.tools import ToolTable


class QwenAgent:
    """Asks a local model, greedily or by sampling.

    The prompt of a second or later step shows what came before, if `begin` was called after the reset, as runs do.

    Attributes:
        local: The loaded model.
        prompt: The environment's prompt builder.
        tools: The environment's tools.
        wording: ``"full"`` announces the tools' schemas in a system message; ``"brief"`` leaves it at the prompt's
            line.
        settings: What was chosen about the prompt beside the wording, as keywords for the builder.
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
        sample: bool = False,
        temperature: float = 1.0,
        max_new_tokens: int = 128,
        seed: int = 0,
    ) -> None:
        self.local = local
        self.prompt = prompt
        self.tools = tools
        self.wording: Wording = wording
        self.settings = dict(settings or {})
        self.sample = sample
        self.temperature = temperature
        self.max_new_tokens = max_new_tokens
        self.seed = seed
        self._turns = 0
        self._memory = Memory()

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Start to remember an episode."""
        self._memory.begin(env, info)

    def __call__(self, observation: Observation, info: Info) -> Reply:
        """Reply to one observation."""
        return self.act_batch([observation], [info])[0]

    def act_batch(self, observations: Sequence[Observation], infos: Sequence[Info]) -> list[Reply]:
        """Reply to several observations in one left-padded batch; greedily, that equals asking one by one."""
        frames = [self.frame(observation) for observation in observations]
        recalled = [
            self._memory.recall(observation, info) for observation, info in zip(observations, infos, strict=True)
        ]
        asked = zip(observations, frames, recalled, strict=True)
        texts = self.generate([to_transformers(self.messages(*each)) for each in asked])
        replies = [read_reply(text, self.tools, frame) for text, frame in zip(texts, frames, strict=True)]
        for reply, info in zip(replies, infos, strict=True):
            self._memory.sent(reply.calls[0] if reply.calls else reply.text, info)
        return replies

    def frame(self, observation: Observation) -> NumberFrame:
        """How the model writes boxes on this observation's image."""
        height, width = observation["image"].shape[:2]
        return number_frame(self.local.family, self.local.processor.image_processor, (width, height))

    def messages(self, observation: Observation, frame: NumberFrame, recalled: Recollection = NOTHING) -> list[Message]:
        """What the model is shown."""
        messages = self.prompt(
            observation,
            self.tools,
            history=recalled.history,
            wording=self.wording,
            frame=frame,
            **{**recalled.options, **self.settings},
        )
        return announce_tools(messages, self.tools, frame) if self.wording == "full" else messages

    def generate(self, chats: Sequence[list[dict[str, Any]]]) -> list[str]:
        """The texts that the model answers to conversations in transformers' form."""
        import torch

        model, processor = self.local.model, self.local.processor
        inputs = processor.apply_chat_template(
            list(chats),
            tokenize=True,
            add_generation_prompt=True,
            return_dict=True,
            return_tensors="pt",
            processor_kwargs={"padding": True, "padding_side": "left"},
        ).to(model.device)
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
                suppress_tokens=suppressed_tokens(processor.tokenizer),
                pad_token_id=processor.tokenizer.pad_token_id,
            )
        self._turns += 1
        return [decode(processor, row) for row in generated[:, inputs["input_ids"].shape[1] :].tolist()]


def build(
    env: gym.Env[Any, Any],
    seed: int = 0,
    *,
    model: str = "",
    wording: Wording = "full",
    framing: str | None = None,
    context: list[str] | None = None,
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
        wording: See :class:`QwenAgent`, as the following.
        framing: How the task is put, where the environment's prompt offers a choice; None takes its default.
        context: What is shown in each round, likewise.
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
    if temperature <= 0 or max_new_tokens < 1:
        wrong = f"temperature is {temperature}" if temperature <= 0 else f"max_new_tokens is {max_new_tokens}"
        raise UserError(f"{wrong}; it must be above 0.")
    design: Any = env.unwrapped
    prompt = prompt_builder(design.env_id)
    settings = prompt_settings(design.env_id, framing=framing, context=context)
    local = load(model, max_pixels=max_pixels)
    choice: dict[str, Any] = {"sample": sample, "temperature": temperature, "max_new_tokens": max_new_tokens}
    return QwenAgent(local, prompt, design.tool_table, wording=wording, settings=settings, seed=seed, **choice)

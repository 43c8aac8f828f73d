"""A model behind a chat endpoint as an agent: any provider, any server that speaks OpenAI's protocol."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args
from weakref import ReferenceType, ref

import gymnasium as gym

from designgym.agents.base import Action, Info, Observation, Reply
from designgym.agents.chat.asking import Asking, ToolForm
from designgym.agents.chat.frames import frame_of
from designgym.agents.chat.reading import read_reply, read_words_reply
from designgym.agents.chat.spending import Budget, Price, Spent, usage
from designgym.agents.memory import KEPT_IMAGES, ByTask
from designgym.agents.prompts import prompt_builder, prompt_settings
from designgym.boxes import Frame
from designgym.completion import Completion
from designgym.endpoint import ChatClient, Endpoint, OutOfTimeError, WrongEndpointError
from designgym.errors import UserError
from designgym.history import Turn, appended, turn
from designgym.prompt import Wording, to_openai

Detail = Literal["auto", "low", "high"]


@dataclass
class _Episode:
    """A trial under way.

    ``sent`` are the calls of the last turn of which nothing was seen yet; ``seen`` is whether the reset was.
    """

    design: ReferenceType[Any] | None = None
    history: tuple[Turn, ...] = ()
    sent: tuple[Action | str, ...] = ()
    spent: Spent = field(default_factory=Spent)

    @property
    def options(self) -> Mapping[str, Any]:
        """What the environment says now about its prompt; it may change with every call."""
        design = self.design() if self.design is not None else None
        return {} if design is None else design.prompt_options()

    def saw(self, action: Action | str | None, observation: Observation, info: Info) -> None:
        new = turn(action, observation, {"error": "", **info}, max(0, self.spent.rounds - 1))
        self.history = appended(self.history, new, images=KEPT_IMAGES)
        self.sent = self.sent[1:]


class ChatAgent:
    """Asks a model behind an endpoint; for several threads, each with a trial of its own.

    What a model is shown in each turn, and of what came before, is what the environment's prompt builder shows.

    Attributes:
        client: Asks the endpoint.
        asking: How the model is asked.
        single: Whether one call is all that the environment takes.
        budget: Most that a trial may take.
        price: What tokens cost, if that is known.
        concurrency: Most trials under way at once.
        detail: How closely images are to be looked at, for providers that offer a choice.
        about: A few words for reports.
    """

    concurrent = True

    def __init__(
        self,
        client: ChatClient,
        asking: Asking,
        *,
        single: bool = False,
        budget: Budget | None = None,
        price: Price | None = None,
        concurrency: int = 32,
        detail: str | None = None,
    ) -> None:
        self.client = client
        self.asking = asking
        self.single = single
        self.budget = budget or Budget()
        self.price = price
        self.concurrency = concurrency
        self.detail = detail
        self.about = client.endpoint.model
        self._episodes: ByTask[_Episode] = ByTask()

    def begin(self, env: gym.Env[Any, Any], info: Info) -> None:
        """Start to remember an episode."""
        self._episodes.put(env, info, _Episode(ref(env.unwrapped)))

    def saw(self, action: Action | str, observation: Observation, info: Info) -> None:
        """Remember what became of a call."""
        if (episode := self._episodes.find(info)) is not None:
            episode.saw(action, observation, info)

    def __call__(self, observation: Observation, info: Info) -> Reply:
        """Ask for the next turn.

        Raises:
            EndpointError: If no try gave an answer.
            BadRequestError: If the endpoint will never answer this request. Both are failures of the trial alone.
            UserError: If the endpoint is down, or will answer nothing.
        """
        episode = self._episodes.find(info) or _Episode()
        if episode.sent or not episode.history:  # nobody told of it, as where one call is a turn and is not watched
            episode.saw(episode.sent[0] if episode.sent else None, observation, info)
        options = episode.options
        frame = self.asking.frame(observation, options)
        messages = to_openai(self.asking.messages(observation, episode.history, options, frame), detail=self.detail)
        start = time.monotonic()
        try:
            said = self.client.complete(messages, self.asking.schemas(frame), self._left_s(episode))
        except OutOfTimeError:
            return Reply(end="seconds", usage={"seconds": time.monotonic() - start})
        self._spend(episode, said)
        took = usage(said, self.price)
        if said.refusal:
            return Reply(said.refusal, end="refused", usage=took)
        if self.asking.in_words:
            reply = read_words_reply(said, self.asking.tools, frame, options)
        else:
            reply = read_reply(said, self.asking.tools, frame, single=self.single)
        episode.sent = reply.calls
        end = "" if reply.silent else episode.spent.reached(self.budget)
        return replace(reply, usage=took, end=end)

    def _left_s(self, episode: _Episode) -> float | None:
        return None if self.budget.seconds is None else max(0.0, self.budget.seconds - episode.spent.seconds)

    def _spend(self, episode: _Episode, said: Completion) -> None:
        if self.budget.tokens is not None and None in (said.prompt_tokens, said.completion_tokens):
            url = self.client.endpoint.url
            raise WrongEndpointError(f"{url} does not tell how many tokens a reply took; leave trial_tokens out.")
        episode.spent.add(said)


def build(
    env: gym.Env[Any, Any],
    seed: int = 0,
    *,
    url: str,
    model: str,
    tools: ToolForm = "native",
    wording: Wording = "full",
    framing: str | None = None,
    context: list[str] | None = None,
    boxes: Frame | None = None,
    detail: Detail | None = None,
    temperature: float | None = 0.0,
    max_tokens: int | None = 2048,
    concurrency: int = 32,
    requests_per_minute: float | None = None,
    trial_rounds: int | None = None,
    trial_tokens: int | None = None,
    trial_seconds: float | None = None,
    price_prompt: float | None = None,
    price_completion: float | None = None,
    key_variable: str = "OPENAI_API_KEY",
    timeout_s: float = 120.0,
    tries: int = 5,
    extra: dict[str, Any] | None = None,
) -> ChatAgent:
    """Ask a model behind an endpoint to play an environment.

    Args:
        env: The environment; its prompt builder and its tools are used.
        seed: Unused; sampling is the endpoint's.
        url: Base address, such as ``http://localhost:8000/v1``.
        model: The model's name there.
        tools: ``"native"``: the server is handed the tools' schemas and returns calls; ``"json"``: the system message
            announces them and calls are read out of the text, for servers and models without tool calling.
        wording: ``"full"`` explains the task; ``"brief"`` is for models that were trained on short prompts.
        framing: How the task is put, where the environment's prompt offers a choice; null takes its default.
        context: What is shown in each round, likewise.
        boxes: How the model writes boxes: ``"fraction"``, ``"thousand"``, ``"pixel"`` or ``"resized_pixel"``; null
            goes by its name, see `designgym.agents.chat.frames`.
        detail: How closely images are to be looked at: ``"low"``, ``"high"`` or ``"auto"``; null says nothing.
        temperature: Of sampling; null says nothing.
        max_tokens: Longest reply in tokens; null says nothing.
        concurrency: Most trials under way at once.
        requests_per_minute: Most requests a minute; null sets no limit.
        trial_rounds: Most replies in a trial; null leaves it to the environment.
        trial_tokens: Most tokens in a trial, asked and answered together; null sets no limit.
        trial_seconds: Most time that the model may take in a trial, seconds; null sets no limit.
        price_prompt: Price of a million tokens of what is asked; with the next it gives the results a cost.
        price_completion: Price of a million tokens of answers.
        key_variable: Environment variable that holds the key; where it is not set, no key is sent.
        timeout_s: Longest silence of the server, seconds.
        tries: How often a request is sent at most.
        extra: Further fields of each request, such as ``{top_p: 0.9}``.

    Raises:
        UserError: If nobody answers at the address, an option makes no sense, or there is no prompt for the
            environment, or none with these settings.
    """
    for name, value, known in (
        ("tools", tools, get_args(ToolForm)),
        ("wording", wording, get_args(Wording)),
        ("detail", detail, (None, *get_args(Detail))),
    ):
        if value not in known:
            raise UserError(f"{name} is {value!r}; it is one of {', '.join(str(each) for each in known if each)}.")
    if concurrency < 1 or (max_tokens is not None and max_tokens < 1):
        wrong = f"concurrency is {concurrency}" if concurrency < 1 else f"max_tokens is {max_tokens}"
        raise UserError(f"{wrong}; it must be 1 or more.")
    design: Any = env.unwrapped
    settings = prompt_settings(design.env_id, framing=framing, context=context)
    asking = Asking(
        prompt_builder(design.env_id),
        design.tool_table,
        frame_of(model, boxes),
        tools,
        wording,
        settings,
    )
    endpoint = Endpoint(
        url,
        model,
        key_variable,
        timeout_s,
        tries,
        temperature=temperature,
        max_tokens=max_tokens,
        requests_per_minute=requests_per_minute,
        extra=extra or {},
    )
    budget = Budget(trial_rounds, trial_tokens, trial_seconds)
    priced = price_prompt is not None or price_completion is not None
    price = Price(price_prompt or 0.0, price_completion or 0.0) if priced else None
    client = ChatClient(endpoint)
    client.check()
    single = design.max_calls == 1
    return ChatAgent(client, asking, single=single, budget=budget, price=price, concurrency=concurrency, detail=detail)

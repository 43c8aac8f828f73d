"""GraphicTown as an agent of the workbench's plan mode: a whole workflow in one call."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym

from designgym.agents.base import Info, Observation, Reply
from designgym.agents.graphictown.artefacts import Artefacts
from designgym.agents.graphictown.town import Chat, Stuck, plan
from designgym.endpoint import ChatClient, Endpoint
from designgym.envs.design.plan import EXECUTE
from designgym.errors import UserError

ENV_ID = "designgym/DesignActions-v0"


class GraphicTown:
    """Plans each design with one model in all roles.

    Attributes:
        chat: Asks the model; called by several threads at once where several designs are under way.
        artefacts: Folder for ``<task>.json``; None keeps nothing.
        tries: How often each step is asked at most.
        about: A few words for reports.
    """

    concurrent = True

    def __init__(self, chat: Chat, *, artefacts: Path | None = None, tries: int = 2, about: str = "") -> None:
        self.chat = chat
        self.artefacts = artefacts
        self.tries = tries
        self.about = about

    def __call__(self, observation: Observation, info: Info) -> Reply:
        """The plan. Where a step gave nothing that could be read, its last reply, which is no plan: kind ``format``."""
        found = Artefacts(str(info["task"]), str(observation["task"]))
        try:
            plan(self.chat, found.task, found.brief, tries=self.tries, found=found)
        except Stuck as stuck:
            return Reply(stuck.reply, ({"name": EXECUTE, "arguments": {"steps": stuck.reply}},))
        finally:
            if self.artefacts is not None:
                found.write(self.artefacts)
        return Reply("", ({"name": EXECUTE, "arguments": {"steps": found.plan}},))


def build(
    env: gym.Env[Any, Any],
    seed: int = 0,
    *,
    url: str,
    model: str,
    artefacts: str | None = None,
    tries: int = 2,
    temperature: float = 0.0,
    max_tokens: int = 2048,
    key_variable: str = "OPENAI_API_KEY",
    timeout_s: float = 120.0,
) -> GraphicTown:
    """GraphicTown over a chat endpoint.

    Args:
        env: The workbench in plan mode.
        seed: Unused; sampling is the endpoint's.
        url: Base address, such as ``http://localhost:8000/v1``.
        model: The model's name there. It plays all roles, as in the paper.
        artefacts: Folder for outline, recruitment, workflows and plan of every design.
        tries: How often each step is asked at most.
        temperature: The paper takes 0 (section 4.1).
        max_tokens: Of each reply.
        key_variable: Environment variable with the key.
        timeout_s: Longest silence of the server.

    Raises:
        UserError: In another environment or mode, or if nobody answers at the address.
    """
    spec = env.spec
    if spec is None or spec.id != ENV_ID or env.unwrapped.settings.mode != "plan":  # type: ignore[attr-defined]
        raise UserError(f"GraphicTown plans whole workflows: it plays {ENV_ID} with mode='plan' alone.")
    if tries < 1:
        raise UserError(f"tries is {tries}; a step must be asked once at least.")
    client = ChatClient(Endpoint(url, model, key_variable, timeout_s, temperature=temperature, max_tokens=max_tokens))
    client.check()
    folder = Path(artefacts) if artefacts is not None else None
    return GraphicTown(client.ask, artefacts=folder, tries=tries, about=f"GraphicTown, {model}")

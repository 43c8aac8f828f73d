"""The first five of GraphicTown's six steps (GraphicBench, section 3); the workbench carries out the sixth.

Outline, recruitment, a workflow of each expert, supervision into one workflow, and an action for each of its steps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from designgym.agents.graphictown import reading, wording
from designgym.agents.graphictown.artefacts import Artefacts
from designgym.envs.design.experts import Expert, expert_named
from designgym.envs.design.plan import MAX_STEPS
from designgym.prompt import Message, message, plain

T = TypeVar("T")

Chat = Callable[[Sequence[Message]], str]
"""Messages -> the model's reply."""

FILES = "Files that can be imported:"


class Stuck(Exception):
    """No reply of a step could be used; ``reply`` is the last one."""

    def __init__(self, step: str, reply: str) -> None:
        super().__init__(step)
        self.reply = reply


def plan(chat: Chat, task: str, brief: str, *, tries: int = 2, found: Artefacts | None = None) -> Artefacts:
    """Plan a design.

    Args:
        chat: Asks the model.
        task: Task id.
        brief: The query and the files with their captions, as the environment gives them.
        tries: How often a step is asked at most: a reply that cannot be read is answered with what is wrong with it.
        found: Filled as the work goes on; a new one by default.

    Raises:
        Stuck: If recruitment, a workflow or supervision gave nothing that could be read.
    """
    found = found or Artefacts(task, brief)
    asking = _Asking(chat, found, tries)
    query, _, listed = brief.partition(FILES)
    files = f"{FILES}{listed}" if listed else f"{FILES} none"
    lead = wording.supervisor()
    found.outline = asking.ask("outline", lead, wording.outline(brief), str.strip)
    recruited = asking.ask("recruitment", lead, wording.recruit(brief, found.outline), reading.goals)
    found.goals = {str(name): goal for name, goal in recruited.items()}
    workflows: dict[Expert, list[str]] = {}
    for name, goal in recruited.items():
        asked = wording.workflow(name, found.outline, goal, files)
        workflows[name] = asking.ask(f"workflow of {name}", wording.expert(name), asked, reading.texts)
        found.workflows = {str(each): steps for each, steps in workflows.items()}
    asked = wording.integrate(query, found.outline, workflows)
    found.workflow = asking.ask("supervision", lead, asked, reading.workflow)[:MAX_STEPS]
    for who, step in found.workflow:
        asked = wording.retrieve(found.outline, [_shown(each) for each in found.plan], who, step, files)
        role = wording.expert(expert) if (expert := expert_named(who)) else lead
        try:
            action, parameters = asking.ask("retrieval", role, asked, reading.call)
        except Stuck as stuck:
            # The step is there and has no action: the workbench refuses it and goes on with the next.
            action, parameters = stuck.reply[:100], {}
        found.plan.append({"expert": who, "action": action, "parameters": parameters, "description": step[:500]})
    return found


class _Asking:
    """Asks for one step at a time, again where the reply cannot be read."""

    def __init__(self, chat: Chat, found: Artefacts, tries: int) -> None:
        self._chat = chat
        self._found = found
        self._tries = tries

    def ask(self, step: str, role: str, text: str, read: Callable[[str], T]) -> T:
        messages = [message("system", plain(role)), message("user", plain(text))]
        for left in reversed(range(self._tries)):
            self._found.calls += 1
            reply = self._chat(messages)
            try:
                return read(reply)
            except reading.Unreadable as fault:
                self._found.unreadable.append((step, reply))
                if not left:
                    self._found.failed_at = self._found.failed_at or step
                    raise Stuck(step, reply) from fault
                messages += [message("assistant", plain(reply)), message("user", plain(wording.again(str(fault))))]
        raise ValueError(f"tries is {self._tries}; a step must be asked once at least.")


def _shown(step: dict[str, object]) -> str:
    return f"{step['expert']}: {step['action']} {json.dumps(step['parameters'], ensure_ascii=False)}"

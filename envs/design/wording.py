"""All that a model is told of the workbench, in words: task, experts, actions and how they are called."""

from __future__ import annotations

from functools import cache

from designgym.envs.design.actions import ACTIONS, Action
from designgym.envs.design.experts import EXPERTS, FIRST_EXPERT, TASKS
from designgym.envs.design.prompt_settings import WHOLE_CONTEXT, Context, Framing, check_framing

BRIEF = "The client's brief:"
PAGE = "The page that you are working on:"
NO_PAGE = "There is no open document yet."
HISTORY = "Your most recent calls and their results, oldest first:"
NO_HISTORY = "You have made no calls yet."
RESULT = "Result of your last call: {result}"
SIGNATURES = "Actions: {signatures}. Each takes expert, too: {experts}."
ONE_PLAN = "Call execute_plan once, with steps: a list of {expert, action, parameters, description}."
AT_THE_END = "Call finish at the end."

_CRITERIA = (
    "The finished page is looked at, and nothing else counts. Every text of the brief must be on it word for word, in "
    "its colour, place and order of size, easy to read and not cut off; every picture must be there, whole, of the "
    "size and in the place that was asked for; and the background must have the colour that was asked for."
)


def system_prompt(mode: str, *, framing: Framing = "canonical", context: Context = WHOLE_CONTEXT, growing: bool) -> str:
    """The task as the system message tells it.

    Args:
        mode: ``"interactive"`` or ``"plan"``.
        framing: See :data:`designgym.envs.design.prompt_settings.Framing`.
        context: What the model is shown in each round; the prompt says so.
        growing: Everything that is shown and called stays in the conversation.

    Raises:
        UserError: For an unknown framing.
    """
    check_framing(framing)
    task = "You design a page for a client: fulfil the brief by the actions of three experts."
    parts = [f"{task} {_CRITERIA}" if framing == "criteria" else task, _listed("The experts:", _experts())]
    parts.append(_listed("How you act:", _planning() if mode == "plan" else _acting(context, growing)))
    parts.append(_listed("How the page works:", _page()))
    if mode == "plan":
        parts.append(_listed("The actions, with their parameters and who has them:", action_lines()))
    return "\n\n".join(parts)


def _experts() -> tuple[str, ...]:
    return (
        *(f"{expert}: {TASKS[expert]}" for expert in EXPERTS),
        "Each has an open document of its own. What one makes reaches another only as a file: save it with "
        "SaveDocument, then import it with ImportObject.",
    )


def _acting(context: Context, growing: bool) -> tuple[str, ...]:
    shown = "After each call you are shown its result"
    if context.image:
        shown += " and the open document of who acted last"
    stays = " All of it stays in the conversation." if growing else ""
    return (
        "Communicate by tool calls only, with exactly one tool call in each response.",
        f"The parameter expert says who acts. Left out, the one acts who acted last, at first the {FIRST_EXPERT}.",
        f"{shown}.{stays}",
        "When the page is finished, call finish: it delivers the open document of who acted last, or the saved file "
        "that you name.",
        "Never ask questions; nobody answers them.",
    )


def _planning() -> tuple[str, ...]:
    return (
        "Answer with one call of execute_plan that holds the whole workflow: a list of steps in the order in which "
        "they are to be carried out, each with expert, action, parameters and description.",
        "A step that cannot be carried out is left out, and the rest is done. The document that was changed or saved "
        "last is delivered.",
        "Never ask questions; nobody answers them.",
    )


def _page() -> tuple[str, ...]:
    return (
        "Lengths are pixels of the page; x grows to the right and y downwards from its top left corner.",
        "New texts, drawings and objects stand in the middle of the page, before all others.",
        "Repositioning moves the top left corner, resizing an object or drawing keeps its centre.",
        "At first there is no document; create one before anything else.",
    )


@cache
def action_lines() -> tuple[str, ...]:
    """Every action in a line: ``Name(parameter: what it takes, ...): what it does (who has it)``."""
    return tuple(_line(action) for action in ACTIONS.values())


@cache
def signatures() -> str:
    """Every action with the names of its parameters, and who has it if not all have."""
    return "; ".join(
        f"{action.name}({', '.join(each.name for each in action.parameters)})"
        + ("" if len(action.experts) == len(EXPERTS) else f" {'/'.join(action.experts)}")
        for action in ACTIONS.values()
    )


def _line(action: Action) -> str:
    parameters = "; ".join(f"{each.name}: {each.type.words()}" for each in action.parameters)
    who = "all experts" if len(action.experts) == len(EXPERTS) else ", ".join(action.experts)
    return f"{action.name}({parameters}): {action.doc} ({who})"


def _listed(head: str, points: tuple[str, ...]) -> str:
    return "\n".join((head, *(f"- {point}" for point in points)))

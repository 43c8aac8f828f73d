"""Everything that GraphicTown's models are told. The paper's prompts are not copied; these are in our own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from designgym.envs.design.actions import ACTIONS
from designgym.envs.design.experts import EXPERTS, TASKS, Expert
from designgym.envs.design.wording import action_lines

PROGRAMS = (
    "Each expert works in a program of its own with its own open document. What one makes reaches another only as a "
    "file: the first saves it, the other imports it. A file name that is imported must be one of the client's files "
    "or one that was saved before."
)

JSON_ONLY = "Answer with the JSON alone."


def supervisor() -> str:
    """The supervisor's role."""
    return (
        "You supervise a team of graphic designers. You turn a client's brief into clear instructions, and see to it "
        "that the work of several experts fits together."
    )


def expert(name: Expert) -> str:
    """An expert's role."""
    return f"You are the {name} of a design team, who {TASKS[name]}."


def outline(brief: str) -> str:
    """Step 1: what the design is to be, with everything decided that the brief leaves open."""
    return (
        f"The client's brief:\n{brief}\n\n"
        "Write a design outline: the kind of page; the background colour with red, green and blue; every text word for "
        "word with its size, colour and place; every picture by its file name with its size and place. Keep everything "
        "that the brief says, and decide what it leaves open so that it fits. Write plain sentences, no JSON."
    )


def recruit(brief: str, outlined: str) -> str:
    """Step 2: who is needed, and for what."""
    who = "\n".join(f"- {name}: {TASKS[name]}" for name in EXPERTS)
    return (
        f"The client's brief:\n{brief}\n\nThe design outline:\n{outlined}\n\nExperts who can be asked:\n{who}\n"
        f"{PROGRAMS}\n\n"
        "Choose the experts who are needed, as few as will do, in the order in which they work, and give each a goal "
        f'in a sentence or two. {JSON_ONLY[:-1]}: {{"experts": [{{"expert": name, "goal": text}}]}}'
    )


def workflow(name: Expert, outlined: str, goal: str, files: str) -> str:
    """Step 3: an expert's own steps."""
    return (
        f"The design outline:\n{outlined}\n\n{files}\n\nYour goal: {goal}\n\nWhat your program can do: "
        f"{', '.join(_actions_of(name))}.\n{PROGRAMS}\n\n"
        "Break your goal down into steps, each of which one of these actions can carry out, in order, beginning with "
        "creating a document (or importing what another made) and ending with saving it. Say in each what is done "
        f'and to what: texts, colours, sizes, places, file names. {JSON_ONLY[:-1]}: {{"steps": [text, ...]}}'
    )


def integrate(brief: str, outlined: str, workflows: Mapping[Expert, Sequence[str]]) -> str:
    """Step 4: one workflow of all."""
    listed = "\n\n".join(
        f"{name}:\n" + "\n".join(f"{number}. {step}" for number, step in enumerate(steps, start=1))
        for name, steps in workflows.items()
    )
    return (
        f"The client's brief:\n{brief}\n\nThe design outline:\n{outlined}\n\nThe experts' workflows:\n\n{listed}\n\n"
        f"{PROGRAMS}\n\n"
        "Make one workflow of these. Leave out what is done twice, bring the steps into an order in which each has "
        "what it needs, use the same file name where one expert takes over from another, and switch between experts as "
        f'seldom as possible. {JSON_ONLY[:-1]}: {{"workflow": [{{"expert": name, "step": text}}]}}'
    )


def retrieve(size: str, before: Sequence[str], name: str, step: str, files: str) -> str:
    """Step 5: the action and the parameters of one step."""
    lines = "\n".join(_actions_of(name, lines=True))
    done = "\n".join(before) if before else "none"
    return (
        f"{size}\n{files}\n\nThe actions so far:\n{done}\n\nThe next step, by the {name}: {step}\n\n"
        f"The actions that the {name} has:\n{lines}\n\n"
        "Lengths are pixels of the page; x grows to the right and y downwards from its top left corner. New texts, "
        "drawings and objects stand in the page's middle; repositioning moves the top left corner. Refer to layers and "
        "files by the names that the actions so far gave them.\n\n"
        "Choose the one action that carries out the step, with all of its parameters. "
        f'{JSON_ONLY[:-1]}: {{"action": name, "parameters": {{...}}}}'
    )


def again(fault: str) -> str:
    """What is said to an answer that cannot be read."""
    return f"This cannot be used: {fault} {JSON_ONLY}"


def _actions_of(name: str, *, lines: bool = False) -> list[str]:
    """The actions that an expert has: names, or lines with parameters; all of them for a name that is no expert's."""
    found = []
    for action, line in zip(ACTIONS.values(), action_lines(), strict=True):
        if name in action.experts or name not in EXPERTS:
            found.append(f"- {line}" if lines else action.name)
    return found

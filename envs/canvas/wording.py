"""All that a model is told in the canvas environment, in words, for every condition of PainterBench.

The points are those of the benchmark's system prompt (its appendix B) and of its sensitivity conditions (section 4.4);
the words are our own. ``designgym.envs.canvas.prompt`` puts them together with images and history.
"""

from __future__ import annotations

from collections.abc import Sequence

from designgym.envs.canvas.condition import Axes
from designgym.envs.canvas.prompt_settings import WHOLE_CONTEXT, Context, Framing, check_framing

HISTORY = "Your most recent calls and their results, oldest first:"
NO_HISTORY = "You have made no calls yet."
CANVAS = "The current canvas:"
STRIP = "The latest snapshots, oldest on the left:"
RESULT = "Result of your last call: {result}"
TOOLS = "Tools: {names}."

_SNAPSHOTS = "an image of the three latest snapshots side by side, the oldest on the left and the current on the right"

_ANSWER = ("an image of the canvas as it is then", "the result of the call, and how many calls are left")
_CONVERSATION = "All of this stays in the conversation, and its latest image is the current canvas."


def instruction(stimulus: bool, subject: str | None) -> str:
    """What is asked, in a sentence or two that hold at every round of a trial.

    Args:
        stimulus: Whether the canvas holds a starting shape.
        subject: What is to be drawn, such as ``"a snail"``; None leaves the choice to the agent.
    """
    what = f"the most original drawing of {subject} that you can" if subject else "the most original drawing you can"
    if stimulus:
        return f"The canvas shows the starting shape. Make {what}, with the starting shape as a part of it."
    return f"The drawing starts from an empty canvas. Make {what}."


def system_prompt(
    drawing_tools: Sequence[str],
    *,
    framing: Framing = "canonical",
    context: Context = WHOLE_CONTEXT,
    stimulus: bool = True,
    subject: str | None = None,
    axes: Axes = "none",
    growing: bool = False,
) -> str:
    """The task as the system message tells it.

    Args:
        drawing_tools: Names of the tools that draw: several, ``draw_svg`` alone, or another one alone.
        framing: See :data:`designgym.envs.canvas.prompt_settings.Framing`.
        context: What the model is shown in each round; the prompt says so.
        stimulus: Whether there is a starting shape; without it, the text mentions none.
        subject: What is to be drawn; None leaves the choice to the model.
        axes: Whether the images carry pixel coordinates.
        growing: Everything that is shown and called stays in the conversation.

    Raises:
        UserError: For an unknown framing.
    """
    check_framing(framing)
    shown = "What you are shown in each round, a round being one response of yours:"
    if growing:
        shown = "What you are shown after each of your calls:"
    return "\n\n".join(
        (
            _task(stimulus, subject, framing),
            _listed("How you act:", _acting(drawing_tools)),
            _listed("How drawing works:", _drawing(stimulus)),
            _listed(shown, _ANSWER if growing else _shown(context)),
            " ".join((_CONVERSATION if growing else _record(context), *_axes(context, axes))),
        )
    )


def _task(stimulus: bool, subject: str | None, framing: Framing) -> str:
    canvas = (
        "You draw on a white canvas of 400 x 400 pixels; x grows to the right and y downwards from its top left corner."
    )
    if stimulus:
        canvas += (
            " A black shape is already on it: the starting shape. It has to be incorporated into the drawing, and it "
            "cannot be erased."
        )
    part = ", incorporating the starting shape" if stimulus else ""
    if subject:
        goal = f"Draw {subject}{part}. Your goal is the most original drawing of this subject that you can make."
    else:
        goal = f"Your goal is the most original drawing that you can make{part}."
    return "\n".join((canvas, " ".join((goal, *_framed(framing, stimulus)))))


def _framed(framing: Framing, stimulus: bool) -> tuple[str, ...]:
    if framing == "canonical":
        return ()
    depictive = "Whoever looks at it must be able to say what it shows without being told the title."
    if framing == "depictive":
        return (depictive,)
    circle = "if the starting shape were a circle, it could be turned" if stimulus else "a circle could be turned"
    return (
        depictive,
        f"For example, {circle} into the face of a clock, with hands and hour marks drawn inside it; drawing more "
        "circles beside it would not do.",
    )


def _acting(drawing_tools: Sequence[str]) -> tuple[str, ...]:
    return (
        "Communicate by tool calls only, with exactly one tool call in each response.",
        *_calling(drawing_tools),
        "undo_last_action() takes back the last call that drew, as a whole.",
        "A snapshot of the canvas is saved at the start, after each drawing call and after each undo.",
        "When the drawing is finished, call drawing_finished(label) with a short title for it.",
        "Never ask questions; nobody answers them.",
    )


def _calling(drawing_tools: Sequence[str]) -> tuple[str, ...]:
    """How shapes are put into calls: the rule that interface and vocabulary change."""
    if list(drawing_tools) == ["draw_svg"]:
        from designgym.envs.canvas.svg.read import SUPPORTED_COMMANDS, SUPPORTED_ELEMENTS

        return (
            "Draw with draw_svg(svg, erase). It takes SVG markup with any number of elements, as a whole document or "
            "as the elements alone.",
            f"It draws the elements {_and(SUPPORTED_ELEMENTS)}, nested in g or not, and honours their transform "
            f"attributes. Paths may use the commands {_and(SUPPORTED_COMMANDS)} and their lower-case forms. Fill, "
            "stroke and stroke-width attributes are ignored; any other element is skipped.",
        )
    if len(drawing_tools) == 1:
        return (f"The only tool that draws is {drawing_tools[0]}. Put all that you want to draw next into one call.",)
    return ("Put all shapes of one type that you want to draw next into one call; another type needs another call.",)


def _drawing(stimulus: bool) -> tuple[str, ...]:
    erase = "With erase=true, a call lays white along the very paths that it would otherwise have drawn in black"
    if stimulus:
        erase += "; where they cross the starting shape, the starting shape reappears"
    return (
        "Strokes are black on white and always 5 pixels wide, in drawing and in erasing.",
        f"{erase}.",
        "Shapes are outlines and are never filled; to make an area solid, cover it with strokes.",
        "There are no layers: black and white are laid on one surface, the later over the earlier.",
    )


def _shown(context: Context) -> tuple[str, ...]:
    return (
        *(["an image of the current canvas"] if context.canvas else []),
        *(["your ten most recent calls with their results"] if context.history else []),
        *([_SNAPSHOTS] if context.strip else []),
        "the result of your last call, and how many calls are left",
    )


def _record(context: Context) -> str:
    """What there is to go by beyond what is shown now."""
    if context.canvas or context.strip:
        hidden = "Only the ten most recent rounds of calls are" if context.history else "Your earlier calls are not"
        images = "images of the canvas are" if context.canvas and context.strip else "image of the canvas is"
        if not context.canvas:
            images = "snapshots are"
        return f"{hidden} shown, so the {images} your record of the drawing."
    if context.history:
        return (
            "Only the ten most recent rounds of calls are shown, and the canvas is not, so these calls are your record "
            "of the drawing."
        )
    return "Neither the canvas nor your earlier calls are shown."


def _axes(context: Context, axes: Axes) -> tuple[str, ...]:
    if axes == "none" or not (context.canvas or context.strip):
        return ()
    where = "above and left of the canvas" if axes == "outside" else "along the top and the left of the canvas"
    return (f"In the images, a grey ruler {where} tells the pixel coordinates; it is no part of the drawing.",)


def _listed(title: str, lines: Sequence[str]) -> str:
    return "\n".join((title, *(f"- {line}" for line in lines)))


def _and(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"

"""All that a model is told in the canvas environment, in words, for every condition of PainterBench.

The points are those of the benchmark's system prompt (its appendix B) and of its sensitivity conditions (section 4.4);
the words are our own. ``designgym.envs.canvas.prompt`` puts them together with images and history.
"""

from __future__ import annotations


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

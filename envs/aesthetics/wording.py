"""The words of the aesthetics environments' prompts."""

from __future__ import annotations

from designgym.envs.aesthetics.settings import TaskKind

INTRODUCTION = """\
You judge the quality of graphic designs. You see one design and a question about one aesthetic indicator. Judge by \
this indicator alone: the design may have flaws of other kinds, or none at all."""

NO_IMAGE = """\
You judge the quality of graphic designs. You are told the elements of one design, which you do not see, and a \
question about one aesthetic indicator. Judge by this indicator alone: the design may have flaws of other kinds, or \
none at all."""

TASKS: dict[TaskKind, str] = {
    "judgment": """\
Say yes if the design has an issue in the respect asked about: if something in it harms the design so that a viewer \
would notice. Say no if it has none.""",
    "selection": """\
Four options are given. A region is the bounding box [x1, y1, x2, y2] of an element: left, top, right and bottom, \
measured from the top left corner, {frame}. Choose the region of the element that harms the design in the respect \
asked about, or None, where it is offered, if no element does.""",
    "localization": """\
Find an element that harms the design in the respect asked about and answer with its bounding box [x1, y1, x2, y2]: \
left, top, right and bottom, measured from the top left corner, {frame}. The box should enclose the whole element \
exactly, as far as it lies on the page. If no element harms the design in this respect, answer null.""",
}

ANSWER_ONCE = "Answer once, by calling the tool `answer`."

BLOCKS = """\
You judge the quality of graphic designs. You see one design and a question about one aesthetic indicator. In most \
designs one element was harmed so that the answer to the question is no; in the others every element is as it should be.

Find the one element that harms the design in the respect asked about and answer with its bounding box \
[x1, y1, x2, y2]: left, top, right and bottom, measured from the top left corner, {frame}. The box should \
enclose the visible part of that element exactly. If no element harms the design in this respect, answer null.

Answer once, by calling the tool `answer`."""
"""The task of localization on simple pages, whose questions carry no explanation."""

METADATA = """\
The elements of the page are listed from back to front as JSON. Their places there are in pixels of the page, not in \
the numbers of your answer."""

ORIGINAL: dict[TaskKind, str] = {
    "judgment": "Answer with one word: yes or no.",
    "selection": "Answer only with the letter of the region whose element is not good.",
    "localization": (
        "Answer only with the bounding box {box} of the element that is not good, {frame}. If there is no problem, "
        "answer None."
    ),
}
"""After the original prompts of Table 9, in our words."""

STEP_BY_STEP: dict[TaskKind, str] = {
    "judgment": (
        "Look at the design by this standard. Go through its visual elements step by step and weigh whether each meets "
        "it. Then end with a line that holds one word: yes or no."
    ),
    "selection": (
        "Look at each of the regions {letters} by this standard. Reason from what can be seen there to the one whose "
        "element shows the flaw, or to None, where it is offered, if no element does. Then end with a line that holds "
        "its letter alone."
    ),
    "localization": (
        "Look through the whole design for an element that fails this standard. If you find one, work out its place "
        "step by step. Then end with a line that holds its bounding box {box} alone, {frame}, or None if there is no "
        "such element."
    ),
}
"""After the optimized prompts of Table 9, in our words."""

CORNERS = "[x1, y1, x2, y2] (left, top, right, bottom)"
EXTENT = "[left, top, width, height]"

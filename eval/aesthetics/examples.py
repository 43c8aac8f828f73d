"""Designs to look at: what was asked about them, what is true and what was answered, for all three tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from designgym.envs.aesthetics.blocks.flaws import KINDS
from designgym.eval.aesthetics.scored import LETTERS, TASKS, as_box, true_boxes
from designgym.eval.report.data import Box, Example
from designgym.eval.results import Result
from designgym.eval.runner import make

CLEAN = "clean"
SAID_LIMIT = 2000

VERDICTS = {"yes": "an issue", "no": "no issue"}


def applies(results: Sequence[Result]) -> bool:
    """Whether these are answers about designs, of any of the three tasks."""
    return bool(results) and all(result.truth.get("task") in TASKS or "bbox" in result.truth for result in results)


def examples(
    results: Sequence[Result], env_id: str, env_kwargs: Mapping[str, Any], *, count: int = 24, seed: int = 0
) -> tuple[Example, ...]:
    """Designs drawn by seed and in turn from all kinds of flaws, whether answered well or badly.

    Args:
        results: Of one policy.
        env_id: The environment that they were played in, which shows the designs again.
        env_kwargs: Its arguments.
        count: Number of designs, at most.
        seed: Draws the designs; it must not depend on the results.
    """
    env = make(env_id, env_kwargs)
    try:
        shown = []
        for result in choose(results, count, seed):
            observation, _ = env.reset(options={"task": result.task})
            page = shown_page(env, observation["image"])
            if result.truth.get("task") == "judgment":  # the truth is a word; the region that it is about helps readers
                boxes = tuple(as_box(box) for box in env.unwrapped.item(result.task).boxes)  # type: ignore[attr-defined]
            else:
                boxes = ()
            shown.append(example(result, page, observation["task"], boxes))
        return tuple(shown)
    finally:
        env.close()


def example(result: Result, page: NDArray[np.uint8], question: str, boxes: Sequence[Box] = ()) -> Example:
    """One design with its question, truth and answer.

    Args:
        result: What was answered.
        page: The design alone, uint8 H x W x 3.
        question: What was asked; explanation and options are left out of what is shown.
        boxes: Where the flaw is, for judgment, whose truth does not say it.
    """
    invalid = "failure" if result.failure else next(iter(result.errors), "no answer")
    task = result.truth.get("task", "localization")
    right, said = "", ""
    options: tuple[Box | None, ...] = ()
    truths: tuple[Box, ...] = tuple(boxes)
    answer: Box | None = None
    given: Mapping[str, Any] = result.answer or {}
    if task == "judgment":
        right, said = VERDICTS[result.truth["verdict"]], VERDICTS.get(str(given.get("verdict")), "")
    elif task == "selection":
        options = tuple(None if box is None else as_box(box) for box in result.truth["options"])
        right, box = _option(result.truth["choice"], options)
        truths = () if box is None else (box,)
        if given:
            said, answer = _option(given["choice"], options)
    else:
        truths = true_boxes(result)
        answer = as_box(given["bbox"]) if given.get("bbox") is not None else None
    return Example(
        image=page,
        truth=truths[0] if truths else None,
        more=truths[1:],
        answer=answer,
        options=options,
        right=right,
        said=said,
        task=result.task,
        question=asked(question),
        kind=kind(result).replace("_", " "),
        reward=result.value,
        error=invalid if result.answer is None else "",
        text=(result.failure or result.text)[:SAID_LIMIT] if result.answer is None else "",
    )


def kind(result: Result) -> str:
    """What was done to the design, or ``"clean"``."""
    return str(result.truth.get("flaw") or CLEAN)


def kinds(results: Sequence[Result]) -> list[str]:
    """The kinds that occur: those of simple pages in their own order, then the others by name, clean pages last."""
    found = {kind(result) for result in results}
    return [
        *(k for k in KINDS if k in found),
        *sorted(found - {*KINDS, CLEAN}),
        *([CLEAN] if CLEAN in found else []),
    ]


def choose(results: Sequence[Result], count: int, seed: int) -> list[Result]:
    """Results drawn by seed, one of each kind in turn until there are ``count``; depends on tasks and kinds alone."""
    ordered = sorted(results, key=lambda result: result.task)
    rng = np.random.default_rng(seed)
    piles: dict[str, list[Result]] = {}
    for index in rng.permutation(len(ordered)):
        piles.setdefault(kind(ordered[int(index)]), []).append(ordered[int(index)])
    names = kinds(ordered)
    chosen: list[Result] = []
    while len(chosen) < min(count, len(ordered)):
        chosen += [piles[name].pop() for name in names if piles[name]]
    return chosen[:count]


def asked(question: str) -> str:
    """The question itself: without the explanation above it and the options below."""
    lines = [line for line in question.split("\n") if line.rstrip().endswith("?")]
    return lines[-1] if lines else question


def shown_page(env: Any, image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The page without the grey beside it."""
    width, height = env.unwrapped.prompt_options().get("page", (image.shape[1], image.shape[0]))
    return np.array(image[: round(height), : round(width)])


def _option(letter: str, options: Sequence[Box | None]) -> tuple[str, Box | None]:
    """A region in words, and its box."""
    box = options[LETTERS.index(letter)]
    return (f"None ({letter})" if box is None else f"region {letter}"), box

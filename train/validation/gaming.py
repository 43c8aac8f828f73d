"""Warnings of a reward that may be gamed: it rises in training while held-out scores fall."""

from __future__ import annotations

from collections.abc import Sequence

from designgym.train.validation.parting import parted
from designgym.train.validation.scores import Score


def warnings(series: Sequence[Score], over: int) -> dict[str, str]:
    """What is to be said about the last of a series of scores, by the name of the score that fell.

    Args:
        series: The scores of a stage so far, in order.
        over: Validations in a row that it takes; see `designgym.train.validation.parting`.

    Returns:
        A sentence under ``"reward"`` if the held-out score fell, and under ``"second"`` if the second judge's did.
    """
    trained = [score.trained for score in series]
    found = {}
    for name, words, scores in (
        ("reward", "the score on held-out tasks", series),
        ("second", "the second judge's score", [score.second for score in series]),
    ):
        judged = [None if score is None else score.estimate for score in scores]
        if not parted(trained, judged, over):
            continue
        (start, first), (end, last) = ((trained[place], judged[place]) for place in (-over - 1, -1))
        assert start and end and first and last  # the rule holds of numbers only
        found[name] = (
            f"Warning: since step {series[-over - 1].step} the training reward rose from {start.mean:.3f} to "
            f"{end.mean:.3f}, while {words} fell from {first.mean:.3f} to {last.mean:.3f}. The model may be learning "
            "what the reward pays for instead of what it stands for."
        )
    return found

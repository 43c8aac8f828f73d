"""A rival for whatever improves on boxes: the same answers, every box scaled about its centre by one factor.

If this rival does as well, the improvement was one number that needed no training. The factor is fitted with the truth
of the very pages that are scored, so the rival is an upper bound on what rescaling can do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from designgym.boxes import iou
from designgym.eval.localization import answered_box
from designgym.eval.report.data import Box
from designgym.eval.results import Result

FACTORS = tuple(round(float(factor), 2) for factor in np.arange(0.3, 2.01, 0.05))


def rescale(box: Box, factor: float) -> Box:
    """The box (xyxy fractions) with both sides times ``factor``, about its centre, clipped to the page."""
    x1, y1, x2, y2 = box
    half_w, half_h = factor * (x2 - x1) / 2, factor * (y2 - y1) / 2
    cx, cy = (x1 + x2) / 2, (y1 + y2) / 2
    return (max(0.0, cx - half_w), max(0.0, cy - half_h), min(1.0, cx + half_w), min(1.0, cy + half_h))


class RescaledAnswers:
    """Gives the recorded answers of a policy again, all boxes times the factor that suits these pages best.

    Args:
        results: The policy's trials of localization, of the pages that will be asked.
    """

    def __init__(self, results: Sequence[Result]) -> None:
        self.answers = {result.task: result.answer for result in results}
        pairs = [
            (box, truth)
            for result in results
            if (box := answered_box(result)) is not None and (truth := result.truth["bbox"]) is not None
        ]
        scores = [sum(iou(rescale(box, factor), truth) for box, truth in pairs) for factor in FACTORS]
        self.factor = FACTORS[int(np.argmax(scores))]
        self.about = f"boxes x {self.factor:g}, fitted on these pages"

    def __call__(self, observation: Mapping[str, Any], info: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to the page of ``info["task"]``; an unreadable one stays unreadable."""
        answer = self.answers[info["task"]]
        if answer is None:
            return {"name": "answer", "arguments": {}}
        box = answer.get("bbox")
        return {"name": "answer", "arguments": {"bbox": None if box is None else list(rescale(box, self.factor))}}

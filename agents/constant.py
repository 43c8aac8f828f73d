"""Policies that answer the same whatever they see: every result has to be read beside theirs.

``mean-box`` and ``best-fixed-box`` are fitted to the true boxes of training pages, never to those they are judged on.
"""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from designgym.agents.base import Action, Info, Observation
from designgym.env import MisuseError
from designgym.envs.aesthetics.deal import item
from designgym.envs.aesthetics.settings import Settings
from designgym.errors import UserError

FIT_PAGES = 1000
"""Training pages that the fitted constants see, by default; of simple pages,"""
FIT_DESIGNS = 200
"""and of whole designs, which take a tenth of a second and more to make."""

Box = tuple[float, float, float, float]
Boxes = NDArray[np.float64]
"""n x 4, xyxy fractions of the page."""


@dataclass(frozen=True)
class Constant:
    """One action, always. ``about`` says where it comes from."""

    action: Action
    about: str = ""

    def __call__(self, observation: Observation, info: Info) -> Action:
        """The action, as a fresh copy."""
        return copy.deepcopy(dict(self.action))


def answer(box: Sequence[float] | None) -> Action:
    """The tool call that answers with a box (xyxy fractions of the page), or with None: no flaw."""
    return {"name": "answer", "arguments": {"bbox": None if box is None else [float(v) for v in box]}}


def always_none(env: gym.Env[Any, Any], seed: int = 0) -> Constant:
    """Finds no flaw anywhere."""
    require_answer_tool(env, "always-none")
    return Constant(answer(None), "answers that there is no flaw")


def full_page(env: gym.Env[Any, Any], seed: int = 0) -> Constant:
    """Finds the whole page flawed."""
    require_answer_tool(env, "full-page")
    return Constant(answer((0.0, 0.0, 1.0, 1.0)), "answers with the whole page")


def mean_box(env: gym.Env[Any, Any], seed: int = 0, pages: int | None = None) -> Constant:
    """The mean of the true boxes of training pages, corner by corner."""
    boxes, pages = training_boxes(env, seed, pages, "mean-box")
    return Constant(answer(boxes.mean(axis=0)), f"mean of the {len(boxes)} true boxes on {pages:,} training pages")


def best_fixed_box(env: gym.Env[Any, Any], seed: int = 0, pages: int | None = None) -> Constant:
    """The one box with the highest mean IoU with the true boxes of training pages.

    It maximises the reward ``iou`` and equally ``hurdle``: on the pages that have a flaw both rise with IoU by a fixed
    factor, and on the others every box scores 0.
    """
    boxes, pages = training_boxes(env, seed, pages, "best-fixed-box")
    best, score = fit_box(boxes)
    about = f"best of all boxes for the {len(boxes)} true boxes on {pages:,} training pages, mean IoU {score:.3f} there"
    return Constant(answer(best), about)


def fit_box(boxes: Boxes) -> tuple[Box, float]:
    """The box of the highest mean IoU with many, and that mean: the best of a grid of tenths, then ever finer steps.

    Args:
        boxes: n x 4, xyxy fractions, n at least 1.
    """
    ticks = np.arange(11) / 10
    low, high = np.triu_indices(11, 1)
    sides = np.stack([ticks[low], ticks[high]], axis=1)
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(len(sides)), np.arange(len(sides)), indexing="ij"))
    candidates = np.stack([sides[x, 0], sides[y, 0], sides[x, 1], sides[y, 1]], axis=1)
    scores = mean_iou(candidates, boxes)
    best, score = candidates[scores.argmax()], float(scores.max())
    moves = np.stack(np.meshgrid(*[[-1, 0, 1]] * 4), axis=-1).reshape(-1, 4)
    for step in (0.05, 0.025, 0.01, 0.005, 0.002):
        while True:
            candidates = np.clip(best + step * moves, 0.0, 1.0)
            candidates = candidates[(candidates[:, 2] > candidates[:, 0]) & (candidates[:, 3] > candidates[:, 1])]
            scores = mean_iou(candidates, boxes)
            if scores.max() <= score + 1e-12:
                break
            best, score = candidates[scores.argmax()], float(scores.max())
    return (float(best[0]), float(best[1]), float(best[2]), float(best[3])), score


def mean_iou(candidates: Boxes, boxes: Boxes, chunk: int = 512) -> NDArray[np.float64]:
    """Mean IoU of every candidate (m x 4) with all boxes (n x 4): m numbers, at most ``chunk`` x n held at a time."""
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    means = []
    for start in range(0, len(candidates), chunk):
        some = candidates[start : start + chunk, None]
        width = np.minimum(some[..., 2], boxes[:, 2]) - np.maximum(some[..., 0], boxes[:, 0])
        height = np.minimum(some[..., 3], boxes[:, 3]) - np.maximum(some[..., 1], boxes[:, 1])
        shared = np.maximum(width, 0.0) * np.maximum(height, 0.0)
        own = (some[..., 2] - some[..., 0]) * (some[..., 3] - some[..., 1])
        union = areas + own - shared
        means.append(np.divide(shared, union, out=np.zeros_like(shared), where=union > 0).mean(axis=1))
    return np.concatenate(means)


def training_boxes(env: gym.Env[Any, Any], seed: int, pages: int | None, name: str) -> tuple[Boxes, int]:
    """The true boxes of so many training pages drawn by seed, with the settings of ``env``, and how many pages it were.

    A data folder of fewer pages is taken whole where ``pages`` is None.

    Raises:
        UserError: If the environment is no localization, its designs have no training split, or none of the pages has a
            flaw.
    """
    require_answer_tool(env, name)
    # What is true does not depend on how large the picture is, and small pictures are drawn much faster.
    settings = dataclasses.replace(env.unwrapped.settings, image_size=32)  # type: ignore[attr-defined]
    try:
        size = len(env.unwrapped.task_ids("train"))  # type: ignore[attr-defined]
    except MisuseError as error:
        raise UserError(f"The agent '{name}' is fitted to training pages. {error} Leave it out.") from error
    if pages is None:
        pages = min(size, FIT_PAGES if settings.designs == "blocks" else FIT_DESIGNS)
    if isinstance(pages, bool) or not isinstance(pages, int) or not 1 <= pages <= size:
        raise UserError(f"pages is {pages!r}; {name} is fitted to 1 to {size} training pages.")
    boxes = _true_boxes(settings, seed, pages, size)
    if not boxes:
        raise UserError(f"None of the {pages} training pages has a flaw, so {name} has nothing to be fitted to.")
    return np.array(boxes, np.float64), pages


@lru_cache(maxsize=8)  # two agents are fitted to the same pages
def _true_boxes(settings: Settings, seed: int, pages: int, size: int) -> tuple[Box, ...]:
    numbers = np.random.default_rng(seed).choice(size, pages, replace=False)
    truths = (item(f"train-{number:06d}", settings).bbox for number in numbers)
    return tuple(truth for truth in truths if truth is not None)


def require_answer_tool(env: gym.Env[Any, Any], name: str) -> None:
    """Refuse environments in which these agents have no meaning.

    Raises:
        UserError: Unless the environment's tools are one ``answer`` with a ``bbox``.
    """
    table = env.unwrapped.tool_table  # type: ignore[attr-defined]
    if table.names != ("answer",) or table["answer"].record.names != ("bbox",):
        found = env.spec.id if env.spec else type(env.unwrapped).__name__
        raise UserError(
            f"The agent '{name}' answers with a box, which {found!r} does not ask for (its tools are "
            f"{', '.join(table.names)}). Use 'random' or an agent made for it."
        )

"""Aesthetic localization: find the element that harms a design, or say that none does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from designgym.env import DesignEnv, Facts, MisuseError, Outcome, RewardMode
from designgym.envs.aesthetics.blocks.flaws import KINDS
from designgym.envs.aesthetics.blocks.item import CLEAN_SHARE, SPLIT_SIZES, Item, Settings, item
from designgym.envs.aesthetics.metadata import design_metadata
from designgym.rewards import resolve
from designgym.rewards.table import Spec
from designgym.tasks import Split, TaskIds
from designgym.tools import Accepted, BoundingBox, Parameter, Tool, ToolTable

LOCALIZATION_TOOLS = ToolTable(
    (
        Tool(
            "answer",
            "Answer the question; this ends the episode.",
            (
                Parameter(
                    "bbox",
                    BoundingBox(nullable=True),
                    "The box of the one element that harms the design in the respect asked about, "
                    "or null if no element does.",
                ),
            ),
        ),
    )
)


@dataclass
class Answer:
    """All state of an episode beside its calls: which item is asked about, and what was answered."""

    task: str
    bbox: list[float] | None = None


class AestheticLocalization(DesignEnv[Answer]):
    """Find the element that harms a generated design, or say that none does.

    ## Description
    A page of a few elements (titles, text, shapes, pictures) is shown together with a question about one aesthetic
    indicator, such as contrast. In most pages one element has been harmed in one way; the others are clean. The task
    follows the localization task of AesEval-Bench on designs that are generated: layouts, palettes and fonts are dealt
    to the splits, so that what is tested was never trained on. One question is one step.

    The true box is the flawed element's own box, not its ink. In about two of a hundred paragraphs the last line runs
    out of that box below.

    ## Action
    A call of the one tool: ``{"name": "answer", "arguments": {"bbox": [x1, y1, x2, y2]}}`` with fractions of the page,
    or ``null`` for *no flaw*. A missing ``bbox`` is an error, not *no flaw*.

    ## Observation
    ``image``: uint8, ``image_size`` x ``image_size`` x 3. ``task``: the question. ``text``: the result of the last call
    and the calls left; with ``metadata=True`` also the design's elements as JSON, on the last line: ``canvas_width``,
    ``canvas_height`` and ``elements`` from back to front with type, box in px, angle, opacity, colours, text and font.

    ## Reward
    ``"hurdle"`` (default): 1 for a right ``null``; 0.5 + 0.5 IoU if answer and truth are both boxes; else 0. ``"iou"``:
    the paper's protocol, with IoU alone for boxes. Without a readable answer both are 0.

    ## Termination
    An answer ends the episode (``info["end"] == "submit"``). So does the budget of ``max_calls`` steps (``"budget"``),
    which an unreadable or invalid call uses up: with the default of 1 the first call counts, whatever it is.

    ## Info
    ``error``, ``calls_left``, ``task`` at every step; at the end also ``reward/<name>``, ``scored``, ``end``, and
    ``truth`` and ``answer``: lists of four floats, empty for None. (Empty lists instead of None because vector
    environments need one type a key; ``info["end"]`` tells whether an answer was given at all.) ``flaw`` is the kind of
    flaw, empty if there is none.

    ## Arguments
    ``split`` (``"train"``, ``"validation"``, ``"test"``), ``reward``, ``reward_mode`` (``"terminal"``, ``"dense"``),
    ``max_calls`` (1), ``render_mode``, ``metadata`` (False), and what kind of designs: ``flaws``, ``clean_share``,
    ``image_size``, ``elements``; see :class:`designgym.envs.aesthetics.blocks.item.Settings`.

    ## Version history
    v0: first version.
    """

    env_id: ClassVar[str] = "designgym/AestheticLocalization-v0"

    def __init__(
        self,
        *,
        split: Split = "train",
        reward: Spec = "hurdle",
        reward_mode: RewardMode = "terminal",
        max_calls: int = 1,
        render_mode: str | None = None,
        metadata: bool = False,
        flaws: Sequence[str] = tuple(KINDS),
        clean_share: float = CLEAN_SHARE,
        image_size: int = 448,
        elements: Sequence[int] = (3, 6),
    ):
        if not isinstance(metadata, bool):
            raise MisuseError(f"metadata is {metadata!r}; it must be True or False.")
        try:
            self.settings = Settings(flaws, clean_share, image_size, elements)  # type: ignore[arg-type]
        except ValueError as error:
            raise MisuseError(f"These designs cannot be made: {error}") from error
        self.with_metadata = metadata
        super().__init__(
            tool_table=LOCALIZATION_TOOLS,
            image_shape=(image_size, image_size, 3),
            reward=resolve(reward),
            split=split,
            reward_mode=reward_mode,
            max_calls=max_calls,
            render_mode=render_mode,
            text_length=20_000 if metadata else 2_000,
            identity=(self.settings, metadata),
        )

    def task_ids(self, split: Split | None = None) -> Sequence[str]:
        """``"test-000000"`` and on; a sequence that makes ids when asked for them."""
        chosen = split or self.split
        if chosen not in SPLIT_SIZES:
            raise MisuseError(f"There is no split {chosen!r}; the splits are {', '.join(SPLIT_SIZES)}.")
        return TaskIds(chosen, SPLIT_SIZES[chosen])

    def begin(self, task: str) -> Answer:
        """The question is open."""
        return Answer(task)

    def call(self, content: Answer, call: Accepted) -> Outcome:
        """Record the answer."""
        content.bbox = call.arguments["bbox"]
        return Outcome("The answer is recorded.", end="submit")

    def picture(self, content: Answer) -> npt.NDArray[np.uint8]:
        """The design."""
        return self.item(content.task).image.copy()

    def facts(self, content: Answer) -> Facts:
        """Question, truth and document."""
        asked = self.item(content.task)
        truth = {
            "bbox": None if asked.truth is None else list(asked.truth),
            "indicator": asked.indicator,
            "flaw": asked.flaw.kind if asked.flaw else "",
        }
        return Facts((asked.question,), truth, asked.document)

    def standing_text(self, content: Answer) -> str:
        """The design's elements as JSON, if asked for."""
        if not self.with_metadata:
            return ""
        return "Elements: " + json.dumps(design_metadata(self.item(content.task).document), ensure_ascii=False)

    def ending_info(self, content: Answer) -> dict[str, Any]:
        """Truth, answer and kind of flaw."""
        asked = self.item(content.task)
        return {
            "truth": [float(side) for side in asked.truth or ()],
            "answer": [float(side) for side in content.bbox or ()],
            "flaw": asked.flaw.kind if asked.flaw else "",
        }

    def item(self, task: str) -> Item:
        """The item behind a task id, with its truth; for privileged agents and for reports."""
        return item(task, self.settings)

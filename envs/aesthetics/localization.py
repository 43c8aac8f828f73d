"""Aesthetic localization: find the element that harms a design, or say that none does."""

from __future__ import annotations

from typing import Any, ClassVar

from designgym.envs.aesthetics.env import AestheticQuestion
from designgym.tools import BoundingBox, Parameter, Tool, ToolTable

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


class AestheticLocalization(AestheticQuestion):
    """Find the element that harms a design, or say that none does.

    ## Description
    A design is shown together with a question about one of twelve indicators, such as color contrast. In some designs
    an element harms the design in this respect; in the others none does, although they may have flaws of other kinds.
    The task is the precise localization of AesEval-Bench. One question is one step.

    The true box is the harmed element's own box after the perturbation: the hull of the turned element, clipped to the
    page, and not its ink. Where several elements do harm, each of their boxes is right, and the one that the answer
    fits best counts (``protocol="release"``: the first alone).

    ## Action
    A call of the one tool: ``{"name": "answer", "arguments": {"bbox": [x1, y1, x2, y2]}}`` with fractions of the page,
    or ``null`` for *no element*. A missing ``bbox`` is an error, not *no element*.

    ## Observation
    ``image``: uint8, ``image_size`` x ``image_size`` x 3; a page that is not square lies at the top left, with grey
    beside it. ``task``: what the indicator means, and the question. ``text``: the result of the last call and the calls
    left; with ``metadata=True`` also the design's elements as JSON, on the last line: ``canvas_width``,
    ``canvas_height`` and ``elements`` from back to front with type, box in px, angle, opacity, colours, text and font.

    ## Reward
    ``"hurdle"`` (default): 1 for a right ``null``; 0.5 + 0.5 IoU if answer and truth are both boxes; else 0. ``"iou"``:
    the paper's protocol, with IoU alone for boxes. Without a readable answer both are 0.

    ## Termination
    An answer ends the episode (``info["end"] == "submit"``). So does the budget of ``max_calls`` steps (``"budget"``),
    which an unreadable or invalid call uses up: with the default of 1 the first call counts, whatever it is.

    ## Info
    ``error``, ``calls_left``, ``task`` at every step; at the reset also ``page``: width and height of the page in the
    picture, px; at the end also ``reward/<name>``, ``scored``, ``end``, and ``truth`` and ``answer``: lists of four
    floats, empty for None. (Empty lists instead of None because vector environments need one type a key;
    ``info["end"]`` tells whether an answer was given at all.) ``flaw`` is the operation that did the harm, empty if
    none did.

    ## Arguments
    ``split`` (``"train"``, ``"validation"``, ``"test"``), ``reward``, ``reward_mode`` (``"terminal"``, ``"dense"``),
    ``max_calls`` (1), ``render_mode``, and what is asked about which designs: ``designs``, ``indicators``,
    ``clean_share``, ``image_size``, ``metadata``, ``protocol``, and for simple pages ``flaws`` and ``elements``; see
    :class:`designgym.envs.aesthetics.settings.Settings`.

    ## Version history
    v0: first version.
    """

    env_id: ClassVar[str] = "designgym/AestheticLocalization-v0"
    kind = "localization"
    tool = LOCALIZATION_TOOLS
    default_reward = "hurdle"

    def told(self, value: Any) -> list[float]:
        """The four sides of a box; empty for None."""
        return [float(side) for side in value or ()]

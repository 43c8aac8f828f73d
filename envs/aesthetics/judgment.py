"""Aesthetic judgment: say whether a design has an issue in one respect."""

from __future__ import annotations

from typing import Any, ClassVar

from designgym.envs.aesthetics.env import AestheticQuestion
from designgym.tools import Choice, Parameter, Tool, ToolTable

JUDGMENT_TOOLS = ToolTable(
    (
        Tool(
            "answer",
            "Answer the question; this ends the episode.",
            (
                Parameter(
                    "verdict",
                    Choice(("yes", "no")),
                    "yes if the design has an issue in the respect asked about, no if it has none.",
                ),
            ),
        ),
    )
)


class AestheticJudgment(AestheticQuestion):
    """Say whether a design has an issue in the respect asked about.

    ## Description
    A design is shown together with a question about one of twelve indicators, such as color contrast. Half of the
    designs have an issue in this respect; the others have none, although they may have flaws of other kinds. The task
    is the aesthetic judgment of AesEval-Bench, in which *yes* means that there is an issue. One question is one step.

    ## Action
    A call of the one tool: ``{"name": "answer", "arguments": {"verdict": "yes"}}`` or ``"no"``.

    ## Observation
    ``image``: uint8, ``image_size`` x ``image_size`` x 3; a page that is not square lies at the top left, with grey
    beside it. ``task``: what the indicator means, and the question. ``text``: the result of the last call and the calls
    left; with ``metadata=True`` also the design's elements as JSON, on the last line: ``canvas_width``,
    ``canvas_height`` and ``elements`` from back to front with type, box in px, angle, opacity, colours, text and font.

    ## Reward
    ``"accuracy"`` (default): 1 for the right verdict, else 0. At the default ``clean_share`` of 0.5 always yes and
    always no earn 0.5 each.

    ## Termination
    An answer ends the episode (``info["end"] == "submit"``). So does the budget of ``max_calls`` steps (``"budget"``),
    which an unreadable or invalid call uses up: with the default of 1 the first call counts, whatever it is.

    ## Info
    ``error``, ``calls_left``, ``task`` at every step; at the reset also ``page``: width and height of the page in the
    picture, px; at the end also ``reward/<name>``, ``scored``, ``end``, and ``truth`` and ``answer``: ``"yes"``,
    ``"no"``, or empty where no answer was given. ``flaw`` is the operation that did the harm, empty if none did.

    ## Arguments
    ``split`` (``"train"``, ``"validation"``, ``"test"``), ``reward``, ``reward_mode`` (``"terminal"``, ``"dense"``),
    ``max_calls`` (1), ``render_mode``, and what is asked about which designs: ``designs``, ``indicators``,
    ``clean_share``, ``image_size``, ``metadata``, ``protocol``, and for simple pages ``flaws`` and ``elements``; see
    :class:`designgym.envs.aesthetics.settings.Settings`.

    ## Version history
    v0: first version.
    """

    env_id: ClassVar[str] = "designgym/AestheticJudgment-v0"
    kind = "judgment"
    tool = JUDGMENT_TOOLS
    default_reward = "accuracy"

    def told(self, value: Any) -> str:
        """The verdict."""
        return str(value or "")

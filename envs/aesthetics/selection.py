"""Region selection: say which of four regions holds the element that harms a design, or that none does."""

from __future__ import annotations

from typing import Any, ClassVar

from designgym.envs.aesthetics.env import AestheticQuestion
from designgym.envs.aesthetics.questions import LETTERS
from designgym.tools import Choice, Parameter, Tool, ToolTable

SELECTION_TOOLS = ToolTable(
    (
        Tool(
            "answer",
            "Answer the question; this ends the episode.",
            (
                Parameter(
                    "choice",
                    Choice(LETTERS),
                    "The letter of the region that holds the element that harms the design in the respect asked about.",
                ),
            ),
        ),
    )
)


class RegionSelection(AestheticQuestion):
    """Say which of four regions holds the element that harms a design, or that none does.

    ## Description
    A design is shown together with a question about one of twelve indicators, such as color contrast, and four options.
    If an element harms the design in this respect, they are its box, the boxes of two elements to which nothing was
    done, and None; else the boxes of three elements and None. Texts are offered before others where type is asked
    about, pictures where graphics are. Their order is drawn by the design. The task is the region selection of
    AesEval-Bench. One question is one step.

    With ``protocol="release"`` a flawed design offers its box and three others and never None, as the released
    evaluation does: whoever answers None where it is offered is then always right on good designs.

    ## Action
    A call of the one tool: ``{"name": "answer", "arguments": {"choice": "A"}}``, or ``"B"``, ``"C"``, ``"D"``.

    ## Observation
    ``image``: uint8, ``image_size`` x ``image_size`` x 3; a page that is not square lies at the top left, with grey
    beside it. ``task``: what the indicator means, the question, and the options, a line each, as fractions of the page.
    ``text``: the result of the last call and the calls left; with ``metadata=True`` also the design's elements as JSON,
    on the last line: ``canvas_width``, ``canvas_height`` and ``elements`` from back to front with type, box in px,
    angle, opacity, colours, text and font.

    ## Reward
    ``"accuracy"`` (default): 1 for the right letter, else 0. At the default ``clean_share`` of 0.25 every letter, None,
    and any region but None earn 0.25 each.

    ## Termination
    An answer ends the episode (``info["end"] == "submit"``). So does the budget of ``max_calls`` steps (``"budget"``),
    which an unreadable or invalid call uses up: with the default of 1 the first call counts, whatever it is.

    ## Info
    ``error``, ``calls_left``, ``task`` at every step; at the reset also ``page``, width and height of the page in the
    picture in px, and ``options``, four lists: boxes as fractions of the page, empty for None; at the end also
    ``reward/<name>``, ``scored``, ``end``, and ``truth`` and ``answer``: letters, the answer empty where none was
    given. ``flaw`` is the operation that did the harm, empty if none did.

    ## Arguments
    ``split`` (``"train"``, ``"validation"``, ``"test"``), ``reward``, ``reward_mode`` (``"terminal"``, ``"dense"``),
    ``max_calls`` (1), ``render_mode``, and what is asked about which designs: ``designs``, ``indicators``,
    ``clean_share``, ``image_size``, ``metadata``, ``protocol``, and for simple pages ``flaws`` and ``elements``; see
    :class:`designgym.envs.aesthetics.settings.Settings`.

    ## Version history
    v0: first version.
    """

    env_id: ClassVar[str] = "designgym/RegionSelection-v0"
    kind = "selection"
    tool = SELECTION_TOOLS
    default_reward = "accuracy"

    def told(self, value: Any) -> str:
        """The letter."""
        return str(value or "")

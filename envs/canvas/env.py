"""Canvas drawing: make a drawing out of a given shape, one tool call a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from designgym.env import DesignEnv, Facts, MisuseError, Outcome, RewardMode
from designgym.envs.canvas import wording
from designgym.envs.canvas.axes import annotate, annotated_size
from designgym.envs.canvas.canvas import Canvas
from designgym.envs.canvas.condition import LISTED, Axes, Condition, Kind
from designgym.envs.canvas.raster import Canvas8, Renderer
from designgym.envs.canvas.rgb import rgb
from designgym.envs.canvas.stimuli.stimulus import Stimulus, stimulus, stimulus_ids
from designgym.envs.canvas.stimuli.subjects import subject_of
from designgym.envs.canvas.svg.parameter import read_once
from designgym.envs.canvas.svg.read import SvgError
from designgym.envs.canvas.svg.report import in_words
from designgym.envs.canvas.tools import FINISH, OPERATIONS, SIDE_PX, SVG, UNDO, Interface, Vocabulary, tool_table
from designgym.rewards import resolve
from designgym.rewards.table import Spec
from designgym.state import Snapshot
from designgym.tasks import Split
from designgym.tools import Accepted, Declined

MAX_CALLS = 300
"""The paper's trials are open-ended; its longest took 261 rounds."""


@dataclass
class Drawing:
    """All state of a trial beside its calls.

    Attributes:
        stimulus: The task's shape; on a blank canvas too, where it is not shown.
        subject: What is to be drawn; None if the agent chooses.
        canvas: What has been drawn.
        title: What ``drawing_finished`` was given.
        drawn: Operations that the last call drew.
        malformed: Operations that the last call had in vain.
        calls: Calls so far.
        failed_calls: Those of them that named no tool or whose arguments could not be read.
        operations: Operations of all calls, malformed ones included.
        malformed_operations: The malformed ones of these.
        reason: Why the last call's first malformed operation is one.
    """

    stimulus: Stimulus
    subject: str | None
    canvas: Canvas
    title: str = ""
    drawn: int = 0
    malformed: int = 0
    calls: int = 0
    failed_calls: int = 0
    operations: int = 0
    malformed_operations: int = 0
    reason: str = ""

    def count(self, drawn: int = 0, malformed: int = 0, *, failed: bool = False, reason: str = "") -> None:
        """Take note of a call."""
        self.drawn, self.malformed, self.reason = drawn, malformed, reason
        self.calls += 1
        self.failed_calls += failed
        self.operations += drawn + malformed
        self.malformed_operations += malformed


class CanvasDrawing(DesignEnv[Drawing]):
    """Make a drawing out of a given shape, one tool call a step.

    ## Description
    PainterBench's incomplete-drawing task: a canvas of 400 x 400 px holds a starting shape, and the agent makes the
    most original drawing that it can out of it, by calls of drawing tools. Strokes are black, 5 px wide and not
    anti-aliased. The starting shape cannot be erased. The agent ends the trial itself, with a title.

    The test split is the bank of thirty shapes, ``is01`` to ``is20`` (stroke fragments that do not close) and
    ``ot01`` to ``ot10`` (outlines of objects); training and validation have seeded shapes of the same two types.

    ## Action
    A call of one of fourteen tools (below), such as ``{"name": "draw_lines", "arguments": {"lines": [{"x1": 10,
    "y1": 20, "x2": 300, "y2": 40}]}}``. A drawing tool takes a list of operations, or one alone, and ``erase``,
    which lays white along the same path. Angles are in degrees, clockwise from three o'clock. An operation that
    cannot be read is skipped and the others are drawn; numbers are rounded half up and coordinates clamped to 2,000
    px beyond the page. A call holds at most 1,000 operations, with 10,000 points, 100,000 sides of regular polygons
    and 500,000 px of height together; no step then takes half a second. ``undo_last_action`` takes back the last
    call that drew, again and again if wanted. With ``interface="svg"`` there is ``draw_svg`` in place of the drawing
    tools; ``vocabulary="dots"`` leaves ``draw_dots`` alone of them.

    ## Observation
    ``image``: the canvas, uint8, 400 x 400 x ``channels`` (448 x 448 with ``axes="outside"``), 0 ink and 255 paper.
    ``task``: what is asked. ``text``: what became of the last call, ``OK`` or ``OK (skipped 2 malformed)`` or an
    error, and the calls left. Why an operation was malformed stands in ``info``, and in the text for SVG alone.

    ## Reward
    ``"figural"`` (default): whether the new ink is joined to the starting shape, extends it, makes forms and is unlike
    what random strokes leave, with a modest use of ink. No human ratings are behind it, and it does not see what is
    shown; its parts are in ``info`` as ``reward/figural/<part>``.
    ``"closure"``: a goal that can be verified, to join the shape's open ends. Most outlines of objects have none; their
    episodes then pay 0 and have ``info["scored"] == False``, so train towards it with ``kinds=("is",)``. ``"vidra"``,
    ``"vidra-adapted"`` and ``"audra"`` predict people's ratings and need files of yours (``docs/creativity.md``);
    ``"ink"`` is the baseline for them. Paid at the end, or with ``reward_mode="dense"`` as the change at every step.

    ## Termination
    ``drawing_finished`` ends the trial (``info["end"] == "finished"``), and so does the budget of ``max_calls``
    steps (``"budget"``).

    ## Info
    ``error``, ``calls_left``, ``task`` at every step, and about the last call ``operations`` (drawn), ``malformed``
    (skipped) and ``malformed_reason`` (why the first of these could not be read), about the whole trial
    ``failed_call_rate`` (calls without a known tool or readable arguments, of all calls) and ``malformed_rate``
    (malformed operations, of all operations). At the reset ``renderer``, library and version. At the end also
    ``reward/<name>``, ``scored``, ``end``, ``title`` and ``added_ink`` (inked pixels beside the shape's). A call all of
    whose operations are malformed changes nothing and has the error ``invalid_parameters``; undoing with nothing to
    undo has ``dependency``.

    ## Arguments
    ``split``, ``reward``, ``reward_mode``, ``max_calls`` (300), ``render_mode``, and the condition: ``interface``,
    ``vocabulary``, ``stimulus``, ``subject``, ``renderer``, ``channels``, ``axes``, ``kinds``; see
    :class:`designgym.envs.canvas.condition.Condition`.

    ## Version history
    v0: first version.
    """

    env_id: ClassVar[str] = "designgym/CanvasDrawing-v0"

    def __init__(
        self,
        *,
        split: Split = "train",
        reward: Spec = "figural",
        reward_mode: RewardMode = "terminal",
        max_calls: int = MAX_CALLS,
        render_mode: str | None = None,
        interface: Interface = "tools",
        vocabulary: Vocabulary = "full",
        stimulus: str | None = "bank",
        subject: str | None = None,
        renderer: Renderer = "pillow",
        channels: int = 1,
        axes: Axes = "none",
        kinds: Sequence[Kind] = ("is", "ot"),
    ):
        try:
            self.condition = Condition(
                interface,
                vocabulary,
                stimulus,  # type: ignore[arg-type]  # checked there
                subject,
                renderer,
                channels,
                axes,
                kinds,
            )
        except ValueError as error:
            raise MisuseError(str(error)) from error
        self._buffer: Canvas8 | None = None
        side = annotated_size(SIDE_PX, axes)
        super().__init__(
            tool_table=tool_table(interface, vocabulary),
            image_shape=(side, side, channels),
            reward=resolve(reward),
            split=split,
            reward_mode=reward_mode,
            max_calls=max_calls,
            render_mode=render_mode,
            identity=(self.condition,),
        )

    def task_ids(self, split: Split | None = None) -> Sequence[str]:
        """``is01`` to ``ot10`` for the test split; else a sequence that makes ids when asked for them."""
        return stimulus_ids(split or self.split, self.condition.kinds)

    def task_facts(self, task: str) -> dict[str, Any]:
        """``kind``, ``name`` (empty for fragments) and ``open_ends``, how many the shape has."""
        shape = stimulus(task)
        return {"kind": shape.kind, "name": shape.name, "open_ends": len(shape.open_ends)}

    def begin(self, task: str) -> Drawing:
        """An empty canvas under the task's shape."""
        shape = stimulus(task)
        subject = subject_of(task) if self.condition.subject == LISTED else self.condition.subject
        shown = shape.pixels if self.condition.stimulus else None
        return Drawing(shape, subject, Canvas(self.condition.renderer, shown, self._buffer))

    def call(self, content: Drawing, call: Accepted) -> Outcome:
        """Draw, undo or finish."""
        name, arguments = call.name, call.arguments
        if name in OPERATIONS:
            return _draw(content, name, arguments[OPERATIONS[name]], arguments["erase"], call.skipped)
        if name == SVG:
            return _draw_svg(content, arguments["svg"], arguments["erase"])
        content.count()
        if name == UNDO:
            if content.canvas.undo():
                return _OK
            return Outcome("There is nothing to undo.", "dependency")
        assert name == FINISH, name
        content.title = arguments["label"]
        return Outcome("OK", end="finished")

    def refused(self, content: Drawing, call: Declined) -> None:
        """Count it."""
        content.count(failed=call.kind != "limit")

    def picture(self, content: Drawing) -> npt.NDArray[np.uint8]:
        """The canvas with the shape, and the axes if asked for."""
        return self.dress(content.canvas.read())

    def dress(self, grey: Canvas8) -> npt.NDArray[np.uint8]:
        """A canvas (uint8 400 x 400) as it is observed: with axes and channels as the arguments say."""
        if self.condition.axes != "none":
            grey = annotate(grey, self.condition.axes)
        if self.condition.channels == 1:
            return grey[:, :, None]
        return rgb(grey) if self.condition.axes == "none" else np.repeat(grey[:, :, None], 3, axis=2)

    def question(self, content: Drawing) -> str:
        """The instruction."""
        return wording.instruction(content.canvas.stimulus is not None, content.subject)

    def facts(self, content: Drawing) -> Facts:
        """The instruction, the shape as it was shown and its open ends."""
        shown = content.canvas.stimulus
        truth = {
            "kind": content.stimulus.kind,
            "name": content.stimulus.name,
            "open_ends": [] if shown is None else [[float(x), float(y)] for x, y in content.stimulus.open_ends],
        }
        return Facts((self.question(content),), truth, stimulus=shown)

    def scored_picture(self, content: Drawing) -> npt.NDArray[np.uint8]:
        """The bare canvas."""
        return content.canvas.read()[:, :, None]

    @property
    def canvas(self) -> Canvas:
        """The canvas of the trial under way."""
        return self._running("canvas").content.canvas

    def bind(self, buffer: Canvas8) -> None:
        """Draw into an array of a vector environment's from now on, the trial under way included.

        Args:
            buffer: uint8 400 x 400, C-contiguous. Copies of the environment draw into arrays of their own.
        """
        self._buffer = buffer
        if self._run is not None:
            self._run.content.canvas.move(buffer)

    def set_state(self, state: Snapshot) -> None:
        """See the base class."""
        super().set_state(state)
        if self._buffer is not None:
            self.bind(self._buffer)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_buffer": None}

    def prompt_options(self) -> dict[str, Any]:
        """Whether there is a starting shape, the subject of the trial under way, and where the axes are."""
        content = self._running("prompt_options").content
        shown = content.canvas.stimulus is not None
        return {"stimulus": shown, "subject": content.subject, "axes": self.condition.axes}

    def starting_info(self, content: Drawing) -> dict[str, Any]:
        """What draws."""
        return {"renderer": content.canvas.raster_id}

    def step_info(self, content: Drawing) -> dict[str, Any]:
        """Counts of the last call and rates of the trial."""
        return {
            "operations": float(content.drawn),
            "malformed": float(content.malformed),
            "malformed_reason": content.reason,
            "failed_call_rate": content.failed_calls / (content.calls or 1),
            "malformed_rate": content.malformed_operations / (content.operations or 1),
        }

    def ending_info(self, content: Drawing) -> dict[str, Any]:
        """The title, and the inked pixels that the drawing adds to the shape."""
        return {"title": content.title, "added_ink": float(content.canvas.added_px())}


def _draw(
    content: Drawing, tool: str, operations: Sequence[dict[str, Any]], erase: bool, skipped: Sequence[str]
) -> Outcome:
    content.count(len(operations), len(skipped), reason=skipped[0] if skipped else "")
    if operations:
        content.canvas.draw(tool, operations, erase)
    return _result(len(operations), len(skipped))


def _draw_svg(content: Drawing, markup: str, erase: bool) -> Outcome:
    read = read_once(markup)
    assert not isinstance(read, SvgError), read  # the tool's parameter refuses it
    drawn, skipped = len(read.elements), read.skipped
    content.count(drawn, len(skipped), reason=f"{skipped[0].tag}: {skipped[0].reason}" if skipped else "")
    if drawn:
        content.canvas.draw_paths([path for element in read.elements for path in element.subpaths], erase)
    outcome = _result(drawn, len(skipped))
    text = outcome.text + (f": {in_words(skipped)}" if skipped else "")
    text += f"\nNote: {in_words(read.notes)}" if read.notes else ""
    return Outcome(text, outcome.error, verbatim=True)


def _result(drawn: int, malformed: int) -> Outcome:
    """The words of the paper's harness (Appendix C.2); they stay the same where nothing was left to draw."""
    if drawn and not malformed:
        return _OK
    text = f"OK (skipped {malformed} malformed)" if malformed else "OK"
    return Outcome(text) if drawn else Outcome(text, "invalid_parameters", verbatim=True)


_OK = Outcome("OK")  # nearly every outcome, and it never changes

"""PainterBench's eleven process markers of a drawing trial, computed from its trace as it is read (Table 8).

What the definitions leave open is settled so:

* A *round* is one turn of the agent, a *tool call* a step whose action names a tool, whatever came of it. A reply that
  holds no call makes a round without tool calls.
* An *ink call* is a carried-out call of a drawing tool (``draw_...``) that drew at least one operation; its operations
  are those drawn, without the malformed ones. What a later undo reverts stays counted: markers tell the process.
* Erasing is drawing in white, so erasing calls are ink calls. The paper's own means ask for that: of Grok 4.5's 18.7
  rounds one finishes and 3.86 % undo, which leaves the 17.0 tool calls of Table 2; without its erasing calls, 15.8.
* Markup makes an ink call like any other, its operations being the elements drawn. Its one tool has a diversity of 0.
* Undoing and calls that fail are no ink: rounds that hold nothing else count as exploration or verification.
* A trial finishes by ``drawing_finished`` alone. The round in which a budget runs out may be one of verification.
* Where nothing was drawn there is no first and no last ink operation: exploration and verification rounds are None. The
  counts are 0 and so is diversity, a sum over no tools, so that every trial of a study has an effort index.
"""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from designgym.envs.canvas.tools import UNDO
from designgym.strict_json import JsonError, loads
from designgym.trace_step import Step

DRAWING = "draw_"
"""What the names of the drawing tools begin with."""


@dataclass(frozen=True)
class Markers:
    """The process markers of one trial; None where a marker is undefined. The first four make up the effort index."""

    tool_calls: int
    """Ink calls from the first to the last ink operation (Table 8)."""
    drawing_operations: int
    """Operations contained in those calls (Table 8)."""
    rounds: int
    """Rounds to completion: rounds in the trial (Table 8)."""
    tool_diversity: float
    """Shannon entropy of the drawing operations over the types of tools, bits, 0 to log2(12) (Table 8)."""
    exploration_rounds: int | None
    """Rounds before the round of the first ink operation (Table 8); None without ink."""
    verification_rounds: int | None
    """Rounds after the last inking round with no ink call that do not finish the trial (Table 8); None without ink."""
    operations_per_round: float | None
    """Ink operations divided by rounds (Table 8); None without rounds."""
    parallel_rounds: int
    """Rounds with more than one tool call (Table 8)."""
    largest_round: int
    """Tool calls in the fullest round (Table 8)."""
    undo_calls: float | None
    """Share of the trial's tool calls that undo, 0 to 1, reported in % (Table 8); None without tool calls."""
    erase_calls: float | None
    """Share of the trial's tool calls that erase, 0 to 1, reported in % (Table 8); None without tool calls."""


FIELDS = tuple(field.name for field in dataclasses.fields(Markers))


@dataclass
class MarkerCount:
    """Counts the steps of one trial as they come; what it holds does not grow with the trial."""

    rounds: int = 0
    calls: int = 0
    undo_calls: int = 0
    erase_calls: int = 0
    ink_calls: int = 0
    parallel_rounds: int = 0
    largest_round: int = 0
    operations: Counter[str] = field(default_factory=Counter)
    """Operations drawn, by tool."""
    first_ink: int | None = None
    """Place, from 0, of the round of the first ink operation; the next two likewise."""
    last_ink: int | None = None
    finish: int | None = None
    _number: int | None = None
    _calls_in_round: int = 0

    def add(self, step: Step) -> None:
        """Count a step; the reset counts nothing. A round ends where the number of the next step's is another.

        Raises:
            KeyError: If the step's info does not say how many operations its call drew.
        """
        if step.step == 0:
            return
        drawn = int(step.info["operations"])
        if step.round != self._number:
            self._number, self._calls_in_round = step.round, 0
            self.rounds += 1
        here = self.rounds - 1
        if step.info.get("end") == "finished":
            self.finish = here
        name = step.action.get("name") if isinstance(step.action, Mapping) else None
        if not isinstance(name, str):
            return
        self.calls += 1
        self._calls_in_round += 1
        self.parallel_rounds += self._calls_in_round == 2
        self.largest_round = max(self.largest_round, self._calls_in_round)
        self.undo_calls += name == UNDO
        if name.startswith(DRAWING):
            self.erase_calls += erases(step.action)
            if drawn and not step.error:
                self.ink_calls += 1
                self.operations[name] += drawn
                self.first_ink = here if self.first_ink is None else self.first_ink
                self.last_ink = here

    def markers(self) -> Markers:
        """The markers of the steps so far."""
        drawn, after = self.operations.total(), None
        if self.last_ink is not None:
            finishing = self.finish is not None and self.finish > self.last_ink
            after = self.rounds - 1 - self.last_ink - finishing
        return Markers(
            tool_calls=self.ink_calls,
            drawing_operations=drawn,
            rounds=self.rounds,
            tool_diversity=entropy_bits(self.operations.values()),
            exploration_rounds=self.first_ink,
            verification_rounds=after,
            operations_per_round=drawn / self.rounds if self.rounds else None,
            parallel_rounds=self.parallel_rounds,
            largest_round=self.largest_round,
            undo_calls=self.undo_calls / self.calls if self.calls else None,
            erase_calls=self.erase_calls / self.calls if self.calls else None,
        )


def markers(steps: Iterable[Step]) -> Markers:
    """The markers of a trial from all its steps.

    Raises:
        KeyError: As :meth:`MarkerCount.add`.
    """
    count = MarkerCount()
    for step in steps:
        count.add(step)
    return count.markers()


def erases(action: Mapping[str, Any]) -> bool:
    """Whether a call asks for erasing, by the rules for booleans of the tools; its arguments may be a JSON string."""
    arguments = action.get("arguments")
    if isinstance(arguments, str):
        try:
            arguments = loads(arguments)
        except JsonError:
            return False
    value = arguments.get("erase") if isinstance(arguments, Mapping) else None
    return value is True or value in ("true", "True")


def entropy_bits(counts: Iterable[int]) -> float:
    """Shannon entropy of a distribution given by counts, bits; 0 for no counts at all."""
    present = [count for count in counts if count > 0]
    total = sum(present)
    return math.fsum(n / total * math.log2(total / n) for n in present)

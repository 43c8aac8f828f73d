"""The drawing trials of a trace: the numbers that tables are made of, read as a stream."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from designgym.errors import UserError
from designgym.eval.markers import MarkerCount, Markers
from designgym.rewards.added_ink import NULL_PX
from designgym.trace import Step, read_traces


@dataclass(frozen=True)
class Trial:
    """One trial.

    Attributes:
        episode: Its name in the trace.
        task: Task id, such as ``"is07"``.
        markers: Its process markers.
        end: Why it ended: ``"finished"`` by the agent, ``"budget"``; empty if the trace stops before an end.
        title: The drawing's title; empty without one.
        reward: Sum of the rewards paid.
        failed_call_rate: Share of its calls that named no tool or had unreadable arguments, 0 to 1.
        malformed_rate: Share of its operations that could not be read and were skipped, 0 to 1.
        added_ink: Inked pixels that the agent added to the stimulus, px; None if the trial did not end.
        operations: Operations that were drawn, by the name of the tool.
        revision_calls: Calls that undo or erase.
    """

    episode: str
    task: str
    markers: Markers
    end: str = ""
    title: str = ""
    reward: float = 0.0
    failed_call_rate: float = 0.0
    malformed_rate: float = 0.0
    added_ink: int | None = None
    operations: Mapping[str, int] = field(default_factory=dict)
    revision_calls: int = 0

    @property
    def finished(self) -> bool:
        """Whether the agent itself ended it."""
        return self.end == "finished"

    @property
    def null(self) -> bool | None:
        """Whether next to nothing was drawn, fewer than 300 px (section 4.3); None where that is not known."""
        return None if self.added_ink is None else self.added_ink < NULL_PX


def read_trials(path: str | Path) -> dict[str, Trial]:
    """The trials of a trace by the episode's name; of a trial that was begun again the last one counts.

    Only numbers are held, so a trace may be of any length.

    Raises:
        UserError: If the trace cannot be read, lacks lines, or is not of a drawing environment.
    """
    return trials_of(read_traces(path), str(path))


def trials_of(steps: Iterable[Step], place: str) -> dict[str, Trial]:
    """The trials that a stream of steps holds; ``place`` names it in messages. Episodes may be interleaved."""
    ended: dict[str, Trial] = {}
    under_way: dict[str, _Reading] = {}
    for step in steps:
        if step.step == 0:  # perhaps of a trial that was stopped and is begun again
            under_way[step.episode] = _Reading(step.episode, step.task)
        reading = under_way.get(step.episode)
        if reading is None or step.step != reading.steps:
            belongs = 0 if reading is None else reading.steps
            raise UserError(
                f"{place}: in episode '{step.episode}' step {step.step} stands where step {belongs} belongs. "
                "Lines are missing or two runs wrote to this file."
            )
        try:
            reading.add(step)
        except KeyError as error:
            raise UserError(
                f"{place}: the steps of episode '{step.episode}' do not say {error} in their info, so they are of no "
                f"drawing; process markers need traces of designgym/CanvasDrawing, and this one is of {step.env}."
            ) from error
        if step.done:
            ended[step.episode] = under_way.pop(step.episode).trial()
    return ended | {name: reading.trial() for name, reading in under_way.items()}


@dataclass
class _Reading:
    """A trial under way in the stream."""

    episode: str
    task: str
    steps: int = 0
    count: MarkerCount = field(default_factory=MarkerCount)
    end: str = ""
    title: str = ""
    reward: float = 0.0
    failed_call_rate: float = 0.0
    malformed_rate: float = 0.0
    added_ink: int | None = None

    def add(self, step: Step) -> None:
        self.steps += 1
        self.count.add(step)
        self.reward += step.reward
        info = step.info
        self.failed_call_rate, self.malformed_rate = float(info["failed_call_rate"]), float(info["malformed_rate"])
        if step.done:
            self.end, self.title = str(info.get("end", "")), str(info.get("title", ""))
            self.added_ink = int(info["added_ink"]) if "added_ink" in info else None

    def trial(self) -> Trial:
        return Trial(
            episode=self.episode,
            task=self.task,
            markers=self.count.markers(),
            end=self.end,
            title=self.title,
            reward=self.reward,
            failed_call_rate=self.failed_call_rate,
            malformed_rate=self.malformed_rate,
            added_ink=self.added_ink,
            operations=dict(self.count.operations),
            revision_calls=self.count.undo_calls + self.count.erase_calls,
        )

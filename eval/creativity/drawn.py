"""The drawings of recorded trials: played again from their traces, scored and described by features, in batches."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from designgym import manifest
from designgym.agents.table import CONSTANTS
from designgym.episode import Episode
from designgym.errors import UserError
from designgym.eval.markers_cli import policy_of
from designgym.eval.record import MANIFEST, RESULTS, slug
from designgym.eval.replay import Replayed, replay
from designgym.eval.results import read_results
from designgym.eval.trials import Trial, read_trials
from designgym.rewards.added_ink import added_ink, ink
from designgym.rewards.features.base import Features
from designgym.score import Reward

BATCH = 32
Image = NDArray[np.uint8]
Progress = Callable[[int], object]
"""Called with the number of drawings so far."""


@dataclass(frozen=True, eq=False)
class Drawn:
    """One drawing.

    Attributes:
        name: ``agent/task-replicate``, by which ratings name it; the name of its file, without ``.png``.
        agent: Who made it.
        stimulus: The task that it was made in, such as ``"is07"``.
        kind: Type of its shape: ``"is"`` (incomplete shape) or ``"ot"`` (object transformation).
        trial: How it came about and ended.
        ink: Inked pixels, the shape's included (the ink baseline of PainterBench, section 4.1).
        added: Those of them that are not the shape's.
        scores: Name of a scorer -> its value; None where it could not score.
        packed: The inked pixels, a bit each; :attr:`image` unpacks them.
        shape: The starting shape, uint8 H x W; None on a canvas that started blank.
    """

    name: str
    agent: str
    stimulus: str
    kind: str
    trial: Trial
    ink: int
    added: int
    scores: dict[str, float | None]
    packed: NDArray[np.uint8]
    size: tuple[int, int]
    shape: Image | None = None

    @property
    def image(self) -> Image:
        """uint8 H x W, 0 ink and 255 paper."""
        bits = np.unpackbits(self.packed, count=self.size[0] * self.size[1]).reshape(self.size)
        return (255 * (1 - bits)).astype(np.uint8)


@dataclass(eq=False)
class Collected:
    """What traces hold.

    Attributes:
        drawn: The drawings, agent by agent in the order in which they were found.
        vectors: Their features, float32 n x d; None without features.
        backends: Scorer -> what computed it.
        left_out: What is not among the drawings, and how much of it.
        notes: Further remarks, as sentences.
    """

    drawn: list[Drawn] = field(default_factory=list)
    vectors: NDArray[np.float32] | None = None
    backends: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)


def collect(
    traces: Sequence[Path],
    scorers: Sequence[Reward] = (),
    features: Features | None = None,
    agents: Sequence[str] = (),
    progress: Progress | None = None,
) -> Collected:
    """Play the trials of traces again and score what they left.

    Trials of the same agent and task in several traces are replicates, numbered in the order of the traces. A trial
    that was cut off, and whose result is not recorded either, is left out and counted; so are policies that see nothing
    (``blank``, ``full-ink``) unless they are named.

    Args:
        traces: Of drawing environments.
        scorers: With different names.
        features: What describes the drawings; None: nothing does.
        agents: Only these; empty: everyone but constants.
        progress: See :data:`Progress`.

    Raises:
        UserError: If a trace cannot be read or played, an agent is not in them, or no drawing is left.
    """
    found = Collected(backends={scorer.name: scorer.backend.id for scorer in scorers})
    rows: dict[str, NDArray[np.float32]] = {}
    drawn: dict[str, Drawn] = {}
    replicates: Counter[tuple[str, str]] = Counter()
    shapes: dict[bytes, Image] = {}
    differing, seen = 0, dict.fromkeys(policy_of(trace) for trace in traces)
    for name in agents:
        if name not in seen:
            raise UserError(f"The traces hold no drawing of '{name}'; they are of {', '.join(seen)}.")
    for trace in traces:
        agent = policy_of(trace)
        if agents and agent not in agents:
            continue
        trials = read_trials(trace)
        if not agents and _constant(trace):
            found.left_out[f"drawings of {agent}, which sees nothing"] += len(trials)
            continue
        complete = _recorded(trace)
        own: dict[str, str] = {}  # episode -> name; a trial that was begun again takes the place of the first
        episodes = replay(trace, images=False)
        while batch := list(islice(episodes, BATCH)):
            batch = [again for again in batch if again.finished or again.name in complete]
            scores = {scorer.name: _scores(scorer, batch) for scorer in scorers} if batch else {}
            vectors = features.extract([_image(again.episode) for again in batch]) if features and batch else None
            for number, again in enumerate(batch):
                key = agent, again.episode.task
                if again.name not in own:
                    replicates[key] += 1
                    own[again.name] = f"{slug(agent)}/{again.episode.task}-{replicates[key]}"
                name = own[again.name]
                drawn[name] = _drawn(name, agent, trials[again.name], again.episode, shapes)
                drawn[name].scores.update({scorer: values[number] for scorer, values in scores.items()})
                if vectors is not None:
                    rows[name] = vectors[number]
                differing += bool(again.differences)
            if progress is not None:
                progress(len(drawn))
        found.left_out["trials that were cut off"] += len(set(trials) - set(own))
    found.drawn = sorted(drawn.values(), key=lambda each: list(seen).index(each.agent))
    if not found.drawn:
        out = "; ".join(f"{number} {what}" for what, number in (+found.left_out).items())
        raise UserError(
            f"There are no drawings to study{f' (left out: {out})' if out else ''}; name others with --agent."
        )
    if rows:
        found.vectors = np.array([rows[each.name] for each in found.drawn], np.float32)
    found.left_out = +found.left_out
    if differing:
        found.notes.append(
            f"{differing} drawings did not come out as they were recorded, step by step: they were made with other "
            "versions, and what is shown and scored here is what these versions make of them (designgym replay tells "
            "where they differ)."
        )
    return found


def _drawn(name: str, agent: str, trial: Trial, episode: Episode, shapes: dict[bytes, Image]) -> Drawn:
    image = _image(episode)
    new, _ = added_ink(episode)
    shape = episode.stimulus
    if shape is not None:  # replicates share one
        shape = shapes.setdefault(shape.tobytes(), shape)
    mask = ink(image)
    return Drawn(
        name=name,
        agent=agent,
        stimulus=episode.task,
        kind=str(episode.truth.get("kind", "")),
        trial=trial,
        ink=int(mask.sum()),
        added=int(new.sum()),
        scores={},
        packed=np.packbits(mask),
        size=(mask.shape[0], mask.shape[1]),
        shape=shape,
    )


def _scores(scorer: Reward, batch: Sequence[Replayed]) -> list[float | None]:
    """Unclipped where the scorer logs its raw number: reports do not clip."""
    episodes = [again.episode for again in batch]
    check = getattr(scorer, "check", None)
    if check is not None:
        check(episodes[0])
    raw = f"{scorer.name}/raw"
    return [score.components.get(raw, score.value) for score in scorer.score_batch(episodes)]


def _image(episode: Episode) -> Image:
    assert episode.image is not None
    return episode.image.reshape(episode.image.shape[:2]) if episode.image.shape[-1] == 1 else episode.image


def _constant(trace: Path) -> bool:
    beside = trace.with_name(MANIFEST)
    config = manifest.read_manifest(beside)["config"] if beside.exists() else {}
    options = config.get("options")
    named = options.get("name") if isinstance(options, dict) else None
    return (named or config.get("agent")) in CONSTANTS


def _recorded(trace: Path) -> set[str]:
    """The trials whose result lies beside the trace: finished, though perhaps by the runner's own limit of rounds."""
    beside = trace.with_name(RESULTS)
    return set(read_results(beside)) if beside.exists() else set()

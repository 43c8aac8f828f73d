"""How the new ink of a drawing belongs to the stimulus: whether it hangs together with it, and ends on it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from designgym.rewards.added_ink import Mask, near
from designgym.rewards.components import Runs

TOUCH_PX = 2
"""New ink within this distance touches the stimulus: renderers differ by a pixel."""

FITS = 0.25
"""Ink that does not touch counts as surrounding where its box and the stimulus's have at least this IoU."""

ACROSS_PX = 5
"""Places of contact are one meeting where squares of this reach around them touch: strokes are 5 px wide."""

RING_PX, RING = 14, 48
"""A ring around a meeting, px, and the places on it, from which it is told whether a stroke runs past."""
ALIKE, SPREAD = 0.6, 3
"""It does if it leaves the ring twice, with so much of it having ink on the other side, within three places."""

TAKEN_PX = 60
"""So far along and around, an end on the stimulus takes it up."""


_BEFORE = np.arange(RING) - 1
_ACROSS = (np.arange(RING)[:, None] - RING // 2 - np.arange(-SPREAD, SPREAD + 1)) % RING
"""Of each place on the ring the one before it, and those on the other side, within SPREAD."""

MARGIN_PX = RING_PX + ACROSS_PX + TOUCH_PX
"""So far around the stimulus there is something to see of how strokes meet it."""


def incorporation(new: Mask, runs: Runs, stimulus: Mask) -> tuple[float, float, float]:
    """`connected`, and both shares of `joined`.

    Args:
        new: The new ink, bool H x W; some of it is there.
        runs: Its runs.
        stimulus: The stimulus, of the same shape; None of it may be there.
    """
    given = Runs.of(stimulus)
    if not len(given.rows):
        return 0.0, 0.0, 0.0
    box = given.boxes(np.zeros(len(given.rows), np.int64))[0]
    left, top = np.maximum(0, box[:2] - MARGIN_PX).tolist()
    right, bottom = (box[2:] + MARGIN_PX).tolist()
    close, shape = new[top:bottom, left:right], stimulus[top:bottom, left:right]
    touching = close & near(shape, TOUCH_PX)
    rows, columns = np.divmod(np.flatnonzero(touching), touching.shape[1])
    places = (rows + top) * new.shape[1] + columns + left
    return connected(runs, places, box), *joined(close, touching, Runs.of(shape))


def connected(new: Runs, touching: NDArray[np.int64], box: NDArray[np.int64]) -> float:
    """1 - (1 - s)^2, where s is the share of the new ink that lies in connected pieces which touch the stimulus.

    A piece that lies around it without touching counts half where it fits, and ever less the larger or the farther
    aside it is.

    Args:
        new: The runs of the new ink, at least one.
        touching: The pixels of new ink that touch the stimulus, as positions in the flattened page.
        box: The stimulus's box: left, top, right, bottom.
    """
    labels = new.pieces
    counts = np.minimum(1.0, _agreement(new.boxes(labels), box) / FITS) ** 2 / 2
    counts[np.unique(labels[new.at(touching)])] = 1.0
    share = float(counts[labels] @ new.lengths) / float(new.lengths.sum())
    return 1.0 - (1.0 - share) ** 2


def joined(new: Mask, touching: Mask, stimulus: Runs) -> tuple[float, float]:
    """How strokes meet the stimulus: by ending on it, rather than crossing it or running past.

    Args:
        new: The new ink, bool H x W.
        touching: What of it touches the stimulus: a stroke that crosses it does so in two places, on either side.
        stimulus: The runs of the stimulus.

    Returns:
        The share of meetings at which a stroke ends, 0 to 1, and the share of the stimulus that is within 60 px of
        such an end, 0 to 1; both are 0 without any contact.
    """
    runs = Runs.of(touching)
    labels = runs.labels()
    if not len(labels):
        return 0.0, 0.0
    around = Runs.of(near(touching, ACROSS_PX))
    meetings = around.labels()[around.at(runs.rows * runs.shape[1] + runs.starts)]
    places = np.zeros(meetings.max() + 1, np.int64)
    _, first = np.unique(labels, return_index=True)
    np.add.at(places, meetings[first], 1)
    amounts = np.bincount(meetings, weights=runs.lengths)
    x = np.bincount(meetings, weights=runs.lengths * (runs.starts + runs.stops - 1) / 2) / amounts
    y = np.bincount(meetings, weights=runs.lengths * runs.rows) / amounts
    ends = (places == 1) & ~_runs_past(new, x, y)
    middles = (stimulus.starts + stimulus.stops - 1) / 2
    apart = np.hypot(middles[:, None] - x[ends], stimulus.rows[:, None] - y[ends])
    taken = apart.min(axis=1, initial=np.inf) <= TAKEN_PX
    return float(ends.mean()), float(stimulus.lengths[taken].sum() / stimulus.lengths.sum())


def _runs_past(new: Mask, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Around which points new ink leaves in two opposite directions."""
    angles = np.arange(RING) * 2 * np.pi / RING
    rows = np.rint(y[:, None] + RING_PX * np.sin(angles)).astype(np.int64) + RING_PX + 1
    columns = np.rint(x[:, None] + RING_PX * np.cos(angles)).astype(np.int64) + RING_PX + 1
    ring = np.pad(new, RING_PX + 1)[rows, columns]
    strands = np.count_nonzero(ring & ~ring[:, _BEFORE], axis=1)
    wide = ring[:, _ACROSS].any(axis=2)
    alike = np.count_nonzero(ring & wide, axis=1) / np.maximum(np.count_nonzero(ring, axis=1), 1)
    past: NDArray[np.bool_] = (strands == 2) & (alike >= ALIKE)
    return past


def _agreement(boxes: NDArray[np.int64], own: NDArray[np.int64]) -> NDArray[np.float64]:
    """The IoU of each box (left, top, right, bottom; n x 4) and one box."""
    sides = np.minimum(boxes[:, 2:], own[2:]) - np.maximum(boxes[:, :2], own[:2])
    common = np.maximum(sides, 0).prod(axis=1)
    areas = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    found: NDArray[np.float64] = common / (areas + (own[2:] - own[:2]).prod() - common)
    return found

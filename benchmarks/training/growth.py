"""By how much memory grows over the steps of a training, once what is kept on purpose is there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

EVERY = 5
"""Steps between two looks."""
SETTLED = 50
"""The step after which memory should have settled."""


@dataclass(frozen=True)
class Used:
    """What a training used.

    Attributes:
        mib: Memory of the process after each `EVERY` steps.
    """

    mib: tuple[float, ...]

    @property
    def last(self) -> float:
        """MiB in the end."""
        return self.mib[-1]

    def _settled(self) -> np.ndarray:
        return np.array(self.mib[min(SETTLED // EVERY, len(self.mib) // 2) - 1 :])

    @property
    def growth(self) -> float:
        """By how much memory grows from `SETTLED` to the end, by a line through all that was measured; a share."""
        after = self._settled()
        slope, start = np.polyfit(np.arange(len(after)), after, 1)
        return float(slope * (len(after) - 1) / start)

    @property
    def spread(self) -> float:
        """How far what was measured lies apart from `SETTLED` on, as a share."""
        after = self._settled()
        return float((after.max() - after.min()) / after[0])

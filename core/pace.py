"""When a request may be sent: a limit on requests a minute, and how long to wait after a failure."""

from __future__ import annotations

import random
import threading
import time
from email.utils import parsedate_to_datetime

LONGEST_WAIT_S = 60.0
"""No wait between two tries is longer, whatever the server asks for."""


class Pace:
    """Spreads requests of several threads evenly.

    Args:
        per_minute: Most requests a minute; None sets no limit.
    """

    def __init__(self, per_minute: float | None) -> None:
        self._gap_s = 60.0 / per_minute if per_minute else 0.0
        self._next = 0.0
        self._lock = threading.Lock()

    def turn(self) -> float:
        """Take the next turn; return the seconds until it comes."""
        if not self._gap_s:
            return 0.0
        with self._lock:
            now = time.monotonic()
            at = max(now, self._next)
            self._next = at + self._gap_s
        return at - now


def wait_s(failures: int, backoff_s: float, asked_for: str, rng: random.Random) -> float:
    """Seconds before the next try: what the server asked for, or twice as long each time, never all at once.

    Args:
        failures: How many tries have failed, from 1.
        backoff_s: Wait after the first; it is shortened by up to a half at random.
        asked_for: The header ``Retry-After``: seconds or a date; empty or unreadable: nothing was asked for.
        rng: Where chance comes from.
    """
    told = retry_after_s(asked_for)
    if told is not None:
        return min(LONGEST_WAIT_S, told)
    return min(LONGEST_WAIT_S, backoff_s * 2 ** (failures - 1)) * rng.uniform(0.5, 1.0)


def retry_after_s(header: str) -> float | None:
    """The seconds that a ``Retry-After`` asks for (RFC 9110, section 10.2.3); None if it cannot be read.

    >>> retry_after_s("7"), retry_after_s("soon")
    (7.0, None)
    """
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except (ValueError, TypeError):
            return None
    return max(0.0, seconds) if seconds == seconds else None

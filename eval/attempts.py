"""Doing what a run can do without: it may fail, which is said once and counted."""

from __future__ import annotations

from collections.abc import Callable


class Attempts:
    """Things that are attempted with one library.

    Attributes:
        failures: How often it raised.

    Args:
        name: The library's.
        instead: What holds where it fails, as a sentence's end.
        say: Told of the first failure.
    """

    def __init__(self, name: str, instead: str, say: Callable[[str], None]) -> None:
        self.name, self.instead, self.say = name, instead, say
        self.failures = 0

    def __call__(self, what: str, do: Callable[[], object]) -> bool:
        """Do something; False if it raised.

        Args:
            what: In words, for the message: ``"to take a table"``.
            do: Does it.
        """
        try:
            do()
        except Exception as error:  # of all kinds: connections, full disks, bugs of its own
            self.failed(what, error)
            return False
        return True

    def failed(self, what: str, error: Exception) -> None:
        """Count a failure, and say so if it is the first."""
        self.failures += 1
        if self.failures == 1:
            said = str(error).strip().rstrip(".") or "without a word"
            self.say(f"{self.name} failed {what} ({type(error).__name__}: {said}); {self.instead}. The work goes on.")

    def sum_up(self) -> None:
        """Say how often it failed, if more than once."""
        if self.failures > 1:
            self.say(f"{self.name} failed {self.failures} times in all; {self.instead}.")

"""Records that cannot be used: skipped, counted and named in the log, or an error for those who ask for strictness."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from designgym.errors import UserError

LOGGER = logging.getLogger(__name__)
"""Names every record that is skipped, with the reason, at the level ``WARNING``."""


class BrokenRecord(UserError):
    """A record of a data set that cannot be used; the message is the reason, a sentence."""


@dataclass
class Skipped:
    """What one reader left out.

    Attributes:
        strict: Raise instead of leaving out.
        records: Place of each record that was left out -> reason.
        notes: Place -> what was left out or changed within a record that was kept.
    """

    strict: bool = False
    records: dict[str, str] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)

    def record(self, place: str, reason: str) -> None:
        """Leave a record out.

        Raises:
            BrokenRecord: If the reader is strict.
        """
        if self.strict:
            raise BrokenRecord(f"{place}: {reason} Mend or remove it, or read without --strict to skip it.")
        if place not in self.records:
            self.records[place] = reason
            LOGGER.warning("%s was skipped: %s", place, reason)

    def part(self, place: str, reason: str) -> None:
        """Leave a part of a record out, such as an element that cannot be seen.

        Raises:
            BrokenRecord: If the reader is strict.
        """
        if self.strict:
            raise BrokenRecord(f"{place}: {reason} Mend it, or read without --strict to go on without it.")
        if place not in self.notes:
            self.notes[place] = reason
            LOGGER.warning("%s: %s", place, reason)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def summary(self) -> str:
        """A sentence with the number of records left out, empty if there are none."""
        count = len(self.records)
        if not count:
            return ""
        first = next(iter(self.records))
        return f"{count} broken record{'s were' if count > 1 else ' was'} skipped, the first at {first}."

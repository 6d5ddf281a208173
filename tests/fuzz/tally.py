"""Results: the number of inputs, how many were accepted, and each fault with its frequency."""

from __future__ import annotations

import dataclasses
from typing import Any

from tests.fuzz.entry import Found


@dataclasses.dataclass
class Tally:
    """Counts of one entry."""

    inputs: int = 0
    accepted: int = 0
    found: dict[Found, int] = dataclasses.field(default_factory=dict)

    def count(self, outcome: bool | Found) -> None:
        """Counts one more input."""
        self.inputs += 1
        if isinstance(outcome, Found):
            self.note(outcome)
        else:
            self.accepted += outcome

    def note(self, found: Found, times: int = 1) -> None:
        """Counts a fault."""
        self.found[found] = self.found.get(found, 0) + times

    def add(self, other: Tally) -> None:
        """Adds the counts of another run of the same entry."""
        self.inputs += other.inputs
        self.accepted += other.accepted
        for found, times in other.found.items():
            self.note(found, times)

    def as_object(self) -> dict[str, Any]:
        """The counts as an object for JSON."""
        faults = [
            dataclasses.asdict(one) | {"example": one.example[:4096].hex(), "count": times}
            for one, times in self.found.items()
        ]
        return {"inputs": self.inputs, "accepted": self.accepted, "found": faults}

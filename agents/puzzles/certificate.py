"""What is said of a puzzle: its one winning move, and the answer to every other move."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

MIN_PLIES, MAX_PLIES = 3, 40
"""Length of a win that is a puzzle: what wins at once is none."""


@dataclasses.dataclass(frozen=True)
class Reply:
    result: str
    """`loses`, `draws`, or `slower`: it does not win in as few moves."""
    amount: int = 0
    """Discs or plies of a loss; 0 where nothing is counted."""
    reply: str = ""
    """The move that shows it; empty where none does."""


@dataclasses.dataclass(frozen=True)
class Certificate:
    move: str
    plies: int
    discs: int
    """Discs by which it wins in reversi; else 0."""
    proof: str
    """How it is proven: `fours`, `exact`, `table` or `full_search`."""
    line: tuple[str, ...]
    """The win against the best defence, as far as it is known."""
    others: Mapping[str, Reply]

    def as_object(self) -> dict[str, object]:
        return dataclasses.asdict(self)

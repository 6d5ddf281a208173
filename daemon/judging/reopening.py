"""A finished game whose last moves are undone on the board: is a move taken back, or the board being cleared?

The first man lifted may look like the last move taken back. Where more men go and none comes, the game was over, and
its moves count again.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from daemon.judging.effects import Effect, Rewrite
from daemon.judging.explanation import Explanation
from daemon.judging.line import LineOfPlay, Ply
from games import EMPTY, Outcome

MOST_UNDONE = 2
"""A takeback of more plies from the end is no takeback, but a board that is being cleared."""


@dataclasses.dataclass(frozen=True)
class Ended:
    """A game as it ended."""

    plies: tuple[Ply, ...]
    positions: tuple[Any, ...]
    board: str
    """The board at the end."""
    outcome: Outcome

    @classmethod
    def of(cls, line: LineOfPlay, outcome: Outcome) -> Ended:
        """The line as it stands now, at its end."""
        return cls(tuple(line.plies), tuple(line.positions), line.game.board(line.position), outcome)


def is_being_cleared(ended: Ended, best: Explanation | None, board: str) -> bool:
    """Whether a board after a takeback from the end shows that no move was meant: only men of the end are left."""
    if best is not None and best.kind != "takeback":
        return False
    if best is not None and best.ply >= len(ended.plies) - MOST_UNDONE:
        return False
    return _is_part(board, ended.board)


def _is_part(board: str, whole: Sequence[str]) -> bool:
    return all(letter in (EMPTY, other) for letter, other in zip(board, whole, strict=True))


def restore(line: LineOfPlay, ended: Ended) -> list[Effect]:
    """Puts the line back to its end, and says so to the record."""
    ply = len(line.plies)
    line.plies, line.positions = list(ended.plies), list(ended.positions)
    return [Rewrite(ply, tuple(line.record(index) for index in range(ply, len(line.plies))), ended.outcome)]

"""Moves undone on the board, kept until another is made: people lift men and put them back, or clear the board.

The first man lifted from a finished game may look like the last move taken back; where more men go and none comes, the
game was over. And what was lifted and stands there again as it did was no move taken back for good.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from daemon.judging.effects import Effect, Finish
from daemon.judging.explanation import Explanation
from daemon.judging.line import LineOfPlay, Ply
from games import EMPTY, Outcome

MOST_UNDONE = 2
"""A takeback of more plies from the end is no takeback, but a board that is being cleared."""


@dataclasses.dataclass(frozen=True)
class UndoneLine:
    """A line of play as it was before moves were taken back from it."""

    plies: tuple[Ply, ...]
    positions: tuple[Any, ...]
    boards: tuple[str, ...]
    """The board after each ply, the start's first."""
    outcome: Outcome | None
    """How the game had ended; None where it went on."""

    @classmethod
    def of(cls, line: LineOfPlay, outcome: Outcome | None) -> UndoneLine:
        """The line as it stands now."""
        boards = tuple(line.game.board(position) for position in line.positions)
        return cls(tuple(line.plies), tuple(line.positions), boards, outcome)

    def continues(self, line: LineOfPlay) -> bool:
        """Whether the line believed now is the beginning of this one."""
        made = len(line.plies)
        return self.positions[: made + 1] == tuple(line.positions) and self.plies[:made] == tuple(line.plies)

    def again(self, line: LineOfPlay, board: str) -> int:
        """The last ply after which this line showed that board, later than the line believed; 0 where it never did."""
        later = range(len(self.plies), len(line.plies), -1)
        return next((ply for ply in later if self.boards[ply] == board), 0)

    def is_being_cleared(self, best: Explanation | None, board: str) -> bool:
        """Whether a finished game's board shows that no move was meant: more men are gone, and only its own are left.

        `best` is what explains that board.
        """
        if self.outcome is None or (best is not None and best.kind != "takeback"):
            return False
        if best is not None and best.ply >= len(self.plies) - MOST_UNDONE:
            return False
        return all(letter in (EMPTY, other) for letter, other in zip(board, self.boards[-1], strict=True))

    def restore(self, line: LineOfPlay, ply: int) -> list[Effect]:
        """Puts the line back to `ply` plies of this one, and says so to the record."""
        made = len(line.plies)
        line.plies, line.positions = list(self.plies[:ply]), list(self.positions[: ply + 1])
        effects: list[Effect] = [line.record(index) for index in range(made, ply)]
        if self.outcome is not None and ply == len(self.plies):
            effects.append(Finish(self.outcome))
        return effects

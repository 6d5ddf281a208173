"""Lines of play that are not believed now but may turn out to be right.

One is the line before moves were taken back on the board: people lift pieces and put them back, or clear the board at
the end of the game. Others are the alternatives left open by a doubtful board: the next move decides between them.
"""

from __future__ import annotations

import dataclasses
from typing import Any

from daemon.game.effects import Effect, Finish, TakeBack
from daemon.game.line_of_play import LineOfPlay, Ply
from daemon.interpret.explain import boards_before, explain, is_reached
from daemon.interpret.explanation import Explanation, MoveEvent
from daemon.interpret.lookahead import MAX_MOVES_BESIDES
from rules import EMPTY, AnyGame, Outcome, Side

MAX_UNDONE = 2
"""Plies from the end of the game beyond which a takeback is no takeback but a board being cleared."""


MAX_TRIED = 8
"""Number of plies of another line that are tried, from its end."""


@dataclasses.dataclass(frozen=True)
class OtherLine:
    """A line of play other than the believed one."""

    plies: tuple[Ply, ...]
    positions: tuple[Any, ...]
    boards: tuple[str, ...]
    """The boards from the start on, one after each ply."""
    outcome: Outcome | None
    """Outcome of the game with it; None if the game continued."""
    assumed: bool = False
    """Whether unseen moves lead to it: it then stays open as long as later boards fit it too."""

    @classmethod
    def of(cls, line: LineOfPlay, outcome: Outcome | None) -> OtherLine:
        """A copy of a line as it is now."""
        boards = tuple(line.game.board(position) for position in line.positions)
        return cls(tuple(line.plies), tuple(line.positions), boards, outcome)

    @classmethod
    def ended(cls, line: LineOfPlay) -> OtherLine:
        """A line that ended the game."""
        return cls.of(line, line.game.outcome(line.position))

    @classmethod
    def after(cls, line: LineOfPlay, way: Explanation, *, assumed: bool = False) -> OtherLine:
        """The line if a board had come about in that way; `assumed` marks its new plies."""
        ply = way.ply if way.kind == "takeback" else len(line.plies)
        other = LineOfPlay(line.game, line.positions[: ply + 1])
        other.plies = line.plies[:ply]
        if way.kind == "plies" and not ply:
            other.positions[0] = way.start
        if way.kind in ("plies", "takeback"):
            for move, position in zip(way.moves, way.positions, strict=True):
                other.add(move, position, assumed=assumed)
        return dataclasses.replace(cls.of(other, line.game.outcome(other.position)), assumed=assumed)

    def continues(self, line: LineOfPlay) -> bool:
        """Whether the believed line is the beginning of this one."""
        made = len(line.plies)
        return self.positions[: made + 1] == tuple(line.positions) and self.plies[:made] == tuple(line.plies)

    def again(self, line: LineOfPlay, board: str) -> int:
        """The last ply, later than the believed line's, after which this line showed that board; 0 if there is none."""
        later = range(len(self.plies), len(line.plies), -1)
        return next((ply for ply in later if self.boards[ply] == board), 0)

    def is_being_cleared(self, best: Explanation | None, board: str) -> bool:
        """Whether a finished game's board is just being cleared: pieces are missing, and only the line's own are left.

        `best` is the explanation of that board.
        """
        if self.outcome is None or (best is not None and best.kind != "takeback"):
            return False
        if best is not None and best.ply >= len(self.plies) - MAX_UNDONE:
            return False
        return all(letter in (EMPTY, other) for letter, other in zip(board, self.boards[-1], strict=True))

    def explains(self, line: LineOfPlay, event: MoveEvent) -> tuple[int, MoveEvent] | None:
        """The last ply from which legal play explains a reading, with the explanation; None if there is none.

        If the believed line is the beginning of this one, their common plies are skipped.
        """
        made = len(line.plies) if self.continues(line) else len(self.plies) - 1
        for ply in range(len(self.plies), max(made, len(self.plies) - MAX_TRIED), -1):
            again = explain(line.game, self.positions[: ply + 1], event.reading, (), MAX_MOVES_BESIDES)
            if again.explanations and not again.ambiguous and again.explanations[0].kind in ("unchanged", "plies"):
                return ply, again
        return None

    def gone_on(self, game: AnyGame, ply: int, event: MoveEvent) -> OtherLine:
        """The line that continues from its first `ply` plies with the event's best explanation."""
        line = LineOfPlay(game, self.positions[: ply + 1])
        line.plies = list(self.plies[:ply])
        return dataclasses.replace(OtherLine.after(line, event.explanations[0]), assumed=self.assumed)

    def take_over(self, line: LineOfPlay, ply: int) -> list[Effect]:
        """Makes the first `ply` plies of this line the believed line; returns the effects for the record."""
        made = 0
        while made < min(ply, len(line.plies)) and (
            line.plies[made] == self.plies[made] and line.positions[made + 1] == self.positions[made + 1]
        ):
            made += 1
        effects: list[Effect] = [TakeBack(made)] if made < len(line.plies) else []
        line.plies, line.positions = list(self.plies[:ply]), list(self.positions[: ply + 1])
        effects += [line.record(index) for index in range(made, ply)]
        if self.outcome is not None and ply == len(self.plies):
            effects.append(Finish(self.outcome))
        return effects


def longer_takebacks(line: LineOfPlay, way: Explanation) -> tuple[OtherLine, ...]:
    """The lines of longer takebacks to the same board as the believed takeback, where other moves may follow."""
    if way.moves:
        return ()
    found, known = [], [next_moves(line.game, way.start)]
    for ply, board in boards_before(line.game, line.positions):
        if (
            board == way.board
            and ply < way.ply
            and (following := next_moves(line.game, line.positions[ply])) not in known
        ):
            known.append(following)
            found.append(OtherLine.after(line, dataclasses.replace(way, ply=ply, start=line.positions[ply])))
    return tuple(found)


def next_moves(game: AnyGame, position: Any) -> tuple[str, Side, frozenset[str]]:
    """What determines further play from a position: its board, the side to move, and all legal moves."""
    moves = frozenset(game.format_move(position, move) for move in game.legal_moves(position))
    return game.board(position), game.to_move(position), moves


@dataclasses.dataclass(frozen=True)
class Together:
    """Plies that came in one look, so that their order was assumed or other plies would have led to the same board."""

    ply: int
    """Number of plies made before them."""
    texts: tuple[str, ...]
    """Texts of those that changed the board."""

    def lifted(self, line: LineOfPlay, event: MoveEvent) -> Explanation | None:
        """The explanation by which only some of these plies remain; None if that does not fit.

        What remains are some of the assumed plies, in any order, or the first of others that had led to the same board.
        """
        made = tuple(one.text for one in line.plies[self.ply :] if one.seen)
        if made[: len(self.texts)] != self.texts:
            return None
        again = explain(line.game, line.positions[: self.ply + 1], event.reading)
        best = again.explanations[0] if again.explanations and not again.ambiguous else None
        if best is None or best.kind != "plies":
            return None
        befores = (line.positions[self.ply], *best.positions)
        seen = {
            line.game.format_move(before, move)
            for before, move in zip(befores, best.moves, strict=False)
            if line.game.steps(before, move)
        }
        left = len(self.texts) - best.seen
        stood = line.game.board(line.position)
        others = made == self.texts and left > 0 and is_reached(line.game, best.positions[-1], stood, left)
        return dataclasses.replace(best, kind="takeback", ply=self.ply) if seen < set(self.texts) or others else None

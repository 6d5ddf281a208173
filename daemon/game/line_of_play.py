"""The believed line of play: positions, moves, and how the maker of each is known.

Where pieces belong to nobody, the board does not show who played one. Sides then follow from the turn until somebody
knows better; the line is replayed with what is known, and unannounced passes are inserted where needed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from daemon.game.effects import Known, Record, Rewrite
from rules import EMPTY, AnyGame, MoveError, Outcome, Side, Step

MAX_FORCED = 4
"""Greatest number of passes in a row that are made without asking, or inserted before one visible ply."""


@dataclasses.dataclass(frozen=True)
class Ply:
    """One move of the line."""

    move: Any
    """None for a move after the game's end, known only by its text."""
    text: str
    side: Side
    seen: bool
    """Whether it changed the board."""
    known: Known = ""
    assumed: bool = False
    """Whether it was not seen being made: it was inferred as a way to a board that was seen later."""


class LineOfPlay:
    """The positions from the start and the plies between them."""

    def __init__(
        self,
        game: AnyGame,
        history: Sequence[Any] = (),
        moves: Sequence[str] = (),
        known: Sequence[Known] = (),
        assumed: Sequence[bool] = (),
    ) -> None:
        self.game = game
        self.positions = list(history) or [game.initial()]
        self.plies = []
        for number, text in enumerate(moves):
            move = game.parse_move(self.positions[number], text)
            ply = self._ply(self.positions[number], move, known[number] if known else "")
            self.plies.append(dataclasses.replace(ply, assumed=bool(assumed) and assumed[number]))
        self.beyond: tuple[Ply, ...] = ()
        """Visible plies that no longer count, because in the line as now believed the game ended before them."""

    @property
    def position(self) -> Any:
        """The last position."""
        return self.positions[-1]

    @property
    def seen(self) -> list[int]:
        """Indices of the plies that changed the board: move number n is the n-th of them."""
        return [index for index, ply in enumerate(self.plies) if ply.seen]

    def steps(self, index: int) -> tuple[Step, ...]:
        """The steps that a hand made for a ply."""
        return self.game.steps(self.positions[index], self.plies[index].move)

    def add(self, move: Any, position: Any, known: Known = "", *, assumed: bool = False) -> Ply:
        """Appends a ply and returns it."""
        ply = dataclasses.replace(self._ply(self.position, move, known), assumed=assumed)
        self.plies.append(ply)
        self.positions.append(position)
        return ply

    def cut(self, ply: int) -> None:
        """Removes the plies after `ply`."""
        del self.positions[ply + 1 :], self.plies[ply:]
        self.beyond = ()

    def record(self, index: int) -> Record:
        """A ply as an entry of the record."""
        after, ply = self.positions[index + 1], self.plies[index]
        position, board = self.game.format_position(after), self.game.board(after)
        return Record(index + 1, ply.side, ply.text, position, board, ply.known, assumed=ply.assumed)

    def rewrite(self, same: int, outcome: Outcome | None) -> Rewrite:
        """The record entry for a line that differs from ply `same` on."""
        beyond = tuple((ply.text, ply.side, ply.known) for ply in self.beyond)
        return Rewrite(same, tuple(self.record(index) for index in range(same, len(self.plies))), outcome, beyond)

    def correct(self, number: int, side: Side) -> int:
        """Sets `side` as the maker of move `number` (from 1, passes not counted) and replays the line from there.

        Returns the ply up to which the line is unchanged. Raises MoveError, leaving the line as it was, if that is
        impossible.
        """
        return self.become(self.with_mover(number, side, "said"))

    def with_mover(self, number: int, side: Side, known: Known) -> LineOfPlay:
        """A copy of the line in which `side` made move `number`, replayed from there.

        Plies whose maker is known keep it, the others follow in turn. Raises MoveError.
        """
        index = self.seen[number - 1]
        first = self.seen[number - 2] + 1 if number > 1 else 0
        tail = [*self.plies[first:], *self.beyond]
        # Known for now, or the ply would follow in turn; but it does not undo a pass that somebody reported.
        tail[index - first] = dataclasses.replace(tail[index - first], side=side, known=known or "seat")
        again = LineOfPlay(self.game, self.positions[: first + 1])
        again.plies = self.plies[:first]
        again._play(tail)
        if len(again.seen) >= number:
            made = again.seen[number - 1]
            again.plies[made] = dataclasses.replace(again.plies[made], known=known)
        return again

    def become(self, other: LineOfPlay) -> int:
        """Takes over another line's plies. Returns the ply up to which both are the same."""
        same = 0
        while same < min(len(self.plies), len(other.plies)) and self._same(other, same):
            same += 1
        self.positions, self.plies, self.beyond = list(other.positions), list(other.plies), other.beyond
        return same

    def copy(self, *, forgetful: bool = False) -> LineOfPlay:
        """An independent copy; with `forgetful`, without what is known about the makers of its plies."""
        again = LineOfPlay(self.game, self.positions)
        again.become(self)
        if forgetful:
            again.plies = [dataclasses.replace(ply, known="") for ply in self.plies]
            again.beyond = tuple(dataclasses.replace(ply, known="") for ply in self.beyond)
        return again

    def _same(self, other: LineOfPlay, index: int) -> bool:
        return self.plies[index] == other.plies[index] and self.positions[index + 1] == other.positions[index + 1]

    def _play(self, tail: Sequence[Ply]) -> None:
        """Appends plies whose sides may have to be found anew. Raises MoveError."""
        for number, ply in enumerate(tail):
            if self.game.outcome(self.position) is not None:
                self.beyond = tuple(one for one in tail[number:] if one.seen)
                return
            if ply.seen:
                self._play_seen(ply)
            elif ply.known and ply.side == self._to_move() and not _contradicted(ply, tail[number + 1 :]):
                self.add(ply.move, self.game.apply(self.position, ply.move), ply.known)

    def _play_seen(self, ply: Ply) -> None:
        """Appends the ply after the fewest passes that make it legal."""
        for passes in self._passes():
            position = passes[-1][1] if passes else self.position
            if ply.known and ply.side != self.game.to_move(position):
                continue
            try:
                move = self.game.parse_move(position, ply.text)
            except MoveError:
                continue
            for passing, passed in passes:
                self.add(passing, passed)
            self.add(move, self.game.apply(position, move), ply.known)
            return
        who = f" by {self.game.sides[ply.side]}" if ply.known else ""
        number = len(self.seen) + 1
        raise MoveError("cannot_be", f"then move {number}, {ply.text}{who}, could not have been made")

    def _passes(self) -> Iterable[list[tuple[Any, Any]]]:
        """Yields no pass, one, two and so on, each as moves with the positions after them."""
        passes: list[tuple[Any, Any]] = []
        position = self.position
        yield passes
        for _ in range(MAX_FORCED):
            move = next((one for one in unseen_moves(self.game, position)), None)
            if move is None:
                return
            position = self.game.apply(position, move)
            passes = [*passes, (move, position)]
            yield passes

    def _to_move(self) -> Side:
        return self.game.to_move(self.position)

    def _ply(self, before: Any, move: Any, known: Known) -> Ply:
        seen = bool(self.game.steps(before, move))
        return Ply(move, self.game.format_move(before, move), self.game.to_move(before), seen, known)


def _contradicted(passed: Ply, rest: Sequence[Ply]) -> bool:
    """Whether a side said to have passed was later said to have made the very next move."""
    following = next((ply for ply in rest if ply.seen or ply.known), passed)
    return following.seen and following.side == passed.side and (passed.known, following.known) == ("said", "said")


def unseen_moves(game: AnyGame, position: Any) -> list[Any]:
    """The passes: legal moves that change nothing on the board."""
    return [move for move in game.legal_moves(position) if not game.steps(position, move)]


def shares_pieces(game: AnyGame) -> bool:
    """Whether the pieces belong to nobody, so that the board does not show who played one."""
    return set(game.pieces) == {EMPTY}

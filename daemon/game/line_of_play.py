"""The believed line of play: positions, moves, and how the maker of each is known, if only by whose turn it was."""

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
            before = self.positions[number]
            told = known[number] if known else ""
            self.plies.append(self._ply(before, game.parse_move(before, text), told, bool(assumed) and assumed[number]))
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
        ply = self._ply(self.position, move, known, assumed)
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
        """Becomes the line `with_mover`, said by somebody. Returns the ply up to which nothing changes."""
        return self.become(self.with_mover(number, side, "said"))

    def with_mover(self, number: int, side: Side, known: Known) -> LineOfPlay:
        """A copy of the line in which `side` made move `number`, from 1 without passes, replayed from there.

        Plies whose maker is known keep it, the others follow in turn. Raises MoveError.
        """
        index = self.seen[number - 1]
        first = self.seen[number - 2] + 1 if number > 1 else 0
        tail = [*self.plies[first:], *self.beyond]
        # Known for now, or the ply would follow in turn; but it does not undo a pass that somebody reported.
        tail[index - first] = dataclasses.replace(tail[index - first], side=side, known=known or "seat")
        again = self.until(first)
        again._play(tail)
        if len(again.seen) >= number:
            made = again.seen[number - 1]
            again.plies[made] = dataclasses.replace(again.plies[made], known=known)
        return again

    def replayed(self, again: LineOfPlay) -> LineOfPlay | None:
        """`again`, which begins otherwise, with the later plies by the same hands; None where the rules forbid it."""
        game = self.game
        for index in range(len(again.plies), len(self.plies)):
            ply, position, hand = self.plies[index], again.position, self.steps(index)
            same = [
                move
                for move in game.legal_moves(position)
                if game.steps(position, move) == hand and (hand or game.format_move(position, move) == ply.text)
            ]
            if not same:
                return None
            chosen = game.choice(self.positions[index], ply.move)
            move = next((one for one in same if game.choice(position, one) == chosen), same[0])
            again.add(move, game.apply(position, move), ply.known, assumed=ply.assumed)
        return again

    def become(self, other: LineOfPlay) -> int:
        """Takes over another line's plies. Returns the ply up to which both are the same."""
        plies = zip(self.plies, self.positions[1:], other.plies, other.positions[1:], strict=False)
        differing = (index for index, (mine, at, one, there) in enumerate(plies) if mine != one or at != there)
        same = next(differing, min(len(self.plies), len(other.plies)))
        self.positions, self.plies, self.beyond = list(other.positions), list(other.plies), other.beyond
        return same

    def until(self, ply: int) -> LineOfPlay:
        """A copy of the line up to a ply."""
        again = LineOfPlay(self.game, self.positions[: ply + 1])
        again.plies = self.plies[:ply]
        return again

    def _play(self, tail: Sequence[Ply]) -> None:
        """Appends plies whose sides may have to be found anew. Raises MoveError."""
        for number, ply in enumerate(tail):
            if self.game.outcome(self.position) is not None:
                self.beyond = tuple(one for one in tail[number:] if one.seen)
                return
            follows = ply.known and ply.side == self.game.to_move(self.position)
            if ply.seen:
                self._play_seen(ply)
            elif follows and not _contradicted(ply, tail[number + 1 :]):
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
            moves = unseen_moves(self.game, position)
            if not moves:
                return
            position = self.game.apply(position, moves[0])
            passes = [*passes, (moves[0], position)]
            yield passes

    def _ply(self, before: Any, move: Any, known: Known, assumed: bool) -> Ply:
        game = self.game
        text, seen = game.format_move(before, move), bool(game.steps(before, move))
        return Ply(move, text, game.to_move(before), seen, known, assumed)


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

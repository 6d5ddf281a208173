"""The believed line of play: positions, moves, and how the maker of each is known, if only by whose turn it was."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from daemon.game.effects import Known, Record, Rewrite
from rules import EMPTY, AnyGame, MoveError, Outcome, Side, Step, Words

MAX_FORCED = 4
"""Greatest number of passes in a row that are made without asking, or inserted before one visible ply."""


@dataclasses.dataclass(frozen=True, slots=True)
class Ply:
    move: Any
    """None, as the position, for a move after the game's end, known only by its text."""
    position: Any
    side: Side
    seen: bool
    """Whether it changed the board."""
    known: Known = ""
    assumed: bool = False
    """Whether it was not seen being made: it is one way, perhaps of several, to a board that was seen later."""
    time_s: float = dataclasses.field(default=0.0, compare=False)
    """When a look first showed it."""
    text: str = dataclasses.field(default="", compare=False)
    """Its text; empty until it joins a `LineOfPlay`, because most that are weighed never do."""


def played(
    game: AnyGame, before: Any, move: Any, known: Known = "", *, assumed: bool = False, time_s: float = 0.0
) -> Ply:
    seen = bool(game.steps(before, move))
    return Ply(move, game.apply(before, move), game.to_move(before), seen, known, assumed, time_s)


class Plies:
    __slots__ = ()
    start: Any
    plies: Sequence[Ply]

    @property
    def position(self) -> Any:
        return self.plies[-1].position if self.plies else self.start

    @property
    def positions(self) -> list[Any]:
        return [self.start, *(ply.position for ply in self.plies)]

    def before(self, index: int) -> Any:
        """The position before a ply, counted from 0."""
        return self.plies[index - 1].position if index else self.start


class LineOfPlay(Plies):
    """A line that is believed; the moves have their texts, and may be replayed with other movers."""

    def __init__(self, game: AnyGame, start: Any, plies: Iterable[Ply] = ()) -> None:
        self.game, self.start = game, start
        self.plies: list[Ply] = []
        for ply in plies:
            self.add(ply)
        self.beyond: tuple[Ply, ...] = ()
        """Visible plies that no longer count, because in the line as now believed the game ended before them."""

    @classmethod
    def of(
        cls,
        game: AnyGame,
        history: Sequence[Any],
        moves: Sequence[str],
        known: Sequence[Known] = (),
        assumed: Sequence[bool] = (),
    ) -> LineOfPlay:
        """The line of moves by their texts, through these positions."""
        line = cls(game, history[0])
        for number, (text, after) in enumerate(zip(moves, history[1:], strict=True)):
            move, told = game.parse_move(line.position, text), known[number] if known else ""
            ply = played(game, line.position, move, told, assumed=bool(assumed) and assumed[number])
            line.add(dataclasses.replace(ply, position=after))
        return line

    @property
    def seen(self) -> list[int]:
        """Indices of the plies that changed the board: move number n is the n-th of them."""
        return [index for index, ply in enumerate(self.plies) if ply.seen]

    def steps(self, index: int) -> tuple[Step, ...]:
        return self.game.steps(self.before(index), self.plies[index].move)

    def add(self, ply: Ply) -> None:
        if not ply.text:
            ply = dataclasses.replace(ply, text=self.game.format_move(self.position, ply.move))
        self.plies.append(ply)

    def cut(self, ply: int) -> None:
        """Removes the plies after `ply`."""
        del self.plies[ply:]
        self.beyond = ()

    def know(self, position: Any) -> None:
        """Takes the last position with what somebody has told of it."""
        if self.plies:
            self.plies[-1] = dataclasses.replace(self.plies[-1], position=position)
        else:
            self.start = position

    def record(self, index: int) -> Record:
        ply = self.plies[index]
        position, board = self.game.format_position(ply.position), self.game.board(ply.position)
        return Record(index + 1, ply.side, ply.text, position, board, ply.known, assumed=ply.assumed)

    def rewrite(self, same: int, outcome: Outcome | None) -> Rewrite:
        """The record entry for a line that differs from ply `same` on."""
        beyond = tuple((ply.text, ply.side, ply.known) for ply in self.beyond)
        return Rewrite(same, tuple(self.record(index) for index in range(same, len(self.plies))), outcome, beyond)

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
            chosen = Words.of(game).choice(self.before(index), ply.move)
            move = next((one for one in same if Words.of(game).choice(position, one) == chosen), same[0])
            again.add(played(game, position, move, ply.known, assumed=ply.assumed))
        return again

    def become(self, other: LineOfPlay) -> int:
        """Takes over another line's plies. Returns the ply up to which both are the same."""
        pairs = enumerate(zip(self.plies, other.plies, strict=False))
        differing = (index for index, (mine, one) in pairs if mine != one)
        same = next(differing, min(len(self.plies), len(other.plies)))
        self.start, self.plies, self.beyond = other.start, list(other.plies), other.beyond
        return same

    def until(self, ply: int) -> LineOfPlay:
        return LineOfPlay(self.game, self.start, self.plies[:ply])

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
                self.add(played(self.game, self.position, ply.move, ply.known))

    def _play_seen(self, ply: Ply) -> None:
        """Appends the ply after the fewest passes that make it legal."""
        for passes in self._passes():
            position = passes[-1].position if passes else self.position
            if ply.known and ply.side != self.game.to_move(position):
                continue
            try:
                move = self.game.parse_move(position, ply.text)
            except MoveError:
                continue
            for passed in (*passes, played(self.game, position, move, ply.known)):
                self.add(passed)
            return
        who = f" by {self.game.sides[ply.side]}" if ply.known else ""
        number = len(self.seen) + 1
        raise MoveError("cannot_be", f"then move {number}, {ply.text}{who}, could not have been made")

    def _passes(self) -> Iterable[list[Ply]]:
        passes: list[Ply] = []
        position = self.position
        yield passes
        for _ in range(MAX_FORCED):
            moves = unseen_moves(self.game, position)
            if not moves:
                return
            passes = [*passes, played(self.game, position, moves[0])]
            position = passes[-1].position
            yield passes


def _contradicted(passed: Ply, rest: Sequence[Ply]) -> bool:
    """Whether a side said to have passed was later said to have made the very next move."""
    following = next((ply for ply in rest if ply.seen or ply.known), passed)
    return following.seen and following.side == passed.side and (passed.known, following.known) == ("said", "said")


def forced_passes(game: AnyGame, position: Any, time_s: float = 0.0) -> list[Ply]:
    passes: list[Ply] = []
    while len(passes) < MAX_FORCED:
        moves = game.legal_moves(position)
        if len(moves) != 1 or game.steps(position, moves[0]):
            break
        passes.append(played(game, position, moves[0], time_s=time_s))
        position = passes[-1].position
    return passes


def unseen_moves(game: AnyGame, position: Any) -> list[Any]:
    """The passes: legal moves that change nothing on the board."""
    return [move for move in game.legal_moves(position) if not game.steps(position, move)]


def shares_pieces(game: AnyGame) -> bool:
    """Whether the pieces belong to nobody, so that the board does not show who played one."""
    return set(game.pieces) == {EMPTY}

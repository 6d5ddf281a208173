"""What is wrong with a board or a move of draughts, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from games.draughts.board import FORWARD
from rules import Fault, MoveError
from rules.faults import Difference
from wording import Given, Sentence, Term, listing, noun, sentence, sentence_n

if TYPE_CHECKING:
    from games.draughts import Draughts, Move, Position

SIDES = (noun("side", "light"), noun("side", "dark"))
PIECES = ("W", "B")


class Judge(Difference):
    game: Draughts
    position: Position

    def fault(self) -> Fault:
        if self.changed and len(self.to_mine) == len(self.my_gone) == len(self.changed) - 1 == 1:
            return self._put_onto(self.my_gone[0], self.to_mine[0])
        if self.turned:
            return self.recoloured()
        if self.is_over and self.changed:
            return self.over()
        if self.foe_new:
            return self._enemy_acted()
        if len(self.my_new) == len(self.my_gone) == 1:
            return self._moved(self.my_gone[0], self.my_new[0])
        return self._several() if self.my_new else self._only_gone()

    def _put_onto(self, origin: int, to: int) -> Fault:
        """Fault where a man stands in another's place, which it may have meant to take so."""
        what: dict[str, Given] = {"side": self.me, "origin": self.game.cells[origin], "cell": self.game.cells[to]}
        said = sentence(
            "{side:Nom} moved from {origin} onto {other:gen}'s man on {cell}: a man is taken by a jump over it.",
            other=self.foe,
            **what,
        )
        self.my_gone, self.foe_gone, self.to_mine = [origin], [to], []
        return self.say("occupied", said, *self.remedy())

    def _enemy_acted(self) -> Fault:
        """Fault where enemy men arrived."""
        if len(self.foe_new) > len(self.foe_gone) and not self.my_gone:
            return self._extra(self.foe, self.foe_new)
        if len(self.foe_new) == len(self.foe_gone) == 1 and not self.my_new:
            return self.enemy_moved()
        return self.unexplained()

    def _extra(self, side: Term, cells: Sequence[int]) -> Fault:
        said = sentence_n(
            "{side:Nom} laid a man on {cells}, but no man is laid in this game. Take it away.",
            "{side:Nom} laid men on {cells}, but no men are laid in this game. Take them away.",
            len(cells),
            side=side,
            cells=self.names(cells),
        )
        return self.say("extra_man", said)

    def _several(self) -> Fault:
        """Fault where several of the mover's men arrived, or one that came from nowhere."""
        if self.foe_gone or len(self.my_gone) > len(self.my_new):
            return self.unexplained()
        if len(self.my_gone) < len(self.my_new):
            return self._extra(self.me, self.my_new) if not self.my_gone else self.unexplained()
        return self.moved_at_once()

    def _only_gone(self) -> Fault:
        """Fault where men are gone, or nothing changed, and none came."""
        return self.missing(self.changed) if self.changed else self.unchanged()

    def _moved(self, origin: int, to: int) -> Fault:
        """Fault where one man of the mover went somewhere, perhaps with removals."""
        legal = [move for move in self.game.pieces_can(self.position) if (move.path[0], move.path[-1]) == (origin, to)]
        taken = {square for move in legal for square in move.taken}
        if legal and (wrong := [cell for cell in self.foe_gone if cell not in taken] or self.foe_gone):
            return self.say(
                "wrong_man_taken",
                sentence_n(
                    "The move from {origin} to {cell} does not take {cells}. Put it back.",
                    "The move from {origin} to {cell} does not take {cells}. Put them back.",
                    len(wrong),
                    origin=self.game.cells[origin],
                    cell=self.game.cells[to],
                    cells=self.names(wrong),
                ),
            )
        error = why_not(self.game, self.position, (origin, to), tuple(self.foe_gone))
        why = (
            error.said
            if isinstance(error.said, Sentence)
            else sentence("No turn of {side:gen} leads here.", side=self.me)
        )
        return self.say(error.rule, sentence("{why:Nom}.", why=why), *self.remedy())


def why_not(game: Draughts, position: Position, path: Sequence[int], taken: Sequence[int] = ()) -> MoveError:
    """The first rule that a move breaks which is not legal; `path` are squares from the first to the last."""
    if game.outcome(position) is not None:
        return MoveError("game_over", sentence("the game is over"))
    side, origin, to = position.side, path[0], path[-1]
    names, mover = game.cells, Term("side", SIDES[position.side])
    if not position.pieces[side] >> origin & 1:
        return MoveError("not_your_man", sentence("{side} has no man on {cell}", side=mover, cell=names[origin]))
    if origin != to and (position.pieces[0] | position.pieces[1]) >> to & 1:
        return MoveError("occupied", sentence("{cell} is occupied", cell=names[to]))
    legal = game.pieces_can(position)
    if legal[0].taken:
        return _must_take(game, position, path, legal)
    if is_backwards(game, position, origin, to):
        said = sentence("only kings move backwards, and on {cell} stands a man", cell=names[origin])
        return MoveError("backwards", said)
    if taken or len(path) > 2:
        said = sentence("from {origin} to {cell} nothing is taken", origin=names[origin], cell=names[to])
        return MoveError("nothing_jumped", said)
    return MoveError("not_a_step", _not_a_step(game, position, names[origin], names[to]))


def _not_a_step(game: Draughts, position: Position, origin: str, to: str) -> Sentence:
    """How the piece goes that cannot go there."""
    if not position.kings >> game.cells.index(origin) & 1:
        return sentence(
            "the man on {origin} does not go to {cell}: a man goes one square forward along a diagonal",
            origin=origin,
            cell=to,
        )
    if game.rules.flying:
        return sentence(
            "the king on {origin} does not go to {cell}: a king goes along a diagonal as far as it is free",
            origin=origin,
            cell=to,
        )
    return sentence(
        "the king on {origin} does not go to {cell}: a king goes one square along a diagonal", origin=origin, cell=to
    )


def _must_take(game: Draughts, position: Position, path: Sequence[int], legal: Sequence[Move]) -> MoveError:
    """Why a move is refused where something must be taken."""
    names, mover = game.cells, Term("side", SIDES[position.side])
    captures = listing((game.format_move(position, move) for move in legal), joint="or")
    whole = game.moves.captured(*position.pieces, position.kings, position.side)
    if any((move.path[0], move.path[-1]) == (path[0], path[-1]) for move in whole):
        said = sentence("{side} must take the most pieces: {moves}", side=mover, moves=captures)
        return MoveError("must_take_most", said)
    begun = [move for move in legal if move.path[0] == path[0] and path[-1] in move.path[1:-1]]
    if begun:
        on = listing((game.format_move(position, move) for move in begun), joint="or")
        said = sentence("the man on {cell} must take on: {moves}", cell=names[path[-1]], moves=on)
        return MoveError("must_take_on", said)
    return MoveError("must_take", sentence("{side} must take: {moves}", side=mover, moves=captures))


def is_backwards(game: Draughts, position: Position, origin: int, to: int) -> bool:
    ways = FORWARD[1 - position.side]
    is_man = not position.kings >> origin & 1
    return is_man and any(game.geometry.next[way][origin] == to for way in ways)

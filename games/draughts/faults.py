"""What is wrong with a board or a move of draughts, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from games.draughts.board import FORWARD
from rules import EMPTY, Fault, MoveError
from rules.turns import changed_cells
from wording import Given, Sentence, Term, listing, noun, sentence, sentence_n

if TYPE_CHECKING:
    from games.draughts import Draughts, Move, Position

SIDES = (noun("side", "light"), noun("side", "dark"))
PIECES = ("W", "B")


class Judge:
    """Explains a board that no legal turn, nor part of one, can produce."""

    def __init__(self, game: Draughts, position: Position, board: str) -> None:
        before = game.board(position)
        mine, theirs = PIECES[position.side], PIECES[1 - position.side]
        self.game, self.position, self.changed = game, position, changed_cells(before, board)
        self.me, self.foe = Term("side", SIDES[position.side]), Term("side", SIDES[1 - position.side])
        self.board, self.mine = board, mine
        self.turned = [cell for cell in self.changed if EMPTY not in (before[cell], board[cell])]
        self.my_new, self.foe_new = (
            [cell for cell in self.changed if (before[cell], board[cell]) == (EMPTY, piece)] for piece in (mine, theirs)
        )
        self.my_gone, self.foe_gone = (
            [cell for cell in self.changed if (before[cell], board[cell]) == (piece, EMPTY)] for piece in (mine, theirs)
        )

    def fault(self) -> Fault:
        """The first broken rule found."""
        if (
            [self.board[cell] for cell in self.turned] == [self.mine]
            and len(self.my_gone) == 1
            and len(self.changed) == 2
        ):
            return self._put_onto(self.my_gone[0], self.turned[0])
        if self.turned:
            return self._say(
                "piece_changed_colour",
                sentence_n(
                    "The man on {cells} has changed its colour. Put it back.",
                    "The men on {cells} have changed their colour. Put them back.",
                    len(self.turned),
                    cells=self._names(self.turned),
                ),
            )
        if self.game.outcome(self.position) is not None and self.changed:
            return self._say("game_over", sentence("The game is over."), *self._remedy())
        if self.foe_new:
            return self._enemy_acted()
        if len(self.my_new) == len(self.my_gone) == 1:
            return self._moved(self.my_gone[0], self.my_new[0])
        return self._several() if self.my_new else self._only_gone()

    def _say(self, code: str, *said: Sentence) -> Fault:
        return Fault(code, self.changed, said)

    def _names(self, cells: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.game.cells[cell] for cell in sorted(cells))

    def _remedy(self) -> tuple[Sentence, ...]:
        """What the players must do to restore the board."""
        new, gone = self.my_new + self.foe_new, self.my_gone + self.foe_gone
        if len(new) == len(gone) == 1 and bool(self.my_new) == bool(self.my_gone):
            return (sentence("Move it back to {cell}.", cell=self.game.cells[gone[0]]),)
        away = [sentence("Take {cells} away.", cells=self._names(new))] if new else []
        back = [
            sentence_n(
                "Put {side:gen}'s man back on {cells}.",
                "Put {side:gen}'s men back on {cells}.",
                len(cells),
                side=side,
                cells=self._names(cells),
            )
            for side, cells in ((self.me, self.my_gone), (self.foe, self.foe_gone))
            if cells
        ]
        return (*away, *back)

    def _unexplained(self) -> Fault:
        return self._say("unexplained", sentence("No turn of {side:gen} leads here.", side=self.me), *self._remedy())

    def _put_onto(self, origin: int, to: int) -> Fault:
        """Fault where a man stands in another's place, which it may have meant to take so."""
        what: dict[str, Given] = {"side": self.me, "origin": self.game.cells[origin], "cell": self.game.cells[to]}
        said = sentence(
            "{side:Nom} moved from {origin} onto {other:gen}'s man on {cell}: a man is taken by a jump over it.",
            other=self.foe,
            **what,
        )
        self.my_gone, self.foe_gone = [origin], [to]
        return self._say("occupied", said, *self._remedy())

    def _enemy_acted(self) -> Fault:
        """Fault where enemy men arrived."""
        if len(self.foe_new) > len(self.foe_gone) and not self.my_gone:
            return self._extra(self.foe, self.foe_new)
        if len(self.foe_new) == len(self.foe_gone) == 1 and not self.my_new:
            said = sentence(
                "It is {side:gen}'s turn, but {other} moved {origin} to {cell}.",
                side=self.me,
                other=self.foe,
                origin=self._names(self.foe_gone),
                cell=self._names(self.foe_new),
            )
            return self._say("not_your_turn", said, *self._remedy())
        return self._unexplained()

    def _extra(self, side: Term, cells: Sequence[int]) -> Fault:
        said = sentence_n(
            "{side:Nom} laid a man on {cells}, but no man is laid in this game. Take it away.",
            "{side:Nom} laid men on {cells}, but no men are laid in this game. Take them away.",
            len(cells),
            side=side,
            cells=self._names(cells),
        )
        return self._say("extra_man", said)

    def _several(self) -> Fault:
        """Fault where several of the mover's men arrived, or one that came from nowhere."""
        if self.foe_gone or len(self.my_gone) > len(self.my_new):
            return self._unexplained()
        if len(self.my_gone) < len(self.my_new):
            return self._extra(self.me, self.my_new) if not self.my_gone else self._unexplained()
        said = sentence("{side:Nom} moved {men} men at once.", side=self.me, men=len(self.my_new))
        return self._say("two_men_moved", said, *self._remedy())

    def _only_gone(self) -> Fault:
        """Fault where men are gone, or nothing changed, and none came."""
        if not self.changed:
            return self._say(
                "unexplained", sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=self.me)
            )
        missing = sentence_n(
            "The man on {cells} is missing.",
            "The men on {cells} are missing.",
            len(self.changed),
            cells=self._names(self.changed),
        )
        return self._say("man_missing", missing, *self._remedy())

    def _moved(self, origin: int, to: int) -> Fault:
        """Fault where one man of the mover went somewhere, perhaps with removals."""
        legal = [move for move in self.game.pieces_can(self.position) if (move.path[0], move.path[-1]) == (origin, to)]
        taken = {square for move in legal for square in move.taken}
        if legal and (wrong := [cell for cell in self.foe_gone if cell not in taken] or self.foe_gone):
            return self._say(
                "wrong_man_taken",
                sentence_n(
                    "The move from {origin} to {cell} does not take {cells}. Put it back.",
                    "The move from {origin} to {cell} does not take {cells}. Put them back.",
                    len(wrong),
                    origin=self.game.cells[origin],
                    cell=self.game.cells[to],
                    cells=self._names(wrong),
                ),
            )
        error = why_not(self.game, self.position, (origin, to), tuple(self.foe_gone))
        why = (
            error.said
            if isinstance(error.said, Sentence)
            else sentence("No turn of {side:gen} leads here.", side=self.me)
        )
        return self._say(error.rule, sentence("{why:Nom}.", why=why), *self._remedy())


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
    """Whether a man would go one square backwards."""
    ways = FORWARD[1 - position.side]
    is_man = not position.kings >> origin & 1
    return is_man and any(game.geometry.next[way][origin] == to for way in ways)

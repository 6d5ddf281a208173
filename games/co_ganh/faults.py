"""Explains a cờ gánh board that no legal move, nor part of one, can produce."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from games.co_ganh.board import CELLS, JUMPS
from games.co_ganh.position import PIECES, SIDES, Move, Position
from rules import EMPTY, Fault
from rules.turns import changed_cells
from wording import Given, Sentence, Term, sentence, sentence_n

if TYPE_CHECKING:
    from games.co_ganh import CoGanh


class Judge:
    """Names the broken rule for one board."""

    def __init__(self, game: CoGanh, position: Position, board: str) -> None:
        before = game.board(position)
        mine, theirs = PIECES[position.side], PIECES[1 - position.side]
        self.game, self.position, self.before, self.board = game, position, before, board
        self.me, self.foe = Term("side", SIDES[position.side]), Term("side", SIDES[1 - position.side])
        self.changed = changed_cells(before, board)
        self.my_new = [cell for cell in self.changed if (before[cell], board[cell]) == (EMPTY, mine)]
        self.foe_new = [cell for cell in self.changed if (before[cell], board[cell]) == (EMPTY, theirs)]
        self.my_gone = [cell for cell in self.changed if (before[cell], board[cell]) == (mine, EMPTY)]
        self.foe_gone = [cell for cell in self.changed if (before[cell], board[cell]) == (theirs, EMPTY)]
        self.turned = [cell for cell in self.changed if EMPTY not in (before[cell], board[cell])]

    def fault(self) -> Fault:
        """The first broken rule found."""
        if not self.changed:
            return self._say(
                "unexplained", sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=self.me)
            )
        if self.game.outcome(self.position) is not None:
            return self._say("game_over", sentence("The game is over."), *self._remedy())
        lost = [cell for cell in self.turned if self.board[cell] == PIECES[1 - self.position.side]]
        if lost or (self.turned and not self.game.rules.flips):
            return self._recoloured(lost or self.turned)
        if self.foe_new:
            return self._enemy_acted()
        if len(self.my_new) == 1:
            return self._arrived(self.my_new[0])
        return self._several() if self.my_new else self._none_came()

    def _say(self, code: str, *said: Sentence) -> Fault:
        return Fault(code, self.changed, said)

    def _recoloured(self, cells: list[int]) -> Fault:
        return self._say(
            "piece_changed_colour",
            sentence_n(
                "On {cells} the man has changed its colour: turn it back.",
                "On {cells} the men have changed their colour: turn them back.",
                len(cells),
                cells=_names(cells),
            ),
        )

    def _remedy(self) -> tuple[Sentence, ...]:
        """What the players must do to restore the board."""
        new, gone = self.my_new + self.foe_new, self.my_gone + self.foe_gone
        if len(new) == len(gone) == 1 and not self.turned and self.board[new[0]] == self.before[gone[0]]:
            return (sentence("Move it back to {cell}.", cell=CELLS[gone[0]]),)
        away = [sentence("Take {cells} away.", cells=_names(new))] if new else []
        turn = [sentence("Turn {cells} back.", cells=_names(self.turned))] if self.turned else []
        sides = (self.me, self.my_gone), (self.foe, self.foe_gone)
        return (*away, *turn, *(_put_back(side, cells) for side, cells in sides if cells))

    def _unexplained(self) -> Fault:
        return self._say("unexplained", sentence("No move of {side:gen} leads here.", side=self.me), *self._remedy())

    def _enemy_acted(self) -> Fault:
        """Fault where enemy men arrived."""
        arrived, sides = _names(self.foe_new), {"side": self.me, "other": self.foe}
        if not self.my_new and len(self.foe_new) == len(self.foe_gone) == 1:
            said = sentence(
                "It is {side:gen}'s turn, but {other} moved {origin} to {cell}.",
                **sides,
                origin=_names(self.foe_gone),
                cell=arrived,
            )
            return self._say("not_your_turn", said, *self._remedy())
        if len(self.changed) == len(self.foe_new):
            return self._say("extra_man", _extra(self.foe, self.foe_new))
        return self._unexplained()

    def _several(self) -> Fault:
        """Fault where several of the mover's men arrived."""
        if self.foe_gone or self.turned or len(self.my_gone) != len(self.my_new):
            return self._unexplained()
        said = sentence("{side:Nom} moved {men} men at once.", side=self.me, men=len(self.my_new))
        return self._say("two_men_moved", said, *self._remedy())

    def _none_came(self) -> Fault:
        """Fault where men are gone or turned and none arrived."""
        if self.turned and not self.my_gone and not self.foe_gone:
            return self._say(
                "man_turned_without_move",
                sentence_n(
                    "No man was moved, but {cells} changed. Turn it back.",
                    "No man was moved, but {cells} changed. Turn them back.",
                    len(self.turned),
                    cells=_names(self.turned),
                ),
            )
        if self.turned:
            return self._unexplained()
        gone = self.my_gone + self.foe_gone
        missing = sentence_n(
            "The man on {cells} is missing.", "The men on {cells} are missing.", len(gone), cells=_names(gone)
        )
        return self._say("man_missing", missing, *self._remedy())

    def _arrived(self, to: int) -> Fault:
        """Fault where one man of the mover arrived: its path or its captures are wrong."""
        if not self.my_gone:
            if len(self.changed) > 1:
                return self._unexplained()
            return self._say("extra_man", _extra(self.me, [to]))
        if len(self.my_gone) > 1:
            said = sentence("{side:Gen}'s own man was taken.", side=self.me)
            return self._say("wrong_man_removed", said, *self._remedy())
        move = Move(self.my_gone[0], to)
        if not self.game.reach(self.position, move.origin) >> to & 1:
            return self._wrong_way(move)
        if self.position.opened not in (None, to):
            said = sentence(
                "{point} was left open: {side} must step onto it. Move {cell} back to {origin}.",
                point=CELLS[self.position.opened or 0],
                side=self.me,
                cell=CELLS[to],
                origin=CELLS[move.origin],
            )
            return self._say("must_enter", said)
        return self._wrong_captures(move)

    def _wrong_way(self, move: Move) -> Fault:
        way, over = {"origin": CELLS[move.origin], "cell": CELLS[move.to]}, JUMPS[move.origin].get(move.to)
        if over is None:
            code, why = "not_adjacent", sentence("{origin} and {cell} are not joined by a line.", **way)
        elif self.game.rules.flips:
            code, why = "no_jumps", sentence("Nobody jumps in this game, as from {origin} to {cell}.", **way)
        else:
            code = "nothing_to_jump"
            why = sentence(
                "From {origin} to {cell} there is no enemy man to leap over on {over}.", **way, over=CELLS[over]
            )
        return self._say(code, why, *self._remedy())

    def _wrong_captures(self, move: Move) -> Fault:
        """Fault where the man's path is right but it captured too much, too little or in the wrong way."""
        due, flips = self.game.captured(self.position, move), self.game.rules.flips
        done, undone = (self.turned, self.foe_gone) if flips else (self.foe_gone, self.turned)
        if undone:
            said = sentence("Captured men are turned, not taken.")
            return self._say("man_not_turned", said, self._put_back(undone))
        extra = sorted(set(done) - set(due))
        if extra:
            said = _captured_too_much(CELLS[move.to], _names(due), _names(extra), flips)
            return self._say("not_captured", said, self._put_back(extra))
        missing = sorted(set(due) - set(done))
        if not missing:
            return self._unexplained()
        what = {"cell": CELLS[move.to], "due": _names(due), "missing": _names(missing)}
        if flips:
            said = sentence("The move to {cell} captures {due}: turn {missing} too.", **what)
        else:
            said = sentence("The move to {cell} captures {due}: take {missing} too.", **what)
        return self._say("capture_unfinished", said)

    def _put_back(self, cells: list[int]) -> Sentence:
        """Instruction to give wrongly captured men back to the enemy."""
        if not self.game.rules.flips or set(cells) & set(self.foe_gone):
            return _put_back(self.foe, cells)
        return sentence_n(
            "Turn {side:gen}'s man back on {cells}.",
            "Turn {side:gen}'s men back on {cells}.",
            len(cells),
            side=self.foe,
            cells=_names(cells),
        )


def _put_back(side: Term, cells: list[int]) -> Sentence:
    return sentence_n(
        "Put {side:gen}'s man back on {cells}.",
        "Put {side:gen}'s men back on {cells}.",
        len(cells),
        side=side,
        cells=_names(cells),
    )


def _extra(side: Term, cells: list[int]) -> Sentence:
    return sentence_n(
        "Nobody lays men in this game, but {side} laid one on {cells}. Take it away.",
        "Nobody lays men in this game, but {side} laid some on {cells}. Take them away.",
        len(cells),
        side=side,
        cells=_names(cells),
    )


def _captured_too_much(cell: str, due: tuple[str, ...], extra: tuple[str, ...], flips: bool) -> Sentence:
    what: dict[str, Given] = {"cell": cell, "due": due, "extra": extra}
    if due and flips:
        return sentence_n(
            "The move to {cell} captures {due} only, but {extra} was turned.",
            "The move to {cell} captures {due} only, but {extra} were turned.",
            len(extra),
            **what,
        )
    if due:
        return sentence_n(
            "The move to {cell} captures {due} only, but {extra} was taken.",
            "The move to {cell} captures {due} only, but {extra} were taken.",
            len(extra),
            **what,
        )
    if flips:
        return sentence_n(
            "The move to {cell} captures nobody, but {extra} was turned.",
            "The move to {cell} captures nobody, but {extra} were turned.",
            len(extra),
            **what,
        )
    return sentence_n(
        "The move to {cell} captures nobody, but {extra} was taken.",
        "The move to {cell} captures nobody, but {extra} were taken.",
        len(extra),
        **what,
    )


def _names(cells: Iterable[int]) -> tuple[str, ...]:
    return tuple(CELLS[cell] for cell in sorted(cells))

"""Explains a cờ gánh board that no legal move, nor part of one, can produce."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from games.co_ganh.board import CELLS, JUMPS
from games.co_ganh.position import Move, Position
from rules import Fault
from rules.faults import Difference
from wording import Given, Sentence, Term, sentence, sentence_n

if TYPE_CHECKING:
    from games.co_ganh import CoGanh


class Judge(Difference):
    game: CoGanh
    position: Position

    def fault(self) -> Fault:
        if not self.changed:
            return self.unchanged()
        if self.is_over:
            return self.over()
        if self.to_foe or (self.turned and not self.game.rules.flips):
            return self._recoloured(self.to_foe or self.turned)
        if self.foe_new:
            return self._enemy_acted()
        if len(self.my_new) == 1:
            return self._arrived(self.my_new[0])
        return self._several() if self.my_new else self._none_came()

    def _recoloured(self, cells: list[int]) -> Fault:
        return self.say(
            "piece_changed_colour",
            sentence_n(
                "On {cells} the man has changed its colour: turn it back.",
                "On {cells} the men have changed their colour: turn them back.",
                len(cells),
                cells=_names(cells),
            ),
        )

    def unexplained(self) -> Fault:
        """The fault of a board that no move explains."""
        said = sentence("No move of {side:gen} leads here.", side=self.me)
        return self.say("unexplained", said, *self.remedy())

    def _enemy_acted(self) -> Fault:
        """Fault where enemy men arrived."""
        if not self.my_new and len(self.foe_new) == len(self.foe_gone) == 1:
            return self.enemy_moved()
        if len(self.changed) == len(self.foe_new):
            return self.say("extra_man", _extra(self.foe, self.foe_new))
        return self.unexplained()

    def _several(self) -> Fault:
        """Fault where several of the mover's men arrived."""
        if self.foe_gone or self.turned or len(self.my_gone) != len(self.my_new):
            return self.unexplained()
        return self.moved_at_once()

    def _none_came(self) -> Fault:
        """Fault where men are gone or turned and none arrived."""
        if self.turned and not self.my_gone and not self.foe_gone:
            return self.say(
                "man_turned_without_move",
                sentence_n(
                    "No man was moved, but {cells} changed. Turn it back.",
                    "No man was moved, but {cells} changed. Turn them back.",
                    len(self.turned),
                    cells=_names(self.turned),
                ),
            )
        if self.turned:
            return self.unexplained()
        return self.missing(self.my_gone + self.foe_gone)

    def _arrived(self, to: int) -> Fault:
        """Fault where one man of the mover arrived: its path or its captures are wrong."""
        if not self.my_gone:
            if len(self.changed) > 1:
                return self.unexplained()
            return self.say("extra_man", _extra(self.me, [to]))
        if len(self.my_gone) > 1:
            said = sentence("{side:Gen}'s own man was taken.", side=self.me)
            return self.say("wrong_man_removed", said, *self.remedy())
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
            return self.say("must_enter", said)
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
        return self.say(code, why, *self.remedy())

    def _wrong_captures(self, move: Move) -> Fault:
        """Fault where the man's path is right but it captured too much, too little or in the wrong way."""
        due, flips = self.game.captured(self.position, move), self.game.rules.flips
        done, undone = (self.turned, self.foe_gone) if flips else (self.foe_gone, self.turned)
        if undone:
            said = sentence("Captured men are turned, not taken.")
            return self.say("man_not_turned", said, self._give_back(undone))
        extra = sorted(set(done) - set(due))
        if extra:
            said = _captured_too_much(CELLS[move.to], _names(due), _names(extra), flips)
            return self.say("not_captured", said, self._give_back(extra))
        missing = sorted(set(due) - set(done))
        if not missing:
            return self.unexplained()
        what = {"cell": CELLS[move.to], "due": _names(due), "missing": _names(missing)}
        if flips:
            said = sentence("The move to {cell} captures {due}: turn {missing} too.", **what)
        else:
            said = sentence("The move to {cell} captures {due}: take {missing} too.", **what)
        return self.say("capture_unfinished", said)

    def _give_back(self, cells: list[int]) -> Sentence:
        """Instruction to give wrongly captured men back to the enemy."""
        if not self.game.rules.flips or set(cells) & set(self.foe_gone):
            return self.put_back(self.foe, cells)
        return sentence_n(
            "Turn {side:gen}'s man back on {cells}.",
            "Turn {side:gen}'s men back on {cells}.",
            len(cells),
            side=self.foe,
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

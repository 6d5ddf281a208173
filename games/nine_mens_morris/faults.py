"""What is wrong with a board of morris, and what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rules import Fault
from rules.faults import Difference
from wording import Term, noun, sentence, sentence_n

if TYPE_CHECKING:
    from games.nine_mens_morris import NineMensMorris, Position

SIDES = (noun("side", "light"), noun("side", "dark"))
PIECES = ("W", "B")


class Judge(Difference):
    game: NineMensMorris
    position: Position

    def lost(self) -> Sequence[tuple[Term, list[int]]]:
        """Light's men first, whoever moves."""
        return tuple(super().lost())[:: -1 if self.position.side else 1]

    def fault(self) -> Fault:
        if self.turned:
            return self.recoloured()
        if self.is_over and self.changed:
            return self.over()
        if len(self.my_new) == 1 and not self.foe_new:
            return self._arrived(self.my_new[0])
        if self.my_new:
            return self._several()
        return self._enemy_acted() if self.foe_new else self._only_gone()

    def _enemy_acted(self) -> Fault:
        """Fault where only enemy men arrived."""
        turn = {"side": self.me, "other": self.foe}
        arrived, may_lay = self.names(self.foe_new), self.position.hands[1 - self.position.side] > 0
        if len(self.foe_new) == len(self.foe_gone) == 1:
            return self.enemy_moved()
        if self.foe_gone or (self.my_gone and not may_lay):
            return self.unexplained()
        if not may_lay:
            return self.say(
                "extra_man",
                sentence("{side:Nom} has no men left to lay. Take {cells} away.", side=self.foe, cells=arrived),
            )
        if self.my_gone:
            said = sentence(
                "It is {side:gen}'s turn, but {other} laid {cells} and took {taken}.",
                **turn,
                cells=arrived,
                taken=self.names(self.my_gone),
            )
            return self.say("not_your_turn", said, *self.remedy())
        return self.say(
            "not_your_turn",
            sentence_n(
                "It is {side:gen}'s turn, but {other} laid a man on {cells}. Take it back.",
                "It is {side:gen}'s turn, but {other} laid {cells}. Take them back.",
                len(self.foe_new),
                **turn,
                cells=arrived,
            ),
        )

    def _several(self) -> Fault:
        """Fault where men of both sides arrived, or several of the mover's."""
        if self.foe_new or self.foe_gone or len(self.my_gone) not in (0, len(self.my_new)):
            return self.unexplained()
        if self.my_gone:
            return self.moved_at_once()
        said = sentence(
            "{side:Nom} laid {men} men, {cells}. Take all but one back.",
            side=self.me,
            men=len(self.my_new),
            cells=self.names(self.my_new),
        )
        return self.say("two_men_laid", said)

    def _arrived(self, to: int) -> Fault:
        """Fault where one man of the mover arrived on `to`, laid or moved, perhaps with removals."""
        game, position, cell = self.game, self.position, self.game.cells[to]
        laying = position.hands[position.side] > 0
        moving = not laying or game.rules.move_early
        if not laying and not self.my_gone:
            return self.say(
                "extra_man",
                sentence(
                    "All men are laid, but {side} laid one more on {cell}. Take it away.", side=self.me, cell=cell
                ),
            )
        one_gone = len(self.my_gone) == 1 and not self.foe_gone
        if not moving and one_gone and not game.closes_mill(position, to, self.my_gone[0]):
            origin = self.game.cells[self.my_gone[0]]
            return self.say(
                "must_place",
                sentence(
                    "{side:Nom} still lays men and may not move {origin} to {cell} yet. Put it back.",
                    side=self.me,
                    origin=origin,
                    cell=cell,
                ),
            )
        if len(self.my_gone) > moving:
            return self.say(
                "wrong_man_removed", sentence("{side:Gen}'s own man was taken.", side=self.me), *self.remedy()
            )
        start = self.my_gone[0] if self.my_gone else None
        reaches = start is None or game.flies(position, position.side) or game.neighbours[start] >> to & 1
        if start is not None and not reaches:
            return self.say(
                "not_adjacent",
                sentence(
                    "{origin} and {cell} are not joined by a line. Put the man back on {origin}.",
                    origin=self.game.cells[start],
                    cell=cell,
                ),
            )
        if game.is_barred(position, to, start):
            return self.say(
                "may_not_return",
                sentence(
                    "The man went straight back to {cell} and closed the mill that it had left. Play another move.",
                    cell=cell,
                ),
                *self.remedy(),
            )
        return self._removed(to, start)

    def _removed(self, to: int, origin: int | None) -> Fault:
        """Fault where the man's path to `to` is right but the removal is wrong."""
        taken = self.names(self.foe_gone)
        if not self.foe_gone:
            return self.unexplained()
        if self.game.is_spent(self.position, to, origin):
            return self.say(
                "mill_spent",
                sentence_n(
                    "The line through {cell} has taken a man before, but {cells} was taken. Put it back.",
                    "The line through {cell} has taken a man before, but {cells} were taken. Put them back.",
                    len(self.foe_gone),
                    cell=self.game.cells[to],
                    cells=taken,
                ),
            )
        if not self.game.closes_mill(self.position, to, origin):
            return self.say(
                "man_removed_without_mill",
                sentence_n(
                    "{cell} closes no mill, but {cells} was taken. Put it back.",
                    "{cell} closes no mill, but {cells} were taken. Put them back.",
                    len(self.foe_gone),
                    cell=self.game.cells[to],
                    cells=taken,
                ),
            )
        if len(self.foe_gone) > 1:
            return self.say(
                "two_men_removed",
                sentence("A mill takes one man only, but {cells} are gone. Put all but one back.", cells=taken),
            )
        return self.say(
            "wrong_man_removed",
            sentence("The man on {cell} stands in a mill. Put it back and take another.", cell=taken),
        )

    def _only_gone(self) -> Fault:
        """Fault where men are gone, or nothing changed, and none came."""
        if not self.changed:
            return self.unchanged()
        cells, count = self.names(self.changed), len(self.changed)
        if self.my_gone:
            return self.missing(self.changed)
        gone = sentence_n(
            "The man on {cells} is gone, but no mill was closed.",
            "The men on {cells} are gone, but no mill was closed.",
            count,
            cells=cells,
        )
        return self.say("man_removed_without_mill", gone, *self.remedy())

"""What is wrong with a board of morris, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rules import EMPTY, Fault
from rules.turns import changed_cells
from wording import Sentence, Term, noun, sentence, sentence_n

if TYPE_CHECKING:
    from games.nine_mens_morris import NineMensMorris, Position

SIDES = (noun("side", "light"), noun("side", "dark"))
PIECES = ("W", "B")


class Judge:
    """Explains a board that no legal turn, nor part of one, can produce."""

    def __init__(self, game: NineMensMorris, position: Position, board: str) -> None:
        before = game.board(position)
        mine, theirs = PIECES[position.side], PIECES[1 - position.side]
        self.game, self.position, self.changed = game, position, changed_cells(before, board)
        self.me, self.foe = Term("side", SIDES[position.side]), Term("side", SIDES[1 - position.side])
        self.my_new = [cell for cell in self.changed if board[cell] == mine]
        self.foe_new = [cell for cell in self.changed if board[cell] == theirs]
        self.my_gone = [cell for cell in self.changed if before[cell] == mine]
        self.foe_gone = [cell for cell in self.changed if before[cell] == theirs]
        self.put_back = self._remedy(before, board)

    def _remedy(self, before: str, board: str) -> tuple[Sentence, ...]:
        """What the players must do to restore the board."""
        new = [cell for cell in self.changed if board[cell] != EMPTY and before[cell] == EMPTY]
        gone = {
            side: [cell for cell in self.changed if before[cell] == man]
            for side, man in zip(SIDES, PIECES, strict=True)
        }
        missing = [cell for cells in gone.values() for cell in cells]
        if len(new) == len(missing) == 1 and board[new[0]] == before[missing[0]]:
            return (sentence("Move it back to {cell}.", cell=self.game.cells[missing[0]]),)
        away = [sentence("Take {cells} away.", cells=self._names(new))] if new else []
        back = [
            sentence_n(
                "Put {side:gen}'s man back on {cells}.",
                "Put {side:gen}'s men back on {cells}.",
                len(cells),
                side=Term("side", side),
                cells=self._names(cells),
            )
            for side, cells in gone.items()
            if cells
        ]
        return (*away, *back)

    def _names(self, cells: Iterable[int]) -> tuple[str, ...]:
        return tuple(self.game.cells[cell] for cell in sorted(cells))

    def fault(self) -> Fault:
        """The first broken rule found."""
        if recoloured := {*self.my_new, *self.foe_new} & {*self.my_gone, *self.foe_gone}:
            return self._say(
                "piece_changed_colour",
                sentence_n(
                    "The man on {cells} has changed its colour. Put it back.",
                    "The men on {cells} have changed their colour. Put them back.",
                    len(recoloured),
                    cells=self._names(recoloured),
                ),
            )
        if self.game.outcome(self.position) is not None and self.changed:
            return self._say("game_over", sentence("The game is over."), *self.put_back)
        if len(self.my_new) == 1 and not self.foe_new:
            return self._arrived(self.my_new[0])
        if self.my_new:
            return self._several()
        return self._enemy_acted() if self.foe_new else self._only_gone()

    def _say(self, code: str, *said: Sentence) -> Fault:
        return Fault(code, self.changed, said)

    def _unexplained(self) -> Fault:
        return self._say("unexplained", sentence("No turn of {side:gen} leads here.", side=self.me), *self.put_back)

    def _enemy_acted(self) -> Fault:
        """Fault where only enemy men arrived."""
        turn = {"side": self.me, "other": self.foe}
        arrived, may_lay = self._names(self.foe_new), self.position.hands[1 - self.position.side] > 0
        if len(self.foe_new) == len(self.foe_gone) == 1:
            said = sentence(
                "It is {side:gen}'s turn, but {other} moved {origin} to {cell}.",
                **turn,
                origin=self._names(self.foe_gone),
                cell=arrived,
            )
            return self._say("not_your_turn", said, *self.put_back)
        if self.foe_gone or (self.my_gone and not may_lay):
            return self._unexplained()
        if not may_lay:
            return self._say(
                "extra_man",
                sentence("{side:Nom} has no men left to lay. Take {cells} away.", side=self.foe, cells=arrived),
            )
        if self.my_gone:
            said = sentence(
                "It is {side:gen}'s turn, but {other} laid {cells} and took {taken}.",
                **turn,
                cells=arrived,
                taken=self._names(self.my_gone),
            )
            return self._say("not_your_turn", said, *self.put_back)
        return self._say(
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
            return self._unexplained()
        count = len(self.my_new)
        if self.my_gone:
            said = sentence("{side:Nom} moved {men} men at once.", side=self.me, men=count)
            return self._say("two_men_moved", said, *self.put_back)
        said = sentence(
            "{side:Nom} laid {men} men, {cells}. Take all but one back.",
            side=self.me,
            men=count,
            cells=self._names(self.my_new),
        )
        return self._say("two_men_laid", said)

    def _arrived(self, to: int) -> Fault:
        """Fault where one man of the mover arrived on `to`, laid or moved, perhaps with removals."""
        game, position, cell = self.game, self.position, self.game.cells[to]
        laying = position.hands[position.side] > 0
        moving = not laying or game.rules.move_early
        if not laying and not self.my_gone:
            return self._say(
                "extra_man",
                sentence(
                    "All men are laid, but {side} laid one more on {cell}. Take it away.", side=self.me, cell=cell
                ),
            )
        one_gone = len(self.my_gone) == 1 and not self.foe_gone
        if not moving and one_gone and not game.closes_mill(position, to, self.my_gone[0]):
            origin = self.game.cells[self.my_gone[0]]
            return self._say(
                "must_place",
                sentence(
                    "{side:Nom} still lays men and may not move {origin} to {cell} yet. Put it back.",
                    side=self.me,
                    origin=origin,
                    cell=cell,
                ),
            )
        if len(self.my_gone) > moving:
            return self._say(
                "wrong_man_removed", sentence("{side:Gen}'s own man was taken.", side=self.me), *self.put_back
            )
        start = self.my_gone[0] if self.my_gone else None
        reaches = start is None or game.flies(position, position.side) or game.neighbours[start] >> to & 1
        if start is not None and not reaches:
            return self._say(
                "not_adjacent",
                sentence(
                    "{origin} and {cell} are not joined by a line. Put the man back on {origin}.",
                    origin=self.game.cells[start],
                    cell=cell,
                ),
            )
        if game.is_barred(position, to, start):
            return self._say(
                "may_not_return",
                sentence(
                    "The man went straight back to {cell} and closed the mill that it had left. Play another move.",
                    cell=cell,
                ),
                *self.put_back,
            )
        return self._removed(to, start)

    def _removed(self, to: int, origin: int | None) -> Fault:
        """Fault where the man's path to `to` is right but the removal is wrong."""
        taken = self._names(self.foe_gone)
        if not self.foe_gone:
            return self._unexplained()
        if self.game.is_spent(self.position, to, origin):
            return self._say(
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
            return self._say(
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
            return self._say(
                "two_men_removed",
                sentence("A mill takes one man only, but {cells} are gone. Put all but one back.", cells=taken),
            )
        return self._say(
            "wrong_man_removed",
            sentence("The man on {cell} stands in a mill. Put it back and take another.", cell=taken),
        )

    def _only_gone(self) -> Fault:
        """Fault where men are gone, or nothing changed, and none came."""
        if not self.changed:
            return self._say(
                "unexplained", sentence("Nothing has changed on the board. It is {side:gen}'s turn.", side=self.me)
            )
        cells, count = self._names(self.changed), len(self.changed)
        if self.my_gone:
            missing = sentence_n(
                "The man on {cells} is missing.", "The men on {cells} are missing.", count, cells=cells
            )
            return self._say("man_missing", missing, *self.put_back)
        gone = sentence_n(
            "The man on {cells} is gone, but no mill was closed.",
            "The men on {cells} are gone, but no mill was closed.",
            count,
            cells=cells,
        )
        return self._say("man_removed_without_mill", gone, *self.put_back)

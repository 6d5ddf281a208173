"""Names what is wrong with a reversi board that no legal turn, nor part of one, can bring about."""

from __future__ import annotations

from collections.abc import Iterable

import games
from games import EMPTY, Fault, Side
from games.reversi.bitboard import CELLS, cells_of, places, turned

SIDES = ("black", "white")
PIECES = ("B", "W")
MOST_NAMED = 10
"""Cells that one sentence names; of more it says how many."""


class Judge:
    """Judges one board by which discs came, went and were turned over."""

    def __init__(self, discs: tuple[int, int], side: Side, before: str, board: str, over: bool) -> None:
        """`before` is the board of the discs; `over` says that the game has ended there."""
        self.own, self.enemy, self.over = discs[side], discs[1 - side], over
        self.me, self.foe = SIDES[side], SIDES[1 - side]
        mine, theirs = PIECES[side], PIECES[1 - side]
        self.changed = games.changed_cells(before, board)
        came = [cell for cell in self.changed if before[cell] == EMPTY]
        self.my_new = [cell for cell in came if board[cell] == mine]
        self.foe_new = [cell for cell in came if board[cell] == theirs]
        self.my_gone = [cell for cell in self.changed if before[cell] == mine and board[cell] == EMPTY]
        self.foe_gone = [cell for cell in self.changed if before[cell] == theirs and board[cell] == EMPTY]
        self.to_mine = [cell for cell in self.changed if before[cell] == theirs and board[cell] == mine]
        self.to_foe = [cell for cell in self.changed if before[cell] == mine and board[cell] == theirs]

    def fault(self) -> Fault:
        """The first rule found broken."""
        if not self.changed:
            return self._say("unexplained", f"Nothing has changed on the board. It is {self.me}'s turn.")
        if self.over:
            return self._say("game_over", f"The game is over. {self._remedy()}")
        if self.my_gone or self.foe_gone:
            return self._gone()
        if len(self.my_new) + len(self.foe_new) > 1:
            return self._several()
        if self.foe_new:
            return self._enemy_laid(self.foe_new[0])
        return self._laid(self.my_new[0]) if self.my_new else self._only_turned()

    def _gone(self) -> Fault:
        """Discs have left their cells."""
        gone, came = [*self.my_gone, *self.foe_gone], [*self.my_new, *self.foe_new]
        if len(gone) == len(came) == 1 and len(self.my_gone) == len(self.my_new):
            text = f"Discs stay where they are, but {_names(gone)} moved to {_names(came)}. {self._remedy()}"
            return self._say("disc_moved", text)
        is_missing = "disc is" if len(gone) == 1 else "discs are"
        return self._say("disc_missing", f"The {is_missing} missing from {_names(gone)}. {self._remedy()}")

    def _several(self) -> Fault:
        """More than one disc was laid."""
        came = _names([*self.my_new, *self.foe_new])
        one = f"A turn lays one disc, but {came} were laid."
        if not self.foe_new:
            return self._say("two_discs_laid", f"{one} Take all but one away again{self._and_turn_back()}.")
        return self._say("two_discs_laid", f"{one} {self._remedy()}")

    def _enemy_laid(self, cell: int) -> Fault:
        """One disc came, of the colour that is not to move."""
        turn = f"It is {self.me}'s turn, but a {self.foe} disc was laid on {CELLS[cell]}."
        if not self.to_mine and not self.to_foe and turned(self.own, self.enemy, cell):
            return self._say("not_your_turn", f"{turn} Turn it over, or take it away.")
        return self._say("not_your_turn", f"{turn} {self._remedy()}")

    def _laid(self, cell: int) -> Fault:
        """The mover laid one disc: it turns nothing, or others were turned."""
        name, over = CELLS[cell], set(cells_of(turned(self.own, self.enemy, cell)))
        if not places(self.own, self.enemy):
            text = f"{self.me.capitalize()} can turn no disc over and must pass. {self._remedy()}"
            return self._say("must_pass", text)
        if not over:
            return self._say("turns_nothing", f"A {self.me} disc on {name} turns no disc over. {self._remedy()}")
        wrong = sorted({*self.to_mine, *self.to_foe} - over)
        left = over - set(self.to_mine)
        if not wrong:
            return self._say("not_all_turned", f"{name} turns {_names(over)}. Turn {_names(left)} over too.")
        text = f"{name} does not turn {_names(wrong)}. Turn {_it(wrong)} back"
        return self._say("wrong_disc_turned", f"{text}, and turn {_names(left)} over." if left else f"{text}.")

    def _only_turned(self) -> Fault:
        cells = [*self.to_mine, *self.to_foe]
        discs = "disc on {} was" if len(cells) == 1 else "discs on {} were"
        text = f"The {discs.format(_names(cells))} turned over, but none was laid. Turn {_it(cells)} back."
        return self._say("turned_without_laying", text)

    def _say(self, code: str, text: str) -> Fault:
        return Fault(code, self.changed, text)

    def _and_turn_back(self) -> str:
        cells = [*self.to_mine, *self.to_foe]
        return f", and turn {_names(cells)} back" if cells else ""

    def _remedy(self) -> str:
        """What hands must do to have the board as before."""
        came, words = [*self.my_new, *self.foe_new], []
        for side, cells in ((self.me, self.my_gone), (self.foe, self.foe_gone)):
            if cells:
                words.append(f"put {side}'s {'disc' if len(cells) == 1 else 'discs'} back on {_names(cells)}")
        if came:
            words.append(f"take {_names(came)} away")
        if cells := [*self.to_mine, *self.to_foe]:
            words.append(f"turn {_names(cells)} back")
        text = f"{', '.join(words[:-1])} and {words[-1]}" if words[1:] else words[0]
        return f"{text[0].upper()}{text[1:]}."


def _it(cells: list[int]) -> str:
    return "it" if len(cells) == 1 else "them"


def _names(cells: Iterable[int]) -> str:
    names = [CELLS[cell] for cell in sorted(cells)]
    if len(names) > MOST_NAMED:
        return f"{', '.join(names[:MOST_NAMED])} and {len(names) - MOST_NAMED} more"
    return f"{', '.join(names[:-1])} and {names[-1]}" if names[1:] else names[0]

"""What is wrong with a board of stones that no legal move can bring about."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games import EMPTY, Fault, changed_cells
from games.gomoku.position import COLOURS
from games.gomoku.renju import FOULS

MOST_NAMES = 12
"""More points than this are not all named."""


class Judge:
    """Names the broken rule for one board."""

    def __init__(self, cells: Sequence[str], before: str, board: str, letter: str) -> None:
        """`letter` is the class letter of the stone that is laid next."""
        self.cells, self.board, self.before, self.letter = cells, board, before, letter
        self.changed = changed_cells(before, board)
        self.new = [cell for cell in self.changed if before[cell] == EMPTY]
        self.gone = [cell for cell in self.changed if board[cell] == EMPTY]

    def fault(self, mover: str, over: bool, seats: bool, foul: str) -> Fault:
        """The first rule found broken.

        `mover` is who lays next, `seats` whether sides are no colours; `foul` is the code of the renju foul where a
        single stone of the right colour was laid.
        """
        if not self.changed:
            return self._say("unexplained", f"Nothing has changed on the board. It is {mover}'s turn.")
        if len(self.new) + len(self.gone) < len(self.changed):
            return self._recoloured()
        if self.gone:
            return self._gone()
        if over:
            return self._say("game_over", f"The game is over. {self._away()}")
        if len(self.new) > 1:
            return self._several(mover)
        return self._foul(foul) if foul else self._wrong_colour(mover, seats)

    def _say(self, code: str, text: str) -> Fault:
        return Fault(code, self.changed, text)

    def _recoloured(self) -> Fault:
        other = [cell for cell in self.changed if cell not in self.new and cell not in self.gone]
        if len(other) == len(self.changed) == 1:
            text = f"The {self._stone(other[0], self.before)} has changed its colour. Put it back."
            return self._say("piece_changed_colour", text)
        text = f"{self._names(other)} {'has' if len(other) == 1 else 'have'} changed colour. {self._remedy()}"
        return self._say("piece_changed_colour", text)

    def _gone(self) -> Fault:
        if len(self.gone) == len(self.new) == 1 and self.before[self.gone[0]] == self.board[self.new[0]]:
            stone, to = self._stone(self.gone[0], self.before), self.cells[self.new[0]]
            return self._say("stone_moved", f"The {stone} was moved to {to}. Stones never move: put it back.")
        if not self.new and len(self.gone) == 1:
            return self._say("stone_missing", f"The {self._stone(self.gone[0], self.before)} is missing. Put it back.")
        if not self.new:
            return self._say("stone_missing", f"The stones on {self._names(self.gone)} are missing. Put them back.")
        return self._say("unexplained", f"Stones are missing and others are new. {self._remedy()}")

    def _several(self, mover: str) -> Fault:
        mine = [cell for cell in self.new if self.board[cell] == self.letter]
        if len(mine) == len(self.new):
            text = f"{mover.capitalize()} laid {len(mine)} stones, {self._names(mine)}. Take all but one back."
            return self._say("two_stones_laid", text)
        colour, one = _colour(self.letter), "leave one of that colour at most"
        text = f"{len(self.new)} stones were laid, {self._names(self.new)}. {colour.capitalize()} is next: {one}."
        return self._say("two_stones_laid", text)

    def _foul(self, foul: str) -> Fault:
        where = self.cells[self.new[0]]
        return self._say(foul, f"Black may not lay on {where}: it makes {FOULS[foul]}. Take it back.")

    def _wrong_colour(self, mover: str, seats: bool) -> Fault:
        where, wrong, right = self.cells[self.new[0]], _colour(self.board[self.new[0]]), _colour(self.letter)
        if seats:
            text = f"{mover.capitalize()} lays a {right} stone now. Take the {wrong} stone on {where} back."
            return self._say("wrong_colour", text)
        return self._say("not_your_turn", f"It is {mover}'s turn, but {wrong} laid a stone on {where}. Take it back.")

    def _remedy(self) -> str:
        lacking = [cell for cell in self.changed if cell not in self.new]
        away = f"{self._away()} " if self.new else ""
        return f"{away}Put {self._names(lacking)} back as {'it was' if len(lacking) == 1 else 'they were'}."

    def _away(self) -> str:
        return f"Take {'the stone' if len(self.new) == 1 else 'the stones'} on {self._names(self.new)} away."

    def _stone(self, cell: int, board: str) -> str:
        return f"{_colour(board[cell])} stone on {self.cells[cell]}"

    def _names(self, cells: Iterable[int]) -> str:
        names = [self.cells[cell] for cell in cells]
        if len(names) > MOST_NAMES:
            names[MOST_NAMES - 1 :] = [f"{len(names) - MOST_NAMES + 1} more"]
        *firsts, last = names
        return f"{', '.join(firsts)} and {last}" if firsts else last


def _colour(letter: str) -> str:
    return COLOURS["BW".index(letter)]

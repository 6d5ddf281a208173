"""Explains a gomoku board that no legal move can produce."""

from __future__ import annotations

from games.gomoku.renju import FOULS
from rules import Fault
from rules.stones import StoneFaults, stone_of
from wording import Given, Term, sentence


class Judge(StoneFaults):
    def fault(self, mover: str, over: bool, seats: bool, foul: str) -> Fault:
        """The first broken rule found.

        `mover` is the side to lay. `seats` says that sides are seats, not colours. `foul` is the code of the renju
        foul, where a single stone of the right colour was laid.
        """
        side = Term("side", mover)
        if not self.changed:
            return self.unchanged(side)
        if self.turned:
            return self.recoloured()
        if self.gone:
            return self.missing()
        if over:
            return self.say("game_over", sentence("The game is over."), *self.away(self.new))
        if len(self.new) > 1:
            return self.several(side)
        if foul:
            return self._foul(foul)
        return self._wrong_stone(side) if seats else self.wrong_colour(side)

    def too_near(self, count: int, middle: str, steps: int) -> Fault:
        """The fault of a stone where the opening forbids it; `count` stones were laid before."""
        cell = self.cells[self.new[0]]
        if count == 0:
            said = sentence(
                "In this opening the first stone lies on {middle}. Take the one on {cell} back.",
                middle=middle,
                cell=cell,
            )
        else:
            said = sentence(
                "In this opening black's second stone lies {steps} steps or more from the middle. "
                "Take the one on {cell} back.",
                steps=steps,
                cell=cell,
            )
        return self.say("opening_rule", said)

    def _foul(self, foul: str) -> Fault:
        what: dict[str, Given] = {"cell": self.cells[self.new[0]], "foul": FOULS[foul]}
        return self.say(foul, sentence("Black may not lay on {cell}: it makes {foul}. Take it back.", **what))

    def _wrong_stone(self, mover: Term) -> Fault:
        cell = self.new[0]
        said = sentence(
            "{side:Nom} lays a {right:acc} now. Take the {wrong:acc} on {cell} back.",
            side=mover,
            right=stone_of(self.letter),
            wrong=stone_of(self.board[cell]),
            cell=self.cells[cell],
        )
        return self.say("wrong_colour", said)

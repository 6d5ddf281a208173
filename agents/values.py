"""What scores mean to people: the share of the point to expect, a lead in discs or men, a forced end.

Everything here is plain data, so that the daemon may use it, too; `agents.analysis` finds the values.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Literal

from agents.search import FORCED, WIN
from rules import Outcome, Side

WINS_AT_LEAD = 3.0
"""Games won for one lost by the side that is ahead by `Scale.lead`."""
SCORE = "score"
"""`Scale.unit` of a game in which nobody has said what a score promises: the score itself."""
Mark = Literal["", "slip", "mistake", "blunder"]
MARKS: tuple[tuple[float, Mark], ...] = ((0.15, "blunder"), (0.10, "mistake"), (0.05, "slip"))
"""Least share of the point that a move so called gives away, as lichess has it in chess."""


@dataclasses.dataclass(frozen=True)
class Scale:
    """What the scores of a game's strongest level mean."""

    lead: float | None = None
    """Score from which three of four games are won; None where nobody has said it."""
    unit: str = ""
    """What people count: `disc`, `man`, `point`; empty where a score stands for nothing on the board, or SCORE."""
    unit_score: float = 1.0
    won_score: float | None = None
    """Score of a game won by nothing, to which the units are added; None where a win counts its plies."""


@dataclasses.dataclass(frozen=True)
class Value:
    score: float
    chance: float
    """Share of the point to expect, 0 to 1: a won game is 1, a drawn one a half."""
    amount: float | None = None
    """The lead in `Scale.unit`; None where there is no unit, and where the game ends before it counts."""
    plies: int | None = None
    """Plies to the end that one side forces; None where none is known."""
    exact: bool = False
    """Whether it is proven: a forced end, a solved ending, or an endgame table's."""

    @property
    def turned(self) -> Value:
        amount = None if self.amount is None else 0.0 - self.amount
        return Value(0.0 - self.score, 1 - self.chance, amount, self.plies, self.exact)

    def later(self, plies: int = 1) -> Value:
        """The value of a move that leads here, for the side to move here: its forced end is further away."""
        if self.plies is None:
            return self
        away = self.plies + plies
        return dataclasses.replace(self, plies=away, score=math.copysign(WIN - away, self.score))


def value_of(scale: Scale, score: float, exact: bool = False) -> Value:
    if abs(score) >= FORCED:
        return Value(score, 1.0 if score > 0 else 0.0, None, round(WIN - abs(score)), True)
    unit = scale.unit_score if scale.unit else None
    if scale.won_score is not None and abs(score) >= scale.won_score:
        units = math.copysign(abs(score) - scale.won_score, score) / scale.unit_score
        return Value(score, 1.0 if score > 0 else 0.0, units, None, exact)
    amount = None if unit is None else score / unit
    if exact:  # neither side wins
        return Value(score, 0.5, amount, None, True)
    return Value(score, chance_of(score, scale.lead), amount)


def chance_of(score: float, lead: float | None) -> float:
    """The share of the point that a score promises; a half where nobody has said what a clear advantage is."""
    if lead is None:
        return 0.5
    return 1 / (1 + math.pow(WINS_AT_LEAD, max(-50.0, min(50.0, -score / lead))))


def value_of_end(scale: Scale, outcome: Outcome, side: Side, cells: int = 0) -> Value:
    won = 0 if outcome.winner is None else 1 if outcome.winner == side else -1
    if outcome.scores is None or not scale.unit:
        return Value(float(won * WIN), (1 + won) / 2, None, 0 if won else None, True)
    own, other = outcome.scores[side], outcome.scores[1 - side]
    amount = float(final_lead((own, other), cells) if scale.unit == "disc" else own - other)
    score = won * (scale.won_score or WIN) + amount * scale.unit_score
    return Value(score, (1 + won) / 2, amount, None, True)


def final_lead(discs: tuple[float, float], cells: int = 64) -> int:
    """The first side's lead at the end of reversi, where the winner gets the empty squares."""
    lead = round(discs[0] - discs[1])
    empty = cells - round(sum(discs))
    return lead + (empty if lead > 0 else -empty if lead < 0 else 0)


def mark_of(lost: float) -> Mark:
    """What a move that gives away that share of the point is called; empty for a good one."""
    return next((mark for least, mark in MARKS if lost >= least), "")


def accuracy(losses: Sequence[float]) -> float | None:
    """How accurate a side played, 0 to 100; None without a move. `losses` are shares of the point, 0 to 1.

    The mean of lichess's accuracy of a move (https://lichess.org/page/accuracy), which takes chances in percent.
    """
    if not losses:
        return None
    each = [max(0.0, min(100.0, 103.1668 * math.exp(-0.04354 * 100 * lost) - 3.1669)) for lost in losses]
    return sum(each) / len(each)

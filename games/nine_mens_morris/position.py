"""The rule options, positions and moves of nine men's morris."""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from games.nine_mens_morris.board import POINTS
from rules import RuleError, Side
from rules.options import rule

MIN_MEN = 3
"""Men needed once all are laid; a side with fewer has lost."""


@dataclasses.dataclass(frozen=True)
class MorrisRules:
    """The rule options; the defaults are the game as țintar is played."""

    men: int = rule(9, "men of each side", minimum=3, maximum=12)
    flying: bool = rule(False, "who has three men left may move them to any empty point")
    mill_protected: bool = rule(False, "a man in a mill may be taken only if no other is left")
    diagonals: bool = rule(False, "the corners of the squares are joined too, as in twelve men's morris")
    first: str = rule("light", "who begins; auto is whoever lays the first man", choices=("light", "dark", "auto"))
    repetition: int = rule(3, "the game is drawn when a position occurs so often; 0 is never", minimum=0, maximum=9)
    quiet_plies: int = rule(100, "drawn after so many moves without a capture; 0 is never", minimum=0, maximum=1000)
    three_men_plies: int = rule(
        0, "drawn sooner, after so many, while a side has only three men; 0 is as usual", minimum=0, maximum=1000
    )
    board: str = rule(
        "nine", "the board: of nine, six or three men's morris", choices=("nine", "six", "three"), drawn=True
    )
    move_early: bool = rule(False, "men may also move while others are still to be laid")
    one_time_mills: bool = rule(False, "a side takes a man only for the first mill on each line")
    no_return: bool = rule(False, "a man that left a mill to close another may not go straight back and close it")
    full_draw: bool = rule(False, "the game is drawn if the board is full once all men are laid")

    def __post_init__(self) -> None:
        if self.repetition == 1:
            raise RuleError("nine_mens_morris: rule option repetition is 0 or at least 2, not 1")
        if self.diagonals and self.board != "nine":
            raise RuleError(f"nine_mens_morris: rule option diagonals is for board nine, not {self.board}")
        most = len(POINTS[self.board].split()) // 2
        if self.men > most:
            raise RuleError(
                f"nine_mens_morris: rule option men is at most {most} on board {self.board}, not {self.men}"
            )


Journey = tuple[int, int]
"""A man's way, from a cell to another."""


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The whole state of a game. Equal positions are those that the rules treat alike from here on."""

    men: tuple[int, int]
    """Men of each side on the board, a bit per cell."""
    hands: tuple[int, int]
    """Men that each side has still to lay."""
    side: Side
    """Who moves next."""
    quiet: int = 0
    """Moves since the last man was laid or taken; stays 0 if no rule counts them."""
    earlier: tuple[int, ...] = ()
    """Sorted keys of the positions since then, as their order has no effect. Empty if no rule needs them."""
    spent: tuple[int, int] = (0, 0)
    """Lines for which each side may take no man again, as bit sets of `NineMensMorris.mills`: see `one_time_mills`."""
    barred: tuple[Journey | None, Journey | None] = (None, None)
    """The way back into a mill that each side may not go in its next turn: see `no_return`."""

    @property
    def key(self) -> int:
        """What must recur for a repetition: the men and the mover."""
        return self.men[0] | self.men[1] << 24 | self.side << 48


class Move(NamedTuple):
    """One whole turn, in indices into `CELLS`."""

    to: int
    origin: int | None = None
    """None where a man is laid."""
    removed: int | None = None
    """The enemy man taken for a mill, or None."""

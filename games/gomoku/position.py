"""A position of gomoku and its text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable
from typing import Literal

from games.gomoku.board import Board
from rules import PositionError, Side
from rules.stones import COLOURS, read, written
from wording import Given, Sentence, Term, listing, noun, sentence

Stage = Literal["play", "lay", "choose"]
"""`play` is the game proper. In the swap2 opening, `lay`: stones are laid that belong to nobody yet;
`choose`: the mover may take a colour.
"""
SEATS = (noun("side", "first"), noun("side", "second"))
"""Sides of a game with swap2: the seat that lays the first three stones, and the other."""
OPENING, LONG_OPENING = 3, 5
"""Stones on the board when the second side chooses, and when the first side does after two more."""
POSITION = re.compile(r"([XO./]+):([a-z]+)(?::(lay|choose))?")


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The whole state of a game. Equal positions are those that the rules treat alike from here on."""

    stones: tuple[int, int]
    """Black's and white's stones, a bit per cell: `row * size + column`, row 0 on top."""
    side: Side
    """Who moves next: a colour, or with swap2 a seat."""
    black: Side = 0
    """The side that has the black stones; 0 until it is chosen."""
    stage: Stage = "play"
    """What kind of move is next."""

    @property
    def count(self) -> int:
        return (self.stones[0] | self.stones[1]).bit_count()


def format_position(board: Board, position: Position, sides: tuple[str, str]) -> str:
    """The rows from the top, joined by `/`, then the mover, then any swap2 stage, joined by colons."""
    rows = written(position.stones, board.size)
    return f"{rows}:{sides[position.side]}" + (f":{position.stage}" if position.stage != "play" else "")


class Parser:
    """Reads positions of one board where the colour `first` begins and the sides are called `sides`.

    `has_won` tells of both colours' stones and a colour whether it has a row that wins.
    """

    def __init__(
        self, board: Board, sides: tuple[str, str], first: int, has_won: Callable[[tuple[int, int], int], bool]
    ) -> None:
        self.board, self.sides, self.first, self.has_won = board, sides, first, has_won
        self.swaps = sides == SEATS

    def parse(self, text: str) -> Position:
        match = POSITION.fullmatch(text.strip())
        if match is None or match[2] not in self.sides:
            told: dict[str, Given] = {"text": repr(text[:60]), "name": listing(self.sides, joint="or")}
            said = sentence("{text} is not rows of X, O and . joined by /, a colon and {name}", **told)
            if self.swaps:
                said = sentence("{why}, and :lay or :choose in the opening", why=said)
            raise PositionError(said)
        stones = read(match[1], self.board.size)
        side, stage = self.sides.index(match[2]), match[3]
        colour = self._next_colour(stones)
        if self.has_won(stones, colour):
            mover = Term("side", COLOURS[colour])
            raise PositionError(
                sentence("{side} has five in a row and is to lay: the game was over before", side=mover)
            )
        if self.swaps:
            return self._swapped(stones, side, colour, stage)
        if stage is not None:
            raise PositionError(
                sentence("{text} is a stage of the opening swap2, which is not played", text=repr(stage))
            )
        if side != colour:
            sides: dict[str, Given] = {"side": Term("side", COLOURS[colour]), "other": Term("side", self.sides[side])}
            raise PositionError(sentence("{counted}: {side} is to lay, not {other}", counted=_counted(stones), **sides))
        return Position(stones, side)

    def _next_colour(self, stones: tuple[int, int]) -> int:
        lead = stones[self.first].bit_count() - stones[1 - self.first].bit_count()
        if lead not in (0, 1):
            what: dict[str, Given] = {"counted": _counted(stones), "side": Term("side", COLOURS[self.first])}
            raise PositionError(sentence("{counted}: {side} begins and the colours take turns", **what))
        return self.first if lead == 0 else 1 - self.first

    def _swapped(self, stones: tuple[int, int], side: Side, colour: int, stage: str | None) -> Position:
        count = (stones[0] | stones[1]).bit_count()
        now: dict[str, Given] = {"stones": count, "side": Term("side", self.sides[side])}
        if stage is None:
            if count < OPENING:
                counts: dict[str, Given] = {"stones": count, "opening": OPENING}
                raise PositionError(
                    sentence("{stones} stones: the opening swap2 lays {opening} before colours are chosen", **counts)
                )
            return Position(stones, side, side if colour == 0 else 1 - side)
        who = 0 if count < OPENING else 1
        if stage == "lay" and (count >= LONG_OPENING or side != who):
            raise PositionError(sentence("{stones} stones: {side} does not lay stones of the opening now", **now))
        who = 1 if count == OPENING else 0
        if stage == "choose" and (count not in (OPENING, LONG_OPENING) or side != who):
            raise PositionError(sentence("{stones} stones: {side} does not choose a colour now", **now))
        return Position(stones, side, 0, "lay" if stage == "lay" else "choose")


def _counted(stones: tuple[int, int]) -> Sentence:
    counts: dict[str, Given] = {"black": stones[0].bit_count(), "white": stones[1].bit_count()}
    return sentence("{black} black and {white} white stones", **counts)

"""Weights of the engine's own evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agents.kernels.memory import Memory, Word
from agents.kernels.memory import write as write_words
from games.draughts.kernel import evaluation
from games.draughts.kernel import memory as layout


class Phase(NamedTuple):
    """The weights of a third of the game, in the order of `evaluation`."""

    squares: Sequence[int]
    """What a light man gets for standing on each square."""
    man: int
    king: int
    king_centre: int
    king_step: int
    step: int
    backed: int
    exposed: int
    share: int
    turn: int


Phases = tuple[Phase, ...]
HOME = 16
"""A man on the own last row: against 8, 60 % of the points in English draughts (standard error 4), 52 in the others."""


def _by_rule(size: int, king: int) -> Phases:
    half = size // 2
    rows = [size - 1 - square // half for square in range(size * half)]
    return tuple(
        Phase([gain * row if row else HOME for row in rows], 100, king, 6, 2, 2, 3, -10, 3, 5) for gain in (1, 2, 3)
    )


ENGLISH = _by_rule(8, 140)
RUSSIAN = _by_rule(8, 300)
INTERNATIONAL = _by_rule(10, 300)


def name_of(size: int, flying: bool) -> str:
    """The name here of the weights for such boards and kings."""
    return "INTERNATIONAL" if size == 10 else "RUSSIAN" if flying else "ENGLISH"


def of(size: int, flying: bool) -> Phases:
    phases: Phases = globals()[name_of(size, flying)]
    return phases


def write(target: Memory, size: int, phases: Phases) -> None:
    """Makes a search judge by these weights."""
    for number, phase in enumerate(phases):
        first = int(layout.WEIGHTS) + number * int(layout.PHASE_WORDS)
        for square, worth in enumerate(phase.squares):
            target[first + layout.bit_of(square, size)] = worth % 2**64
        write_words(target, Word(first) + evaluation.SQUARES, phase[1:])

"""Weights of the engine's own evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from games.draughts.kernel import evaluation
from games.draughts.kernel import memory as layout


class Phase(NamedTuple):
    men: Sequence[int]
    """By square, the last row first, what a light man there is worth."""
    king: int
    king_centre: int = 6
    king_step: int = 2
    step: int = 2
    backed: int = 3
    exposed: int = -10
    share: int = 3
    turn: int = 5


Phases = tuple[Phase, ...]


def _by_rule(size: int, king: int) -> Phases:
    """Men are worth more the farther they have gone, later most, and those on the first row early."""
    rows = [[0 if row == size - 1 else (size - 1 - row) * gain for row in range(size)] for gain in (1, 2, 3)]
    return tuple(
        Phase(
            [
                100 + row[square // (size // 2)] + (8 if square >= size * (size - 1) // 2 else 0)
                for square in range(size * size // 2)
            ],
            king,
        )
        for row in rows
    )


def of(size: int, flying: bool) -> Phases:
    return _by_rule(size, 300 if flying else 140)


def write(target: layout.Memory, size: int, phases: Phases) -> None:
    """Makes a search judge by these weights."""
    for number, phase in enumerate(phases):
        first = int(layout.WEIGHTS) + number * int(layout.PHASE_WORDS)
        for square, worth in enumerate(phase.men):
            target[first + layout.bit_of(square, size)] = worth % 2**64
        for place, worth in enumerate(phase[1:]):
            target[first + int(evaluation.SQUARES) + place] = worth % 2**64

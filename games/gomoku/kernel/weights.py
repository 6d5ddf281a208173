"""Values of the patterns on a cell and of being to move, fitted to the results of the engine's own games."""

from __future__ import annotations

import itertools
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

Triples = Mapping[tuple[int, ...], int]
TRIPLES: Triples = {
    (2, 0, 0): 1, (2, 2, 2): 2, (3, 0, 0): 2, (3, 2, 0): 3, (3, 2, 2): 5, (3, 3, 0): 10, (3, 3, 2): 12,
    (3, 3, 3): 19, (4, 0, 0): 5, (4, 2, 0): 6, (4, 2, 2): 10, (4, 3, 0): 15, (4, 3, 2): 17, (4, 3, 3): 25,
    (4, 4, 0): 18, (4, 4, 2): 18, (4, 4, 3): 30, (4, 4, 4): 43, (5, 0, 0): 14, (5, 2, 0): 17, (5, 2, 2): 20,
    (5, 3, 0): 31, (5, 3, 2): 34, (5, 3, 3): 43, (5, 4, 0): 34, (5, 4, 2): 38, (5, 4, 3): 47, (5, 4, 4): 56,
    (5, 5, 0): 42, (5, 5, 2): 46, (5, 5, 3): 44, (5, 5, 4): 50, (5, 5, 5): 23, (8, 0, 0): 30, (8, 2, 0): 36,
    (8, 2, 2): 35, (8, 3, 0): 51, (8, 3, 2): 57, (8, 3, 3): 71, (8, 4, 0): 51, (8, 4, 2): 58, (8, 4, 3): 70,
    (8, 4, 4): 78, (8, 5, 0): 85, (8, 5, 2): 96, (8, 5, 3): 89, (8, 5, 4): 79, (8, 5, 5): 35,
}  # fmt: skip
"""Seventieths of a logit of winning for the three best of a cell's four patterns, by their numbers in `patterns.py`;
`ALONE` is as little as `DEAD`. An earlier version of the recipe `kibitzer train evaluation --game gomoku` made all of
these values from 700,000 positions of searches to a depth of four; its output differs."""
WINS = 67
"""Seventieths of a logit for a cell that makes an open four, two fours or five."""
Turns = tuple[tuple[tuple[int, ...], ...], ...]
TURNS: Turns = (
    ((68, 79, 65), (0, 8, 20, 50), (0, 12, 18), (0, 7, 8, 17)),
    ((61, 57, 55), (6, 0, 1, 1), (0, 0, 27), (56, 41, 24, 0)),
)
"""Seventieths of a logit for being to move, as a sum over four numbers of cells: the mover's fours and open threes, the
enemy's fours and open threes. First where the enemy has no cell that wins, then where it has one."""
FOURS, THREES = (1, 3), (1, 3, 6)
"""Numbers of cells from which the next value of TURNS applies: 0, 1 or 2, more; 0, 1 or 2, 3 to 5, more."""
COUNTED = (FOURS, THREES, FOURS, THREES)


def triple_of(patterns: NDArray[np.int64]) -> NDArray[np.int64]:
    """(3, count): the three best of the four patterns of each cell, four bits each, the best first."""
    four = np.sort(np.stack([patterns >> shift & 15 for shift in (0, 4, 8, 12)]), axis=0)
    best = four[:0:-1]
    return np.where(best < 2, 0, best)


def wins(triples: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of these triples win: an open four, two fours or five."""
    found: NDArray[np.bool_] = (triples[0] > 8) | (triples[1] == 8)
    return found


def cell_values(triples: Triples = TRIPLES, winning: int = WINS) -> NDArray[np.uint8]:
    """One byte for every combination of four patterns, four bits each: the value of the three best."""
    worth = np.zeros((16, 16, 16), np.uint8)
    for triple, value in triples.items():
        worth[triple] = value
    best = triple_of(np.arange(2**16))
    found: NDArray[np.uint8] = np.where(wins(best), winning, worth[tuple(best)]).astype(np.uint8)
    return found


def turn_values(turns: Turns = TURNS) -> NDArray[np.int64]:
    """The value of being to move, by the index that `evaluation.evaluate` computes."""
    return np.array([sum(parts) for row in turns for parts in itertools.product(*row)], np.int64)


PROMISES = {2: 2, 3: 6, 4: 10, 5: 24, 8: 30, 9: 100, 10: 200}
"""What each pattern adds to the promise of a move, by its number."""
DOUBLE_PROMISE = 90
"""What two patterns that win together add: two open threes, or a four and an open three."""


def promises() -> NDArray[np.uint8]:
    """One byte for every combination of four patterns, four bits each: how promising a stone there is."""
    code = np.arange(2**16)
    four = np.stack([code >> shift & 15 for shift in (0, 4, 8, 12)])
    found = np.array([PROMISES.get(pattern, 0) for pattern in range(16)])[four].sum(axis=0)
    fours, threes = (four >= 8).sum(axis=0), ((four & 13) == 5).sum(axis=0)
    found += DOUBLE_PROMISE * ((threes > 0) & (threes + fours > 1))
    capped: NDArray[np.uint8] = np.minimum(found, 255).astype(np.uint8)
    return capped

"""Takes halves together that are one tile: a settled board shows no half without its other half.

The cells and what may join them are a monomer-dimer model: every cell is empty or joined to one neighbour. Its
marginals come from belief propagation, which is nearly exact for matchings (Bayati, Nair, 2006: "A rigorous proof of
the cavity method for counting matchings"); the best set of tiles is the heaviest set of pairs of two sides, since on
a checkerboard every tile joins a light square to a dark one.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from games import EMPTY
from vision.matching import heaviest_pairs
from vision.reading import SeenTile

FloatArray = NDArray[np.float64]

UP, RIGHT, DOWN, LEFT = range(4)
OPPOSITE = (DOWN, LEFT, UP, RIGHT)
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
"""Rows and columns to the neighbour, by direction."""
ROUNDS = 40
MOST_NATS = 30.0
"""Log odds beyond this are as good as certain."""
LEAST = 1e-6


@dataclasses.dataclass(frozen=True, eq=False)
class Pairing:
    """What a board shows, once its halves are taken together."""

    log_probabilities: FloatArray
    """(cells, classes) as they came, but for how probable it is that a cell is empty."""
    tiles: tuple[SeenTile, ...]
    """The best set, ascending by first cell."""


def pair_halves(log_probabilities: FloatArray, letters: str, ways: FloatArray, rows: int, columns: int) -> Pairing:
    """The halves on a board of rows and columns, taken together.

    `ways` is (cells, 5): logarithms of whether the other half lies nowhere, up, right, down or left. A half that
    stands alone, such as one beside a hand, is in no tile, and loses belief as far as its neighbours are seen empty.
    """
    empty = letters.index(EMPTY)
    odds = _odds(log_probabilities[:, empty], ways, rows, columns)
    joined = _marginals(odds)
    vacant = np.clip(1 - joined.sum(axis=0), LEAST, 1 - LEAST).reshape(-1)
    logs = log_probabilities + (np.log1p(-vacant) - _occupied(log_probabilities[:, empty]))[:, None]
    logs[:, empty] = np.log(vacant)
    return Pairing(logs, tuple(_tiles(odds, joined, logs, letters)))


def _occupied(empty: FloatArray) -> FloatArray:
    """Logarithms of the probability that something stands on the cells."""
    return np.asarray(np.log(np.maximum(-np.expm1(empty), LEAST)))


def _odds(empty: FloatArray, ways: FloatArray, rows: int, columns: int) -> FloatArray:
    """(4, rows, columns) log odds that a cell and its neighbour are one tile against both empty; -inf off the board."""
    towards = ways[:, 1:] - np.logaddexp.reduce(ways[:, 1:], axis=1, keepdims=True)
    score = ((_occupied(empty) - empty)[:, None] + towards).T.reshape(4, rows, columns)
    joint = [score[way] + _neighbours(score[OPPOSITE[way]], way, -np.inf) for way in range(4)]
    return np.asarray(np.clip(np.stack(joint), -np.inf, MOST_NATS))


def _neighbours(values: FloatArray, way: int, outside: float) -> FloatArray:
    """What each cell's neighbour in that direction has."""
    padded = np.pad(values, 1, constant_values=outside)
    down, right = STEPS[way]
    rows, columns = values.shape
    return np.asarray(padded[1 + down : 1 + down + rows, 1 + right : 1 + right + columns])


def _marginals(odds: FloatArray) -> FloatArray:
    """(4, rows, columns) probability that each cell is joined to each of its neighbours."""
    weights = np.exp(odds)
    free = np.ones_like(weights)
    """Probability that a cell would be empty were it not for its neighbour in a direction."""
    for _ in range(ROUNDS):
        offers = weights * np.stack([_neighbours(free[OPPOSITE[way]], way, 0.0) for way in range(4)])
        free = np.sqrt(free / (1 + offers.sum(axis=0) - offers))
    arriving = np.stack([_neighbours(free[OPPOSITE[way]], way, 0.0) for way in range(4)])
    return np.asarray(weights * arriving / (1 + (weights * arriving).sum(axis=0)))


def _tiles(odds: FloatArray, joined: FloatArray, log_probabilities: FloatArray, letters: str) -> list[SeenTile]:
    rows, columns = odds.shape[1:]
    names = np.arange(rows * columns).reshape(rows, columns)
    weights: dict[tuple[int, int], float] = {}
    pairs: dict[tuple[int, int], float] = {}
    for way, step in ((RIGHT, 1), (DOWN, columns)):
        for one in names[odds[way] > 0].tolist():
            light = sum(divmod(one, columns)) % 2 == 0
            weights[(one, one + step) if light else (one + step, one)] = float(odds[way].flat[one])
            pairs[one, one + step] = float(joined[way].flat[one])
    best = sorted((min(pair), max(pair)) for pair in heaviest_pairs(weights))
    pips = _pips(log_probabilities, letters)
    seen = log_probabilities[:, letters.index(EMPTY)] < np.log(0.5)
    return [SeenTile(cells, pips[cells[0]] + pips[cells[1]], pairs[cells]) for cells in best if seen[list(cells)].all()]


def _pips(log_probabilities: FloatArray, letters: str) -> str:
    """The most probable class letter of every cell but EMPTY."""
    shown = letters.replace(EMPTY, "")
    columns = [letters.index(letter) for letter in shown]
    return "".join(shown[index] for index in log_probabilities[:, columns].argmax(axis=1))

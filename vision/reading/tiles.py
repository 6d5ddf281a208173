"""Pairs the halves of domino tiles: on a settled board no half is without its other half.

This is a monomer-dimer model: every cell is empty or joined to one neighbour. Belief propagation gives its marginals,
nearly exactly for matchings (Bayati, Nair, 2006: "A rigorous proof of the cavity method for counting matchings"). The
best set of tiles is a maximum-weight bipartite matching, since on a checkerboard every tile joins a light square to a
dark one. SciPy offers that too, but importing it takes longer than starting everything else.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from math import inf

import numpy as np

from calibration.arrays import FloatArray, Indices
from rules import EMPTY
from vision.reading.board_reading import SeenTile
from vision.reading.heads import MIN_SHARE

Pairs = set[tuple[int, int]]


def heaviest_pairs(weights: Mapping[tuple[int, int], float]) -> Pairs:
    """The matching of pairs (one, other) with the greatest sum of `weights`; each side has its own numbering."""
    partners: dict[int, int] = {}
    edges: dict[int, list[tuple[int, float]]] = {}
    for (one, other), weight in weights.items():
        edges.setdefault(one, []).append((other, weight))
    while (path := _best_path(edges, partners)) is not None:
        for one, other in path:
            partners[other] = one
    return {(one, other) for other, one in partners.items()}


def _best_path(edges: Mapping[int, list[tuple[int, float]]], partners: Mapping[int, int]) -> Pairs | None:
    """The new pairs on the best augmenting path, from an unmatched `one` to an unmatched `other`; None if none gains.

    Searches in Bellman-Ford rounds: an edge to an `other` adds its weight; the way back to that node's partner
    subtracts the weight of their pair.
    """
    taken = {one: other for other, one in partners.items()}
    weight_of = {(one, other): weight for one, rest in edges.items() for other, weight in rest}
    gain = {one: -inf if one in taken else 0.0 for one in edges}
    came: dict[int, int] = {}
    """Maps each `other` to the `one` from which it is best reached."""
    reached: dict[int, float] = {}
    active = [one for one in edges if one not in taken]
    while active:
        again: set[int] = set()
        for one in active:
            for other, weight in edges[one]:
                if taken.get(one) == other or gain[one] + weight <= reached.get(other, -inf) + 1e-12:
                    continue
                reached[other], came[other] = gain[one] + weight, one
                back = partners.get(other)
                if back is not None:
                    gain[back] = reached[other] - weight_of[back, other]
                    again.add(back)
        active = list(again)
    best = max((other for other in reached if other not in partners), key=reached.__getitem__, default=None)
    if best is None or reached[best] <= 0:
        return None
    path, other = set(), best
    while True:
        one = came[other]
        path.add((one, other))
        if one not in taken:
            return path
        other = taken[one]


UP, RIGHT, DOWN, LEFT = range(1, 5)
"""Columns of `ways`, the direction of the other half; column 0 means that there is none."""
ROUNDS = 40
MAX_NATS, MIN_NATS = 30.0, -12.0
"""Nats: log odds of a tile are capped at the first, as good as certain; pairs below the second are left out."""


@dataclasses.dataclass(frozen=True, eq=False)
class Pairing:
    log_probabilities: FloatArray
    """(cells, classes) with the probability of empty revised, and the other classes' ratios kept."""
    tiles: tuple[SeenTile, ...]
    """The best set of tiles, ascending by first cell."""


@dataclasses.dataclass(frozen=True, eq=False)
class _Joints:
    """Neighbouring cells that may hold one tile."""

    ends: Indices
    """(pairs, 2) cells, ascending."""
    odds: FloatArray
    """(pairs,) log odds of a tile against both cells being empty."""


def pair_halves(log_probabilities: FloatArray, letters: str, ways: FloatArray, rows: int, columns: int) -> Pairing:
    """Pairs the halves on a board of `rows` by `columns` cells.

    `ways` is (cells, 5): log probabilities that the other half is nowhere, up, right, down or left. A half without a
    partner joins no tile, and becomes less probable the more surely its neighbours are empty; beside a hand it stays
    probable.
    """
    empty = letters.index(EMPTY)
    free = _seen_empty(log_probabilities, empty)
    joints = _joints(free, ways, rows, columns)
    vacant, joined = _marginals(joints, rows * columns)
    vacant = np.clip(vacant, MIN_SHARE, 1 - MIN_SHARE)
    logs = log_probabilities + (np.log1p(-vacant) - _log_rest(log_probabilities[:, empty]))[:, None]
    logs[:, empty] = np.log(vacant)
    return Pairing(logs, _tiles(joints, joined, logs, letters, columns))


def _log_rest(logs: FloatArray) -> FloatArray:
    """log(1 - p), from log(p)."""
    return np.asarray(np.log(np.maximum(-np.expm1(logs), MIN_SHARE)))


def _seen_empty(log_probabilities: FloatArray, empty: int) -> FloatArray:
    """(cells,) log probabilities that a cell is empty.

    Equal probabilities of all classes mean that nothing is known, although all classes but one are halves. So half of
    the probability that all classes have in common counts as empty.
    """
    shares = np.exp(log_probabilities)
    evenly = shares.min(axis=1)
    vacant = shares[:, empty] + evenly * (shares.shape[1] / 2 - 1)
    return np.asarray(np.log(np.clip(vacant, MIN_SHARE, 1 - MIN_SHARE)))


def _joints(empty: FloatArray, ways: FloatArray, rows: int, columns: int) -> _Joints:
    towards = ways[:, 1:] - np.logaddexp.reduce(ways[:, 1:], axis=1, keepdims=True)
    score = (_log_rest(empty) - empty)[:, None] + towards
    names = np.arange(rows * columns).reshape(rows, columns)
    across = np.stack([names[:, :-1], names[:, 1:]], axis=-1).reshape(-1, 2)
    down = np.stack([names[:-1], names[1:]], axis=-1).reshape(-1, 2)
    odds = np.concatenate(
        [
            score[across[:, 0], RIGHT - 1] + score[across[:, 1], LEFT - 1],
            score[down[:, 0], DOWN - 1] + score[down[:, 1], UP - 1],
        ]
    )
    likely = odds > MIN_NATS
    return _Joints(np.concatenate([across, down])[likely], np.minimum(odds[likely], MAX_NATS))


def _marginals(joints: _Joints, cells: int) -> tuple[FloatArray, FloatArray]:
    """(cells,) probability that each cell is empty, and (pairs,) that each pair is a tile."""
    here = joints.ends.T.reshape(-1)
    """The first cells of all pairs, then their second cells: each pair occurs twice."""
    weights = np.tile(np.exp(joints.odds), 2)
    free = np.ones_like(weights)
    """Probability that the cell would be empty without the pair's other cell."""
    for _ in range(ROUNDS):
        offers = weights * np.roll(free, len(joints.odds))
        around = np.bincount(here, offers, cells)[here] - offers
        free = np.sqrt(free / (1 + np.maximum(around, 0)))
    offers = weights * np.roll(free, len(joints.odds))
    both = (offers * free)[: len(joints.odds)]
    return 1 / (1 + np.bincount(here, offers, cells)), both / (1 + both)


def _tiles(
    joints: _Joints, joined: FloatArray, log_probabilities: FloatArray, letters: str, columns: int
) -> tuple[SeenTile, ...]:
    """The best set of tiles on cells that are more probably halves than empty."""
    seen = log_probabilities[:, letters.index(EMPTY)] < np.log(0.5)
    good = (joints.odds > 0) & seen[joints.ends].all(axis=1)
    weights: dict[tuple[int, int], float] = {}
    probability: dict[tuple[int, int], float] = {}
    for (one, other), odds, share in zip(joints.ends[good].tolist(), joints.odds[good], joined[good], strict=True):
        light = sum(divmod(one, columns)) % 2 == 0
        weights[(one, other) if light else (other, one)] = float(odds)
        probability[one, other] = float(share)
    best = sorted((min(pair), max(pair)) for pair in heaviest_pairs(weights))
    pips = _pips(log_probabilities, letters)
    return tuple(SeenTile(ends, pips[ends[0]] + pips[ends[1]], probability[ends]) for ends in best)


def _pips(log_probabilities: FloatArray, letters: str) -> str:
    """The most probable class letter of each cell, other than EMPTY."""
    shown = letters.replace(EMPTY, "")
    columns = [letters.index(letter) for letter in shown]
    return "".join(shown[index] for index in log_probabilities[:, columns].argmax(axis=1))

"""The heaviest set of pairs in which nobody occurs twice, for graphs of few edges and two sides.

Successive best augmenting paths, that is minimum-cost flow (Busacker, Gowen, 1960): each round adds one pair and
gains no more than the round before, so the first round without a gain is the end. Some milliseconds for a hundred
pairs; SciPy does the same, but to import it takes longer than to start everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

Pairs = set[tuple[int, int]]


def heaviest_pairs(weights: Mapping[tuple[int, int], float]) -> Pairs:
    """The pairs (one, other) with the greatest sum of `weights`; the numbers of the two sides are apart."""
    partners: dict[int, int] = {}
    """Of each other that is taken, the one."""
    edges: dict[int, list[tuple[int, float]]] = {}
    for (one, other), weight in weights.items():
        edges.setdefault(one, []).append((other, weight))
    while (path := _best_path(edges, partners)) is not None:
        for one, other in path:
            partners[other] = one
    return {(one, other) for other, one in partners.items()}


def _best_path(edges: Mapping[int, list[tuple[int, float]]], partners: Mapping[int, int]) -> Pairs | None:
    """The new pairs of the path from a free one to a free other that gains most; None where none gains anything.

    Bellman and Ford's rounds: an edge into an other adds its weight, the way back to its one takes its pair's weight.
    """
    taken = {one: other for other, one in partners.items()}
    weight_of = {(one, other): weight for one, rest in edges.items() for other, weight in rest}
    gain = {one: -inf if one in taken else 0.0 for one in edges}
    came: dict[int, int] = {}
    """Of each other, the one from which it is best reached."""
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

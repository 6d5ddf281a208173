"""Maximum-weight matching in a sparse bipartite graph.

Uses successive best augmenting paths, a minimum-cost flow (Busacker, Gowen, 1960): each round adds one pair and gains
no more than the round before, so the search ends with the first round without a gain. Takes some milliseconds for a
hundred pairs. SciPy offers the same, but importing it takes longer than starting everything else.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

Pairs = set[tuple[int, int]]


def heaviest_pairs(weights: Mapping[tuple[int, int], float]) -> Pairs:
    """The matching of pairs (one, other) with the greatest sum of `weights`; each side has its own numbering."""
    partners: dict[int, int] = {}
    """Maps each matched `other` to its `one`."""
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

"""Values of the open places on a dominoes board, for a known tile and for unknown ones."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from games.double_double_dominoes import BONUS
from games.double_double_dominoes.board import (
    BLOCKED,
    DIAMONDS,
    EACH,
    FREE,
    NEIGHBOURS,
    PIPS,
    TILES,
    TRACK,
    Lay,
    asks_for,
    slots,
)
from games.double_double_dominoes.position import LAST_SPACE, Position

NOWHERE = -1
"""Stands for the diamonds of a tile that fits nowhere."""
VICTORY = 40.0
"""Points that reaching the last space is worth on top of its points."""

Place = tuple[int, int, int]
"""Diamonds of a place, then its two cells."""


class OpenPlaces:
    """The places where tiles fit on one board, and how one more tile changes them.

    A place requires the pips of one end or of both; a tile's best place has the most diamonds. The places are sorted
    once, so that a lay needs only a check of the few cells around it: about 30 microseconds.
    """

    def __init__(self, board: str) -> None:
        self._board = board
        self._asked: dict[int, int] = {}
        self._anywhere = NOWHERE
        self._one_end: list[list[Place]] = [[] for _ in range(PIPS)]
        self._both_ends: dict[tuple[int, int], list[Place]] = {}
        for (first, second), a, b in slots(board, None):
            place = (DIAMONDS[first] + DIAMONDS[second], first, second)
            if a == FREE and b == FREE:
                self._anywhere = max(self._anywhere, place[0])
            elif a == FREE or b == FREE:
                self._one_end[max(a, b)].append(place)
            else:
                self._both_ends.setdefault((min(a, b), max(a, b)), []).append(place)
        for places in (*self._one_end, *self._both_ends.values()):
            places.sort(reverse=True)

    def diamonds(self, lay: Lay | None = None) -> list[int]:
        """The most diamonds that each of TILES can cover, after a lay or now; NOWHERE if it fits nowhere."""
        around = self._around(lay)
        one = [_first_outside(places, around) for places in self._one_end]
        both = {ends: _first_outside(places, around) for ends, places in self._both_ends.items()}
        for cell, pip in around.items():
            if pip >= 0:
                self._look_from(cell, pip, around, one, both)
        anywhere = self._anywhere if lay is None else NOWHERE
        return [max(one[a], one[b], both.get((a, b), NOWHERE), anywhere) for a, b in TILES]

    def _around(self, lay: Lay | None) -> dict[int, int]:
        """Pips required on and beside the cells of a lay once it is laid; its own cells are BLOCKED."""
        if lay is None:
            return {}
        around = dict.fromkeys(lay.cells, BLOCKED)
        for cell, pip in zip(lay.cells, lay.pips, strict=True):
            for beside in NEIGHBOURS[cell]:
                if beside not in around and self._ask(beside) != BLOCKED:
                    around[beside] = pip if self._ask(beside) == FREE else BLOCKED
                elif beside not in lay.cells:
                    around[beside] = BLOCKED
        return around

    def _ask(self, cell: int) -> int:
        """Pips that a cell requires on the present board; covered cells are BLOCKED."""
        if cell not in self._asked:
            self._asked[cell] = BLOCKED if self._board[cell] != "." else asks_for(self._board, cell)
        return self._asked[cell]

    def _look_from(
        self, cell: int, pip: int, around: dict[int, int], one: list[int], both: dict[tuple[int, int], int]
    ) -> None:
        for other in NEIGHBOURS[cell]:
            asked = around[other] if other in around else self._ask(other)
            if asked == BLOCKED:
                continue
            found = DIAMONDS[cell] + DIAMONDS[other]
            if asked == FREE:
                one[pip] = max(one[pip], found)
            else:
                ends = (min(pip, asked), max(pip, asked))
                both[ends] = max(both.get(ends, NOWHERE), found)


def _first_outside(places: Iterable[Place], around: dict[int, int]) -> int:
    """The diamonds of the best place that contains no cell around the lay."""
    return next((found for found, a, b in places if a not in around and b not in around), NOWHERE)


def worths(diamonds: Sequence[int], mover: int, other: int) -> list[float | None]:
    """Value of laying each of TILES for the mover, minus the other's bonus; None if it fits nowhere.

    `mover` and `other` are the spaces on which the pawns stand.
    """
    mine, theirs = _value(mover), _value(other)
    found: list[float | None] = []
    for (a, b), points in zip(TILES, diamonds, strict=True):
        if points == NOWHERE:
            found.append(None)
            continue
        gain = points * (2 if a == b else 1) + (BONUS if mine in (a, b) else 0)
        found.append(difference(mover, gain, other, BONUS if theirs in (a, b) else 0))
    return found


def difference(mover: int, gain: int, other: int, bonus: int) -> float:
    """Points gained minus the other's gain; pawns stop at the last space, and reaching it adds VICTORY."""
    mine, theirs = min(LAST_SPACE, mover + gain), min(LAST_SPACE, other + bonus)
    won = VICTORY * ((mine == LAST_SPACE) - (theirs == LAST_SPACE))
    return (mine - mover) - (theirs - other) + won


def _value(space: int) -> int:
    return TRACK[space - 1] if space else -1


def expected_best(worth: Sequence[float | None], counts: Sequence[int], draws: int, floor: float) -> float:
    """Mean of the best of `draws` tiles drawn at random from `counts` of each of TILES, or `floor` if that is more.

    Exact: the chance that none of the `k` best of `n` tiles is among the draws is the product of
    `(n - draws - j) / (n - j)` for `j` from 0 to `k - 1`.
    """
    left = sum(counts)
    if draws <= 0 or not left:
        return floor
    better = sorted(
        ((value, count) for value, count in zip(worth, counts, strict=True) if value is not None and value > floor),
        reverse=True,
    )
    total, none, without = 0.0, 1.0, left - draws
    for value, count in better:
        before = none
        for _ in range(count):
            none *= max(0, without) / left
            without, left = without - 1, left - 1
            if not left:
                break
        total += value * (before - none)
        if none <= 0:
            return total
    return total + floor * none


def unseen(position: Position, side: int) -> list[int]:
    """How many of each of TILES a side has not seen: neither laid nor in its own hand, as far as known."""
    counts = [EACH - (position.copies >> 2 * index & 3) for index in range(len(TILES))]
    for tile in position.hands[side] or ():
        counts[TILES.index(tile)] -= 1
    return counts

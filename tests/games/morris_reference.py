"""A slow second implementation of the morris games, written from their descriptions: dictionaries of named points."""

from __future__ import annotations

import dataclasses
import itertools

RINGS = {
    "nine": ("a7 d7 g7 g4 g1 d1 a1 a4", "b6 d6 f6 f4 f2 d2 b2 b4", "c5 d5 e5 e4 e3 d3 c3 c4"),
    "six": ("a5 c5 e5 e3 e1 c1 a1 a3", "b4 c4 d4 d3 d2 c2 b2 b3"),
}
"""The squares of a board, each clockwise from its upper left corner, the outer one first."""


def geometry(board: str, diagonals: bool) -> tuple[set[frozenset[str]], set[frozenset[str]]]:
    """The lines on which a mill is closed, and the pairs of points that are joined."""
    if board == "three":
        points = [[f"{letter}{number}" for letter in "abc"] for number in "123"]
        rows = [
            *points,
            *zip(*points, strict=True),
            [points[i][i] for i in range(3)],
            [points[i][2 - i] for i in range(3)],
        ]
        return {frozenset(row) for row in rows}, {frozenset(pair) for row in rows for pair in itertools.pairwise(row)}
    rings = [ring.split() for ring in RINGS[board]]
    mills, joined = set(), set()
    for ring in rings:
        joined |= {frozenset((ring[place], ring[(place + 1) % 8])) for place in range(8)}
        mills |= {frozenset((ring[place], ring[place + 1], ring[(place + 2) % 8])) for place in (0, 2, 4, 6)}
    for place in range(8):
        if place % 2 or diagonals:
            across = [ring[place] for ring in rings]
            joined |= {frozenset(pair) for pair in itertools.pairwise(across)}
            mills |= {frozenset(across)} if len(across) == 3 else set()
    return mills, joined


@dataclasses.dataclass
class State:
    """A game in progress; sides are 0 and 1."""

    men: dict[str, int]
    hands: list[int]
    side: int
    spent: list[set[frozenset[str]]] = dataclasses.field(default_factory=lambda: [set(), set()])
    barred: list[tuple[str, str] | None] = dataclasses.field(default_factory=lambda: [None, None])
    quiet: int = 0
    seen: list[tuple[tuple[tuple[str, int], ...], int]] = dataclasses.field(default_factory=list)


class Reference:
    """One of the games."""

    def __init__(self, rules: dict[str, object]) -> None:
        self.rules = rules
        self.mills, self.joined = geometry(str(rules["board"]), bool(rules["diagonals"]))
        self.points = sorted({point for mill in self.joined for point in mill})

    def start(self) -> State:
        """The empty board, light to lay."""
        men = int(str(self.rules["men"]))
        return State({}, [men, men], 0)

    def mills_of(self, state: State, side: int) -> list[frozenset[str]]:
        """The closed mills of a side."""
        return [mill for mill in self.mills if all(state.men.get(point) == side for point in mill)]

    def turns(self, state: State) -> list[str]:
        """All whole turns as texts; empty if the game is over."""
        return [] if self.result(state) is not None else self._turns(state)

    def _turns(self, state: State) -> list[str]:
        side, found = state.side, []
        for origin, to in self._ways(state):
            closed = self._closed_by(state, origin, to)
            if state.barred[side] == (origin, to) and closed:
                continue
            way = to if origin is None else f"{origin}-{to}"
            prey = self._prey(state) if closed - state.spent[side] else []
            found += [f"{way}x{point}" for point in prey] or [way]
        return found

    def _ways(self, state: State) -> list[tuple[str | None, str]]:
        side, free = state.side, [point for point in self.points if point not in state.men]
        ways: list[tuple[str | None, str]] = [(None, to) for to in free] if state.hands[side] else []
        if not state.hands[side] or self.rules["move_early"]:
            own = [point for point, owner in state.men.items() if owner == side]
            flies = self.rules["flying"] and not state.hands[side] and len(own) == 3
            ways += [(a, to) for a in own for to in free if flies or frozenset((a, to)) in self.joined]
        return ways

    def _closed_by(self, state: State, origin: str | None, to: str) -> set[frozenset[str]]:
        own = {point for point, owner in state.men.items() if owner == state.side and point != origin} | {to}
        return {mill for mill in self.mills if to in mill and mill <= own}

    def _prey(self, state: State) -> list[str]:
        if self.rules["board"] == "three":
            return []
        foe = 1 - state.side
        all_of = [point for point, owner in state.men.items() if owner == foe]
        safe = (
            {point for mill in self.mills_of(state, foe) for point in mill} if self.rules["mill_protected"] else set()
        )
        return [point for point in all_of if point not in safe] or all_of

    def play(self, state: State, turn: str) -> State:
        """The state after a turn."""
        way, _, taken = turn.partition("x")
        origin, _, to = way.rpartition("-")
        side, closed = state.side, self._closed_by(state, origin or None, to)
        left = bool(origin) and any(origin in mill for mill in self.mills_of(state, side))
        after = State(
            dict(state.men), list(state.hands), 1 - side, [set(one) for one in state.spent], list(state.barred)
        )
        after.barred[side] = (to, origin) if left and closed and self.rules["no_return"] else None
        if origin:
            del after.men[origin]
        else:
            after.hands[side] -= 1
        after.men[to] = side
        if taken:
            del after.men[taken]
            after.spent[side] |= closed if self.rules["one_time_mills"] else set()
        if origin and not taken:
            after.quiet, after.seen = state.quiet + 1, [*state.seen, self._key(state)]
        return after

    @staticmethod
    def _key(state: State) -> tuple[tuple[tuple[str, int], ...], int]:
        return tuple(sorted(state.men.items())), state.side

    def result(self, state: State) -> tuple[int | None, str] | None:
        """Winner and reason, or None."""
        counts = [list(state.men.values()).count(side) for side in (0, 1)]
        for side in (state.side, 1 - state.side):
            if not state.hands[side] and counts[side] < 3:
                return 1 - side, "two_men_left"
        if self.rules["board"] == "three" and self.mills_of(state, 1 - state.side):
            return 1 - state.side, "mill_closed"
        if self.rules["full_draw"] and not any(state.hands) and len(state.men) == len(self.points):
            return None, "board_full"
        if not self._turns(state):
            return 1 - state.side, "no_legal_move"
        times = int(str(self.rules["repetition"]))
        if times and state.seen.count(self._key(state)) + 1 >= times:
            return None, "repetition"
        few = any(not state.hands[side] and counts[side] == 3 for side in (0, 1))
        limits = [int(str(self.rules["quiet_plies"])), int(str(self.rules["three_men_plies"])) if few else 0]
        return (None, "quiet_plies") if any(limit and state.quiet >= limit for limit in limits) else None

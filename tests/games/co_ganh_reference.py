"""An independent, slow implementation of cờ gánh on a dict of points, written from the text of the rules alone.

A point is (row, column) from Up's top left, a state is (men, side, plies): `men` maps points to "U" or "D".
"""

from __future__ import annotations

import random
from collections.abc import Iterator

Point = tuple[int, int]
Men = dict[Point, str]
State = tuple[Men, str, int]

START: State = (
    {
        **dict.fromkeys([(0, 0), (0, 1), (0, 2), (0, 3), (0, 4), (1, 0), (1, 4), (2, 4)], "U"),
        **dict.fromkeys([(4, 0), (4, 1), (4, 2), (4, 3), (4, 4), (3, 0), (2, 0), (3, 4)], "D"),
    },
    "U",
    0,
)
SHUT_IN: State = (
    dict.fromkeys([(4, 0)], "U") | dict.fromkeys([(3, 0), (4, 1), (3, 1), (2, 2), (2, 0), (4, 2)], "D"),
    "U",
    0,
)
DIAGONALS: list[list[Point]] = [
    [(0, 0), (1, 1), (2, 2), (3, 3), (4, 4)],
    [(0, 4), (1, 3), (2, 2), (3, 1), (4, 0)],
    [(0, 2), (1, 1), (2, 0)],
    [(0, 2), (1, 3), (2, 4)],
    [(2, 0), (3, 1), (4, 2)],
    [(2, 4), (3, 3), (4, 2)],
]
ROWS: list[list[Point]] = [[(row, column) for column in range(5)] for row in range(5)]
COLUMNS: list[list[Point]] = [[(row, column) for row in range(5)] for column in range(5)]
LINES = ROWS + COLUMNS + DIAGONALS
"""All drawn lines, from end to end."""
BOTH_WAYS = LINES + [line[::-1] for line in LINES]


def other(side: str) -> str:
    return "D" if side == "U" else "U"


def joined(point: Point) -> list[Point]:
    """The points that a line joins to this one."""
    return [line[line.index(point) + 1] for line in BOTH_WAYS if point in line[:-1]]


def moves(men: Men, side: str, jumps: bool) -> list[tuple[Point, Point]]:
    """Every step and jump, in any order."""
    found = []
    for start in [point for point, man in men.items() if man == side]:
        for line in BOTH_WAYS:
            if start not in line:
                continue
            ahead = line[line.index(start) + 1 :]
            if ahead and ahead[0] not in men:
                found.append((start, ahead[0]))
            elif jumps and len(ahead) > 1 and men[ahead[0]] == other(side) and ahead[1] not in men:
                found.append((start, ahead[1]))
    return found


def play_by_removal(state: State, move: tuple[Point, Point]) -> State:
    """Makes a move by the rules under which captured men leave the board."""
    (men, side, plies), (start, end) = state, move
    men = dict(men)
    del men[start]
    if end not in joined(start):
        del men[(start[0] + end[0]) // 2, (start[1] + end[1]) // 2]
    men[end] = side
    taken: set[Point] = set()
    for line in LINES:
        for before, middle, after in zip(line, line[1:], line[2:], strict=False):
            if middle == end and men.get(before) == men.get(after) == other(side):
                taken |= {before, after}
    return {point: man for point, man in men.items() if point not in taken}, other(side), plies + 1


def play_by_turning(state: State, move: tuple[Point, Point]) -> State:
    """Makes a move by the rules under which captured men change sides: gánh, then vây."""
    (men, side, plies), (start, end) = state, move
    men = {end if point == start else point: man for point, man in men.items()}
    turned: set[Point] = set()
    for line in LINES:
        for before, middle, after in zip(line, line[1:], line[2:], strict=False):
            if middle == end and men.get(before) == men.get(after) == other(side):
                turned |= {before, after}
    men.update(dict.fromkeys(turned, side))
    stuck = [group for group in groups(men, other(side)) if not any(free(men, point) for point in group)]
    men.update({point: side for group in stuck for point in group})
    return men, other(side), plies + 1


def free(men: Men, point: Point) -> bool:
    return any(neighbour not in men for neighbour in joined(point))


def groups(men: Men, side: str) -> Iterator[set[Point]]:
    """The connected groups of a side, grown one man at a time."""
    left = {point for point, man in men.items() if man == side}
    while left:
        group = {left.pop()}
        while more := {point for point in left if any(neighbour in group for neighbour in joined(point))}:
            group.add(grown := more.pop())
            left.discard(grown)
        yield group


def winner(state: State, jumps: bool, limit: int) -> str | None:
    """ "U", "D", "draw", or None if the game is unfinished."""
    men, side, plies = state
    counts = {one: list(men.values()).count(one) for one in "UD"}
    if not counts["U"] or not counts["D"]:
        return "U" if counts["U"] else "D"
    if not moves(men, side, jumps):
        return other(side)
    if plies < limit:
        return None
    return "draw" if counts["U"] == counts["D"] else max(counts, key=lambda one: counts[one])


def leaves(state: State, depth: int) -> int:
    """Counts the move sequences of that many plies by the rules of removal, without games that end sooner."""
    if depth == 0:
        return 1
    if winner(state, jumps=True, limit=200) is not None:
        return 0
    return sum(leaves(play_by_removal(state, move), depth - 1) for move in moves(*state[:2], jumps=True))


def scattered(draw: random.Random) -> State:
    """A random position, such as no game from the start would reach."""
    points = draw.sample([(row, column) for row in range(5) for column in range(5)], 16)
    up, down = draw.randint(1, 8), draw.randint(1, 8)
    men = dict.fromkeys(points[:up], "U") | dict.fromkeys(points[8 : 8 + down], "D")
    return men, draw.choice("UD"), draw.choice([0, 0, 57, 199, 200])

"""Play at random from a position of go to its end: quick, with a board that changes in place.

A player fills none of its own eyes and passes only when nothing else is left. A chain's *pseudo-liberties* count an
empty point once for each stone of the chain beside it: cheap to keep, and 0 exactly where there is no liberty.
"""

from __future__ import annotations

import functools
import random

from games.go.board import Stones
from rules.turns import cells_of

BORDER = 2
NOBODY = -1
MOST = 3
"""Plies after which a game is broken off, per point of the board."""


class Playout:
    def __init__(self, size: int) -> None:
        self.size = size
        self._stride = size + 1
        """Points of a row with the border between rows, which is both the end of one and the beginning of the next."""
        self._points = [(row + 1) * self._stride + column for row in range(size) for column in range(size)]
        self._cell_of = {point: cell for cell, point in enumerate(self._points)}
        self._length = (size + 2) * self._stride + 1

    @functools.cached_property
    def _near(self) -> list[tuple[int, ...]]:
        """The points beside each point, border points too."""
        step = self._stride
        return [
            (point - 1, point + 1, point - step, point + step) if point in self._cell_of else ()
            for point in range(self._length)
        ]

    def play(self, stones: Stones, side: int, seed: int) -> Stones:
        """The stones and eyes of both colours at the end of one game, as bit sets."""
        game = _Board(self._length, self._near, self._stride)
        for colour in (0, 1):
            for cell in cells_of(stones[colour]):
                game.lay(self._points[cell], colour)
        occupied = stones[0] | stones[1]
        empty = [point for cell, point in enumerate(self._points) if not occupied >> cell & 1]
        game.finish(empty, side, MOST * len(self._points), random.Random(seed))
        ends = [0, 0]
        for cell, point in enumerate(self._points):
            owner = game.owner(point)
            if owner != NOBODY:
                ends[owner] |= 1 << cell
        return ends[0], ends[1]


class _Board:
    """Colours by point, and for each chain its stones and pseudo-liberties under its head."""

    def __init__(self, length: int, near: list[tuple[int, ...]], stride: int) -> None:
        self._near = near
        self._corners = (stride + 1, stride - 1, -stride + 1, -stride - 1)
        self._colour = [NOBODY if beside else BORDER for beside in near]
        self._head = [0] * length
        self._chain: list[list[int]] = [[] for _ in range(length)]
        self._breath = [0] * length
        self._freed: list[int] = []
        """Points from which stones were taken lately."""

    def lay(self, point: int, colour: int) -> int:
        """Puts a stone on an empty point, and takes what it captures; returns how many stones that are."""
        colours, head, breath = self._colour, self._head, self._breath
        colours[point] = colour
        head[point], self._chain[point], breath[point] = point, [point], 0
        taken = 0
        for beside in self._near[point]:
            other = colours[beside]
            if other == NOBODY:
                breath[head[point]] += 1
            elif other != BORDER:
                breath[head[beside]] -= 1
                if other == colour:
                    self._join(point, beside)
        for beside in self._near[point]:
            if colours[beside] == 1 - colour and breath[head[beside]] == 0:
                taken += self._take(head[beside])
        return taken

    def _join(self, one: int, other: int) -> None:
        head = self._head
        big, small = head[one], head[other]
        if big == small:
            return
        if len(self._chain[big]) < len(self._chain[small]):
            big, small = small, big
        for stone in self._chain[small]:
            head[stone] = big
        self._chain[big] += self._chain[small]
        self._breath[big] += self._breath[small]

    def _take(self, chain: int) -> int:
        colours, head, breath = self._colour, self._head, self._breath
        stones = self._chain[chain]
        for stone in stones:
            colours[stone] = NOBODY
        for stone in stones:
            for beside in self._near[stone]:
                if colours[beside] >= 0:
                    breath[head[beside]] += 1
        self._freed += stones
        return len(stones)

    def finish(self, empty: list[int], side: int, most: int, draw: random.Random) -> None:
        """Plays on until both pass or `most` plies are made; `empty` holds the empty points in any order."""
        passes, ko = 0, 0
        uniform = draw.random
        for _ in range(most):
            left = len(empty)
            while left:
                place = int(uniform() * left)
                point = empty[place]
                left -= 1
                if point != ko and self._is_sensible(point, side):
                    break
                empty[place], empty[left] = empty[left], point
            else:
                passes, ko, side = passes + 1, 0, 1 - side
                if passes == 2:
                    return
                continue
            empty[place] = empty[-1]
            empty.pop()
            taken = self.lay(point, side)
            alone = taken == 1 and len(self._chain[self._head[point]]) == 1 and self._breath[self._head[point]] == 1
            ko = self._freed[-1] if alone else 0
            if taken:
                empty += self._freed
                self._freed.clear()
            passes, side = 0, 1 - side

    def _is_sensible(self, point: int, colour: int) -> bool:
        """Whether a stone may be laid there and fills no eye of its colour."""
        colours, head, breath = self._colour, self._head, self._breath
        near = self._near[point]
        lost: dict[int, int] = {}
        eye = True
        for beside in near:
            other = colours[beside]
            if other == NOBODY:
                return True
            if other != BORDER:
                eye = eye and other == colour
                chain = head[beside]
                lost[chain] = lost.get(chain, 0) + 1
        if eye and self._is_kept(point, colour):
            return False
        return any((colours[chain] == colour) == (breath[chain] > count) for chain, count in lost.items())

    def _is_kept(self, point: int, colour: int) -> bool:
        """Whether an eye is no false one: the enemy has at most one corner of it, none at the edge."""
        colours = self._colour
        edge = BORDER in [colours[beside] for beside in self._near[point]]
        enemy = 1 - colour
        return [colours[point + step] for step in self._corners].count(enemy) + edge < 2

    def owner(self, point: int) -> int:
        """The colour of a stone, or of all stones beside an empty point; NOBODY if they differ."""
        if self._colour[point] != NOBODY:
            return self._colour[point]
        beside = {self._colour[one] for one in self._near[point]} - {BORDER}
        return beside.pop() if len(beside) == 1 else NOBODY

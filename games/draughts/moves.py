"""What may be moved and taken in draughts, under any mixture of the rules."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import NamedTuple

from games.draughts.board import DIRECTIONS, FORWARD, Board
from rules import Side
from rules.turns import cells_of

KEPT = 1 << 15
"""Positions whose moves are remembered."""


class Move(NamedTuple):
    """One whole turn, in indices into the squares."""

    path: tuple[int, ...]
    """Where the piece stands before the turn and after each step or jump of it."""
    taken: tuple[int, ...] = ()
    """Squares of the pieces taken, one a jump, in that order."""


Route = Move
"""A way to make a move; of the routes that take the same pieces and end on the same square, the first is the move."""
Jumps = list[tuple[int, tuple[int, ...]]]
"""Pieces that can be jumped next, each with the squares beyond it on which the jump may end."""


class Generator:
    """Legal moves by the pieces alone."""

    def __init__(self, board: Board, *, flying: bool, backwards: bool, longest: bool, passing: bool) -> None:
        self._board, self._flying, self._longest, self._passing = board, flying, longest, passing
        self._taking = (tuple(DIRECTIONS),) * 2 if backwards else FORWARD
        """The directions in which each side's men take."""
        self.legal = functools.lru_cache(KEPT)(self._legal)

    def _legal(self, light: int, dark: int, kings: int, side: Side) -> tuple[Move, ...]:
        """All moves: captures by origin, else steps by origin and direction. Obligatory captures leave no others."""
        own, enemy = (light, dark) if side == 0 else (dark, light)
        captures = self._captures(own, enemy, kings, side)
        return captures or tuple(self._quiet(own, self._board.full & ~(own | enemy), kings, side))

    def may_take(self, own: int, enemy: int, kings: int, side: Side) -> bool:
        return next(self._takers(own, enemy, kings, side), None) is not None

    def captured(self, light: int, dark: int, kings: int, side: Side) -> tuple[Move, ...]:
        """All whole captures, also those that take fewer pieces than another."""
        own, enemy = (light, dark) if side == 0 else (dark, light)
        return tuple(self._distinct(own, enemy, kings, side))

    def routes(self, light: int, dark: int, kings: int, side: Side) -> Iterator[Route]:
        """Every way to make a capture, and the moves that take nothing."""
        own, enemy = (light, dark) if side == 0 else (dark, light)
        legal = self.legal(light, dark, kings, side)
        if not legal or not legal[0].taken:
            yield from legal
            return
        for route in self._routes(own, enemy, kings, side):
            if not self._longest or len(route.taken) == len(legal[0].taken):
                yield route

    def is_crowned(self, side: Side, path: tuple[int, ...]) -> bool:
        """Whether a man that goes this way becomes a king."""
        row = self._board.crowning[side]
        return any(row >> square & 1 for square in (path[1:] if self._passing else path[-1:]))

    def _quiet(self, own: int, empty: int, kings: int, side: Side) -> Iterator[Move]:
        board = self._board
        for square in cells_of(own):
            if not kings >> square & 1:
                targets = [board.next[way][square] for way in FORWARD[side]]
                yield from (Move((square, to)) for to in targets if to >= 0 and empty >> to & 1)
                continue
            for way in DIRECTIONS:
                for to in board.rays[way][square][: None if self._flying else 1]:
                    if not empty >> to & 1:
                        break
                    yield Move((square, to))

    def _captures(self, own: int, enemy: int, kings: int, side: Side) -> tuple[Move, ...]:
        found = self._distinct(own, enemy, kings, side)
        if self._longest and found:
            most = max(len(move.taken) for move in found)
            found = [move for move in found if len(move.taken) == most]
        return tuple(found)

    def _distinct(self, own: int, enemy: int, kings: int, side: Side) -> list[Move]:
        first: dict[object, Move] = {}
        for route in self._routes(own, enemy, kings, side):
            path = route.path
            crowned = self._passing and self.is_crowned(side, path)
            first.setdefault((path[0], path[-1], frozenset(route.taken), crowned), route)
        return list(first.values())

    def _takers(self, own: int, enemy: int, kings: int, side: Side) -> Iterator[int]:
        """Squares of the pieces that can take."""
        board, empty = self._board, self._board.full & ~(own | enemy)
        men, takers = own & ~kings, 0
        for way in self._taking[side]:
            landings = board.shifted(board.shifted(men, way) & enemy, way) & empty
            if landings:
                back = DIRECTIONS[3 - way]
                takers |= board.shifted(board.shifted(landings, back), back)
        yield from cells_of(takers)
        for square in cells_of(own & kings):
            if self._jumps(square, True, side, empty, enemy):
                yield square

    def _routes(self, own: int, enemy: int, kings: int, side: Side) -> Iterator[Route]:
        for square in self._takers(own, enemy, kings, side):
            empty = self._board.full & ~(own | enemy) | 1 << square
            yield from self._go_on((square,), (), bool(kings >> square & 1), side, empty, enemy)

    def _go_on(
        self, path: tuple[int, ...], taken: tuple[int, ...], king: bool, side: Side, empty: int, left: int
    ) -> Iterator[Route]:
        """All ways to end a capture; `left` are the enemy's pieces not yet jumped, which stay where they are."""
        jumps = self._jumps(path[-1], king, side, empty, left)
        if not jumps:
            yield Route(path, taken)
        for over, landings in jumps:
            rest = left & ~(1 << over)
            crowned = {to: king or (self._passing and self.is_crowned(side, (path[-1], to))) for to in landings}
            further = [to for to in landings if self._jumps(to, crowned[to], side, empty, rest)]
            for to in further or landings:
                yield from self._go_on((*path, to), (*taken, over), crowned[to], side, empty, rest)

    def _jumps(self, square: int, king: bool, side: Side, empty: int, enemy: int) -> Jumps:
        board, found = self._board, Jumps()
        if not (king and self._flying):
            for way in DIRECTIONS if king else self._taking[side]:
                over = board.next[way][square]
                if over >= 0 and enemy >> over & 1:
                    to = board.next[way][over]
                    if to >= 0 and empty >> to & 1:
                        found.append((over, (to,)))
            return found
        for way in DIRECTIONS:
            ray = board.rays[way][square]
            for place, over in enumerate(ray):
                if empty >> over & 1:
                    continue
                if enemy >> over & 1:
                    landings = []
                    for to in ray[place + 1 :]:
                        if not empty >> to & 1:
                            break
                        landings.append(to)
                    if landings:
                        found.append((over, tuple(landings)))
                break
        return found

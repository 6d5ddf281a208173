"""Counting a game of go: which stones are captured as they stand, territory, and points of both sides."""

from __future__ import annotations

import functools
from typing import NamedTuple

from games.go.board import Board, Stones, board
from games.go.playout import Playout
from rules.turns import cells_of

PLAYOUTS = 64
"""Games played at random from the end of a game, to see which stones are left standing."""
SEED = 1
LOST = 0.5
"""Stones that stand at the end of a smaller share of these games are proposed as dead."""


class Count(NamedTuple):
    """The points of both sides, without komi, and where they come from."""

    points: tuple[int, int]
    territory: tuple[int, int]
    """Points of the board that each side surrounds, as bit sets; with the dead stones on them."""


def count(lines: Board, stones: Stones, dead: int, prisoners: tuple[int, int], area: bool) -> Count:
    """Counts a board whose `dead` stones are captured as they stand.

    By area a side has its living stones and its territory; by territory its territory and what it has captured. An
    empty region that reaches stones of both sides belongs to neither.
    """
    living = stones[0] & ~dead, stones[1] & ~dead
    territory = [0, 0]
    for region in lines.regions(lines.full & ~(living[0] | living[1])):
        beside = lines.near(region)
        reached = [bool(beside & own) for own in living]
        if reached[0] != reached[1]:
            territory[reached[1]] |= region
    points = []
    for side in (0, 1):
        captured = living[side] if area else stones[1 - side] & dead
        points.append(territory[side].bit_count() + captured.bit_count() + (0 if area else prisoners[side]))
    return Count((points[0], points[1]), (territory[0], territory[1]))


def group(lines: Board, stones: Stones, cell: int) -> int:
    """The stones that live or die together with the one on a cell: its colour's, with no enemy stone between them.

    Between the stones of a group there is nothing but empty points; 0 for an empty cell.
    """
    own = next((own for own in stones if own >> cell & 1), 0)
    empty = lines.full & ~(stones[0] | stones[1])
    return lines.joined(1 << cell, own | empty) & own if own else 0


@functools.lru_cache(maxsize=1024)
def proposal(size: int, stones: Stones, side: int) -> int:
    """The stones that are probably dead, as a bit set: those that mostly fall when play goes on at random.

    No player fills its own eyes in it. Players may count otherwise: in a seki random play often errs.
    """
    lines = board(size)
    if not stones[0] or not stones[1]:
        return 0
    playout = Playout(size)
    standing = [0] * size**2
    for number in range(PLAYOUTS):
        end = playout.play(stones, side ^ number & 1, SEED + number)
        for colour in (0, 1):
            for cell in cells_of(stones[colour] & end[colour]):
                standing[cell] += 1
    dead = 0
    for own in stones:
        for joined in lines.regions(own):
            stands = sum(standing[cell] for cell in cells_of(joined))
            if stands < LOST * PLAYOUTS * joined.bit_count():
                dead |= joined
    return dead

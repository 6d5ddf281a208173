"""Names of openings of English draughts, with the moves that lead to each; recognised by any order of moves."""

from __future__ import annotations

import functools
from collections.abc import Iterator

from games.draughts.board import board
from rules.opening_names import names_on

LINES = {
    "Edinburgh": "9-13",
    "Double Corner": "9-14",
    "Denny": "10-14",
    "Kelso": "10-15",
    "Dundee": "12-16",
    "Bristol": "11-16 24-20",
    "Paisley": "11-16 24-19",
    "Bristol Cross": "11-16 23-18",
    "Switcher": "11-15 21-17",
    "Single Corner": "11-15 22-18",
    "Second Double Corner": "11-15 24-19",
    "Ayrshire Lassie": "11-15 24-20",
    "Dyke": "11-15 22-17 15-19",
    "Boston": "11-15 22-17 9-13 17-14",
    "Wagram": "11-15 22-17 9-13 24-20",
    "White Dyke": "11-15 22-17 8-11 17-14",
    "Pioneer": "11-15 22-17 8-11 25-22",
    "Maid of the Mill": "11-15 22-17 8-11 17-13 15-18",
    "Douglas": "11-15 22-17 8-11 17-13 4-8 25-22",
    "Cross": "11-15 23-18",
    "Waterloo": "11-15 23-18 8-11 18-14",
    "Slip Cross": "11-15 23-18 8-11 27-23 11-16",
    "Will o' the Wisp": "11-15 23-19 9-13",
    "Defiance": "11-15 23-19 9-14 27-23",
    "Fife": "11-15 23-19 9-14 22-17 5-9",
    "Souter": "11-15 23-19 9-14 22-17 6-9",
    "Whilter": "11-15 23-19 9-14 22-17 7-11",
    "Tillicoultry": "11-15 23-19 8-11 22-18",
    "Nailor": "11-15 23-19 8-11 26-23",
    "Alma": "11-15 23-19 8-11 22-17 3-8",
    "Old Fourteenth": "11-15 23-19 8-11 22-17 4-8",
    "Laird and Lady": "11-15 23-19 8-11 22-17 9-13",
    "Glasgow": "11-15 23-19 8-11 22-17 11-16",
    "Centre": "11-15 23-19 8-11 22-17 15-18",
}
"""Moves by the numbers of squares; none of them takes a man."""
Men = tuple[int, int]
Key = tuple[Men, int]
"""The men of light and dark, a bit per square, and the side to move."""


def opening(men: Men, side: int) -> str:
    """The name of the opening that a position without kings belongs to; empty outside the known lines."""
    return _named().get((men, side), "")


@functools.cache
def _named() -> dict[Key, str]:
    return names_on({name: _way(moves) for name, moves in LINES.items()})


def _way(moves: str) -> Iterator[Key]:
    """The positions on a line, without the start; dark begins."""
    light, dark = board(8).start
    for ply, move in enumerate(moves.split()):
        origin, to = (1 << int(number) - 1 for number in move.split("-"))
        if ply % 2:
            light ^= origin | to
        else:
            dark ^= origin | to
        yield (light, dark), ply % 2

"""Names of reversi's openings, as players call them, with the moves that lead to each.

The lines are those that catalogues of Othello openings agree on, counted from c4; a position is recognised in any
symmetry and by any order of moves.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

from games.reversi.bitboard import CELLS, turned
from rules.opening_names import names_on
from rules.turns import cells_of

LINES = {
    "Diagonal": "c4c3",
    "Parallel": "c4c5",
    "Perpendicular": "c4e3",
    "Snake": "c4c3d3c5b3",
    "Heath": "c4c3d3c5b4",
    "Heath-Bat": "c4c3d3c5b4d2d6",
    "Heath-Chimney": "c4c3d3c5b4e3",
    "Raccoon Dog": "c4c3d3c5b5",
    "Rocket": "c4c3d3c5b6",
    "Hamilton": "c4c3d3c5b6c6b5",
    "Lollipop": "c4c3d3c5b6e3",
    "Cow": "c4c3d3c5d6",
    "Chimney": "c4c3d3c5d6e3",
    "Bat": "c4c3d3c5d6f4b4",
    "Rose-v-Toth": "c4c3d3c5d6f4f5",
    "Tanida": "c4c3d3c5d6f4f5d2",
    "Maruoka": "c4c3d3c5d6f4f5e6c6d7",
    "Landau": "c4c3d3c5d6f4f5e6f6",
    "Buffalo": "c4c3d3c5f6",
    "Maruoka Buffalo": "c4c3d3c5f6e2c6",
    "Tanida Buffalo": "c4c3d3c5f6e3c6f5f4g5",
    "Hokuriku Buffalo": "c4c3d3c5f6f5",
    "Wing Variation": "c4c3e6c5",
    "Semi-Wing Variation": "c4c3f5c5",
    "Mimura": "c4e3f4c5d6e6",
    "Shaman": "c4e3f4c5d6f3c6",
    "Inoue": "c4e3f4c5d6f3d3",
    "Iago": "c4e3f4c5d6f3d3c3",
    "Bhagat": "c4e3f4c5d6f3e2",
    "Rose": "c4e3f4c5d6f3e6c3d3e2",
    "Flat": "c4e3f4c5d6f3e6c3d3e2b5",
    "Rotating Flat": "c4e3f4c5d6f3e6c3d3e2b5f5",
    "Murakami Variation": "c4e3f4c5d6f3e6c3d3e2b5f5b3",
    "Rose-Birth": "c4e3f4c5d6f3e6c3d3e2b6f5",
    "Brightstein": "c4e3f4c5d6f3e6c3d3e2b6f5b4f6g5d7",
    "Greenberg": "c4e3f4c5d6f3e6c3d3e2d2",
    "Ralle": "c4e3f4c5d6f3e6c6",
    "Horse": "c4e3f4c5e6",
    "Ganglion": "c4e3f5b4",
    "Swallow": "c4e3f5b4f3",
    "Italian": "c4e3f5e6d3",
    "Cat": "c4e3f5e6f4",
    "Sakaguchi": "c4e3f5e6f4c5d6c6f7f3",
    "Berner": "c4e3f5e6f4c5d6c6f7g5g6",
    "Bent Ganglion": "c4e3f6b4",
    "Tiger": "c4e3f6e6f5",
    "Stephenson": "c4e3f6e6f5c5c3",
    "No-Kung": "c4e3f6e6f5c5c3b4",
    "Comp'Oth": "c4e3f6e6f5c5c3c6",
    "Kung": "c4e3f6e6f5c5c3g5",
    "Leader's Tiger": "c4e3f6e6f5c5d3",
    "Brightwell": "c4e3f6e6f5c5d6",
    "Ishii": "c4e3f6e6f5c5f4g5g4f3c6d3d6",
    "Mainline Tiger": "c4e3f6e6f5c5f4g5g4f3c6d3d6b3c3b4e2b6",
    "Rose-Bill": "c4e3f6e6f5c5f4g6f7",
    "Tamenori": "c4e3f6e6f5c5f4g6f7d3",
    "Aubrey": "c4e3f6e6f5g6",
}
Discs = tuple[int, int]
Key = tuple[Discs, int]
"""A position in the least of its symmetric images, and the side to move."""
START = (1 << CELLS.index("e4") | 1 << CELLS.index("d5"), 1 << CELLS.index("d4") | 1 << CELLS.index("e5"))
"""The usual four discs: black's and white's."""
PLACES = tuple((cell % 8, cell // 8) for cell in range(64))
TURNS = tuple(
    tuple(PLACES.index(image) for image in images)
    for images in (
        PLACES,
        tuple((y, x) for x, y in PLACES),
        tuple((7 - x, 7 - y) for x, y in PLACES),
        tuple((7 - y, 7 - x) for x, y in PLACES),
    )
)
"""The four symmetries of the start position: for each, the image of every cell."""


def opening(discs: Discs, side: int) -> str:
    """The name of the opening that a position belongs to; empty outside the known lines and before the first name."""
    count = (discs[0] | discs[1]).bit_count()
    return "" if count > _deepest() else _named().get((_canonical(discs), side), "")


def _canonical(discs: Discs) -> Discs:
    """The least of the position's symmetric images."""
    return min((_image(discs[0], turn), _image(discs[1], turn)) for turn in TURNS)


def _image(bits: int, turn: tuple[int, ...]) -> int:
    return sum(1 << turn[cell] for cell in cells_of(bits))


@functools.cache
def _deepest() -> int:
    return 4 + max(map(len, LINES.values())) // 2


@functools.cache
def _named() -> dict[Key, str]:
    return names_on({name: _way(moves) for name, moves in LINES.items()})


def _way(moves: str) -> Iterator[Key]:
    """The positions on a line, without the start."""
    mine, theirs, side = *START, 0
    for at in range(0, len(moves), 2):
        cell = CELLS.index(moves[at : at + 2])
        over = turned(mine, theirs, cell)
        mine, theirs, side = theirs ^ over, mine | over | 1 << cell, 1 - side
        yield _canonical((mine, theirs) if side == 0 else (theirs, mine)), side

"""Discs as bits: where a disc may be laid, and what it turns over.

Bit 0 is a1, at the top left from black's side; bit 7 is h1, bit 63 h8.
"""

from __future__ import annotations

SIZE = 8
CELLS = tuple(f"{column}{row}" for row in range(1, SIZE + 1) for column in "abcdefgh")
FULL = (1 << len(CELLS)) - 1
NOT_AT_THE_SIDES = 0x7E7E7E7E7E7E7E7E
"""Columns b to g: a horizontal or diagonal line cannot continue from column a or h."""
AXES = ((1, NOT_AT_THE_SIDES), (8, FULL), (7, NOT_AT_THE_SIDES), (9, NOT_AT_THE_SIDES))
"""Bit shift from a cell to the next of a line, and the cells through which such a line may continue."""


def places(mine: int, theirs: int) -> int:
    """The empty cells where a disc of mine would turn at least one of theirs, as a bit set."""
    found = 0
    for shift, within in AXES:
        through = theirs & within
        up, down = through & mine << shift, through & mine >> shift
        for _ in range(SIZE - 3):
            up |= through & up << shift
            down |= through & down >> shift
        found |= up << shift | down >> shift
    return found & ~(mine | theirs) & FULL


def turned(mine: int, theirs: int, cell: int) -> int:
    """Their discs that my disc laid on that empty cell would turn over, as a bit set."""
    found = 0
    for shift, within in AXES:
        through = theirs & within
        line, bit = 0, 1 << cell + shift
        while bit & through:
            line |= bit
            bit <<= shift
        if bit & mine:
            found |= line
        line, bit = 0, 1 << cell >> shift
        while bit & through:
            line |= bit
            bit >>= shift
        if bit & mine:
            found |= line
    return found

"""Layout of draughts' own part of a search's memory; `allocate` fills in the rules.

A set of squares has a bit for each, and an unused bit after every other row: from every square the next one on a
diagonal is then as many bits away, and beyond an edge lies an unused bit.
"""

from __future__ import annotations

from agents.kernels import memory as common
from agents.kernels.memory import MAX_MOVES, MAX_PLY, OWN, Memory, Word, write
from games.draughts import Draughts
from games.draughts.heuristics import squares_of

MINE, THEIRS, KINGS, SIDE = (Word(place) for place in range(4))
QUIET, LAST = Word(4), Word(5)
"""As in `games.draughts.Position`; counted under all rules."""
TAKERS = Word(6)
"""The mover's pieces that can take."""

FULL, HALF, TOP = OWN, OWN + Word(1), OWN + Word(2)
"""All squares; squares in a row; the last square's bit."""
FLYING, LONGEST, PASSING = OWN + Word(3), OWN + Word(4), OWN + Word(5)
TAKING = OWN + Word(6)
"""By side, a bit for each direction in which its men take."""
CROWNING = OWN + Word(8)
"""By side, the row where its men become kings."""
REPEATED, KING_PLIES, LAST_PIECES = OWN + Word(10), OWN + Word(11), OWN + Word(12)
"""Rule options that draw a game; 0 is never."""
JUDGE = OWN + Word(13)
"""Which evaluation judges: one of `evaluation`."""
WRITTEN, START, ORIGIN, MOVER, MOST_TAKEN = (OWN + Word(place) for place in range(16, 21))
"""Of the captures being written: how many, where to, from which square, by which side, and the most that one takes."""
CENTRE, BACK, ROWS = OWN + Word(21), OWN + Word(22), OWN + Word(24)
"""Squares as in `games.draughts.heuristics`: BACK and the nine ROWS by side."""
CAPTURES = OWN + Word(48)
"""2 x MAX_MOVES words per ply: what a capture takes, with bit 63 where it passed the last row; its squares."""
WEIGHTS = CAPTURES + Word(2 * MAX_MOVES * (MAX_PLY + 1))
"""Words per phase, in the order of `evaluation`."""
PHASE_WORDS = Word(80)
PHASES = 3
END = WEIGHTS + PHASE_WORDS * Word(PHASES)


def bit_of(square: int, size: int) -> int:
    """The number of a square's bit."""
    return square + square // size


def square_of(bit: int, size: int) -> int:
    return bit - bit // (size + 1)


def spread(squares: int, size: int) -> int:
    """A set of squares as the rules have it, with its unused bits."""
    rows, spread_out = (1 << size) - 1, 0
    for pair in range(size // 2):
        spread_out |= (squares >> size * pair & rows) << (size + 1) * pair
    return spread_out


def allocate(game: Draughts, table_mb: int) -> Memory:
    """Allocates a search's memory for the game's rules and a transposition table of at most `table_mb` MiB."""
    memory = common.allocate(END, table_mb, noise_bits=12)
    board, rules = game.geometry, game.rules
    size, looks = board.size, squares_of(board.size)
    taking = (0b1111, 0b1111) if rules.backwards else (0b0011, 0b1100)
    write(memory, FULL, (spread(board.full, size), size // 2, bit_of(len(board.cells) - 1, size)))
    write(memory, FLYING, (rules.flying, rules.longest, rules.passing, *taking))
    write(memory, CROWNING, (spread(row, size) for row in board.crowning))
    write(memory, REPEATED, (rules.repetition, rules.king_plies, rules.last_pieces))
    write(memory, CENTRE, (spread(looks.centre, size), *(spread(one, size) for one in looks.back)))
    for side in (0, 1):
        write(memory, ROWS + Word(9 * side), (spread(row, size) for row in looks.rows[side]))
    return memory

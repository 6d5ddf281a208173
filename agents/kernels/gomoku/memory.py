"""The layout of the one flat uint64 array that search and prover live in, and what the rules put there.

The board lies in it with a border of six: a cell is (row + 6) * 32 + column + 6, so that a line never wraps. A cell's
code in a direction is what stands on the five cells before and the five after it, two bits each: 1 black, 2 white,
3 beyond the edge. `patterns.py` turns codes into what a stone there would make; `board.py` keeps all of it up to date.
"""

from __future__ import annotations

import random

import numpy as np
from numpy.typing import NDArray

Memory = NDArray[np.uint64]
Word = np.uint64

BORDER = 6
WIDTH = 32
CELLS = 1024
STEPS = (1, WIDTH, WIDTH + 1, WIDTH - 1)
MAX_PLY = 400
"""More than any line of play has stones."""
MAX_MOVES = 36
"""Moves that an entry of the threat table holds."""
SET_WORDS = 16

STOP = Word(0)
"""Not 0: stop the search. Set from another thread."""
NODES = Word(1)
NODE_LIMIT = Word(2)
"""Positions that a search may visit; 0 is no limit."""
KEY = Word(3)
"""Names the stones on the board."""
SIZE = Word(4)
REACH = Word(5)
"""How far along a line a stone matters: 4, or 5 where a line of six does not win."""
INDEX_SHIFT = Word(6)
INDEX_MASK = Word(7)
"""Cut the part of a code that indexes the pattern table."""
FOURS_NODES = Word(8)
FOURS_LIMIT = Word(9)
"""Positions that one search for fours may visit."""
FOURS_CUT = Word(10)
"""Not 0: that search was cut short, so that not finding a win proves nothing."""
LINE_LENGTH = Word(11)
INNER_LIMIT = Word(12)
"""FOURS_LIMIT inside a search for threats."""
FAILED = Word(13)
FAILED_MASK = Word(14)
"""Where the table of positions without a win by fours begins, and its last index."""
THREATS = Word(15)
THREATS_MASK = Word(16)
"""Where the table of the threat search begins, and its last entry."""
TABLE = Word(17)
TABLE_MASK = Word(18)
"""Where the transposition table of alpha-beta begins, and its last entry."""
BEST_MOVE = Word(19)
BEST_SCORE = Word(20)
HINT = Word(21)
NOISE = Word(22)
EXACT = Word(23)
GENERATION = Word(24)
STONE_COUNT = Word(25)
QUIET_THREATS = Word(26)
"""Not 0: the threat search also tries stones that make a three with one end closed."""
CLAIMS = Word(27)
"""Bits 0 and 1: whether black's, white's wins by threats are certain; black's are not where fouls are forbidden."""
THREATS_LIMIT = Word(30)
"""The search for threats ends, not stopped for good, when NODES is beyond this."""
SUMS = Word(28)
"""2 words: for each colour, what `weights.py` gives for the empty cells, all together."""
VALUES = Word(32)
"""16 words: the value of a pattern in `WORTH`."""
STEP = Word(48)
"""4 words: the distance to the next cell in each direction."""
SALTS = Word(52)
"""4 words: mixed into keys of the threat search, by attacker and by whose turn it is; two more for other tables."""

STONES = Word(64)
"""A word a cell: 0 empty, 1 black, 2 white, 3 no cell."""
CODES = STONES + Word(CELLS)
"""A word a direction and cell."""
PATTERNS = CODES + Word(4 * CELLS)
"""A word a cell: four bits a direction, black's in the lower half, white's above."""
FLAGS = PATTERNS + Word(CELLS)
"""A word a cell: six bits a colour, the sets that hold it; 0 where a stone stands."""
SETS = FLAGS + Word(CELLS)
"""A bit a cell, 16 words a set, six sets a colour."""
ZOBRIST = SETS + Word(12 * SET_WORDS)
"""A word a colour and cell."""
LINE = ZOBRIST + Word(2 * CELLS)
"""The stones of the last win by fours that was found, attacker's and defender's by turns."""
MOVES = LINE + Word(2 * MAX_PLY)
"""64 words a ply."""
COUNTS = MOVES + Word(64 * MAX_PLY)
"""A word a cell, to mark cells with."""
WORTH = COUNTS + Word(CELLS)
"""A word a cell: the values of what both colours' stones would make there."""
HISTORY = WORTH + Word(CELLS)
"""A word a colour and cell: how often a stone there was good."""
BANNED = HISTORY + Word(2 * CELLS)
"""A word a cell: not 0 where the root's move may not or shall not be."""
PV_LENGTH = BANNED + Word(CELLS)
PV = PV_LENGTH + Word(128)
"""128 words a ply: the best line from there."""
PATTERN_TABLE = PV + Word(128 * 128)
"""A byte a code: what black's stone makes, and above it what white's makes."""
JUDGED = PATTERN_TABLE + Word(2**20 // 8)
"""A byte for every four patterns of one colour on a cell."""

PATTERN_VALUES = (0, 0, 2, 6, 10, 24, 0, 0, 30, 100, 300, 0, 0, 0, 0, 0)
"""What a pattern adds to a cell's promise, by its number."""
DOUBLE_VALUE = 90
"""What the set DOUBLE adds to it."""

FIVE, WINNING, FOUR, THREE, CLOSED, DOUBLE = 0, 1, 2, 3, 4, 5
"""The sets: cells where a stone makes five; two ways to five at once; at least one; a way to two; a way to one; threes
in two directions, or a four and a three."""


def cell_of(index: int, size: int) -> int:
    """The cell of a bit of the game's boards, row * size + column."""
    row, column = divmod(index, size)
    return (row + BORDER) * WIDTH + column + BORDER


def index_of(cell: int, size: int) -> int:
    """The game's bit of a cell."""
    return (cell // WIDTH - BORDER) * size + cell % WIDTH - BORDER


def allocate(size: int, exact_five: tuple[bool, bool], table_mb: int) -> Memory:
    """Memory for an empty board, with tables of at most so many mebibytes together.

    `exact_five` says for black and for white whether a line of six or more does not win.
    """
    from agents.kernels.gomoku.patterns import write_patterns
    from agents.kernels.gomoku.weights import cell_values

    wide = any(exact_five)
    budget = table_mb * 2**20 // 8
    failed = 1 << (budget // 8).bit_length() - 1
    threats = 1 << (budget // 2 // 8).bit_length() - 1
    known = 1 << (budget // 4 // 2).bit_length() - 1
    start = int(JUDGED) + 2**13
    memory = np.zeros(start + failed + 8 * threats + 2 * known, dtype=np.uint64)
    memory[SIZE], memory[REACH] = size, 5 if wide else 4
    memory[INDEX_SHIFT], memory[INDEX_MASK] = (0, 2**20 - 1) if wide else (2, 2**16 - 1)
    memory[FAILED], memory[FAILED_MASK] = start, failed - 1
    memory[THREATS], memory[THREATS_MASK] = start + failed, threats - 1
    memory[TABLE], memory[TABLE_MASK] = start + failed + 8 * threats, known - 1
    memory[CLAIMS] = 3
    memory[int(STEP) : int(STEP) + 4] = STEPS
    # A generator of its own with a fixed seed: keys are the same in every process.
    numbers = random.Random(20)
    for start, count in ((int(ZOBRIST), 2 * CELLS), (int(SALTS), 6)):
        memory[start : start + count] = [numbers.getrandbits(64) for _ in range(count)]
    memory[int(VALUES) : int(VALUES) + 16] = PATTERN_VALUES
    memory[int(JUDGED) : int(JUDGED) + 2**13] = cell_values().view(np.uint64)
    write_patterns(memory, np.uint64(exact_five[0]), np.uint64(exact_five[1]))
    _write_board(memory, size)
    return memory


def _write_board(memory: Memory, size: int) -> None:
    """The empty board: the border, and every cell's codes and patterns."""
    from agents.kernels.gomoku.board import refresh

    inside = {cell_of(index, size) for index in range(size * size)}
    memory[int(STONES) : int(STONES) + CELLS] = [0 if cell in inside else 3 for cell in range(CELLS)]
    for cell in inside:
        for direction, step in enumerate(STEPS):
            code = 0
            for place, offset in enumerate((-5, -4, -3, -2, -1, 1, 2, 3, 4, 5)):
                code |= (0 if cell + offset * step in inside else 3) << 2 * place
            memory[int(CODES) + direction * CELLS + cell] = code
            refresh(memory, np.uint64(cell), np.uint64(direction))

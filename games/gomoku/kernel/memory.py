"""Layout of the flat uint64 array that holds the state of search and prover.

The board has a border of six: a cell is (row + 6) * 32 + column + 6, so that a line never wraps. A cell's code in a
direction is the content of the five cells before and the five after it, two bits each: 1 black, 2 white, 3 beyond the
edge. `patterns.py` maps codes to what a stone there would make; `board.py` keeps all of it up to date.
"""

from __future__ import annotations

from agents.kernels import memory as common
from agents.kernels.memory import Word as Word

START = common.MOVES
"""Before it lie words, the history and the best lines as in all searches; gomoku's own moves and tables follow."""
BORDER, WIDTH, CELLS = 6, 32, 1024
BOARD, CELL = Word(CELLS), Word(CELLS - 1)
"""Words of what has one for each cell, and the bits of a cell's number."""
NOWHERE = Word(0)
"""No cell of the board: a corner of the border."""
STEPS = (1, WIDTH, WIDTH + 1, WIDTH - 1)
MAX_PLY = 400
"""More stones than any line of play has."""
MAX_FOURS = 512
"""Most cells that a search for a win by fours considers."""
HIDDEN, INNER, GUIDING = 16, 16, 16
"""Numbers that the network has for every cell and in its inner layer for the value, and for every cell for the moves.

Of the inner ones all but the last count only above 0.
"""
NUMBERS = HIDDEN + GUIDING
"""All that it has for a cell: for the value as black and as white sees the board, then so for the moves."""
GUIDE_BITS = 12
"""Weights of the moves' numbers are in 2**-GUIDE_BITS."""
CONTENTS = 3 * 121 * 122 // 2
"""Of nine cells in a line, up to mirror images: up to four cells before the edge have 1 + 3 + 9 + 27 + 81 contents."""
SET_WORDS, SIDE_SETS, STACKED, PLY_MOVES = map(Word, (16, 4, 5, 64))
"""Words of a set of cells, such sets per colour, and words per ply in STACK and in MOVES."""

KEY, SIZE, REACH, STONE_COUNT, LOG_END, SEEN, CLAIMS = (START + Word(number) for number in range(7))
"""Zobrist key of the stones on the board. The board's size. Distance along a line within which a stone matters: 4, or 5
if a line of six does not win. Number of stones on the board. End of LOG. How many of the stones the network has seen.
Bits 0 and 1: whether black's and white's wins by threats are certain; black's are not if fouls are forbidden."""
FOURS_LEFT, LINE_LENGTH = START + Word(7), START + Word(8)
"""Positions that the search for fours may still visit, and one: 0 once it was cut short, so that no win proves nothing.
Length of the line that it found."""
FAILED, FAILED_MASK, THREATS, THREATS_MASK = (START + Word(number) for number in range(9, 13))
"""Starts and last indices of tables: positions without a win by fours, and the threat search's."""
THREATS_LIMIT = START + Word(14)
"""The search for threats pauses, without setting STOP, when NODES exceeds this."""
ANSWER_TABLE = START + Word(15)
"""Start of 1 byte per code, four bits per colour as in PATTERN_TABLE, after which it lies: where a closed four is
stopped, and whether there the line still makes a three."""
STEP = START + Word(16)
"""4 words: the distance to the next cell in each direction."""
SALTS = START + Word(20)
"""6 words mixed into keys: 2 by attacker, 2 by whose turn it is, 2 by colour for the transposition table."""

STONES = START + Word(26)
"""1 word per cell: 0 empty, 1 black, 2 white, 3 no cell."""
LINES = STONES + Word(CELLS)
"""64 words per direction: the contents of a line, two bits each."""
PATTERNS = LINES + Word(4 * 2 * WIDTH)
"""1 word per cell: four bits per direction, black's in the low 16 bits, white's in the next 16."""
FLAGS = PATTERNS + Word(CELLS)
"""1 word per cell: four bits per colour, the sets it belongs to; 0 for an occupied cell."""
SETS = FLAGS + Word(CELLS)
"""1 bit per cell, 16 words per set, SIDE_SETS sets per colour."""
ZOBRIST = SETS + Word(2) * SIDE_SETS * SET_WORDS
"""1 word per colour and cell."""
LINE = ZOBRIST + Word(2 * CELLS)
"""Stones of the win by fours found last, attacker's and defender's alternating."""
MOVES = LINE + Word(2 * MAX_PLY)
BANNED = MOVES + PLY_MOVES * Word(MAX_PLY)
"""1 word per cell: not 0 if the root's move must not be there."""
LOG = BANNED + Word(CELLS)
"""What every stone on the board has changed: a word per changed cell, its own first, and the start."""
LATE = LOG + Word(48 * MAX_PLY)
"""64 by 64 words: by how many plies a late move is searched less deeply, by depth and by the number of better ones."""
STACK = LATE + Word(64 * 64)
"""STACKED words per ply: two stones that refuted another one there, the last stone placed there, and whether the side
to move and the enemy have no win by fours, if the other passed."""
REPLIES = STACK + STACKED * Word(128)
"""1 word per colour and cell: the stone that refuted a stone there last."""
HELD = REPLIES + Word(2 * CELLS)
"""1 word per set: a bit for each of its words that is not 0."""
FOUR_CELLS = HELD + Word(2) * SIDE_SETS
"""Cells that may make a four, in a search for a win by fours; outside it, a set as `board.write_set` lists it."""
FOURS = FOUR_CELLS + Word(MAX_FOURS)
"""The fours of every ply of that search: the cell, and its patterns above 16 bits."""
PLACED = FOURS + Word(64 * MAX_PLY)
"""The stones on the board in the order in which they were placed, cell << 1 | colour."""
SEEN_LINES = PLACED + Word(MAX_PLY)
"""LINES as far as the network has seen the stones."""
NEAR = SEEN_LINES + Word(4 * 2 * WIDTH)
"""NUMBERS numbers of 16 bits per cell: the sums of the rows of its four lines."""
TOTALS = NEAR + Word(CELLS * NUMBERS // 4)
"""HIDDEN numbers of 32 bits: over all cells, the sums of what of them is above 0, less those of the empty board."""
LOOKED = TOTALS + Word(HIDDEN // 2)
LOOKED_CELL = LOOKED + Word(HIDDEN // 2)
"""The same with one stone more, which the cells' numbers do not have yet, and what its cell has then for the value."""
FIRST = LOOKED_CELL + Word(HIDDEN // 4)
LAST = FIRST + Word(HIDDEN * INNER // 2)
ADDED = LAST + Word(INNER // 2)
"""32-bit floats: weights of TOTALS, the mover's half first, for the inner numbers; weights of these for the value; what
is added to each of them."""
GUIDES = ADDED + Word(INNER // 2)
"""GUIDING weights of 16 bits of a cell's numbers for a move there, once for black's and once for white's."""
ROW_OF = GUIDES + Word(2 * GUIDING // 4)
"""16 bits for the contents of each nine cells of a line, two bits each: the number of their row."""
ROWS = ROW_OF + Word(2**18 // 4)
"""NUMBERS numbers of 16 bits for each content of nine cells, the same for its mirror image."""
VALUES = ROWS
CENTRE = VALUES + Word(2**14)
EVERY_MOVE = CENTRE + BOARD
"""In place of ROWS for the heuristic `windows`: what each content of seven cells in a line is worth to black, and a
stone on each cell; the moves, 512 words per ply."""
PATTERN_TABLE = ROWS + Word(CONTENTS * NUMBERS // 4)
"""1 byte per code: what black's stone makes in the low four bits, what white's makes in the high four. 2**(4 REACH)
bytes, then as many for ANSWER_TABLE."""

FIVE, WINNING, FOUR, THREE = map(Word, (0, 1, 2, 3))
"""Sets of cells by what a stone there makes: five; two threats of five at once; at least one; an open three, which
threatens to make two."""


def cell_of(index: int, size: int) -> int:
    """The cell of a bit of the game's boards, row * size + column."""
    row, column = divmod(index, size)
    return (row + BORDER) * WIDTH + column + BORDER


def index_of(cell: int, size: int) -> int:
    """The game's bit of a cell."""
    return (cell // WIDTH - BORDER) * size + cell % WIDTH - BORDER

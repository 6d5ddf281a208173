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
BORDER = 6
WIDTH = 32
CELLS = 1024
BOARD = Word(CELLS)
"""Words of what has one for each cell."""
NOWHERE = Word(0)
"""No cell of the board: a corner of the border."""
STEPS = (1, WIDTH, WIDTH + 1, WIDTH - 1)
MAX_PLY = 400
"""More stones than any line of play has."""
MAX_MOVES = 36
"""Most moves in an entry of the threat table."""
MAX_FOURS = 512
"""Most cells that a search for a win by fours considers."""
HIDDEN, INNER = 16, 16
"""Numbers that the evaluation's network has for every cell, and in its inner layer."""
TOTAL_BITS, MOST, VALUE_BITS = 7, 2**13 - 1, 32
"""The inner layer's steps and bounds, so that a sum of products fits in 32 bits."""
SIDES = 121
"""Contents of up to four cells on one side of a cell, before the edge: 1 + 3 + 9 + 27 + 81."""
CONTENTS = 3 * SIDES * (SIDES + 1) // 2
"""Contents of nine cells in a line, up to their mirror images."""
SET_WORDS = Word(16)
SIDE_SETS = Word(4)
"""Sets of cells per colour."""
STACKED = Word(5)

KEY = START
"""Zobrist key of the stones on the board."""
SIZE = START + Word(1)
REACH = START + Word(2)
"""Distance along a line within which a stone matters: 4, or 5 if a line of six does not win."""
LOG_END = START + Word(3)
"""End of LOG."""
MARK = START + Word(4)
"""A number that counts up to clear all marks."""
FOURS_NODES = START + Word(5)
FOURS_LIMIT = START + Word(6)
"""Most positions that one search for fours may visit."""
FOURS_CUT = START + Word(7)
"""Not 0: that search was cut short, so finding no win proves nothing."""
LINE_LENGTH = START + Word(8)
FAILED = START + Word(10)
FAILED_MASK = START + Word(11)
"""FAILED is the start of the table of positions without a win by fours, this its last index."""
THREATS = START + Word(12)
THREATS_MASK = START + Word(13)
"""THREATS is the start of the threat search's table, this the index of its last entry."""
TABLE_MASK = START + Word(29)
"""Index of the last entry of TABLE."""
STONE_COUNT = START + Word(14)
CLAIMS = START + Word(15)
"""Bits 0 and 1: whether black's and white's wins by threats are certain; black's are not if fouls are forbidden."""
ANSWER_TABLE = START + Word(16)
"""Start of 1 byte per code, four bits per colour as in PATTERN_TABLE, after which it lies: where a closed four is
stopped, and whether there the line still makes a three."""
SEEN = START + Word(17)
"""How many of the stones on the board the network has seen."""
THREATS_LIMIT = START + Word(18)
"""The search for threats pauses, without setting STOP, when NODES exceeds this."""
STEP = START + Word(19)
"""4 words: the distance to the next cell in each direction."""
SALTS = START + Word(23)
"""6 words mixed into keys: 2 by attacker, 2 by whose turn it is, 2 by colour for the transposition table."""

STONES = START + Word(32)
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
"""64 words per ply."""
MARKS = MOVES + Word(64 * MAX_PLY)
"""1 word per cell: MARK if the cell is marked."""
BANNED = MARKS + Word(CELLS)
"""1 word per cell: not 0 if the root's move must not be there."""
PROMISE = BANNED + Word(CELLS)
"""1 byte for every combination of a colour's four patterns on a cell: how promising a move there is."""
LOG = PROMISE + Word(2**13)
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
"""HIDDEN numbers of 16 bits per cell: the sums of the rows of its four lines."""
TOTALS = NEAR + Word(CELLS * HIDDEN // 4)
"""HIDDEN numbers of 32 bits: over all cells, the sums of what of them is above 0, less those of the empty board."""
MOVERS = TOTALS + Word(HIDDEN // 2)
"""HIDDEN numbers of 16 bits: TOTALS, the mover's half first, in steps of 2**TOTAL_BITS, MOST at most."""
FIRST = MOVERS + Word(HIDDEN // 4)
"""HIDDEN weights of 16 bits of these, MOST at most, for each of the inner numbers, and for the value."""
LAST = FIRST + Word((INNER + 1) * HIDDEN // 4)
"""Weights of the inner numbers above 0 for the value, and of what counts for it at once, in 2**-VALUE_BITS."""
ADDED = LAST + Word(INNER + 1)
"""What is added to each inner number, and to what counts at once."""
ROW_OF = ADDED + Word(INNER + 1)
"""16 bits for the contents of each nine cells of a line, two bits each: the number of their row."""
ROWS = ROW_OF + Word(2**18 // 4)
"""HIDDEN numbers of 16 bits for each content of nine cells, the same for its mirror image."""
VALUES = ROWS + Word(CONTENTS * HIDDEN // 4)
"""What each content of seven cells in a line is worth by the heuristic `windows`, for black."""
CENTRE = VALUES + Word(2**14)
"""1 word per cell: what a stone there is worth by it."""
EVERY_MOVE = CENTRE + BOARD
"""512 words per ply: the moves of a search with it."""
PATTERN_TABLE = EVERY_MOVE + Word(512 * common.MAX_PLY)
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

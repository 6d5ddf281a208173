"""Layout of the flat int64 array that holds a search by playouts: settings, boards, the line played, and the tree.

A point is `(row + 1) * stride + column + 1`; the first column is a border, both the end of a row and the beginning of
the next. Colours are 0 for an empty point, 1 black, 2 white and 3 the border.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from games.go.kernel.patterns import table

Memory = NDArray[np.int64]

POINTS = 424
"""Words for one value of each point: 19 lines need 421."""
EMPTY, BORDER = 0, 3
PASS = 0
"""The point of a pass; as a node's move, `ILLEGAL` is one that superko forbids."""
ILLEGAL = -1

SIZE, STRIDE, KOMI, SEED, COUNT_TERRITORY, FORBID_REPEATS, ROOT, USED, PLAYED = range(9)
"""Lines; words of a row; twice the komi; state of the random numbers; two rules; the root, the number of nodes, and
playouts since the root was set."""
ALLOW_SUICIDE, HISTORY_LENGTH, LIMIT = range(9, 12)
"""A rule; how many boards the game had; nodes that the tree has room for."""
HASHES = 64
"""3 x POINTS words: what a stone of each colour changes in a board's hash."""
SHAPES = HASHES + 3 * POINTS
"""2 x 1024 words: for black and for white, a bit for each neighbourhood where a stone makes good shape."""

BOARD = SHAPES + 2 * 1024
KO, SIDE, LAST, PASSES, EMPTIES, BALANCE, HASH, BEFORE = range(BOARD, BOARD + 8)
"""Where a stone may not be laid; the colour to move; the point of the last move and of the one before it; passes; empty
points; stones that black laid more than white; the board's hash."""
COLOUR = BOARD + 8
HEAD = COLOUR + POINTS
"""The point that stands for a stone's chain; what follows is kept there."""
NEXT = HEAD + POINTS
"""The next stone of the chain, in a circle."""
STONES = NEXT + POINTS
BREATH = STONES + POINTS
"""Pseudo-liberties: an empty point counts once for each stone beside it. Then their sum, and that of their squares: a
chain has one liberty exactly if `BREATH * SQUARES == SUM**2`."""
SUM = BREATH + POINTS
SQUARES = SUM + POINTS
FREE = SQUARES + POINTS
"""The empty points in any order, and the place of each among them."""
PLACE = FREE + POINTS
SAVED = PLACE + POINTS
"""The root's board, of as many words."""
BOARD_WORDS = SAVED - BOARD

MOST_PLIES = 2048
"""More than a line of the tree and a playout of 3 plies a point have together."""
LINE = SAVED + BOARD_WORDS
"""The points laid since the root."""
PATH = LINE + MOST_PLIES
"""The nodes passed since the root."""
FIRST = PATH + MOST_PLIES
"""The colour that was first on each point from a node on."""
HISTORY = FIRST + POINTS
MOST_BOARDS = 4096
"""Hashes of the boards that the game had, and of those since the root."""

TREE = HISTORY + MOST_BOARDS
NODE_WORDS = 9
MOVE, CHILDREN, NUMBER, VISITS, WINS, FIRSTS, FIRST_WINS, GOOD, LEADS = range(NODE_WORDS)
"""Of a node: its move; the first of its children, 0 for none, and how many they are; playouts through it with thousands
of them won by who moved here; the same for playouts in which the move came later; what rules of thumb say of it
(`tree.add`); and the sum of twice the leads of who moved here."""
UNIT = 1000
"""What one playout won adds to a node's wins."""


def allocate(size: int, table_mb: int, seed: int) -> Memory:
    """Allocates a search's memory with a tree of `table_mb` MiB; the system gives what is used of it."""
    nodes = table_mb * 2**20 // (8 * NODE_WORDS)
    memory = np.zeros(TREE + nodes * NODE_WORDS, dtype=np.int64)
    draw = np.random.default_rng(1)
    memory[HASHES : HASHES + 3 * POINTS] = draw.integers(0, 2**63, 3 * POINTS, dtype=np.int64)
    memory[SHAPES : SHAPES + 2 * 1024] = table()
    memory[SIZE], memory[STRIDE], memory[LIMIT] = size, size + 1, nodes
    memory[SEED] = np.random.default_rng(seed or None).integers(1, 2**62)
    return memory

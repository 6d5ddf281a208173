"""Layout of the flat uint64 array that holds a search's whole state; `allocate` fills in the rules."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import games.nine_mens_morris as morris

Memory = NDArray[np.uint64]
Word = np.uint64

MAX_PLY = 104
MAX_MOVES = 1024
"""More moves than any position has: twelve men, or three that fly, times twelve to take."""
MAX_KEYS = 8192
STAGES = 11
"""Stages of the game, each with its own patterns."""
PATTERN_WORDS = 8207
"""Words per stage: 32,805 patterns, 19 differences in men and a constant, four weights per word."""
NONE = Word(31)
"""In a move code: no origin, or no man removed."""

STOP = Word(0)
"""Not 0: stop the search. Set from another thread."""
NODES = Word(1)
NODE_LIMIT = Word(2)
"""Positions that a search may visit; 0 is no limit."""
BEST_MOVE = Word(3)
"""Code of the root's best move so far in this iteration; 0 is none yet."""
BEST_SCORE = Word(4)
HINT = Word(5)
"""Code of the root move to search first."""
NOISE = Word(6)
"""Shuffles equally promising root moves; 0 leaves their order."""
EXACT = Word(7)
"""Not 0: use only stored scores of exactly the same depth, so that the result equals plain minimax."""
GENERATION = Word(8)
SALT = Word(9)
"""Mixed into stored keys: represents the positions that the game's history has made draws."""
TABLE_SHIFT = Word(10)
FLYING = Word(11)
PROTECTED = Word(12)
REPETITION = Word(13)
QUIET_PLIES = Word(14)
LINE_COUNT = Word(15)
PAIR_COUNT = Word(16)
ENDGAME_MEN = Word(17)
"""Endgames with at most this many men are looked up instead of searched; 0 means none."""
ENDGAME_INDEX = Word(18)
"""Address of the endgame tables' index."""
MOVE_EARLY = Word(19)
FULL_DRAW = Word(20)
JUDGE = Word(21)
"""Evaluation at the horizon: 1 is the learnt patterns, 0 the features weighted by WEIGHTS."""

NEIGHBOURS = Word(32)
"""24 words: the cells joined to each cell."""
PARTNERS = Word(56)
"""24 x 4 words: the other two cells of each line through a cell, ended by 0."""
LINES = Word(160)
"""The cells of every line."""
PAIRS = Word(192)
"""Pairs of lines that cross: index | index << 8 | the shared cell's bit << 16."""
HISTORY = Word(256)
"""2 x 32 x 24 words: how often a step or laying was good, by parity of the ply, origin and arrival."""
KILLERS = Word(1792)
"""2 words per ply: the last quiet moves that caused a cutoff there."""
KEYS = Word(2048)
"""Keys of the positions since the last man was laid or taken: the game's, then the search's."""
PV_LENGTH = KEYS + Word(MAX_KEYS + MAX_PLY)
PV = PV_LENGTH + Word(MAX_PLY + 1)
"""MAX_PLY words per ply: the best line from there."""
MOVES = PV + Word(MAX_PLY * (MAX_PLY + 1))
"""MAX_MOVES words per ply: order << 32 | move code."""
WEIGHTS = MOVES + Word(MAX_PLY * MAX_MOVES)
"""4 x 16 words: weight of each feature in each phase."""
ENDGAMES = WEIGHTS + Word(64)
"""16 x 16 words: address of the endgame table by number of the mover's and the enemy's men; 0 is none."""
PATTERNS = ENDGAMES + Word(256)
"""The learnt patterns, PATTERN_WORDS words per stage."""
TABLE = PATTERNS + Word(STAGES * PATTERN_WORDS)
"""2 words per entry: key, data."""


def allocate(game: morris.NineMensMorris, table_mb: int) -> Memory:
    """Allocates a search's memory for the game's rules and a transposition table of at most `table_mb` MiB."""
    entry_bits = (table_mb * 2**20 // 16).bit_length() - 1
    memory = np.zeros(int(TABLE) + 2 * 2**entry_bits, dtype=np.uint64)
    memory[TABLE_SHIFT] = 64 - entry_bits
    memory[FLYING] = game.rules.flying
    memory[PROTECTED] = game.rules.mill_protected
    memory[REPETITION] = game.rules.repetition
    memory[QUIET_PLIES] = game.rules.quiet_plies
    memory[MOVE_EARLY] = game.rules.move_early
    memory[FULL_DRAW] = game.rules.full_draw
    for cell, joined in enumerate(game.neighbours):
        memory[int(NEIGHBOURS) + cell] = joined
        partners = [mill & ~(1 << cell) for mill in game.mills if mill >> cell & 1]
        start = int(PARTNERS) + 4 * cell
        memory[start : start + len(partners)] = partners
    _write_lines(memory, game.mills)
    return memory


def _write_lines(memory: Memory, mills: tuple[int, ...]) -> None:
    memory[LINE_COUNT] = len(mills)
    memory[int(LINES) : int(LINES) + len(mills)] = mills
    pairs = [
        a | b << 8 | (mills[a] & mills[b]) << 16 for b in range(len(mills)) for a in range(b) if mills[a] & mills[b]
    ]
    memory[PAIR_COUNT] = len(pairs)
    memory[int(PAIRS) : int(PAIRS) + len(pairs)] = pairs

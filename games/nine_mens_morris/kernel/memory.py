"""Layout of morris' own part of a search's memory; `allocate` fills in the rules."""

from __future__ import annotations

import games.nine_mens_morris as morris
from agents.kernels import memory as common
from agents.kernels.memory import MAX_PLY, OWN, write
from agents.kernels.memory import Memory as Memory
from agents.kernels.memory import Word as Word

MAX_KEYS = 8192
STAGES = 11
"""Stages of the game, each with its own patterns."""
PATTERN_WORDS = 8207
"""Words per stage: 32,805 patterns, 19 differences in men and a constant, four weights per word."""
NONE = Word(31)
"""In a move code: no origin, or no man removed."""

FLYING = OWN
PROTECTED = OWN + Word(1)
REPETITION = OWN + Word(2)
QUIET_PLIES = OWN + Word(3)
LINE_COUNT = OWN + Word(4)
PAIR_COUNT = OWN + Word(5)
ENDGAME_MEN = OWN + Word(6)
"""Endgames with at most this many men are looked up instead of searched; 0 means none."""
ENDGAME_INDEX = OWN + Word(7)
"""Address of the endgame tables' index."""
MOVE_EARLY = OWN + Word(8)
FULL_DRAW = OWN + Word(9)
JUDGE = OWN + Word(10)
"""Evaluation at the horizon: 1 is the learnt patterns, 0 the features weighted by WEIGHTS."""
NEIGHBOURS = OWN + Word(16)
"""24 words: the cells joined to each cell."""
PARTNERS = NEIGHBOURS + Word(24)
"""24 x 4 words: the other two cells of each line through a cell, ended by 0."""
LINES = PARTNERS + Word(96)
"""The cells of every line."""
PAIRS = LINES + Word(32)
"""Pairs of lines that cross: index | index << 8 | the shared cell's bit << 16."""
KEYS = PAIRS + Word(64)
"""Keys of the positions since the last man was laid or taken: the game's, then the search's."""
WEIGHTS = KEYS + Word(MAX_KEYS + MAX_PLY)
"""4 x 16 words: weight of each feature in each phase."""
ENDGAMES = WEIGHTS + Word(64)
"""16 x 16 words: address of the endgame table by number of the mover's and the enemy's men; 0 is none."""
PATTERNS = ENDGAMES + Word(256)
"""The learnt patterns, PATTERN_WORDS words per stage."""
PATTERNS_END = PATTERNS + Word(STAGES * PATTERN_WORDS)


def allocate(game: morris.NineMensMorris, table_mb: int) -> Memory:
    """Allocates a search's memory for the game's rules and a transposition table of at most `table_mb` MiB."""
    memory = common.allocate(PATTERNS_END, table_mb, noise_bits=4)
    memory[FLYING] = game.rules.flying
    memory[PROTECTED] = game.rules.mill_protected
    memory[REPETITION] = game.rules.repetition
    memory[QUIET_PLIES] = game.rules.quiet_plies
    memory[MOVE_EARLY] = game.rules.move_early
    memory[FULL_DRAW] = game.rules.full_draw
    for cell, joined in enumerate(game.neighbours):
        memory[int(NEIGHBOURS) + cell] = joined
        partners = [mill & ~(1 << cell) for mill in game.mills if mill >> cell & 1]
        write(memory, PARTNERS + Word(4 * cell), partners)
    _write_lines(memory, game.mills)
    return memory


def _write_lines(memory: Memory, mills: tuple[int, ...]) -> None:
    memory[LINE_COUNT] = len(mills)
    write(memory, LINES, mills)
    pairs = [
        a | b << 8 | (mills[a] & mills[b]) << 16 for b in range(len(mills)) for a in range(b) if mills[a] & mills[b]
    ]
    memory[PAIR_COUNT] = len(pairs)
    write(memory, PAIRS, pairs)

"""Layout of morris' own part of a search's memory; `allocate` fills in the rules."""

from __future__ import annotations

import games.nine_mens_morris as morris
from agents.kernels import memory as common
from agents.kernels.memory import MAX_PLY, OWN, Memory, Word, write

MAX_KEYS = 8192
STAGES = 11
"""Stages of the game, each with its own patterns."""
PATTERN_WORDS = 8207
"""Words per stage: 32,805 patterns, 19 differences in men and a constant, four weights per word."""
NONE = Word(31)
"""In a move code: no origin, or no man removed."""
THEIRS, MY_HAND, THEIR_HAND, SINCE, FIRST_KEY, LAST_KEY, CLOSED = (Word(place) for place in range(1, 8))
"""Words of a ply's state after my men: their men, my men still to lay, theirs, moves since the last man was laid or
taken, start and end of the KEYS that can repeat, and 1 if the enemy's last move closed a mill."""

FLYING, PROTECTED, REPETITION, QUIET_PLIES, MOVE_EARLY, FULL_DRAW = (OWN + Word(place) for place in range(6))
"""Rule options; then the number of lines."""
LINE_COUNT = OWN + Word(6)
ENDGAME_MEN, ENDGAME_INDEX = OWN + Word(7), OWN + Word(8)
"""Endgames with at most so many men are looked up instead of searched, 0 means none; address of their tables' index."""
JUDGE = OWN + Word(9)
"""Evaluation at the horizon: 1 is the learnt patterns, 0 the features weighted by WEIGHTS."""
NEIGHBOURS = OWN + Word(16)
"""24 words: the cells joined to each cell."""
PARTNERS = NEIGHBOURS + Word(24)
"""24 x 4 words: the other two cells of each line through a cell, ended by 0."""
LINES = PARTNERS + Word(96)
"""The cells of every line."""
KEYS = LINES + Word(32)
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
    memory, rules = common.allocate(PATTERNS_END, table_mb, noise_bits=4), game.rules
    write(memory, FLYING, (rules.flying, rules.mill_protected, rules.repetition, rules.quiet_plies))
    write(memory, MOVE_EARLY, (rules.move_early, rules.full_draw, len(game.mills)))
    write(memory, NEIGHBOURS, game.neighbours)
    write(memory, LINES, game.mills)
    for cell in range(len(game.neighbours)):
        partners = (mill & ~(1 << cell) for mill in game.mills if mill >> cell & 1)
        write(memory, PARTNERS + Word(4 * cell), partners)
    return memory

"""Layout of gánh's own part of a search's memory; `allocate` fills in the rules."""

from __future__ import annotations

import games.co_ganh as ganh
from agents.kernels import memory as common
from agents.kernels.memory import OWN, Memory, Word, write
from games.co_ganh.board import JUMPS, NEIGHBOURS, PAIRS, bits_of

THEIRS, OPENED, REMAINING = map(Word, (1, 2, 3))
"""Words of a ply's state after my men: their men, the point that must be entered as a bit, 0 for none, and the plies to
the game's limit."""
FLIPS = OWN
"""Not 0: captured men change sides, men shut in too, and nobody jumps."""
FORCES = OWN + Word(1)
"""Not 0: a point left open between two enemy men must be entered."""
WEIGHTS = OWN + Word(4)
"""20 words: signed weights of the features, in the order of `evaluation`."""
AT_NEIGHBOURS = OWN + Word(32)
"""25 words: the points joined to each point."""
AT_LEAPT = OWN + Word(64)
"""25 words: the points over which a man of each point may leap and land on the board."""
AT_PAIRS = OWN + Word(96)
"""25 x 4 words: the pairs between which each point lies; the rest 0."""
END = OWN + Word(196)


def allocate(game: ganh.CoGanh, table_mb: int) -> Memory:
    """Allocates a search's memory for the game's rules and a transposition table of at most `table_mb` MiB."""
    memory = common.allocate(END, table_mb, noise_bits=12)
    memory[FLIPS] = game.rules.flips
    memory[FORCES] = game.rules.forces
    write(memory, AT_NEIGHBOURS, NEIGHBOURS)
    write(memory, AT_LEAPT, (bits_of(jumps.values()) for jumps in JUMPS))
    for cell, pairs in enumerate(PAIRS):
        write(memory, AT_PAIRS + Word(4 * cell), pairs)
    return memory

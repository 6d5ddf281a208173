"""Writes a game's rules and a position with its history into a search's memory."""

from __future__ import annotations

import math

import numpy as np

from games.chess import DRAWS, Chess, Position
from games.chess.kernel import making
from games.chess.kernel.memory import (
    BISHOP,
    DEAD_DRAWN,
    ENTRY,
    FIRST_KEY,
    FOURS,
    KEY,
    KEYS,
    KING,
    KNIGHT,
    LAST,
    LONGEST,
    MAX_KEYS,
    NOWHERE,
    ONES,
    PAWN,
    POSITIONS,
    QUEEN,
    QUIET,
    REPEATED,
    ROOK,
    ROOKS,
    ROOT_KEY,
    SIDE,
    TWOS,
    Memory,
)
from games.chess.moves import State

KINDS = {"K": KING, "Q": QUEEN, "R": ROOK, "B": BISHOP, "N": KNIGHT, "P": PAWN}


def write_rules(memory: Memory, game: Chess) -> None:
    _, _, times, plies = DRAWS[game.rules.draws]
    memory[REPEATED], memory[LONGEST] = (0 if limit == math.inf else int(limit) for limit in (times, plies))
    memory[DEAD_DRAWN] = plies != math.inf


def write_state(memory: Memory, state: State) -> None:
    """Writes the root's pieces, side and rights, and all that follows from them."""
    sets = np.zeros(5, np.uint64)
    for cell, letter in enumerate(state.board):
        kind = int(KINDS.get(letter.upper(), 0))
        if kind:
            bit = np.uint64(1 << cell)
            sets[int(letter.isupper() == (state.side == 1))] |= bit
            for place, part in ((ONES, 1), (TWOS, 2), (FOURS, 4)):
                sets[int(place)] |= bit if kind & part else np.uint64(0)
    memory[int(POSITIONS) : int(POSITIONS) + 5] = sets
    for word, value in (
        (SIDE, state.side),
        (ROOKS, state.rooks),
        (ENTRY, int(NOWHERE) if state.entry < 0 else state.entry),
        (LAST, int(NOWHERE)),
    ):
        memory[POSITIONS + word] = value
    making.start(memory, POSITIONS)


def place(memory: Memory, position: Position) -> None:
    """Writes the root's position and the hashes of the earlier ones."""
    past = position.past[-MAX_KEYS:]
    for number, state in enumerate(past):
        write_state(memory, state)
        memory[int(KEYS) + number] = memory[POSITIONS + KEY]
    write_state(memory, position.state)
    memory[POSITIONS + QUIET], memory[POSITIONS + FIRST_KEY] = position.quiet, 0
    memory[ROOT_KEY] = len(past)

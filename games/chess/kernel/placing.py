"""Writes a game's rules and a position with its history into a search's memory."""

from __future__ import annotations

import math

from agents.kernels.memory import write
from games.chess import DRAWS, Chess, Position
from games.chess.kernel import making
from games.chess.kernel import memory as w
from games.chess.kernel.memory import Memory
from games.chess.moves import State

KINDS = {"K": w.KING, "Q": w.QUEEN, "R": w.ROOK, "B": w.BISHOP, "N": w.KNIGHT, "P": w.PAWN}


def write_rules(memory: Memory, game: Chess) -> None:
    _, _, times, plies = DRAWS[game.rules.draws]
    memory[w.REPEATED], memory[w.LONGEST] = (0 if limit == math.inf else int(limit) for limit in (times, plies))
    memory[w.DEAD_DRAWN] = plies != math.inf


def write_state(memory: Memory, state: State) -> None:
    """Writes the root's pieces, side and rights, and all that follows from them."""
    sets = [0] * 5
    for cell, letter in enumerate(state.board):
        kind = int(KINDS.get(letter.upper(), 0))
        if kind:
            sets[int(letter.isupper() == (state.side == 1))] |= 1 << cell
            for part in range(3):
                sets[int(w.ONES) + part] |= (kind >> part & 1) << cell
    write(memory, w.POSITIONS, sets)
    at = w.POSITIONS
    memory[at + w.SIDE], memory[at + w.ROOKS], memory[at + w.LAST] = state.side, state.rooks, w.NOWHERE
    memory[at + w.ENTRY] = w.NOWHERE if state.entry < 0 else state.entry
    making.start(memory, w.POSITIONS)


def place(memory: Memory, position: Position, hashes: dict[State, int] | None = None) -> None:
    """Writes the root's position and the hashes of the earlier ones, which are kept in `hashes`."""
    hashes = {} if hashes is None else hashes
    past = position.past[-w.MAX_KEYS :]
    for number, state in enumerate(past):
        if state not in hashes:
            write_state(memory, state)
            hashes[state] = int(memory[w.POSITIONS + w.KEY])
        memory[int(w.KEYS) + number] = hashes[state]
    write_state(memory, position.state)
    memory[w.POSITIONS + w.QUIET], memory[w.POSITIONS + w.FIRST_KEY] = position.quiet, 0
    memory[w.ROOT_KEY] = len(past)

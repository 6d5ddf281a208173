"""Writes a position with its history into a search's memory."""

from __future__ import annotations

from agents.kernels.memory import write
from games.draughts import Draughts, Position
from games.draughts.kernel import memory as layout
from games.draughts.kernel.negamax import enter

SQUARES = 2**50 - 1


def place(memory: layout.Memory, game: Draughts, position: Position) -> None:
    """Writes the root's position and the hashes of the earlier ones."""
    past = position.earlier[-layout.MAX_KEYS :]
    for number, key in enumerate(past):
        _write(memory, game, (key & SQUARES, key >> 50 & SQUARES), key >> 100 & SQUARES, key >> 150)
        memory[int(layout.KEYS) + number] = memory[layout.POSITIONS + layout.KEY]
    _write(memory, game, position.pieces, position.kings, position.side)
    at = layout.POSITIONS
    memory[at + layout.QUIET], memory[at + layout.LAST] = position.quiet, position.last
    memory[at + layout.FIRST_KEY], memory[layout.ROOT_KEY] = 0, len(past)


def _write(memory: layout.Memory, game: Draughts, pieces: tuple[int, int], kings: int, side: int) -> None:
    size = game.geometry.size
    sets = (layout.spread(one, size) for one in (pieces[side], pieces[1 - side], kings))
    write(memory, layout.POSITIONS, (*sets, side))
    enter(memory, layout.POSITIONS)

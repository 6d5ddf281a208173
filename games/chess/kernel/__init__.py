"""The compiled search for chess, with all its rule options."""

from __future__ import annotations

import math

from agents.kernels.memory import FIRST_KEY, KEY, KEYS, MAX_KEYS, ROOT_KEY, SALT, STATE, STATE_WORDS, Memory, Word
from agents.kernels.negamax import NegamaxSearch
from games.chess import CLAIM, DRAWS, Chess, Move, Position
from games.chess.kernel import making, moves
from games.chess.kernel import memory as layout
from games.chess.kernel.negamax import MOST, negamax
from games.chess.kernel.weights import OWN, write, write_named
from games.chess.moves import PROMOTIONS, State
from rules import EMPTY

WINDOW = 30
"""Hundredths of a pawn on each side of the expected score."""
MAX_HASHES = 4096
"""Earlier positions whose hashes are kept, of several games."""


class ChessSearch(NegamaxSearch):
    """The search with the engine's own evaluation (heuristic "") or a named one."""

    window = WINDOW, 1, 5

    def __init__(self, game: Chess, table_mb: int, seed: int, heuristic: str = "") -> None:
        super().__init__(negamax, layout.allocate(table_mb), seed)
        _, _, times, plies = DRAWS[game.rules.draws]
        for word, most in ((layout.REPEATED, times), (layout.LONGEST, plies)):
            self.memory[word] = 0 if most == math.inf else int(most)
        self.memory[layout.DEAD_DRAWN] = plies != math.inf
        if heuristic:
            write_named(self.memory, heuristic)
        else:
            write(self.memory, OWN)
        self._history = self.memory[int(layout.QUIET_HISTORY) : int(layout.WORTHS)]
        self._history[:] = MOST // Word(2)
        self._hashes: dict[State, int] = {}

    def _place(self, position: Position) -> None:
        self._history[:] = (self._history + MOST // Word(2)) // Word(2)
        if len(self._hashes) > MAX_HASHES:
            self._hashes.clear()
        place(self.memory, position, self._hashes)
        self.memory[SALT] = self._salt((self._hashes[state] for state in position.past[-MAX_KEYS:]), least=2)

    def _decode(self, code: int) -> Move:
        if code == int(moves.CLAIM):
            return CLAIM
        promotion = code >> 12
        return Move(code >> 6 & 63, code & 63, PROMOTIONS[promotion - 1] if promotion else "")


def place(memory: Memory, position: Position, hashes: dict[State, int] | None = None) -> None:
    """Writes the root's position and the hashes of the earlier ones, which are kept in `hashes`."""
    hashes = {} if hashes is None else hashes
    past = position.past[-MAX_KEYS:]
    for number, state in enumerate(past):
        if state not in hashes:
            _write(memory, state)
            hashes[state] = int(memory[STATE + KEY])
        memory[int(KEYS) + number] = hashes[state]
    _write(memory, position.state)
    memory[STATE + layout.QUIET], memory[STATE + FIRST_KEY] = position.quiet, 0
    memory[ROOT_KEY] = len(past)


def _write(memory: Memory, state: State) -> None:
    """Writes the root's pieces, side and rights, and all that follows from them."""
    at = STATE
    memory[int(at) : int(at + STATE_WORDS)] = 0
    memory[at + layout.SIDE], memory[at + layout.ROOKS] = state.side, state.rooks
    memory[at + layout.ENTRY] = layout.NOWHERE if state.entry < 0 else state.entry
    memory[at + layout.LAST] = layout.NOWHERE
    for cell, letter in enumerate(state.board):
        if letter != EMPTY:
            making.turn(memory, at, Word(letter.islower()), layout.KINDS[letter.upper()], Word(cell), Word(1))
    making.start(memory, at)


SEARCH = ChessSearch

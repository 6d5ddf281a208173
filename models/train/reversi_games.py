"""Reversi positions with the results of play: the engine's own games, with perfect endgames.

A game begins with random moves, continues by searches to a small depth, and is solved when few squares are empty: the
result applies to every position since the last random move. After that a random move is made now and then and the
position solved again, so that endings are included that good play would not reach.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, lowest_bit, signed
from agents.kernels.reversi import memory as layout
from agents.kernels.reversi.discs import flips, moves
from agents.kernels.reversi.endgame import prove
from agents.kernels.reversi.memory import BEST_MOVE, GENERATION, NODES, Memory
from agents.kernels.reversi.midgame import LOWEST, negamax

U = np.uint64
ZERO, ONE = U(0), U(1)
MIN_RANDOM, MAX_RANDOM = 4, 24
"""Random moves that begin a game."""
SOLVED = 12
"""Empty squares from which play is perfect."""
ASTRAY = 0.3
"""Share of solved endings that leave the best line."""
ROWS_A_GAME = 70
GAMES_A_CHUNK = 200

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code without the interpreter's lock; not cached on disk, since it runs for minutes."""
    made: Callable[P, R] = numba.njit(nogil=True)(function)
    return made


class Positions(NamedTuple):
    """Positions and their results."""

    mine: NDArray[np.uint64]
    """Discs of the side to move, a bit a square."""
    theirs: NDArray[np.uint64]
    result: NDArray[np.int8]
    """Discs of the side to move minus the enemy's; the winner gets the empty squares."""
    game: NDArray[np.int32]
    """Number of the position's game."""


@compiled
def _random_move(where: np.uint64) -> np.uint64:
    for _ in range(np.random.randint(0, signed(bit_count(where)))):
        where &= where - ONE
    return lowest_bit(where)  # type: ignore[no-any-return]


@compiled
def _solve(memory: Memory, mine: np.uint64, theirs: np.uint64, empties: int) -> int:
    low, high, guess = -64, 64, 0
    while low < high:
        alpha = guess - 1 if guess > low else guess + 1
        guess = prove(memory, mine, theirs, alpha, empties, 0)
        if guess > alpha:
            low = guess
        else:
            high = guess
    return low


@compiled
def _play(memory: Memory, depth: int, mine: Any, theirs: Any, result: Any) -> int:
    """Plays one game; returns the number of positions written."""
    own, other = U(0x0000000810000000), U(0x0000001008000000)
    randoms = np.random.randint(MIN_RANDOM, MAX_RANDOM + 1)
    rows, unsolved, ply = 0, 0, 0
    memory[GENERATION] = (memory[GENERATION] + ONE) & U(63)
    while True:
        where = moves(own, other)
        if where == ZERO:
            if moves(other, own) == ZERO:
                return rows if unsolved == rows else unsolved
            # A pass changes sides; rows already written stay from each mover's view.
            own, other = other, own
            where = moves(own, other)
            ply += 1
        empties = signed(bit_count(~(own | other)))
        if ply < randoms:
            square = _random_move(where)
        else:
            mine[rows], theirs[rows] = own, other
            if empties > SOLVED:
                negamax(memory, own, other, depth, LOWEST, -LOWEST, 0)
                rows += 1
                square = memory[BEST_MOVE] - ONE
            else:
                result[rows] = _solve(memory, own, other, empties)
                square = memory[BEST_MOVE] - ONE
                for row in range(unsolved, rows):
                    # The parity tells whether the same side moves here and there: turns in between, passes included.
                    result[row] = result[rows] if (result[row] == ply % 2) else -result[rows]
                rows += 1
                unsolved = rows
                if np.random.random() < ASTRAY:
                    square = _random_move(where)
            if empties > SOLVED:
                result[rows - 1] = ply % 2
        turned = flips(own, other, square)
        own, other = other ^ turned, own | turned | ONE << square
        ply += 1


@compiled
def _play_many(
    memory: Memory, seed: int, games: int, depth: int, mine: Any, theirs: Any, result: Any, game: Any
) -> int:
    np.random.seed(seed)
    rows = 0
    for number in range(games):
        memory[NODES] = ZERO
        written = _play(memory, depth, mine[rows:], theirs[rows:], result[rows:])
        game[rows : rows + written] = number
        rows += written
    return rows


def play(weights: Memory, games: int, depth: int, seed: int, say: Callable[[int], object]) -> Positions:
    """So many games by searches to the depth with these weights; the same seed plays the same games.

    Calls `say` after every few games.
    """
    memory = layout.allocate(16, "", weights)
    chunks: list[Positions] = []
    for start in range(0, games, GAMES_A_CHUNK):
        count = min(GAMES_A_CHUNK, games - start)
        room = count * ROWS_A_GAME
        mine, theirs = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
        result, game = np.zeros(room, np.int8), np.zeros(room, np.int32)
        rows = _play_many(memory, (seed * 1_000_003 + start) % 2**31, count, depth, mine, theirs, result, game)
        chunks.append(Positions(mine[:rows], theirs[:rows], result[:rows], game[:rows] + start))
        say(count)
    return Positions(*(np.concatenate(parts) for parts in zip(*chunks, strict=True)))

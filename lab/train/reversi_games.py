"""Reversi positions with the results of play: the engine's own games, with perfect endgames.

A game begins with random moves, continues by searches to a small depth, and is solved when few squares are empty. What
a position is worth is told by the result and by the scores of the searches from there on, the nearer the more. After
the first solution a random move is made now and then and the position solved again, so that endings are included that
good play would not reach.
"""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, lowest_bit, signed
from agents.kernels.memory import BEST_MOVE, BEST_SCORE, GENERATION, NODES, SALT, Memory
from agents.kernels.negamax import LIMIT
from games.reversi.kernel import memory as layout
from games.reversi.kernel.discs import flips, moves
from games.reversi.kernel.endgame import prove
from games.reversi.kernel.midgame import WON, negamax, place
from games.reversi.kernel.searcher import SELECTIVE
from lab.simulated.arrays import Float32Array

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
    mine: NDArray[np.uint64]
    """Discs of the side to move, a bit a square."""
    theirs: NDArray[np.uint64]
    worth: Float32Array
    """Discs of the side to move minus the enemy's, expected at the end; the winner gets the empty squares."""
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
def _play(memory: Memory, depth: int, trust: float, mine: Any, theirs: Any, worth: Any, side: Any) -> int:
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
            own, other = other, own
            where = moves(own, other)
            ply += 1
        empties = signed(bit_count(~(own | other)))
        if ply < randoms:
            square = _random_move(where)
        else:
            mine[rows], theirs[rows], side[rows] = own, other, ply % 2
            if empties > SOLVED:
                place(memory, ZERO, own, other)
                negamax(memory, 0, depth, -LIMIT, LIMIT)
                worth[rows] = discs_of(signed(memory[BEST_SCORE]))
                square = memory[BEST_MOVE] - ONE
            else:
                worth[rows] = _solve(memory, own, other, empties)
                square = memory[BEST_MOVE] - ONE
                for row in range(rows - 1, unsolved - 1, -1):
                    later = worth[row + 1] if side[row] == side[row + 1] else -worth[row + 1]
                    worth[row] = trust * later + (1 - trust) * worth[row]
                unsolved = rows + 1
                if np.random.random() < ASTRAY:
                    square = _random_move(where)
            rows += 1
        turned = flips(own, other, square)
        own, other = other ^ turned, own | turned | ONE << square
        ply += 1


@compiled
def discs_of(score: int) -> float:
    """A search's score in discs; of a game that ends within its reach, the result."""
    if abs(score) > WON:
        score += -WON if score > 0 else WON
    return min(max(score / 100, -64.0), 64.0)


@compiled
def _play_many(
    memory: Memory, seed: int, games: int, depth: int, trust: float, mine: Any, theirs: Any, worth: Any, game: Any
) -> int:
    np.random.seed(seed)
    rows, side = 0, np.zeros(ROWS_A_GAME, np.int8)
    for number in range(games):
        memory[NODES] = ZERO
        written = _play(memory, depth, trust, mine[rows:], theirs[rows:], worth[rows:], side)
        game[rows : rows + written] = number
        rows += written
    return rows


def play(weights: Memory, games: int, depth: int, trust: float, seed: int, say: Callable[[int], object]) -> Positions:
    """So many games by searches to the depth with these weights; the same seed plays the same games.

    `trust` is the lambda of TD(lambda) (Sutton 1988): at 1 the result alone tells what a position is worth, at 0 its
    own search. Uses all cores; calls `say` after every few games, from any thread.
    """

    def chunk(start: int) -> Positions:
        memory = layout.allocate(16, "", weights)
        memory[SALT] = SELECTIVE
        count = min(GAMES_A_CHUNK, games - start)
        room = count * ROWS_A_GAME
        mine, theirs = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
        worth, game = np.zeros(room, np.float32), np.zeros(room, np.int32)
        own_seed = (seed * 1_000_003 + start) % 2**31
        rows = _play_many(memory, own_seed, count, depth, trust, mine, theirs, worth, game)
        say(count)
        return Positions(mine[:rows].copy(), theirs[:rows].copy(), worth[:rows].copy(), game[:rows] + start)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        chunks = list(pool.map(chunk, range(0, games, GAMES_A_CHUNK)))
    return Positions(*(np.concatenate(parts) for parts in zip(*chunks, strict=True)))

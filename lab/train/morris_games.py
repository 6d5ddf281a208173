"""Morris positions with what they are worth, from the engine's own games.

A game begins with random moves, and some come later, too; the others are found by searches to a small depth. It ends by
the rules, when a search has found its forced end, or as a draw. What a position is worth is told by what comes after it
and by its own search.
"""

from __future__ import annotations

import concurrent.futures
import os
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, signed
from agents.kernels.memory import BEST_MOVE, BEST_SCORE, GENERATION, HINT, MOVES, NODES, STOP
from agents.search import WIN
from games.nine_mens_morris import MorrisRules, NineMensMorris
from games.nine_mens_morris.kernel import memory as layout
from games.nine_mens_morris.kernel.memory import FLYING, NONE, Memory
from games.nine_mens_morris.kernel.moves import can_move, write_moves
from games.nine_mens_morris.kernel.negamax import CELL, CODE, FIVE, SURE, TEN, negamax, place
from lab.simulated.arrays import BoolArray, Float32Array
from lab.train.reversi_games import compiled

U = np.uint64
ZERO, ONE, THREE = U(0), U(1), U(3)
MEN = 9
MOST_RANDOM, ASTRAY = 8, 0.05
"""Random moves that begin a game, at most; share of random moves after them."""
QUIET = 50
"""Moves without a capture that draw a game."""
LONGEST = 300
RULES = tuple(MorrisRules(flying=flying, mill_protected=kept) for kept in (False, True) for flying in (False, True))
"""The rules that the games are played by, in turn."""
GAMES_A_CHUNK = 50
LIMIT = 2 * WIN


class Positions(NamedTuple):
    mine: NDArray[np.uint64]
    """Men of the side to move, a bit a point."""
    theirs: NDArray[np.uint64]
    hands: NDArray[np.int8]
    """(positions, 2): men that the side to move and the enemy have still to lay."""
    flying: BoolArray
    """Whether three men fly."""
    worth: Float32Array
    """Points that the side to move may expect: 1 is a win, 0.5 a draw."""
    game: NDArray[np.int32]
    """Number of the position's game."""


@compiled
def points_of(score: int) -> float:
    """What a search's score promises: hundredths of a logit of winning, or a forced end."""
    if abs(score) > SURE:
        return 1.0 if score > 0 else 0.0
    return 1 / (1 + np.exp(-score / 100))  # type: ignore[no-any-return]


@compiled
def _play(memory: Memory, depth: int, trust: float, mine: Any, theirs: Any, hands: Any, worth: Any) -> int:
    """Plays one game; returns the number of positions written."""
    own, other, my_hand, their_hand = ZERO, ZERO, MEN, MEN
    randoms, quiet, rows, later = np.random.randint(0, MOST_RANDOM + 1), 0, 0, 0.5
    alone = np.zeros(LONGEST, np.bool_)
    for ply in range(LONGEST):
        if (my_hand == 0 and bit_count(own) < THREE) or not can_move(memory, own, other, my_hand):
            later = 0.0
            break
        if quiet >= QUIET:
            break
        memory[GENERATION] = (memory[GENERATION] + ONE) & U(63)
        memory[HINT] = ZERO
        strays = ply < randoms or np.random.random() < ASTRAY
        if ply >= randoms:
            place(memory, own, other, my_hand, their_hand, quiet, 0)
            negamax(memory, 0, depth, -LIMIT, LIMIT)
            score, code = signed(memory[BEST_SCORE]), memory[BEST_MOVE]
            mine[rows], theirs[rows], hands[rows, 0], hands[rows, 1] = own, other, my_hand, their_hand
            ends = abs(score) > SURE
            worth[rows], alone[rows] = points_of(score), strays or ends
            rows += 1
            if ends:
                break
        if strays:
            count = write_moves(memory, own, other, my_hand, ZERO)
            code = memory[MOVES + U(np.random.randint(0, signed(count)))] & CODE
        origin, removed = code >> FIVE & CELL, code >> TEN
        own |= ONE << (code & CELL)
        quiet += 1
        if origin == NONE:
            my_hand -= 1
            quiet = 0
        else:
            own ^= ONE << origin
        if removed != NONE:
            other ^= ONE << removed
            quiet = 0
        own, other, my_hand, their_hand = other, own, their_hand, my_hand
    _hand_back(worth, alone, rows, later, trust)
    return rows


@compiled
def _hand_back(worth: Any, alone: Any, rows: int, later: float, trust: float) -> None:
    """Mixes into each position's worth that of the next one, from the end back; `later` is what follows the last.

    Positions that stand `alone`, before a random move or a forced end, keep their own.
    """
    for row in range(rows - 1, -1, -1):
        if not alone[row]:
            worth[row] = trust * (1 - later) + (1 - trust) * worth[row]
        later = worth[row]


@compiled
def _play_many(
    memory: Memory, seed: int, games: int, depth: int, trust: float, mine: Any, theirs: Any, hands: Any, worth: Any,
    game: Any,
) -> int:  # fmt: skip
    np.random.seed(seed)
    rows = 0
    for number in range(games):
        memory[NODES] = memory[STOP] = ZERO
        written = _play(memory, depth, trust, mine[rows:], theirs[rows:], hands[rows:], worth[rows:])
        game[rows : rows + written] = number
        rows += written
    return rows


def play(
    prepare: Callable[[Memory], None], games: int, depth: int, trust: float, seed: int, say: Callable[[int], object]
) -> Positions:
    """So many games by searches to the depth; `prepare` writes the evaluation into a search's memory.

    The same seed plays the same games. `trust` is the lambda of TD(lambda) (Sutton 1988): at 1 what comes later alone
    tells what a position is worth, at 0 its own search. Uses all cores; calls `say` after every few games, from any
    thread.
    """

    def chunk(start: int) -> Positions:
        memory = layout.allocate(NineMensMorris(RULES[start // GAMES_A_CHUNK % len(RULES)]), 16)
        prepare(memory)
        count = min(GAMES_A_CHUNK, games - start)
        room = count * LONGEST
        mine, theirs = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
        hands, worth, game = np.zeros((room, 2), np.int8), np.zeros(room, np.float32), np.zeros(room, np.int32)
        own_seed = (seed * 1_000_003 + start) % 2**31
        rows = _play_many(memory, own_seed, count, depth, trust, mine, theirs, hands, worth, game)
        say(count)
        flying = np.full(rows, bool(memory[FLYING]))
        mine, theirs, hands, worth = mine[:rows].copy(), theirs[:rows].copy(), hands[:rows].copy(), worth[:rows].copy()
        return Positions(mine, theirs, hands, flying, worth, game[:rows] + start)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        chunks = list(pool.map(chunk, range(0, games, GAMES_A_CHUNK)))
    return Positions(*(np.concatenate(parts) for parts in zip(*chunks, strict=True)))

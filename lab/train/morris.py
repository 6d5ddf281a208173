"""The recipe for morris' evaluation: play, fit, play better, fit again; it starts from a published heuristic.

A game begins with random moves, and some come later, too; the others are found by searches to a small depth. It ends by
the rules, when a search has found its forced end, or as a draw. What a position is worth is told by what comes after it
and by its own search.

Pattern weights are fitted to that worth by logistic regression, stage by stage. Groups that a symmetry of the board
maps to each other share weights, and so do mirror images of a group.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, signed
from agents.kernels.memory import BEST_MOVE, BEST_SCORE, GENERATION, HINT, MOVES, NODES, STATE, STOP, Memory
from agents.kernels.negamax import SURE
from agents.kernels.table import CODE
from agents.search import WIN
from games.nine_mens_morris import MorrisRules, NineMensMorris
from games.nine_mens_morris.kernel import memory as layout
from games.nine_mens_morris.kernel.memory import FLYING, NONE, PATTERN_WORDS, STAGES
from games.nine_mens_morris.kernel.moves import can_move, write_moves
from games.nine_mens_morris.kernel.negamax import CELL, FIVE, TEN, negamax
from games.nine_mens_morris.kernel.patterns import (
    CONSTANT,
    FEATURES,
    IN_SIDES,
    IN_SQUARES,
    LANE,
    MATERIAL,
    MOST_AHEAD,
    STARTS,
    numbers,
    stage,
)
from games.nine_mens_morris.kernel.weights import NAMED
from games.nine_mens_morris.kernel.weights import PATTERNS as NAME
from lab.simulated.arrays import BoolArray, Float32Array
from lab.train.pattern_fit import HELD_OUT, Fitted, Round, as_stored, compiled, descend, in_chunks, learn, least_images
from system.weights import write_entry

U = np.uint64
ZERO, ONE, TWO, THREE = U(0), U(1), U(2), U(3)
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
def _place(memory: Memory, own: Any, other: Any, my_hand: int, their_hand: int, quiet: int) -> None:
    """Writes the root of a search, without earlier positions."""
    memory[STATE], memory[STATE + layout.THEIRS] = own, other
    memory[STATE + layout.MY_HAND], memory[STATE + layout.THEIR_HAND] = U(my_hand), U(their_hand)
    memory[STATE + layout.SINCE], memory[STATE + layout.CLOSED] = U(quiet), ZERO
    memory[STATE + layout.FIRST_KEY], memory[STATE + layout.LAST_KEY] = ZERO, ZERO


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
        _place(memory, own, other, my_hand, their_hand, quiet)
        if ply >= randoms:
            negamax(memory, 0, depth, -LIMIT, LIMIT)
            score, code = signed(memory[BEST_SCORE]), memory[BEST_MOVE]
            mine[rows], theirs[rows], hands[rows, 0], hands[rows, 1] = own, other, my_hand, their_hand
            ends = abs(score) > SURE
            worth[rows], alone[rows] = points_of(score), strays or ends
            rows += 1
            if ends:
                break
        if strays:
            count = write_moves(memory, ZERO, 1)
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

    The same seed plays the same games. `trust` is that of `pattern_fit.Round`. Uses all cores; calls `say` after every
    few games, from any thread.
    """

    def chunk(start: int, count: int) -> Positions:
        memory = layout.allocate(NineMensMorris(RULES[start // GAMES_A_CHUNK % len(RULES)]), 16)
        prepare(memory)
        room = count * LONGEST
        mine, theirs = np.zeros(room, np.uint64), np.zeros(room, np.uint64)
        hands, worth, game = np.zeros((room, 2), np.int8), np.zeros(room, np.float32), np.zeros(room, np.int32)
        arrays: list[NDArray[Any]] = [mine, theirs, hands, worth, game]
        rows = _play_many(memory, (seed * 1_000_003 + start) % 2**31, count, depth, trust, *arrays)
        kept = [array[:rows].copy() for array in arrays]
        flying = np.full(rows, bool(memory[FLYING]))
        return Positions(kept[0], kept[1], kept[2], flying, kept[3], kept[4] + start)

    return in_chunks(chunk, games, GAMES_A_CHUNK, say)


STEPS = 0.1, 0.005
"""First and last step of a fit."""
TURNED, MIRRORED = (2, 3, 4, 5, 6, 7, 0, 1), (2, 1, 0, 7, 6, 5, 4, 3)
"""A square's points after a quarter turn and in the mirror."""
SIDE_MIRRORED, SIDE_SWAPPED = (2, 1, 0, 5, 4, 3, 8, 7, 6), (6, 7, 8, 3, 4, 5, 0, 1, 2)
"""A side's points in the mirror, and with the outer and inner square exchanged."""


def shared_weights() -> NDArray[np.uint32]:
    """For each weight of a stage, the index of the one that it shares."""
    shared = np.arange(4 * PATTERN_WORDS, dtype=np.uint32)
    square, side = least_images(8, (TURNED, MIRRORED)), least_images(9, (SIDE_MIRRORED, SIDE_SWAPPED))
    for start, images in ((STARTS[0], square), (STARTS[1], square), (STARTS[3], side)):
        shared[start : start + len(images)] = start + images
    return shared


@compiled
def _features(mine: Any, theirs: Any, hands: Any, flying: Any, shared: Any, found: Any, stages: Any) -> None:
    for row in range(len(mine)):
        own, other, my_hand, their_hand = mine[row], theirs[row], int(hands[row, 0]), int(hands[row, 1])
        squares, sides = numbers(own, other, IN_SQUARES), numbers(own, other, IN_SIDES)
        for lane in range(3):
            found[row, lane] = shared[STARTS[lane] + signed(squares >> U(16 * lane) & LANE)]
        for lane in range(4):
            found[row, 3 + lane] = shared[STARTS[3] + signed(sides >> U(16 * lane) & LANE)]
        ahead = signed(bit_count(own)) + my_hand - signed(bit_count(other)) - their_hand
        found[row, 7] = MATERIAL + min(max(ahead + MOST_AHEAD, 0), 2 * MOST_AHEAD)
        found[row, 8] = CONSTANT
        mine_fly = flying[row] and my_hand == 0 and bit_count(own) == THREE
        theirs_fly = flying[row] and their_hand == 0 and bit_count(other) == THREE
        stages[row] = stage(own, other, my_hand, their_hand, mine_fly, theirs_fly)


def _described(positions: Positions, shared: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int8]]:
    """Features of all positions, with the weights that are shared, and their stages."""
    features, stages = np.zeros((len(positions.mine), FEATURES), np.uint32), np.zeros(len(positions.mine), np.int8)
    _features(positions.mine, positions.theirs, positions.hands, positions.flying, shared, features, stages)
    return features, stages


def accuracy(positions: Positions, weights: NDArray[np.int16]) -> float:
    """The share of positions worth more or less than a draw of which the weights tell that."""
    features, stages = _described(positions, np.arange(weights.shape[1], dtype=np.uint32))
    values = weights[stages[:, None], features].sum(axis=1, dtype=np.int64)
    decided = positions.worth != 0.5
    return float(np.mean((values > 0)[decided] == (positions.worth > 0.5)[decided]))


def fit(positions: Positions, epochs: int, seed: int, say: Callable[[], object]) -> Fitted:
    """All stages' weights, (STAGES, 4 PATTERN_WORDS), and the error in points; calls `say` after each stage."""
    shared = shared_weights()
    features, stages = _described(positions, shared)
    apart = positions.game % HELD_OUT == 0
    made, squares = [], 0.0
    for number in range(STAGES):
        learnt, tested = (stages == number) & ~apart, (stages == number) & apart
        weights = np.zeros(4 * PATTERN_WORDS, np.float32)
        descend(weights, features[learnt], positions.worth[learnt], epochs, seed + number, STEPS, logistic=True)
        made.append(as_stored(weights, shared))
        expected = 1 / (1 + np.exp(-weights[features[tested]].sum(axis=1)))
        squares += float(((expected - positions.worth[tested]) ** 2).sum())
        say()
    return Fitted(np.stack(made), float(np.sqrt(squares / max(int(apart.sum()), 1))))


FILE = f"{NAME}.npz"
ROUNDS = Round(1 / 4, 3, 0.8, 10), Round(1 / 2, 4, 0.7, 10), Round(1.0, 4, 0.6, 10), Round(1.0, 4, 0.6, 10)
MEASURED = 4
"""Depth of the searches in the games that measure how often the winner is told."""
FIRST = "best"
"""The heuristic by which the first games are played."""


def make_morris(out: Path, *, games: int, seed: int, command: str) -> None:
    """Writes `morris_patterns.npz` and its manifest entry into the folder.

    Key `weights`: int16 (STAGES, 4 PATTERN_WORDS), hundredths of a logit, ordered as in
    `games.nine_mens_morris.kernel.patterns`.
    """

    def play_by(weights: NDArray[np.int16] | None, *how: Any) -> Positions:
        return play(functools.partial(_judge_by, weights), *how)

    fitted = learn(ROUNDS, games, seed, play_by, fit, STAGES)
    fresh = play_by(fitted.weights, games // 20, MEASURED, 1.0, seed + len(ROUNDS), lambda _: None)
    np.savez_compressed(out / FILE, weights=fitted.weights)
    facts: dict[str, str | float] = {
        "data": "games of the program against itself (lab/train/morris.py)",
        "licence": "MIT",
        "command": command,
        "held_out_error_points": round(fitted.error, 4),
        "fresh_games_winner_accuracy": round(accuracy(fresh, fitted.weights), 4),
    }
    write_entry(out, NAME, FILE, facts)


def _judge_by(weights: np.ndarray | None, memory: Memory) -> None:
    """Lets a search judge by these patterns; before there are any, by a heuristic."""
    if weights is None:
        for phase, features in enumerate(NAMED[FIRST]):
            start = int(layout.WEIGHTS) + 16 * phase
            memory[start : start + len(features)] = np.array(features, dtype=np.int64).astype(np.uint64)
        return
    memory[int(layout.PATTERNS) : int(layout.PATTERNS_END)] = np.ascontiguousarray(weights.reshape(-1)).view(np.uint64)
    memory[layout.JUDGE] = 1

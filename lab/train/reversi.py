"""The recipe for reversi's evaluation: play, fit, play better, fit again; it starts from the rules alone.

A game begins with random moves, continues by searches to a small depth, and is solved when few squares are empty. What
a position is worth is told by the result and by the scores of the searches from there on, the nearer the more. After
the first solution a random move is made now and then and the position solved again, so that endings are included that
good play would not reach.

Pattern weights are fitted to that worth by least squares, stage by stage. Mirror images of a group share a weight. A
rarely seen pattern is rarely moved, and so stays near 0.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agents.kernels.compilation import bit_count, lowest_bit, signed
from agents.kernels.memory import BEST_MOVE, BEST_SCORE, GENERATION, NODES, SALT, Memory
from agents.kernels.negamax import LIMIT
from games.reversi.kernel import ReversiSearch
from games.reversi.kernel import memory as layout
from games.reversi.kernel.discs import flips, moves
from games.reversi.kernel.endgame import prove
from games.reversi.kernel.groups import CONSTANT, MOBILITY, SIZES, STARTS, groups_of
from games.reversi.kernel.memory import STAGE_WORDS, STAGES
from games.reversi.kernel.midgame import WON, negamax, place
from games.reversi.kernel.patterns import FIRST_DISCS, STAGE_DISCS
from lab.simulated.arrays import Float32Array
from lab.train.pattern_fit import (
    HELD_OUT,
    Fitted,
    Round,
    as_stored,
    compiled,
    descend,
    in_chunks,
    learn,
    least_images,
)
from system.weights import find_weights, write_entry

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

    `trust` is that of `pattern_fit.Round`. Uses all cores; calls `say` after every few games, from any thread.
    """

    def chunk(start: int, count: int) -> Positions:
        memory = layout.allocate(16, "", weights)
        memory[SALT] = ReversiSearch.selective
        room = count * ROWS_A_GAME
        arrays: list[NDArray[Any]] = [np.zeros(room, kind) for kind in (np.uint64, np.uint64, np.float32, np.int32)]
        rows = _play_many(memory, (seed * 1_000_003 + start) % 2**31, count, depth, trust, *arrays)
        mine, theirs, worth, game = (array[:rows].copy() for array in arrays)
        return Positions(mine, theirs, worth, game + start)

    return in_chunks(chunk, games, GAMES_A_CHUNK, say)


OVERLAP = 2
"""Discs by which a stage's positions extend into the neighbouring stages."""
STEPS = 0.012, 0.001
"""First and last step of a fit."""


def mirror_images() -> NDArray[np.uint32]:
    """For each weight of a stage, the lesser of its own index and its mirror image's."""
    shared = np.arange(STAGE_WORDS * 4, dtype=np.uint32)
    others = (tuple(reversed(range(size))) for size in SIZES[3:])
    orders = ((0, 3, 6, 1, 4, 7, 2, 5, 8), range(SIZES[1]), (7, 6, 5, 4, 3, 2, 1, 0, 9, 8), *others)
    for size, start, order in zip(SIZES, STARTS, orders, strict=True):
        shared[start : start + 3**size] = start + least_images(size, [order])
    return shared


@compiled
def _free(mine: Any, theirs: Any, found: Any) -> None:
    """How many moves more each side to move has than the other."""
    for row in range(len(mine)):
        found[row] = signed(bit_count(moves(mine[row], theirs[row]))) - signed(bit_count(moves(theirs[row], mine[row])))


def features_of(mine: NDArray[np.uint64], theirs: NDArray[np.uint64], shared: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """The indices of the weights that make up each position's value."""
    free = np.zeros(len(mine), np.int64)
    _free(mine, theirs, free)
    constant = np.full(len(mine), CONSTANT)
    return np.column_stack([shared[groups_of(mine, theirs)], MOBILITY + 32 + free, constant]).astype(np.uint32)


def fit_stage(positions: Positions, stage: int, epochs: int, seed: int) -> tuple[NDArray[np.int16], float, float]:
    """One stage's weights, with the RMS error in discs and the share of winners predicted, both in held-out games."""
    discs = np.bitwise_count(positions.mine | positions.theirs).astype(int)
    low = 0 if stage == 0 else FIRST_DISCS + STAGE_DISCS * stage
    high = 64 if stage == STAGES - 1 else FIRST_DISCS + STAGE_DISCS * (stage + 1) - 1
    apart = positions.game % HELD_OUT == 0
    shared = mirror_images()

    def chosen(rows: NDArray[np.bool_]) -> tuple[NDArray[np.uint32], Float32Array]:
        return features_of(positions.mine[rows], positions.theirs[rows], shared), positions.worth[rows]

    features, worth = chosen((discs >= low - OVERLAP) & (discs <= high + OVERLAP) & ~apart)
    weights = np.zeros(STAGE_WORDS * 4, np.float32)
    descend(weights, features, worth, epochs, seed + stage, STEPS, logistic=False)
    features, truth = chosen(apart & (discs >= low) & (discs <= high))
    values = weights[features].sum(axis=1, dtype=np.float64)
    error = float(np.sqrt(np.mean((values - truth) ** 2))) if len(truth) else 0.0
    right = float(np.mean(np.sign(values) == np.sign(truth))) if len(truth) else 0.0
    return as_stored(weights, shared), error, right


def fit(positions: Positions, epochs: int, seed: int, say: Callable[[], object]) -> Fitted:
    """All stages' weights, (STAGES, 4 STAGE_WORDS); calls `say` after each stage."""
    found = []
    for stage in range(STAGES):
        found.append(fit_stage(positions, stage, epochs, seed))
        say()
    weights, errors, right = zip(*found, strict=True)
    return Fitted(np.stack(weights), float(np.mean(errors)), float(np.mean(right)))


NAME = "reversi_patterns"
ROUNDS = (
    Round(1 / 10, 1, 1.0, 6),
    Round(1 / 10, 2, 0.8, 8),
    Round(1 / 5, 4, 0.6, 12),
    Round(1 / 2, 6, 0.6, 8),
    Round(1.0, 6, 0.6, 8),
)
FURTHER = 3
"""The first round that goes on from given weights."""


def make_reversi(out: Path, *, games: int, seed: int, further: bool, command: str) -> None:
    """Writes `reversi_patterns.npz` and its manifest entry into the folder; with `further` by rounds from FURTHER on.

    Key `weights`: int16 (STAGES, 4 STAGE_WORDS), hundredths of a disc, ordered as in `games.reversi.kernel.groups`.
    Raises WeightsError if the weights to go further from are not there.
    """
    weights = np.zeros((STAGES, 4 * STAGE_WORDS), np.int16)
    facts: dict[str, str | float] = {
        "data": "games of the program against itself (lab/train/reversi.py)",
        "licence": "MIT",
        "command": command,
    }
    if further:
        earlier = find_weights(NAME)
        facts["further_from"] = earlier.sha256
        with np.load(earlier.path) as stored:
            weights = stored["weights"]

    def play_by(weights: Any, *how: Any) -> Positions:
        return play(np.ascontiguousarray(weights.reshape(-1)).view(np.uint64), *how)

    skipped = FURTHER if further else 0
    fitted = learn(ROUNDS, games, seed, play_by, fit, STAGES, skipped=skipped, weights=weights)
    np.savez_compressed(out / f"{NAME}.npz", weights=fitted.weights)
    facts |= {"held_out_error_discs": round(fitted.error, 2), "held_out_winner_accuracy": round(fitted.accuracy, 4)}
    write_entry(out, NAME, f"{NAME}.npz", facts)

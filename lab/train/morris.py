"""The recipe for morris' evaluation: play, fit, play better, fit again; it starts from a published heuristic.

Pattern weights are fitted to what positions are worth by logistic regression, stage by stage, by small steps. Groups
that a symmetry of the board maps to each other share weights, and so do mirror images of a group."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from agents.kernels.compilation import bit_count, signed
from games.nine_mens_morris.kernel import memory as layout
from games.nine_mens_morris.kernel.memory import PATTERN_WORDS, STAGES, Memory
from games.nine_mens_morris.kernel.patterns import (
    CONSTANT,
    FEATURES,
    LANE,
    MATERIAL,
    MOST_AHEAD,
    STARTS,
    in_sides,
    in_squares,
    stage,
)
from games.nine_mens_morris.kernel.weights import NAMED
from games.nine_mens_morris.kernel.weights import PATTERNS as NAME
from lab.train.morris_games import Positions, play
from lab.train.reversi_games import compiled
from places.weights import write_entry

U = np.uint64
TWO, THREE = U(2), U(3)
FIRST_STEP, LAST_STEP = 0.1, 0.005
SCALE = 100
"""Units per logit: weights are hundredths."""
HELD_OUT = 20
"""One game in so many is held out."""
TURNED, MIRRORED = (2, 3, 4, 5, 6, 7, 0, 1), (2, 1, 0, 7, 6, 5, 4, 3)
"""A square's points after a quarter turn and in the mirror."""
SIDE_MIRRORED, SIDE_SWAPPED = (2, 1, 0, 5, 4, 3, 8, 7, 6), (6, 7, 8, 3, 4, 5, 0, 1, 2)
"""A side's points in the mirror, and with the outer and inner square exchanged."""


def _images(size: int, maps: tuple[tuple[int, ...], ...]) -> NDArray[np.int64]:
    """For each content of a group, the least that the maps and their repetitions lead to."""
    least = np.arange(3**size)
    numbers_ = np.arange(3**size)
    images = [sum((numbers_ // 3**place % 3) * 3**to for place, to in enumerate(one)) for one in maps]
    while True:
        before = least.copy()
        for image in images:
            least = np.minimum(least, least[image])
        if np.array_equal(least, before):
            return least


def shared_weights() -> NDArray[np.uint32]:
    """For each weight of a stage, the index of the one that it shares."""
    shared = np.arange(4 * PATTERN_WORDS, dtype=np.uint32)
    square, side = _images(8, (TURNED, MIRRORED)), _images(9, (SIDE_MIRRORED, SIDE_SWAPPED))
    for start, images in ((STARTS[0], square), (STARTS[1], square), (STARTS[3], side)):
        shared[start : start + len(images)] = start + images
    return shared


@compiled
def _features(mine: Any, theirs: Any, hands: Any, flying: Any, shared: Any, found: Any, stages: Any) -> None:
    for row in range(len(mine)):
        own, other, my_hand, their_hand = mine[row], theirs[row], int(hands[row, 0]), int(hands[row, 1])
        squares = in_squares(own) + TWO * in_squares(other)
        sides = in_sides(own) + TWO * in_sides(other)
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


@compiled
def _pass_over(features: Any, worth: Any, order: Any, weights: Any, step: float) -> None:
    for row in order:
        value = 0.0
        for index in range(FEATURES):
            value += weights[features[row, index]]
        error = worth[row] - 1 / (1 + np.exp(-value))
        for index in range(FEATURES):
            weights[features[row, index]] += step * error


def accuracy(positions: Positions, weights: NDArray[np.int16]) -> float:
    """The share of positions worth more or less than a draw of which the weights tell that."""
    features, stages = np.zeros((len(positions.mine), FEATURES), np.uint32), np.zeros(len(positions.mine), np.int8)
    own = np.arange(weights.shape[1], dtype=np.uint32)
    _features(positions.mine, positions.theirs, positions.hands, positions.flying, own, features, stages)
    values = weights[stages[:, None], features].sum(axis=1, dtype=np.int64)
    decided = positions.worth != 0.5
    return float(np.mean((values > 0)[decided] == (positions.worth > 0.5)[decided]))


class Fitted(NamedTuple):
    weights: NDArray[np.int16]
    """(STAGES, 4 PATTERN_WORDS), hundredths of a logit."""
    error: float
    """Root mean square error in points, over all stages."""


def fit(positions: Positions, epochs: int, seed: int, say: Callable[[], object]) -> Fitted:
    """All stages' weights; calls `say` after each."""
    shared, count = shared_weights(), len(positions.mine)
    features, stages = np.zeros((count, FEATURES), np.uint32), np.zeros(count, np.int8)
    _features(positions.mine, positions.theirs, positions.hands, positions.flying, shared, features, stages)
    apart = positions.game % HELD_OUT == 0
    made = np.zeros((STAGES, 4 * PATTERN_WORDS), np.int16)
    squares = 0.0
    for number in range(STAGES):
        learnt = np.flatnonzero((stages == number) & ~apart)
        weights = np.zeros(4 * PATTERN_WORDS, np.float32)
        draw = np.random.default_rng(seed + number)
        for epoch in range(epochs):
            step = FIRST_STEP * (LAST_STEP / FIRST_STEP) ** (epoch / max(epochs - 1, 1))
            _pass_over(features[learnt], positions.worth[learnt], draw.permutation(len(learnt)), weights, step)
        made[number] = np.clip(np.rint(weights * SCALE), -32768, 32767).astype(np.int16)[shared]
        tested = np.flatnonzero((stages == number) & apart)
        expected = 1 / (1 + np.exp(-weights[features[tested]].sum(axis=1)))
        squares += float(((expected - positions.worth[tested]) ** 2).sum())
        say()
    return Fitted(made, float(np.sqrt(squares / max(int(apart.sum()), 1))))


FILE = f"{NAME}.npz"
ROUNDS = ((1 / 4, 3, 0.8), (1 / 2, 4, 0.7), (1.0, 4, 0.6), (1.0, 4, 0.6))
"""Share of the games, depth of their searches, and trust in what comes later (`morris_games.play`)."""
EPOCHS = 10
MEASURED = 4
"""Depth of the searches in the games that measure how often the winner is told."""
FIRST = "best"
"""The heuristic by which the first games are played."""


def make_morris(out: Path, *, games: int, seed: int, command: str) -> None:
    """Writes `morris_patterns.npz` and its manifest entry into the folder.

    Key `weights`: int16 (STAGES, 4 PATTERN_WORDS), hundredths of a logit, ordered as in
    `games.nine_mens_morris.kernel.patterns`.
    """
    fitted: Fitted | None = None
    with Progress(console=Console(stderr=True)) as progress:
        for number, (share, depth, trust) in enumerate(ROUNDS, 1):
            count = max(round(share * games), 40)
            task = progress.add_task(f"round {number}: games at depth {depth}", total=count)
            prepare = functools.partial(_judge_by, None if fitted is None else fitted.weights)
            advance = functools.partial(progress.advance, task)
            positions = play(prepare, count, depth, trust, seed + number - 1, advance)
            task = progress.add_task(f"round {number}: {len(positions.mine)} positions, fitting", total=layout.STAGES)
            fitted = fit(positions, EPOCHS, seed, functools.partial(progress.advance, task))
        assert fitted is not None
        count = games // 20
        task = progress.add_task("games to measure by", total=count)
        prepare = functools.partial(_judge_by, fitted.weights)
        fresh = play(prepare, count, MEASURED, 1.0, seed + len(ROUNDS), functools.partial(progress.advance, task))
    np.savez_compressed(out / FILE, weights=fitted.weights)
    facts: dict[str, str | float] = {
        "data": "games of the program against itself (lab/train/morris_games.py)",
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

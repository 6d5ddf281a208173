"""The recipe for reversi's evaluation: play, fit, play better, fit again; it starts from the rules alone.

Pattern weights are fitted to results by least squares, stage by stage, by small steps per position. Mirror images of a
group share a weight. A rarely seen pattern is rarely moved, and so stays near 0."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from agents.kernels.compilation import bit_count
from games.reversi.kernel.discs import moves
from games.reversi.kernel.memory import STAGE_WORDS, STAGES
from games.reversi.kernel.patterns import (
    CONSTANT,
    FIRST_DISCS,
    GROUPS,
    MOBILITY,
    SIZES,
    STAGE_DISCS,
    STARTS,
    write_groups,
)
from lab.train.reversi_games import Positions, compiled, play
from places.weights import find_weights, write_entry

U = np.uint64
FEATURES = GROUPS + 2
"""Features of a position: the groups, the mobility and the constant."""
OVERLAP = 2
"""Discs by which a stage's positions extend into the neighbouring stages."""
STEPS, FURTHER_STEPS = (0.012, 0.001), (0.004, 0.0006)
"""First and last step of a fit from nothing, and of one that moves given weights."""
SCALE = 100
"""Units per disc: weights are hundredths of a disc."""
HELD_OUT = 20
"""One game in so many is held out."""


def mirror_images() -> NDArray[np.uint32]:
    """For each weight of a stage, the lesser of its own index and its mirror image's."""
    shared = np.arange(STAGE_WORDS * 4, dtype=np.uint32)
    orders = [
        (0, 3, 6, 1, 4, 7, 2, 5, 8),
        None,
        (7, 6, 5, 4, 3, 2, 1, 0, 9, 8),
        *(tuple(reversed(range(size))) for size in SIZES[3:]),
    ]
    for size, start, order in zip(SIZES, STARTS, orders, strict=True):
        if order is None:
            continue
        numbers = np.arange(3**size)
        image = sum((numbers // 3**place % 3) * 3**to for place, to in enumerate(order))
        shared[start : start + 3**size] = start + np.minimum(numbers, image)
    return shared


@compiled
def _features(mine: Any, theirs: Any, shared: Any, found: Any) -> None:
    groups = np.zeros(GROUPS, np.uint64)
    for row in range(len(mine)):
        write_groups(groups, U(0), mine[row], theirs[row])
        for index in range(GROUPS):
            found[row, index] = shared[groups[index]]
        free = np.int64(bit_count(moves(mine[row], theirs[row]))) - np.int64(bit_count(moves(theirs[row], mine[row])))
        found[row, GROUPS] = MOBILITY + 32 + free
        found[row, GROUPS + 1] = CONSTANT


@compiled
def _pass_over(features: Any, worth: Any, order: Any, weights: Any, step: float) -> float:
    """One step for every position; returns the mean squared error on the way."""
    total = 0.0
    for row in order:
        value = 0.0
        for index in range(FEATURES):
            value += weights[features[row, index]]
        error = worth[row] - value
        total += error * error
        for index in range(FEATURES):
            weights[features[row, index]] += step * error
    return total / len(order)


@compiled
def _values(features: Any, weights: Any, values: Any) -> None:
    for row in range(len(values)):
        for index in range(FEATURES):
            values[row] += weights[features[row, index]]


def fit_stage(
    positions: Positions, stage: int, epochs: int, seed: int, start: NDArray[np.int16] | None
) -> tuple[NDArray[np.int16], float, float]:
    """One stage's weights, with the RMS error in discs and the share of winners predicted, both in held-out games.

    Moves the weights of that stage in `start`, or fits from nothing.
    """
    discs = np.bitwise_count(positions.mine | positions.theirs).astype(int)
    low = 0 if stage == 0 else FIRST_DISCS + STAGE_DISCS * stage
    high = 64 if stage == STAGES - 1 else FIRST_DISCS + STAGE_DISCS * (stage + 1) - 1
    inside = (discs >= low - OVERLAP) & (discs <= high + OVERLAP)
    apart = positions.game % HELD_OUT == 0
    shared = mirror_images()
    learnt = np.flatnonzero(inside & ~apart)
    features = np.zeros((len(learnt), FEATURES), np.uint32)
    _features(positions.mine[learnt], positions.theirs[learnt], shared, features)
    worth = positions.worth[learnt]
    weights = np.zeros(STAGE_WORDS * 4, np.float32) if start is None else start[stage].astype(np.float32) / SCALE
    first_step, last_step = STEPS if start is None else FURTHER_STEPS
    draw = np.random.default_rng(seed + stage)
    for epoch in range(epochs):
        step = first_step * (last_step / first_step) ** (epoch / max(epochs - 1, 1))
        _pass_over(features, worth, draw.permutation(len(learnt)), weights, step)
    tested = np.flatnonzero(apart & (discs >= low) & (discs <= high))
    features = np.zeros((len(tested), FEATURES), np.uint32)
    _features(positions.mine[tested], positions.theirs[tested], shared, features)
    values, truth = np.zeros(len(tested)), positions.worth[tested]
    _values(features, weights, values)
    error = float(np.sqrt(np.mean((values - truth) ** 2))) if len(tested) else 0.0
    right = float(np.mean(np.sign(values) == np.sign(truth))) if len(tested) else 0.0
    whole = np.clip(np.rint(weights * SCALE), -32768, 32767).astype(np.int16)
    return whole[shared], error, right


class Fitted(NamedTuple):
    weights: NDArray[np.int16]
    """(STAGES, 4 STAGE_WORDS), hundredths of a disc."""
    error: float
    """Root mean square error in discs, averaged over the stages."""
    accuracy: float
    """Share of winners predicted, averaged over the stages."""


def fit(
    positions: Positions, epochs: int, seed: int, say: Callable[[], object], start: NDArray[np.int16] | None = None
) -> Fitted:
    """All stages' weights, moved from `start` or fitted from nothing; calls `say` after each."""
    stages, errors, right = [], [], []
    for stage in range(STAGES):
        weights, error, accuracy = fit_stage(positions, stage, epochs, seed, start)
        stages.append(weights)
        errors.append(error)
        right.append(accuracy)
        say()
    return Fitted(np.stack(stages), float(np.mean(errors)), float(np.mean(right)))


NAME = "reversi_patterns"


class Round(NamedTuple):
    share: float
    """Share of the games asked for."""
    depth: int
    """Plies of the searches that play them."""
    trust: float
    """Trust in what comes later (`reversi_games.play`)."""
    epochs: int
    """Passes over the positions."""


ROUNDS: tuple[Round, ...] = (
    Round(1 / 6, 1, 1.0, 6),
    Round(1 / 6, 2, 0.8, 8),
    Round(1 / 3, 4, 0.6, 12),
    Round(1 / 3, 4, 0.4, 12),
    Round(1.0, 4, 0.5, 12),
    Round(1 / 40, 8, 0.6, 5),
)
"""Each but the last fits from nothing. The last moves the weights of the round before: its games are few but deep."""


def make_reversi(out: Path, *, games: int, seed: int, further: bool, command: str) -> None:
    """Writes `reversi_patterns.npz` and its manifest entry into the folder; with `further` by the last round alone.

    Key `weights`: int16 (STAGES, 4 STAGE_WORDS), hundredths of a disc, ordered as in `games.reversi.kernel.patterns`.
    Raises WeightsError if the weights to go further from are not there.
    """
    weights = np.zeros((STAGES, 4 * STAGE_WORDS), np.int16)
    facts: dict[str, str | float] = {
        "data": "games of the program against itself (lab/train/reversi_games.py)",
        "licence": "MIT",
        "command": command,
    }
    if further:
        earlier = find_weights(NAME)
        facts["further_from"] = earlier.sha256
        with np.load(earlier.path) as stored:
            weights = stored["weights"]
    error = accuracy = 0.0
    with Progress(console=Console(stderr=True)) as progress:
        for number, (share, depth, trust, epochs) in enumerate(ROUNDS, 1):
            last = number == len(ROUNDS)
            if further and not last:
                continue
            count = max(round(share * games), 40)
            task = progress.add_task(f"round {number}: games at depth {depth}", total=count)
            packed = np.ascontiguousarray(weights.reshape(-1)).view(np.uint64)
            advance = functools.partial(progress.advance, task)
            positions = play(packed, count, depth, trust, seed + number - 1, advance)
            task = progress.add_task(f"round {number}: {len(positions.mine)} positions, fitting", total=STAGES)
            start = weights if last else None
            weights, error, accuracy = fit(positions, epochs, seed, functools.partial(progress.advance, task), start)
    np.savez_compressed(out / f"{NAME}.npz", weights=weights)
    facts |= {"held_out_error_discs": round(error, 2), "held_out_winner_accuracy": round(accuracy, 4)}
    write_entry(out, NAME, f"{NAME}.npz", facts)

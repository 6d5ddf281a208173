"""What the recipes for weights of patterns share: games on all cores, a fit by small steps, rounds of both."""

from __future__ import annotations

import concurrent.futures
import functools
import os
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

from lab.simulated.arrays import Float32Array

SCALE = 100
"""Stored units per unit of worth (discs, logits): weights are stored as hundredths."""
HELD_OUT = 20
"""One game in so many is held out."""
LEAST_GAMES = 40

P = ParamSpec("P")
R = TypeVar("R")


def compiled(function: Callable[P, R]) -> Callable[P, R]:
    """The function as machine code without the interpreter's lock; not cached on disk, since it runs for minutes."""
    made: Callable[P, R] = numba.njit(nogil=True)(function)
    return made


def in_chunks(chunk: Callable[[int, int], R], games: int, size: int, say: Callable[[int], object]) -> R:
    """`chunk(first game's number, games)` for at most `size` games at a time, on all cores; its tuples, joined.

    Calls `say` after every chunk, from any thread.
    """

    def one(start: int) -> Any:
        count = min(size, games - start)
        made = chunk(start, count)
        say(count)
        return made

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        chunks = list(pool.map(one, range(0, games, size)))
    joined: R = type(chunks[0])(*(np.concatenate(parts) for parts in zip(*chunks, strict=True)))
    return joined


def least_images(size: int, maps: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """For each content of a group of `size` squares, the least that the maps and their repetitions lead to."""
    contents = np.arange(3**size)
    images = [sum((contents // 3**place % 3) * 3**to for place, to in enumerate(one)) for one in maps]
    least = contents
    while True:
        before = least
        for image in images:
            least = np.minimum(least, least[image])
        if np.array_equal(least, before):
            return least


@compiled
def _pass_over(features: Any, worth: Any, order: Any, weights: Any, step: float, logistic: bool) -> None:
    """One step for every position, down the gradient of its squared error, or of its log loss."""
    for row in order:
        value = 0.0
        for index in range(features.shape[1]):
            value += weights[features[row, index]]
        error = worth[row] - (1 / (1 + np.exp(-value)) if logistic else value)
        for index in range(features.shape[1]):
            weights[features[row, index]] += step * error


def descend(
    weights: Float32Array,
    features: NDArray[np.uint32],
    worth: Float32Array,
    epochs: int,
    seed: int,
    steps: tuple[float, float],
    *,
    logistic: bool,
) -> None:
    """Moves the weights, by steps that shrink from the first of `steps` to the last."""
    draw = np.random.default_rng(seed)
    for epoch in range(epochs):
        step = steps[0] * (steps[1] / steps[0]) ** (epoch / max(epochs - 1, 1))
        _pass_over(features, worth, draw.permutation(len(worth)), weights, step, logistic)


def as_stored(weights: Float32Array, shared: NDArray[np.uint32]) -> NDArray[np.int16]:
    """Each weight of a stage, in hundredths; `shared` has the index of the one that it shares."""
    return np.clip(np.rint(weights * SCALE), -32768, 32767).astype(np.int16)[shared]


class Fitted(NamedTuple):
    weights: NDArray[np.int16]
    """(stages, weights), hundredths."""
    error: float
    """Root mean square error of held-out positions."""
    accuracy: float = 0.0
    """Share of held-out winners predicted, averaged over the stages, if it was measured."""


class Round(NamedTuple):
    share: float
    """Share of the games asked for."""
    depth: int
    """Plies of the searches that play them."""
    trust: float
    """The lambda of TD(lambda) (Sutton 1988): at 1 what comes later alone tells what a position is worth, at 0 its own
    search."""
    epochs: int
    """Passes over the positions."""


def learn(
    rounds: Sequence[Round],
    games: int,
    seed: int,
    play: Callable[..., Any],
    fit: Callable[..., Fitted],
    stages: int,
    *,
    skipped: int = 0,
    weights: NDArray[np.int16] | None = None,
) -> Fitted:
    """`play`s and `fit`s, round after round, each by the weights of the one before; those of the first are given."""
    fitted = Fitted(np.empty(0, np.int16), 0.0)
    with Progress(console=Console(stderr=True)) as progress:
        for number, one in enumerate(rounds[skipped:], skipped):
            count = max(round(one.share * games), LEAST_GAMES)
            task = progress.add_task(f"round {number + 1}: games at depth {one.depth}", total=count)
            advance = functools.partial(progress.advance, task)
            positions = play(weights, count, one.depth, one.trust, seed + number, advance)
            task = progress.add_task(f"round {number + 1}: {len(positions.mine)} positions, fitting", total=stages)
            fitted = fit(positions, one.epochs, seed, functools.partial(progress.advance, task))
            weights = fitted.weights
    return fitted

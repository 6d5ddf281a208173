"""Tunes a search's evaluation by matches alone: SPSA, simultaneous perturbation stochastic approximation.

Every weight is moved a step up or down by chance, all at once; the weights so moved play those moved the other way, one
opening with the sides exchanged; all weights go a part of their step towards the winner. Spall, "Multivariate
stochastic approximation using a simultaneous perturbation gradient approximation", 1992. It asks nothing of an
evaluation but a match, so it also finds weights that foretell results worse and play better.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.progress import Progress

import games
from lab.simulated.arrays import FloatArray
from lab.train.search_evaluations import Evaluation, Weights, evaluation_of
from lab.train.search_fit import Made, match

STEP = 0.1
"""A step as a share of the weight; 1 at least, which is the least that changes anything."""


def tune(evaluation: Evaluation, pairs: int, nodes: int, seed: int, say: Callable[[int], object]) -> Weights:
    """The weights after so many openings at `nodes` positions a move; those that are 0 stay so.

    The part of a step is 1/sqrt(pairs): chance alone then moves a weight by half a step, however long it lasts, and
    what is better moves it in proportion to sqrt(pairs).
    """
    shipped = evaluation.shipped()
    steps = np.where(shipped != 0, np.maximum(1.0, STEP * np.abs(shipped)), 0.0)
    exact, draw = shipped.astype(float), np.random.default_rng(seed)
    for number in range(pairs):
        moved = steps * draw.choice((-1.0, 1.0), size=steps.shape)
        up, down = (_whole(evaluation, exact + moved), _whole(evaluation, exact - moved))
        half_points = match(evaluation, up, down, 1, nodes, seed * pairs + number, lambda _: None)[0]
        exact += (half_points - 2) / 2 * moved / np.sqrt(pairs)
        say(1)
    return _whole(evaluation, exact)


def _whole(evaluation: Evaluation, exact: FloatArray) -> Weights:
    return np.clip(np.rint(exact), evaluation.fewest, evaluation.most).astype(np.int64)


def make_tuned(
    name: str, rules: dict[str, object], *, pairs: int, nodes: int | None, seed: int, match_games: int, match_nodes: int
) -> Made:
    """The weights of `tune`, and their match against the shipped ones. Raises ValueError as `make_evaluation` does."""
    evaluation = evaluation_of(games.load(name, rules))
    nodes = nodes or evaluation.nodes
    with Progress(console=Console(stderr=True)) as progress:
        tuned, met = (
            progress.add_task(text, total=total) for text, total in (("pairs", pairs), ("openings", match_games // 2))
        )
        weights = tune(evaluation, pairs, nodes, seed, lambda done: progress.advance(tuned, done))
        points = match(
            evaluation,
            weights,
            evaluation.shipped(),
            match_games // 2,
            match_nodes,
            seed,
            lambda done: progress.advance(met, done),
        )
    return Made(evaluation, 2 * pairs, nodes, seed, 0, weights, None, None, tuple(points), match_nodes)

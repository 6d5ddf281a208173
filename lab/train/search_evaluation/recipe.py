"""Fits an evaluation to games of the engine against itself, and measures old and new weights."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress

import games
from agents.arena.elo import Estimate, estimate
from agents.jobs import Backend
from lab.simulated.arrays import FloatArray
from lab.train.search_evaluation.protocol import Evaluation, Weights
from lab.train.search_evaluation.self_play import Positions, evaluation_of, match, play

HELD_OUT = 10
"""One game in so many is held out."""
MIN_POSITIONS = 200
"""Positions below which a group keeps its weights."""


class Quality(NamedTuple):
    log_loss: float
    """Nats a position in the held-out games, with the steepness that suits the weights best in the other games."""
    winner_accuracy: float
    """Share of decided games in which the side that they prefer wins."""


def _regression(features: FloatArray, points: FloatArray, strength: float) -> FloatArray:
    """The weights of features of mean square 1. A draw counts as half a win and half a loss."""
    from sklearn.linear_model import LogisticRegression

    decided = points != 0.5
    rows = np.concatenate([features, features[~decided]])
    won = np.concatenate([points > 0, np.zeros(np.count_nonzero(~decided), bool)])
    shares = np.concatenate([np.where(decided, 1.0, 0.5), np.full(np.count_nonzero(~decided), 0.5)])
    model: Any = LogisticRegression(C=strength, fit_intercept=False, max_iter=2000)
    found: FloatArray = model.fit(rows, won, sample_weight=shares).coef_[0]
    return found


def fit_group(evaluation: Evaluation, features: NDArray[np.int64], points: FloatArray) -> NDArray[np.int64]:
    """Integer weights within the bounds; weights below the least are left out, and the rest is fitted again."""
    sizes = np.sqrt(np.mean(features.astype(float) ** 2, axis=0))
    free, whole = sizes > 0, np.zeros(len(sizes), np.int64)
    while free.any():
        exact = _regression(features[:, free] / sizes[free], points, evaluation.strength) / sizes[free]
        whole[:] = 0
        whole[free] = np.minimum(np.rint(exact * evaluation.scale), evaluation.most).astype(np.int64)
        if (whole >= evaluation.fewest).all():
            break
        free &= whole >= evaluation.fewest
    return np.maximum(whole, evaluation.fewest)


def fit(evaluation: Evaluation, positions: Positions, say: Callable[[int], object]) -> Weights:
    """The weights of all groups; a rarely seen group keeps its own. Calls `say` after every group."""
    weights, learnt = evaluation.shipped(), positions.game % HELD_OUT != 0
    for group in range(len(evaluation.groups)):
        rows = learnt & (positions.group == group)
        if np.count_nonzero(rows) >= MIN_POSITIONS and len(set(positions.points[rows]) - {0.5}) == 2:
            weights[group] = fit_group(evaluation, positions.features[rows], positions.points[rows])
        say(1)
    return weights


def quality(weights: Weights, positions: Positions) -> Quality:
    values = (positions.features * weights[positions.group]).sum(axis=1) / 100
    apart = positions.game % HELD_OUT == 0
    learnt, known = values[~apart, None], positions.points[~apart]
    both = len(set(known) - {0.5}) == 2
    steepness = _regression(learnt, known, 1e6)[0] if learnt.any() and both else 1.0
    logits, points = steepness * values[apart], positions.points[apart]
    loss = points * np.logaddexp(0, -logits) + (1 - points) * np.logaddexp(0, logits)
    decided = points != 0.5
    right = np.sign(values[apart][decided]) == np.sign(points[decided] - 0.5)
    return Quality(float(np.mean(loss)) if len(loss) else 0.0, float(np.mean(right)) if len(right) else 0.0)


@dataclasses.dataclass(frozen=True)
class Made:
    evaluation: Evaluation
    games: int
    nodes: int
    seed: int
    positions: int
    weights: Weights
    new: Quality
    shipped: Quality
    """Quality of the kernel's weights in the same games, which were played with them."""
    match: tuple[int, ...] = ()
    """Half points of the new weights against the shipped ones from each opening, 0 to 4."""
    match_nodes: int = 0

    @property
    def estimate(self) -> Estimate | None:
        """Estimate from the match; None if there was none."""
        return estimate(self.match)

    def as_json(self) -> dict[str, Any]:
        evaluation, score = self.evaluation, self.estimate
        return {
            "game": evaluation.game.name,
            "rules": vars(evaluation.game.rules),
            "games": self.games,
            "nodes": self.nodes,
            "seed": self.seed,
            "positions": self.positions,
            "weights": {
                group: dict(zip(evaluation.features, row, strict=True))
                for group, row in zip(evaluation.groups, self.weights.tolist(), strict=True)
            },
            "new": self.new._asdict(),
            "shipped": self.shipped._asdict(),
            "match": score
            and {
                "games": 2 * len(self.match),
                "nodes": self.match_nodes,
                "score": round(score.score, 4),
                "standard_error": round(score.error, 4),
            },
            "where": evaluation.where,
            "text": evaluation.text(self.weights),
        }

    def lines(self) -> list[str]:
        found = [self.evaluation.text(self.weights), ""]
        found.append(f"{self.positions} positions of {self.games} games; in each {HELD_OUT}th, which was kept apart:")
        for name, held in (("these weights", self.new), ("shipped", self.shipped)):
            found.append(f"  {name:<14} log loss {held.log_loss:.4f}, winner right {100 * held.winner_accuracy:.1f} %")
        if score := self.estimate:
            found.append(
                f"{2 * len(self.match)} games of these against the shipped weights at {self.match_nodes} positions a "
                f"move: score {score.score:.3f}, standard error {score.error:.3f}"
            )
        return [*found, f"Nothing was written. Paste them into {self.evaluation.where}, if they are better."]


def make_evaluation(
    name: str,
    rules: dict[str, object],
    *,
    count: int | None,
    nodes: int | None,
    seed: int,
    backend: Backend,
    match_games: int,
    match_nodes: int,
) -> Made:
    """New weights from so many games at so many nodes a move; None for the evaluation's own numbers.

    Raises ValueError if the game is unknown, has no such evaluation, or has no such rule; JobsError.
    """
    evaluation = evaluation_of(games.load(name, rules))
    count, nodes = count or evaluation.games, nodes or evaluation.nodes
    with Progress(console=Console(stderr=True)) as progress:

        def bar(text: str, total: int) -> Any:
            task = progress.add_task(text, total=total, visible=total > 0)
            return lambda done: progress.advance(task, done)

        positions = play(evaluation, count, nodes, seed, backend, bar("games", count))
        weights = fit(evaluation, positions, bar(f"{len(positions.game)} positions, fitting", len(evaluation.groups)))
        pairs = match_games // 2
        points = match(evaluation, weights, evaluation.shipped(), pairs, match_nodes, seed, bar("openings", pairs))
    return Made(
        evaluation,
        count,
        nodes,
        seed,
        len(positions.game),
        weights,
        quality(weights, positions),
        quality(evaluation.shipped(), positions),
        tuple(points),
        match_nodes,
    )

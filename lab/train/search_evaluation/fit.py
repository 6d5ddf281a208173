"""Fits an evaluation to results: logistic regression, group by group, with no constant but the turn's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lab.train.search_evaluation.protocol import Evaluation, Weights
from lab.train.search_evaluation.self_play import Positions

HELD_OUT = 10
"""One game in so many is held out."""
MIN_POSITIONS = 200
"""Positions below which a group keeps its weights."""


class Quality(NamedTuple):
    log_loss: float
    """Nats a position in the held-out games, with the steepness that suits the weights best in the other games."""
    winner_accuracy: float
    """Share of decided games in which the side that they prefer wins."""


def _regression(features: NDArray[np.float64], points: NDArray[np.float64], strength: float) -> NDArray[np.float64]:
    """The weights of features of mean square 1. A draw counts as half a win and half a loss."""
    from sklearn.linear_model import LogisticRegression

    decided = points != 0.5
    rows = np.concatenate([features, features[~decided]])
    won = np.concatenate([points > 0, np.zeros(np.count_nonzero(~decided), bool)])
    shares = np.concatenate([np.where(decided, 1.0, 0.5), np.full(np.count_nonzero(~decided), 0.5)])
    model: Any = LogisticRegression(C=strength, fit_intercept=False, max_iter=2000)
    found: NDArray[np.float64] = model.fit(rows, won, sample_weight=shares).coef_[0]
    return found


def fit_group(evaluation: Evaluation, features: NDArray[np.int64], points: NDArray[np.float64]) -> NDArray[np.int64]:
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

"""Elo differences with their errors, from pairs of games and from whole tournaments.

Elo's logistic model: a player who is `d` stronger scores `1 / (1 + 10**(-d / 400))`. The error comes from pairs of
games with the same opening and exchanged sides (0, 1, 2, 3 or 4 half points: "pentanomial"), as the two games of an
opening are not independent trials.
"""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Mapping, Sequence

import numpy as np

Z95 = statistics.NormalDist().inv_cdf(0.975)


@dataclasses.dataclass(frozen=True)
class Estimate:
    score: float
    """Points per game, 0 to 1."""
    error: float
    """Standard error of the score."""
    elo: float | None
    """Elo difference; None if every game was won or every one lost, as the difference then has no bound."""
    low: float | None
    """Lower end of the 95 % interval; None means unbounded."""
    high: float | None
    los: float
    """Likelihood of superiority: the probability that the true score is above one half."""


def expected_score(elo: float) -> float:
    """Points per game of a player who is `elo` stronger."""
    return 1 / (1 + 10 ** (-elo / 400))


def difference(score: float) -> float | None:
    """The Elo difference that corresponds to a score; None for 0 and 1."""
    return -400 * math.log10(1 / score - 1) if 0 < score < 1 else None


def estimate(pairs: Sequence[int]) -> Estimate | None:
    """An estimate from half points per pair, 0 to 4; None without pairs.

    If all pairs ended alike, there is no variance to use: Wilson's interval replaces it, and Laplace's rule of
    succession gives the likelihood of superiority.
    """
    if not pairs:
        return None
    count = len(pairs)
    score = sum(pairs) / (4 * count)
    error = math.sqrt(sum((half / 4 - score) ** 2 for half in pairs)) / count
    if error:
        low, high = score - Z95 * error, score + Z95 * error
        los = statistics.NormalDist().cdf((score - 0.5) / error)
    else:
        low, high = wilson(score, count)
        los = 0.5 if score == 0.5 else 0.5 ** (count + 1) if score < 0.5 else 1 - 0.5 ** (count + 1)
    return Estimate(score, error, difference(score), difference(low), difference(high), los)


def wilson(score: float, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share seen in `count` trials; also valid for shares 0 and 1 (Wilson 1927)."""
    square = Z95 * Z95
    middle = (score + square / (2 * count)) / (1 + square / count)
    half = Z95 / (1 + square / count) * math.sqrt(score * (1 - score) / count + square / (4 * count * count))
    return (max(0.0, middle - half) if score else 0.0, min(1.0, middle + half) if score < 1 else 1.0)


@dataclasses.dataclass(frozen=True)
class Rating:
    elo: float
    """Elo relative to the average of all players."""
    error: float
    """Half of the 95 % interval."""


PRIOR_DRAWS = 1.0
"""Draws added for every two who met, so that a player who won everything has a finite rating."""
STEPS = 10_000


def ratings(points: Mapping[tuple[int, int], tuple[float, float]], players: int) -> list[Rating]:
    """Maximum-likelihood ratings under the Bradley-Terry model, with a draw as half a win.

    `points` has the points of both for pairs of player numbers. Found by minorisation (Hunter, MM algorithms for
    generalized Bradley-Terry models, 2004); errors from the curvature of the likelihood at its maximum.
    """
    won, met = np.zeros(players), np.zeros((players, players))
    for (a, b), (mine, theirs) in points.items():
        won[a] += mine + PRIOR_DRAWS / 2
        won[b] += theirs + PRIOR_DRAWS / 2
        met[[a, b], [b, a]] += mine + theirs + PRIOR_DRAWS
    strength = np.ones(players)
    for _ in range(STEPS):
        denominator = (met / (strength[:, None] + strength[None, :])).sum(axis=1)
        new = np.where(denominator > 0, won / np.where(denominator > 0, denominator, 1), strength)
        new /= np.exp(np.log(new).mean())
        moved = float(np.abs(np.log(new / strength)).max())
        strength = new
        if moved < 1e-10:
            break
    per_elo = math.log(10) / 400
    chance = strength[:, None] / (strength[:, None] + strength[None, :])
    curvature = -met * chance * (1 - chance) * per_elo**2
    np.fill_diagonal(curvature, 0.0)
    np.fill_diagonal(curvature, -curvature.sum(axis=1))
    variances = np.diag(np.linalg.pinv(curvature))
    elos = np.log(strength) / per_elo
    return [
        Rating(float(elo), Z95 * math.sqrt(max(0.0, variance))) for elo, variance in zip(elos, variances, strict=True)
    ]

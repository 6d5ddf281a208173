"""Elo differences with their errors, from pairs of games and from whole tournaments; and a test that ends a match.

Elo's logistic model: a player who is `d` stronger scores `1 / (1 + 10**(-d / 400))`. The error comes from pairs of
games with the same opening and exchanged sides (0, 1, 2, 3 or 4 half points: "pentanomial"), as the two games of an
opening are not independent trials.

The generalised sequential probability ratio test stops a match as soon as it is decided. After every pair, the
likelihood of the results is maximised under each of two hypotheses: the first player is `elo0` stronger, or `elo1`. The
logarithm of their ratio leaves the bounds of Wald's test with at most 5 % error either way. The maximum for a given
mean is found as in M. Van den Bergh, "The generalized sequential probability ratio test", which fishtest uses too.
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
    error: float
    elo: float | None
    """Elo difference; None if every game was won or every one lost, as the difference then has no bound."""
    low: float | None
    """Lower end of the 95 % interval; None means unbounded."""
    high: float | None
    los: float
    """Likelihood of superiority: the probability that the true score is above one half."""


def expected_score(elo: float) -> float:
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


ALPHA = BETA = 0.05
BOUND = math.log((1 - BETA) / ALPHA)
"""Wald's bound, 2.944; the lower one is the same below zero."""
RARE = 1e-3
"""Count given to a result never seen, so that no hypothesis is impossible."""


@dataclasses.dataclass(frozen=True)
class Hypotheses:
    elo0: float
    elo1: float

    @classmethod
    def parse(cls, text: str) -> Hypotheses:
        try:
            elo0, elo1 = (float(word) for word in text.split(","))
        except ValueError:
            raise ValueError(f"--sprt is elo0,elo1, such as 0,20, not {text!r}") from None
        if not (-2000 <= elo0 < elo1 <= 2000):
            raise ValueError(f"--sprt: elo0 is below elo1, both between -2000 and 2000, not {text!r}")
        return cls(elo0, elo1)


@dataclasses.dataclass(frozen=True)
class Verdict:
    llr: float
    """Logarithm of the likelihood ratio, after the deciding pair or the last one."""
    pairs: int
    accepted: str | None
    """`elo0` or `elo1`; None while undecided."""


def judge(pairs: Sequence[int], hypotheses: Hypotheses) -> Verdict:
    counts, llr = [0] * 5, 0.0
    for number, half in enumerate(pairs, 1):
        counts[half] += 1
        llr = log_likelihood_ratio(counts, hypotheses)
        if abs(llr) >= BOUND:
            return Verdict(llr, number, "elo1" if llr > 0 else "elo0")
    return Verdict(llr, len(pairs), None)


def log_likelihood_ratio(counts: Sequence[float], hypotheses: Hypotheses) -> float:
    """Ratio from the counts of pairs with 0, 1, .. half points, evenly spaced from score 0 to 1."""
    seen = [count or RARE for count in counts]
    total = sum(seen)
    scores = [index / (len(counts) - 1) for index in range(len(counts))]
    shares = [count / total for count in seen]
    under = [_tilted(shares, scores, expected_score(elo)) for elo in (hypotheses.elo0, hypotheses.elo1)]
    return total * sum(
        share * math.log(one / zero) for share, zero, one in zip(shares, under[0], under[1], strict=True)
    )


def _tilted(shares: Sequence[float], scores: Sequence[float], mean: float) -> list[float]:
    """The distribution with that mean under which the shares are likeliest.

    It is `share / (1 + x * (score - mean))` for the one `x` that gives the mean: found by halving, as the sum falls
    with `x`.
    """
    low, high = -1 / (scores[-1] - mean), 1 / (mean - scores[0])
    for _ in range(60):
        x = (low + high) / 2
        if (
            sum(share * (score - mean) / (1 + x * (score - mean)) for share, score in zip(shares, scores, strict=True))
            > 0
        ):
            low = x
        else:
            high = x
    return [share / (1 + x * (score - mean)) for share, score in zip(shares, scores, strict=True)]

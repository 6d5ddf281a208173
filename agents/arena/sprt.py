"""Stops a match as soon as it is decided: the generalised sequential probability ratio test over pairs of games.

After every pair, the likelihood of the results is maximised under each of two hypotheses: the first player is `elo0`
stronger, or `elo1`. The logarithm of their ratio leaves the bounds of Wald's test with at most 5 % error either way.
The maximum for a given mean is found as in M. Van den Bergh, "The generalized sequential probability ratio test", which
fishtest uses too.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

from agents.arena.elo import expected_score

ALPHA = BETA = 0.05
BOUND = math.log((1 - BETA) / ALPHA)
"""Wald's bound, 2.944; the lower one is the same below zero."""
RARE = 1e-3
"""Count given to a result never seen, so that no hypothesis is impossible."""


@dataclasses.dataclass(frozen=True)
class Hypotheses:
    """The two Elo differences to distinguish."""

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
    """Pairs that it was computed from."""
    accepted: str | None
    """`elo0` or `elo1`; None while undecided."""


def judge(pairs: Sequence[int], hypotheses: Hypotheses) -> Verdict:
    """Goes through half points per pair, 0 to 4, in order, and stops when a bound is reached."""
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

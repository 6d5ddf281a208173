"""Fits a table's head to cells that legal play has confirmed, and scores heads on cells of known class.

Every fit starts from the table's original head and is regularised towards it, more strongly the fewer examples there
are. So without examples nothing changes, and the head cannot drift in small steps during a long game.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vision.calibrating.examples import Examples
from vision.reading.descriptors import Descriptors
from vision.reading.heads import OTHER, Head, unit

FloatArray = NDArray[np.float64]

STIFFNESS = 0.01
"""Penalty for leaving the original head: an example with an error of one moves the log odds of similar examples by
1 / STIFFNESS. Of 3, 1, 0.3, 0.1, 0.03 and 0.01 the last read simulated games in failing light best."""
SOFT = 0.9995
"""Target probability of an example's class: never certain."""
REMEMBERED = 160
"""Confirmed cells that the head keeps beside its own examples, to recognise strange patches."""
DEADLINE_S = 20.0
"""Seconds after which a fit is abandoned."""
MAX_STEPS = 60


class FitTimeoutError(RuntimeError):
    """The fit took longer than its deadline."""


@dataclasses.dataclass(frozen=True)
class Score:
    """How well a head reads cells of known class."""

    loss: float
    """Mean of -log of the probability of the truth, in nats a cell; 0 where there are no cells."""
    right: int
    """Cells whose most probable class is the true one."""
    cells: int

    def __add__(self, other: Score) -> Score:
        cells = self.cells + other.cells
        loss = (self.loss * self.cells + other.loss * other.cells) / max(cells, 1)
        return Score(loss, self.right + other.right, cells)

    def no_worse_than(self, other: Score, slack: float = 0.0) -> bool:
        """Whether at least as many cells are right and the loss is at most `slack` nats a cell greater."""
        return self.right >= other.right and self.loss <= other.loss + slack


def score(log_probabilities: FloatArray, letters: str, truth: str) -> Score:
    """Scores a (cells, classes) reading against the truth; cells of classes not in `letters` are left out."""
    rows = [row for row, letter in enumerate(truth) if letter in letters]
    columns = [letters.index(truth[row]) for row in rows]
    if not rows:
        return Score(0.0, 0, 0)
    told = log_probabilities[rows]
    return Score(
        -float(told[np.arange(len(rows)), columns].mean()), int((told.argmax(axis=1) == columns).sum()), len(rows)
    )


def adapt_head(
    base: Head, confirmed: Examples, others: Descriptors, kept: Sequence[Examples] = (), deadline_s: float = DEADLINE_S
) -> Head:
    """Fits a head near `base` to the examples by logistic regression regularised towards `base`.

    `others` are descriptors of OTHER, `kept` are older examples that must not be forgotten; neither counts as seen at
    this table now. Takes under a second of one core; meant for a background thread. Raises FitTimeoutError.
    """
    until_s = time.monotonic() + deadline_s
    parts = [confirmed, *kept]
    if OTHER in base.letters and len(others):
        parts.append(Examples(others, OTHER * len(others), np.ones(len(others))))
    parts = [_known(part, base.letters) for part in parts]
    vectors = np.concatenate([part.descriptors for part in parts]).astype(np.float64)
    letters = "".join(part.letters for part in parts)
    weights = np.concatenate([part.weights for part in parts])
    scaled = (vectors - base.mean) / base.scale
    size = float(np.sqrt((scaled**2).sum(axis=1).mean())) if len(scaled) else 1.0
    design = np.concatenate([scaled / size, np.ones((len(scaled), 1))], axis=1)
    lines = base.coefficients * base.slopes[:, None], base.slopes * base.intercepts + base.offsets
    begun = scaled @ lines[0].T + lines[1]
    coefficients, intercepts = lines[0].copy(), lines[1].copy()
    for row, letter in enumerate(base.letters):
        positive = np.array([one == letter for one in letters], dtype=np.bool_)
        if positive.any() and not positive.all():
            change = _regress(design, positive, weights, begun[:, row], until_s)
            coefficients[row] += change[:-1] / size
            intercepts[row] += change[-1]
    ones = np.ones(len(base.letters))
    head = dataclasses.replace(
        base, coefficients=coefficients, intercepts=intercepts, slopes=ones, offsets=np.zeros(len(base.letters))
    )
    return _remember(head, _known(confirmed, base.letters)) if len(base.examples) else head


def _known(part: Examples, letters: str) -> Examples:
    """Keeps the examples whose class the head knows."""
    rows = [row for row, letter in enumerate(part.letters) if letter in letters]
    known = "".join(part.letters[row] for row in rows)
    return Examples(part.descriptors[rows], known, part.weights[rows], part.newest_board)


def _regress(
    design: FloatArray, positive: NDArray[np.bool_], weights: FloatArray, begun: FloatArray, until_s: float
) -> FloatArray:
    """Change of a plane (intercept last) that makes the log odds `begun` fit best; both sides weigh the same."""
    from scipy.optimize import minimize  # slow to import, and only needed to fit

    wanted = np.where(positive, SOFT, 1 - SOFT)
    sides = np.where(positive, weights / weights[positive].sum(), weights / weights[~positive].sum())
    share = sides * min(float(weights[positive].sum()), float(weights[~positive].sum()))

    def loss(change: FloatArray) -> tuple[float, FloatArray]:
        if time.monotonic() > until_s:
            raise FitTimeoutError("the fit took too long")
        odds = begun + design @ change
        misfit = float(share @ (np.logaddexp(0, odds) - wanted * odds))
        error = share * (1 / (1 + np.exp(-np.clip(odds, -30, 30))) - wanted)
        return misfit + STIFFNESS / 2 * float(change @ change), design.T @ error + STIFFNESS * change

    found = minimize(loss, np.zeros(design.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": MAX_STEPS})
    return np.asarray(found.x, dtype=np.float64)


def _remember(head: Head, confirmed: Examples) -> Head:
    """Adds the confirmed cells of the greatest weight to the examples by which the head recognises strange patches."""
    scaled = (confirmed.descriptors.astype(np.float64) - head.mean) / head.scale
    chosen = np.argsort(-confirmed.weights, kind="stable")[:REMEMBERED]
    vectors = unit(scaled[chosen]).astype(np.float16).astype(np.float64)
    lengths, letters = np.linalg.norm(scaled[chosen], axis=1), "".join(confirmed.letters[row] for row in chosen)
    named = len(head.example_letters) == len(head.examples)
    return dataclasses.replace(
        head,
        examples=np.concatenate([head.examples, vectors]),
        example_letters=head.example_letters + letters if named else "",
        example_lengths=np.concatenate([head.example_lengths, lengths]) if named else np.zeros(0),
    )

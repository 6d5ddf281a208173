"""Compares two heads of a table: which of them reads better."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from calibration.template import BoardTemplate
from vision.calibrating.adapting import Score, score
from vision.calibrating.examples import Examples
from vision.reading.descriptors import Descriptors
from vision.reading.heads import GENERIC, OTHER, Head, judge, load_generic, read_log_probabilities
from vision.reading.reader import DescribedCells

MIN_GAIN, MIN_GAIN_NATS = 0.1, 0.002
"""Share of the loss, and nats per cell, by which a new head must be better than the present one."""
SLACK_NATS = 0.005
"""Nats per cell by which the calibration may be read less surely, since it was made in another light."""
COVERED = 0.05
"""Share by which a new head may find non-cells less unknown."""


class BoardReader(Protocol):
    """Reads with one head or another; a `Reader`."""

    @property
    def first(self) -> Head | None:
        """The head that it began with."""

    @property
    def look(self) -> DescribedCells | None:
        """The last picture that was read."""

    def believe(self, look: DescribedCells, head: Head | None) -> NDArray[np.float64]:
        """(cells, classes) log-probabilities that a head gives to that picture."""


class AdaptablePipeline(Protocol):
    """The part that is adapted; a `Pipeline`."""

    @property
    def template(self) -> BoardTemplate:
        """The board in view."""

    @property
    def reader(self) -> BoardReader:
        """The reader of the board."""

    def adopt(self, head: Head | None) -> Any:
        """Uses that head from now on."""


def is_better(one: Score, other: Score, least_nats: float) -> bool:
    """Whether more cells are right, or as many with a loss lower by more than `least_nats` per cell."""
    if one.right != other.right:
        return one.right > other.right
    return other.loss - one.loss > least_nats


def is_gain(one: Score, other: Score) -> bool:
    """Whether the first score justifies changing from a head with the other."""
    return is_better(one, other, max(MIN_GAIN * other.loss, MIN_GAIN_NATS))


def believe_alone(look: DescribedCells, head: Head | None, eyes: AdaptablePipeline) -> NDArray[np.float64]:
    """(cells, classes) log-probabilities of a head (None: the first), reading each cell by itself."""
    own = eyes.reader.first if head is None else head
    return read_log_probabilities(look.descriptors, eyes.template.letters, own, None)


def score_text(one: Score) -> str:
    """Text such as "71 of 72 cells right, loss 0.021"."""
    return f"{one.right} of {one.cells} cells right, loss {one.loss:.3f}"


def why_worse(head: Head, active: Head | None, eyes: AdaptablePipeline) -> str:
    """Why a head that reads the newest boards better is still no good; empty if it is good.

    On the half of the calibration that it was not fitted to it must read no worse than the present head, and it must
    reject non-cells, a hand for example, no less.
    """
    first, letters = eyes.reader.first, eyes.template.letters
    assert first is not None
    present, kept = first if active is None else active, calibration_of(first, 1)
    if kept.letters:
        look = DescribedCells(np.zeros((len(kept.letters), 0, 0, 3), dtype=np.uint8), kept.descriptors)
        before, after = (score(eyes.reader.believe(look, one), letters, kept.letters) for one in (active, head))
        if not after.no_worse_than(before, SLACK_NATS):
            return f"it read the calibration with {score_text(after)}, the present one {score_text(before)}"
    others = others_of(eyes.template, first)[1::2]
    if len(others):
        before_share, after_share = (float(judge(others, letters, one, None)[1].mean()) for one in (present, head))
        if after_share < before_share - COVERED:
            return f"it takes what is no cell for one: unknown {after_share:.2f}, before {before_share:.2f}"
    return ""


def others_of(template: BoardTemplate, first: Head) -> Descriptors:
    """The shipped descriptors of non-cells; none for a head with another kind of descriptor."""
    others = load_generic(template.descriptor).others if template.descriptor in GENERIC else np.zeros((0, 0))
    if others.shape[1] != len(first.mean):
        return np.zeros((0, len(first.mean)), dtype=np.float32)
    return np.asarray(others, dtype=np.float32)


def calibration_of(first: Head, half: int) -> Examples:
    """Every second cell that a profile's head remembers, starting from the first (`half` 0) or the second (1)."""
    described, letters = first.remembered()
    rows = [row for row, letter in enumerate(letters) if letter != OTHER][half::2]
    return Examples(described[rows], "".join(letters[row] for row in rows), np.ones(len(rows)))

"""Expected accuracy of a profile, for cells and whole boards, from pictures left out in turn."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

from wording import Sentences, plain, sentence

PRIOR_RIGHT, PRIOR_WRONG = 1.0, 0.05
"""Cells assumed right and wrong before any is judged, as a beta distribution: most tables have no faults."""
SPREAD = 0.9
"""Probability that the interval contains the true value."""


@dataclasses.dataclass(frozen=True)
class Expectation:
    """Results on cells read while their picture was left out, and what they predict for new boards."""

    right: float
    """Cells read right; a cell read right in only some of its varied lights counts in part."""
    judged: int
    """Number of cells judged; 0 if no picture could be left out."""
    cells: int
    by_picture: bool = True
    """Whether whole pictures were left out; else single cells were, which gives too good a result."""

    @property
    def accuracy(self) -> float:
        """Share of the judged cells that were right; 0 if none was judged."""
        return self.right / self.judged if self.judged else 0.0

    @property
    def boards(self) -> float:
        """Expected share of boards read without a fault."""
        right, wrong = self._believed
        # The mean of p ** cells under a beta distribution of p.
        logs = (math.log1p(-wrong / (right + wrong + cell)) for cell in range(self.cells))
        return math.exp(sum(logs))

    @property
    def boards_between(self) -> tuple[float, float]:
        """Interval that contains the share of `boards` with probability `SPREAD`; wide if few cells were judged."""
        from scipy.special import betaincinv  # slow to import, but far less so than scipy.stats

        right, wrong = self._believed
        low, high = betaincinv(right, wrong, [(1 - SPREAD) / 2, (1 + SPREAD) / 2])
        return float(low) ** self.cells, float(high) ** self.cells

    @property
    def said(self) -> Sentences:
        if not self.judged:
            return (sentence("How well it reads cannot be told: lay or label men of every kind on more cells."),)
        figures: dict[str, int | str] = {"number": round(100 * self.boards), "accuracy": f"{100 * self.accuracy:.1f}"}
        low, high = (100 * share for share in self.boards_between)
        if high - low > 4:
            measured = sentence(
                "I expect about {number} of 100 boards to be read wholly right "
                "(between {low} and {high}, as only {judged} cells were judged): of 100 cells {accuracy} were right "
                "while their picture was left out, in varied light.",
                low=round(low),
                high=round(high),
                judged=self.judged,
                **figures,
            )
        else:
            measured = sentence(
                "I expect about {number} of 100 boards to be read wholly right: of 100 cells {accuracy} were right "
                "while their picture was left out, in varied light.",
                **figures,
            )
        if self.by_picture:
            return (measured,)
        return measured, sentence("Cells of the same picture were judged by one another, which flatters.")

    @property
    def text(self) -> str:
        return plain(self.said)

    def as_json(self) -> dict[str, Any]:
        low, high = self.boards_between if self.judged else (0.0, 1.0)
        return {
            "accuracy": round(self.accuracy, 4),
            "judged_cells": self.judged,
            "expected_boards": round(self.boards, 4) if self.judged else None,
            "expected_boards_between": [round(low, 4), round(high, 4)],
        }

    @property
    def _believed(self) -> tuple[float, float]:
        return self.right + PRIOR_RIGHT, self.judged - self.right + PRIOR_WRONG

"""Decides whether a table is fit for calibration: viewing conditions, the expected accuracy of its profile, objections.

Every condition has two limits. Beyond the first it warns; beyond the second calibration is refused, because heads
fitted there read new boards wrong. `docs/calibration.md` describes how the limits were measured.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal

from calibration.profile import TableProfile
from wording import Sentence, Sentences, plain, sentence

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


Grade = Literal["fine", "warns", "refuses"]
GRADES: tuple[Grade, ...] = ("fine", "warns", "refuses")
NEVER = math.inf


@dataclasses.dataclass(frozen=True)
class Limit:
    """Values beyond which a condition warns and refuses; from the first to the second is the direction of worse."""

    unit: str
    warns: float
    refuses: float

    def grade(self, value: float) -> Grade:
        sign = 1 if self.refuses > self.warns else -1
        return GRADES[int(sign * value > sign * self.warns) + int(sign * value > sign * self.refuses)]

    def badness(self, value: float) -> float:
        """Distance beyond the first limit: 0 there, 1 at the second; 0.5 for a warning that never refuses."""
        if math.isfinite(self.refuses):
            return (value - self.warns) / (self.refuses - self.warns)
        return 0.5 if self.grade(value) == "warns" else 0.0


LIMITS = {
    "pixels": Limit("pixels a cell", 12.0, 7.0),
    "elevation": Limit("degrees above the table", 25.0, 17.0),
    "brightness": Limit("of 255 grey levels in the lightest parts", 30.0, 18.0),
    "exposure": Limit("of 100 empty cells burnt out", 30.0, 70.0),
    "glare": Limit("of 100 cells in which a lamp mirrors", 0.0, 30.0),
    "sharpness": Limit("of 100 parts of a cell over which a line blurs", 13.0, 16.0),
    "unevenness": Limit("times the light of the darkest cells on the brightest", 8.0, NEVER),
    "contrast": Limit("CIE L*a*b* between the men most like each other", 16.0, 8.0),
    "camouflage": Limit("CIE L*a*b* between the board and the men most like it", 3.0, -NEVER),
    "found": Limit("of 100 pictures in which the profile does not find the board", 0.0, 50.0),
}


@dataclasses.dataclass(frozen=True)
class Condition:
    name: str
    value: float
    said: Sentence
    """What is wrong and what to do, naming cells, if the value is beyond its limits."""
    cells: tuple[int, ...] = ()

    @property
    def limit(self) -> Limit:
        return LIMITS[self.name]

    @property
    def text(self) -> str:
        return str(self.said)

    @property
    def grade(self) -> Grade:
        return self.limit.grade(self.value)

    @property
    def badness(self) -> float:
        """Distance beyond the limits, 0 at the first and 1 at the second, for finding the worst condition."""
        return self.limit.badness(self.value)

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """JSON form; `names` are the board's cell names."""
        limits = {key: getattr(self.limit, key) for key in ("warns", "refuses")}
        found = {key: None if math.isinf(value) else value for key, value in limits.items()}
        return {
            "name": self.name, "grade": self.grade, "value": round(self.value, 2), **found, "unit": self.limit.unit,
            "cells": [names[cell] for cell in self.cells], "advice": self.text if self.grade != "fine" else "",
        }  # fmt: skip


def worst_of(found: Sequence[Condition]) -> tuple[Condition, ...]:
    """The worst measurement of each condition, in the order of `LIMITS`."""
    worst: dict[str, Condition] = {}
    for condition in found:
        if condition.name not in worst or condition.badness > worst[condition.name].badness:
            worst[condition.name] = condition
    return tuple(worst[name] for name in LIMITS if name in worst)


def refusing(found: Sequence[Condition]) -> tuple[Condition, ...]:
    """Conditions that refuse, worst first."""
    return tuple(sorted((one for one in found if one.grade == "refuses"), key=lambda one: -one.badness))


def warning(found: Sequence[Condition]) -> tuple[Condition, ...]:
    """Conditions that only warn, worst first."""
    return tuple(sorted((one for one in found if one.grade == "warns"), key=lambda one: -one.badness))


MIN_BOARDS = 0.5
"""Share of boards expected to be read without a fault below which no profile is written."""
NO_CAUSE = sentence(
    "No single cause is to be seen: try again in even light, the camera rather above the board, with men of clearly "
    "different colours, and see that every man lies where it was asked for."
)
ALL_THE_SAME = "With --accept it is made all the same."


class RefusedError(ValueError):
    """The calibration is too bad to be used; the message says why, and what to do."""


@dataclasses.dataclass(frozen=True, eq=False)
class Verdict:
    expectation: Expectation
    conditions: tuple[Condition, ...]

    @property
    def objections(self) -> tuple[Sentences, ...]:
        """Why the calibration is refused, most important first; empty if it is not."""
        worst = [(condition.said,) for condition in refusing(self.conditions)]
        if self.expectation.judged and self.expectation.boards >= MIN_BOARDS:
            return tuple(worst)
        if not self.expectation.judged:
            return (self.expectation.said, *worst)
        needed = sentence("At least {needed} of 100 are needed.", needed=round(100 * MIN_BOARDS))
        causes = worst or [(condition.said,) for condition in warning(self.conditions)][:1] or [(NO_CAUSE,)]
        return ((*self.expectation.said, needed), *causes)

    @property
    def doubts(self) -> tuple[str, ...]:
        return tuple(plain(said) for said in self.objections)

    @property
    def remarks(self) -> tuple[str, ...]:
        return tuple(condition.text for condition in warning(self.conditions))

    def accepted(self, profile: TableProfile, *, accept: bool) -> TableProfile:
        """The profile, with any doubts recorded in it. Raises RefusedError if there are some and not `accept`."""
        if self.doubts and not accept:
            raise RefusedError(f"refused: {' '.join(self.doubts)} {ALL_THE_SAME}")
        return dataclasses.replace(profile, doubts=self.doubts)

    def as_json(self, names: Sequence[str], *, accept: bool) -> dict[str, Any]:
        """JSON form; `names` are the board's cell names."""
        return self.expectation.as_json() | {
            "conditions": [condition.as_json(names) for condition in self.conditions],
            "accepted": accept or not self.doubts,
            "doubts": list(self.doubts),
        }

"""Judges viewing conditions for calibration: light, sharpness, size, camera position.

Every condition has two limits. Beyond the first it warns; beyond the second calibration is refused, because heads
fitted there read new boards wrong. `docs/calibration.md` describes how the limits were measured.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal

from wording import Sentence

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
    """Key in `LIMITS`."""
    value: float
    said: Sentence
    """What is wrong and what to do, naming cells, if the value is beyond its limits."""
    cells: tuple[int, ...] = ()
    own_limit: Limit | None = None
    """Limits on this board, if other than the usual ones."""

    @property
    def limit(self) -> Limit:
        return LIMITS[self.name] if self.own_limit is None else self.own_limit

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

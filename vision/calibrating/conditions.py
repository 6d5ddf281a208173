"""The conditions under which a board is seen, judged for calibration: light, sharpness, size, the camera's place.

Every condition has two limits. Beyond the first it warns; beyond the second no table is to be learnt from, since heads
fitted there read fresh boards wrong: `docs/calibration.md` tells how the limits were measured.
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
    """From where a condition warns, and from where it refuses; the direction is from the first to the second."""

    unit: str
    warns: float
    refuses: float

    def grade(self, value: float) -> Grade:
        """What the value is worth."""
        sign = 1 if self.refuses > self.warns else -1
        return GRADES[int(sign * value > sign * self.warns) + int(sign * value > sign * self.refuses)]

    def badness(self, value: float) -> float:
        """How far it is beyond: 0 at the first limit, 1 at the second; a half where it warns and never refuses."""
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
}
"""By the name of the condition."""


@dataclasses.dataclass(frozen=True)
class Condition:
    """One measured condition."""

    name: str
    """Key in `LIMITS`."""
    value: float
    said: Sentence
    """What is amiss and what to do, naming cells, where it is beyond its limits."""
    cells: tuple[int, ...] = ()
    """Cells that it is about, where it is about some."""

    @property
    def limit(self) -> Limit:
        """Its limits."""
        return LIMITS[self.name]

    @property
    def advice(self) -> str:
        """What is said of it, in English."""
        return str(self.said)

    @property
    def grade(self) -> Grade:
        """Whether it warns or refuses."""
        return self.limit.grade(self.value)

    @property
    def badness(self) -> float:
        """How far beyond its limits it is: 0 at the first, 1 at the second; for telling which is the worst."""
        return self.limit.badness(self.value)

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        """For machines; `names` are the board's cells."""
        limits = {key: getattr(self.limit, key) for key in ("warns", "refuses")}
        found = {key: None if math.isinf(value) else value for key, value in limits.items()}
        return {
            "name": self.name, "grade": self.grade, "value": round(self.value, 2), **found, "unit": self.limit.unit,
            "cells": [names[cell] for cell in self.cells], "advice": self.advice if self.grade != "fine" else "",
        }  # fmt: skip


def worst_of(found: Sequence[Condition]) -> tuple[Condition, ...]:
    """Of each condition the worst, in the order of `LIMITS`."""
    worst: dict[str, Condition] = {}
    for condition in found:
        if condition.name not in worst or condition.badness > worst[condition.name].badness:
            worst[condition.name] = condition
    return tuple(worst[name] for name in LIMITS if name in worst)


def refusing(found: Sequence[Condition]) -> tuple[Condition, ...]:
    """Those that refuse, the worst first."""
    return tuple(sorted((one for one in found if one.grade == "refuses"), key=lambda one: -one.badness))


def warning(found: Sequence[Condition]) -> tuple[Condition, ...]:
    """Those that only warn, the worst first."""
    return tuple(sorted((one for one in found if one.grade == "warns"), key=lambda one: -one.badness))

"""Decides whether a table is fit for calibration: expected accuracy of its profile, objections, and remedies."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from calibration.profile import TableProfile
from vision.calibrating.conditions import Condition, refusing, warning
from vision.calibrating.expectation import Expectation
from wording import Sentences, plain, sentence

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

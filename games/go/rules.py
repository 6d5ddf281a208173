"""The rule options of go, and those that belong together by the names under which players know them."""

from __future__ import annotations

import dataclasses
import re

from rules import RuleError, RuleSet
from rules.options import rule
from wording import noun, sentence

SIZES = ("9", "13", "19")
KOMI = re.compile(r"-?\d{1,3}(\.[05])?")


@dataclasses.dataclass(frozen=True)
class GoRules:
    """The rule options; the defaults are those most played at home."""

    size: str = rule("9", "lines of the board each way", choices=SIZES, drawn=True)
    handicap: int = rule(0, "stones of black on the star points at the start, none or 2 to 9", minimum=0, maximum=9)
    komi: str = rule("6.5", "points that white gets for moving second: whole or half ones, such as 6.5")
    scoring: str = rule("territory", "what is counted at the end", choices=("territory", "area"))
    superko: bool = rule(False, "no board may come again, not only the one before the last move")
    suicide: bool = rule(False, "a stone that leaves its own chain without liberties takes the chain off the board")

    def __post_init__(self) -> None:
        if self.handicap == 1:
            raise RuleError("go: rule option handicap is 0 or 2 to 9, not 1: give black the first move and no komi")
        if KOMI.fullmatch(self.komi) is None:
            raise RuleError(f"go: rule option komi is points, whole or half ones such as 6.5, not {self.komi!r}")


RULE_SETS = {
    "japanese": RuleSet(
        noun("rules", "Japanese rules"),
        sentence("Territory and captured stones count; a ko may not be retaken at once."),
        {},
    ),
    "chinese": RuleSet(
        noun("rules", "Chinese rules"),
        sentence("Stones and the territory they surround count; no board may come again."),
        {"scoring": "area", "komi": "7.5", "superko": True},
    ),
    "new_zealand": RuleSet(
        noun("rules", "New Zealand rules"),
        sentence("Stones and territory count; no board may come again, and suicide is allowed."),
        {"scoring": "area", "komi": "7", "superko": True, "suicide": True},
    ),
}

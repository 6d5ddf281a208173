"""How the newest look agrees with the certain plies, since when, and whether that is long enough to be told."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import Any, Literal

from daemon.belief.costs import MAX_BACK, STANDING_S, WAITING_S
from daemon.belief.line import boards_before
from rules import AnyGame
from rules.turns import changed_cells
from vision.watching.watcher import REPORTED_S

State = Literal["unseen", "right", "misplaced", "unfinished", "torn", "wrong"]
"""The look shows the board of the certain plies; the same at the start, but other pieces; a turn that is not finished;
plies between which it leaves the choice; nothing that any line allows."""
LIMITS_S = {"misplaced": WAITING_S, "unfinished": WAITING_S, "torn": WAITING_S, "wrong": STANDING_S}
GOING_BACK_S = STANDING_S + WAITING_S
"""Where all that is amiss looks as on an earlier board, men may be going back one by one: hands pause between them."""
LASTING_S = REPORTED_S + WAITING_S
"""Longer than a hand rests, and than most turns then take."""


@dataclasses.dataclass(frozen=True)
class Standing:
    state: State = "unseen"
    board: str = ""
    since_s: float | None = None
    """The first of an unbroken row of free looks that show it; None if a hand is over the board."""
    until_s: float = 0.0
    unknown: frozenset[int] = frozenset()
    """Cells of which the newest look shows nothing."""
    final: bool = False
    """Whether nothing more will be seen of it."""
    amiss: tuple[tuple[int, str], ...] = ()
    """Cells that differ from the certain board, with what they show."""
    strange_s: float = math.inf
    """Since when no line has allowed what is seen, hands or not."""
    named: bool = False
    """Whether it is seen which piece stands where on a board that no line allows."""

    @property
    def is_lasting(self) -> bool:
        """Whether no line has allowed what is seen for too long to be silent, free or not."""
        return self.until_s - self.strange_s >= LASTING_S

    @property
    def free_s(self) -> float:
        """Seconds for which it has stood freely."""
        if self.final:
            return math.inf
        return 0.0 if self.since_s is None else self.until_s - self.since_s

    def is_alike(self, other: Standing | None) -> bool:
        """Whether nothing more is seen than in the other."""
        known = other is not None and (other.named or not self.named)
        return other is not None and known and (self.state, self.board) == (other.state, other.board)

    def after(self, before: Standing) -> Standing:
        """This standing, since when `before` has stood if that is the same."""
        unbroken = self.since_s is not None and before.since_s is not None and self.is_alike(before)
        strange_s = min(before.strange_s, self.until_s) if self.state == "wrong" else math.inf
        return dataclasses.replace(self, since_s=before.since_s if unbroken else self.since_s, strange_s=strange_s)


def is_due(game: AnyGame, history: Sequence[Any], standing: Standing) -> bool:
    """Whether trouble has stood long enough to be told, after these certain positions."""
    if standing.state not in LIMITS_S:
        return False
    limit = LIMITS_S[standing.state]
    if standing.state != "torn" and standing.amiss and limit <= standing.free_s < GOING_BACK_S:
        before = boards_before(game, history, MAX_BACK)
        goes_back = any(all(board[cell] == letter for cell, letter in standing.amiss) for _, board in before)
        return not goes_back
    return standing.free_s >= limit


def is_mended(standing: Standing, trouble: Standing, certain: str) -> bool:
    """Whether the board is seen to be right again, on the cells that had been in trouble too."""
    cells = changed_cells(trouble.board, certain)
    return standing.state == "right" and standing.since_s is not None and standing.unknown.isdisjoint(cells)

"""Waits for a report of a wrong board, and puts the board right again."""

from __future__ import annotations

from collections.abc import Iterator

from lab.simulated.player import steps_between
from lab.soak.fault import hands_off, wait_while
from lab.soak.trial import Trial

REPORT_S = 10.0
"""Seconds in sight within which an illegal board must have been reported."""
PATIENCE_S = 90.0
"""Seconds after which players put a wrong board right even if it could not be seen."""


def reported(at: Trial, what: str, rules: frozenset[str]) -> Iterator[None]:
    """Waits until the present board is reported by one of the rules (by any, if there are none).

    A report of this very board counts from when it was laid: it may come before the hand is back at the table's edge.
    """
    since_s, board = at.time_s, at.table.board
    most_s = at.time_s + PATIENCE_S
    while at.time_s < most_s:
        for one in at.judge.heard:
            if one.time_s < (at.judge.laid_s if one.board == board else since_s):
                continue
            if one.code not in ("illegal", "desync", "unfinished"):
                continue
            if not rules or one.rule in rules or one.code in rules:
                name = one.rule or one.code
                at.tally.reported[name] = at.tally.reported.get(name, 0) + 1
                return
        if at.abandoned:
            return  # a game that is over is judged no further
        if at.judge.clear_s > REPORT_S and at.table.board == board:
            at.judge.unreported(rules or frozenset({"any rule"}), f"{what} on {board}")
            return
        yield


def put_back(at: Trial) -> Iterator[None]:
    """A hand restores the right board, and the players wait until the daemon has noticed."""
    right = at.game.board(at.player.position)
    at.table.perform(steps_between(at.table.board, right), at.chance.randrange(2))
    yield from hands_off(at)
    if at.table.board != right:
        at.table.perform(steps_between(at.table.board, right), at.chance.randrange(2))
        yield from hands_off(at)
    yield from wait_while(at, lambda: not at.judge.knows, 20)

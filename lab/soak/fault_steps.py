"""What faults have in common: waiting, changing things for a while, and waiting for a report of a wrong board."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

from lab.simulated.player import steps_between
from lab.soak.trial import Trial

REPORT_S = 10.0
"""Seconds in sight within which an illegal board must have been reported."""
PATIENCE_S = 90.0
"""Seconds after which players put a wrong board right even if it could not be seen."""


def wait(at: Trial, seconds: float) -> Iterator[None]:
    until_s = at.time_s + seconds
    while at.time_s < until_s:
        yield


def changed(at: Trial, thing: object, lasts_s: tuple[float, float], **values: object) -> Iterator[None]:
    """Gives attributes of a thing other values for a random time, then their former ones."""
    before = {name: getattr(thing, name) for name in values}
    try:
        for name, value in values.items():
            setattr(thing, name, value)
        yield from wait(at, seconds(at.chance, *lasts_s))
    finally:
        for name, value in before.items():
            setattr(thing, name, value)


def wait_while(at: Trial, condition: Callable[[], bool], most_s: float = 60.0) -> Iterator[None]:
    """Waits until a condition no longer holds, at most `most_s` simulated seconds."""
    until_s = at.time_s + most_s
    while condition() and at.time_s < until_s:
        yield


def hands_off(at: Trial) -> Iterator[None]:
    """Waits until no hand is over the table and no move is being made."""
    return wait_while(at, lambda: at.player.moving or at.table.busy)


def seconds(chance: random.Random, low: float, high: float) -> float:
    """A random duration, distributed evenly on a logarithmic scale."""
    return float(low * (high / low) ** chance.random())


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

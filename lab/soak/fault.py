"""Base classes of the injected faults: a name, the announcements it may cause, and what it does frame by frame."""

from __future__ import annotations

import abc
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from lab.soak.trial import Trial

COMPLAINTS = frozenset({"illegal", "unfinished", "takeback", "ambiguous", "unclear", "desync", "put_back", "reminder"})
"""Announcements about a board that is not right."""
SIGHT = frozenset({"board_lost", "board_found", "bumped"})
"""Announcements about a board that cannot be seen."""


class Fault(abc.ABC):
    """One kind of fault; a new instance for each occurrence."""

    name: ClassVar[str]
    """Name on the command line, in `--faults`."""
    allows: ClassVar[frozenset[str]] = frozenset()
    """Codes of announcements that the fault rightly causes, while it lasts and shortly after."""
    hands: ClassVar[bool] = False
    """Whether it occupies the players' hands: no move begins while it lasts."""
    agent: ClassVar[bool] = False
    """Whether it needs an agent at the table."""
    slow: ClassVar[bool] = False
    """Whether hands only linger, so that fewer pictures are enough."""

    def possible(self, at: Trial) -> bool:
        return True

    @abc.abstractmethod
    def run(self, at: Trial) -> Iterator[None]:
        """Runs the fault: one step per turn of the loop. It ends when exhausted, after undoing what it changed."""


class ByHand(Fault):
    """Base of what players do with their hands other than playing."""

    hands: ClassVar[bool] = True

    def possible(self, at: Trial) -> bool:
        return not at.player.finished


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

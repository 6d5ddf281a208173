"""What a fault is: a name, what may be said because of it, and what happens, frame by frame."""

from __future__ import annotations

import abc
import random
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from proving.soak.trial import Trial

COMPLAINTS = frozenset({"illegal", "unfinished", "takeback", "ambiguous", "unclear", "desync", "put_back", "reminder"})
"""What is said of a board that is not right."""
SIGHT = frozenset({"board_lost", "board_found", "bumped"})
"""What is said of a board that cannot be seen."""


class Fault(abc.ABC):
    """One kind of fault, made anew for each time that it happens."""

    name: ClassVar[str]
    """As `--faults` takes it."""
    allows: ClassVar[frozenset[str]] = frozenset()
    """Codes of announcements that it causes rightly, while it lasts and shortly after."""
    hands: ClassVar[bool] = False
    """Whether it needs the players' hands: no move is begun while it lasts."""
    agent: ClassVar[bool] = False
    """Whether it needs an agent at the table."""
    slow: ClassVar[bool] = False
    """Whether hands only linger: fewer pictures show all of it."""

    def possible(self, at: Trial) -> bool:
        """Whether it can happen now."""
        return True

    @abc.abstractmethod
    def run(self, at: Trial) -> Iterator[None]:
        """What happens: goes on with every turn of the loop, ends when it is over. Puts right what it did at last."""


class ByHand(Fault):
    """Base of what players do with their hands besides playing."""

    hands: ClassVar[bool] = True

    def possible(self, at: Trial) -> bool:
        """While nobody moves, and the game goes on."""
        return not at.player.finished


def wait(at: Trial, seconds: float) -> Iterator[None]:
    """Lets simulated seconds pass."""
    until_s = at.time_s + seconds
    while at.time_s < until_s:
        yield


def wait_while(at: Trial, condition: Callable[[], bool], most_s: float = 60.0) -> Iterator[None]:
    """Waits until a condition no longer holds, so long at most."""
    until_s = at.time_s + most_s
    while condition() and at.time_s < until_s:
        yield


def hands_off(at: Trial) -> Iterator[None]:
    """Waits until no hand is over the table and no move is being made."""
    return wait_while(at, lambda: at.player.moving or at.table.busy)


def seconds(chance: random.Random, low: float, high: float) -> float:
    """A duration, short ones as likely as long ones on a logarithmic scale."""
    return float(low * (high / low) ** chance.random())

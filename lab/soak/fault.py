"""Injected faults, and their schedule: at most one by hand and one of another kind at a time, as the seed decides.

A fault is a name, the announcements that it may cause, and what it does frame by frame.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

COMPLAINTS = frozenset({"illegal", "unfinished", "takeback", "ambiguous", "unclear", "desync", "put_back", "reminder"})
"""Announcements about a board that is not right."""
SIGHT = frozenset({"board_lost", "board_found", "bumped"})
"""Announcements about a board that cannot be seen."""


Steps = Callable[[Any], Iterator[None]]
"""One step per turn of the loop; ends when exhausted, after undoing what it changed."""
FAULTS: dict[str, Fault] = {}
"""All kinds by the names that `--faults` takes, once their modules are loaded, in their order there."""


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    run: Steps
    """Its docstring says what happens."""
    allows: frozenset[str]
    """Codes of announcements that the fault rightly causes, while it lasts and shortly after."""
    hands: bool
    """Whether it occupies the players' hands: no move begins while it lasts."""
    agent: bool
    """Whether it needs an agent at the table."""
    slow: bool
    """Whether hands only linger, so that fewer pictures are enough."""
    suits: Callable[[Any], bool]

    def possible(self, at: Any) -> bool:
        played_out = self.hands and at.player.finished
        return not played_out and (at.agent_plays or not self.agent) and self.suits(at)


def fault(
    name: str,
    allows: Iterable[str] = (),
    *,
    hands: bool = False,
    agent: bool = False,
    slow: bool = False,
    suits: Callable[[Any], bool] = lambda _: True,
) -> Callable[[Steps], Fault]:
    """Enters a kind of fault into the table; `suits` is whether it can happen now."""

    def enter(run: Steps) -> Fault:
        FAULTS[name] = Fault(name, run, frozenset(allows), hands, agent, slow, suits)
        return FAULTS[name]

    return enter


GRACE_S = 5.0
"""Seconds after a fault in which its announcements are still allowed."""
BLAME_S = 10.0
"""Seconds after its end in which a fault is still named with a failure."""


@dataclasses.dataclass
class Running:
    fault: Fault
    steps: Iterator[None]
    begun_s: float
    ended_s: float | None = None
    known_again: bool = False
    """Whether the daemon has known the board since the fault's end."""


class FaultSchedule:
    def __init__(self, at: Any, faults: Sequence[Fault], calm_s: float) -> None:
        """`calm_s` is the mean time between two faults of either sort; 0 starts the next one at once."""
        self._at = at
        self._kinds = {
            True: [kind for kind in faults if kind.hands],
            False: [kind for kind in faults if not kind.hands],
        }
        self._calm_s = calm_s
        self._next_s = {by_hand: self._pause() for by_hand in self._kinds}
        self.running: list[Running] = []

    @property
    def holds_hands(self) -> bool:
        return any(one.fault.hands and one.ended_s is None for one in self.running)

    @property
    def slow(self) -> bool:
        return any(one.fault.slow and one.ended_s is None for one in self.running)

    def allows(self, code: str) -> bool:
        """Whether a present or recent fault may cause such an announcement."""
        now_s = self._at.time_s
        return any(
            code in one.fault.allows and (one.ended_s is None or now_s - one.ended_s < GRACE_S) for one in self.running
        )

    def blamed(self) -> tuple[str, ...]:
        return tuple(sorted({one.fault.name for one in self.running}))

    def update(self) -> None:
        now_s = self._at.time_s
        for one in self.running:
            if one.ended_s is None and next(one.steps, self) is self:
                one.ended_s = now_s
                self._next_s[one.fault.hands] = now_s + self._pause()
        self.running = [one for one in self.running if one.ended_s is None or not self._is_over(one)]
        for by_hand, kinds in self._kinds.items():
            busy = any(one.fault.hands == by_hand and one.ended_s is None for one in self.running)
            if kinds and not busy and now_s >= self._next_s[by_hand]:
                self._begin(self._at.chance.choice(kinds))

    def close(self) -> None:
        """Ends all faults; each undoes what it changed."""
        for one in self.running:
            close = getattr(one.steps, "close", None)
            if one.ended_s is None and close is not None:
                close()
            one.ended_s = self._at.time_s if one.ended_s is None else one.ended_s
        self._kinds = {}

    def _is_over(self, one: Running) -> bool:
        assert one.ended_s is not None
        return one.known_again and self._at.time_s - one.ended_s > BLAME_S

    def _begin(self, fault: Fault) -> None:
        if not fault.possible(self._at):
            return
        self.running.append(Running(fault, fault.run(self._at), self._at.time_s))
        self._at.tally.share(fault.name).times += 1

    def _pause(self) -> float:
        return self._at.chance.expovariate(1 / self._calm_s) if self._calm_s > 0 else 0.0

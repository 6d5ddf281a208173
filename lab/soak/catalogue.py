"""Faults of the computer, and all kinds of faults by the names that `--faults` takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.soak.fault import SIGHT, Fault
from lab.soak.fault_steps import changed, wait, wait_while
from lab.soak.men_faults import MEN_FAULTS, MOVE_FAULTS
from lab.soak.phone_faults import PHONE_FAULTS
from lab.soak.player_faults import AGENT_FAULTS, PLAY_FAULTS
from lab.soak.sight_faults import CAMERA_FAULTS, SIGHT_FAULTS
from lab.soak.subject import Instant
from lab.soak.trial import Trial

FIND_S = 20.0
"""Seconds a restarted daemon may take to find the board."""
INSTANTS: tuple[Instant, ...] = ("before_writing", "after_writing", "after_telling")


class Kill(Fault):
    """The daemon is killed between two pictures, stays away for a while, and is started again.

    It then has to find the board, which no hand may cover and no glare may hide; until it has, it rightly says that it
    sees none.
    """

    name = "kill"
    allows = SIGHT

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.camera, (0.5, 10), unplugged=at.chance.random() < 0.5)
        at.kill()
        yield from _found_again(at)


class KillInWriting(Fault):
    """The daemon is killed while it records or announces its next ply."""

    name = "kill-writing"
    allows = SIGHT

    def run(self, at: Trial) -> Iterator[None]:
        kills, until_s = at.subject.kills, at.time_s + 30
        at.subject.kill_plan.instant = at.chance.choice(INSTANTS)
        try:
            while at.subject.kills == kills and at.time_s < until_s:
                yield
        finally:
            at.subject.kill_plan.instant = None
        if at.subject.kills != kills:
            yield from _found_again(at)


def _found_again(at: Trial) -> Iterator[None]:
    """Waits until a restarted daemon sees the board."""
    yield
    yield from wait_while(at, lambda: at.subject.seen is None or at.subject.seen.alignment.pose is None, FIND_S)


class DiskFull(Fault):
    """The record cannot be written for a while; the plies made meanwhile must be in it afterwards."""

    name = "disk"
    allows = frozenset({"trouble"})

    def run(self, at: Trial) -> Iterator[None]:
        yield from changed(at, at.subject.kill_plan, (3, 60), disk_full=True)
        yield from wait(at, 1)


MACHINE_FAULTS: tuple[type[Fault], ...] = (Kill, KillInWriting, DiskFull)

FAULTS: dict[str, type[Fault]] = {
    kind.name: kind
    for kind in (
        *SIGHT_FAULTS,
        *CAMERA_FAULTS,
        *PHONE_FAULTS,
        *MEN_FAULTS,
        *PLAY_FAULTS,
        *MOVE_FAULTS,
        *MACHINE_FAULTS,
        *AGENT_FAULTS,
    )
}


def kinds_of(names: Iterable[str]) -> list[type[Fault]]:
    """The fault classes of these names, in the catalogue's order. Raises ValueError for an unknown name."""
    wanted = list(names)
    for name in wanted:
        if name not in FAULTS:
            raise ValueError(f"--faults: there is no fault {name!r}; the faults are {', '.join(FAULTS)}")
    return [kind for name, kind in FAULTS.items() if name in wanted]

"""The counts of a soak trial, and their sums over several trials."""

from __future__ import annotations

import collections
import dataclasses
import os
import statistics
import tempfile
import threading
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

COUNTS = ("wrong_boards", "missed_plies", "false_events", "unreported_illegal", "unneeded_reports")
"""Counts that must stay at 0, worst first."""
DEFINITIONS = """\
wrong_boards        positions believed that the table never showed as a completed legal line of this game
moves_by_the_way    legal moves that stood free on the board while men were taken or put back, and were believed so long
assumed_plies       plies that came together in one look, recorded in another order or with another capture that leads
                    to the same board
to_and_fro          plies without a record that came in one look and led back to a board that had stood there with the
                    same side to move: taken for taken back, as nobody who looks could tell
adopted             right boards that were not believed, until a player had them adopted
missed_plies        plies that were not in the record by the end of the game, or 30 seconds after they could be seen
false_events        announcements that nothing on the table, before the camera or in the computer had caused
unreported_illegal  illegal boards that lay in sight for 10 seconds without being reported by the right rule
unneeded_reports    complaints about the board (illegal, unfinished, taken back, unclear, ...) while it was right
recoveries          times that the daemon knew the board again after a fault; recovery_s is how long it took"""
"""For people; all times are simulated."""


@dataclasses.dataclass
class Share:
    times: int = 0
    failures: dict[str, int] = dataclasses.field(default_factory=dict)
    """By the names of COUNTS; zeros are left out."""
    recovery_s: list[float] = dataclasses.field(default_factory=list)


@dataclasses.dataclass(frozen=True)
class Failure:
    kind: str
    """One of COUNTS."""
    game: str
    seed: int
    time_s: float
    """Simulated seconds since the trial began."""
    ply: int
    faults: tuple[str, ...]
    """Faults that were happening or had just ended."""
    text: str


@dataclasses.dataclass(frozen=True)
class Sample:
    time_s: float
    """Simulated seconds since the trial began."""
    plies: int
    memory_mb: float
    descriptors: int
    threads: int
    temporary_files: int


@dataclasses.dataclass
class Tally:
    """The counts of one trial, one game and one seed, as DEFINITIONS says."""

    game: str
    seed: int
    plies: int = 0
    """Plies made on the table that a camera can see."""
    games: int = 0
    """Games that were begun."""
    simulated_s: float = 0.0
    wall_s: float = 0.0
    frames: int = 0
    wrong_boards: int = 0
    missed_plies: int = 0
    false_events: int = 0
    unreported_illegal: int = 0
    unneeded_reports: int = 0
    moves_by_the_way: int = 0
    assumed_plies: int = 0
    to_and_fro: int = 0
    adopted: int = 0
    reported: dict[str, int] = dataclasses.field(default_factory=dict)
    """Illegal boards that were rightly reported, by rule."""
    verdict_s: list[float] = dataclasses.field(default_factory=list)
    """Seconds from the hand's leaving to the move's announcement."""
    by_fault: dict[str, Share] = dataclasses.field(default_factory=dict)
    failures: list[Failure] = dataclasses.field(default_factory=list)
    samples: list[Sample] = dataclasses.field(default_factory=list)

    def share(self, fault: str) -> Share:
        return self.by_fault.setdefault(fault, Share())

    def fail(self, failure: Failure, count: int = 1) -> None:
        setattr(self, failure.kind, getattr(self, failure.kind) + count)
        self.failures.append(failure)
        for fault in failure.faults or ("none",):
            failures = self.share(fault).failures
            failures[failure.kind] = failures.get(failure.kind, 0) + count


def tally_from(data: dict[str, Any]) -> Tally:
    """Rebuilds a tally from its JSON object. Raises ValueError if it is none."""
    return TypeAdapter(Tally).validate_python(data)


def total(tallies: Iterable[Tally]) -> dict[str, Any]:
    """The sums of several trials, as the command's last line prints them."""
    parts = list(tallies)
    sums = {
        name: sum(getattr(part, name) for part in parts)
        for name in ("plies", "games", *COUNTS, "moves_by_the_way", "assumed_plies", "to_and_fro", "adopted")
    }
    recovery_s = [each for part in parts for share in part.by_fault.values() for each in share.recovery_s]
    wall_s = sum(part.wall_s for part in parts)
    return {
        **sums,
        "simulated_h": round(sum(part.simulated_s for part in parts) / 3600, 3),
        "wall_s": round(wall_s, 1),
        "plies_per_minute_of_a_core": {game: _pace(parts, game) for game in sorted({part.game for part in parts})},
        "recoveries": len(recovery_s),
        "recovery_s": _spread(recovery_s),
        "verdict_s": _spread([each for part in parts for each in part.verdict_s]),
        "reported": _added([part.reported for part in parts]),
        "by_fault": _by_fault(parts),
        "slopes": _slopes(parts),
    }


def _pace(parts: list[Tally], game: str) -> float:
    mine = [part for part in parts if part.game == game]
    seconds = sum(part.wall_s for part in mine)
    return round(60 * sum(part.plies for part in mine) / seconds, 1) if seconds else 0.0


def _spread(values: list[float]) -> dict[str, float]:
    if not values:
        return {"median": 0.0, "largest": 0.0}
    return {"median": round(statistics.median(values), 2), "largest": round(max(values), 2)}


def _added(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    return dict(sorted(sum(map(collections.Counter[str], counts), collections.Counter[str]()).items()))


def _by_fault(parts: list[Tally]) -> dict[str, Any]:
    names = sorted({name for part in parts for name in part.by_fault})
    result = {}
    for name in names:
        shares = [part.by_fault[name] for part in parts if name in part.by_fault]
        result[name] = {
            "times": sum(share.times for share in shares),
            **_added([share.failures for share in shares]),
            "recovery_s": _spread([each for share in shares for each in share.recovery_s]),
        }
    return result


def _slopes(parts: list[Tally]) -> dict[str, dict[str, float]]:
    """Growth of each resource per simulated hour: median over the trials, each fitted to its second half.

    The first half is left out: loading something once, when it is first needed, is no leak.
    """
    names = ("memory_mb", "descriptors", "threads", "temporary_files")
    slopes: dict[str, dict[str, float]] = {}
    for name in names:
        fitted = [slope for part in parts if (slope := _slope(part.samples, name)) is not None]
        slopes[name] = {
            "per_hour": round(statistics.median(fitted), 3) if fitted else 0.0,
            "largest": max((float(getattr(one, name)) for part in parts for one in part.samples), default=0.0),
        }
    return slopes


def _slope(samples: list[Sample], name: str) -> float | None:
    """Slope of a least-squares line through the later half; None for fewer than four samples there."""
    later = samples[len(samples) // 2 :]
    if len(later) < 4:
        return None
    hours = [one.time_s / 3600 for one in later]
    values = [float(getattr(one, name)) for one in later]
    return statistics.linear_regression(hours, values).slope if hours[-1] > hours[0] else None


def sample(time_s: float, plies: int) -> Sample:
    """Measures the process now; Linux only: elsewhere unknown values are 0."""
    return Sample(
        time_s=round(time_s, 1),
        plies=plies,
        memory_mb=round(_memory_mb(), 2),
        descriptors=_count(Path("/proc/self/fd")),
        threads=threading.active_count(),
        temporary_files=_count(Path(tempfile.gettempdir())),
    )


def _memory_mb() -> float:
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _count(folder: Path) -> int:
    try:
        return sum(1 for _ in folder.iterdir())
    except OSError:
        return 0

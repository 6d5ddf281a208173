"""Measures several tables under load: pictures judged by each, their age when judged, and the cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import BaseModel

from lab.bench.processes import cpu_s, descendants, memory
from lab.bench.speed.figures import Figure, figure
from lab.bench.speed.frame_log import Judged, LiveTables, read_log
from lab.bench.speed.recording import Recording
from lab.bench.speed.report import Machine, Target, at_most, target_line

OLDEST_S = 0.5
"""Seconds promised as the greatest age of a judged picture, even when its verdict is published."""
CALM_S = 8.0
"""Seconds from the first pictures until the work left over from the start is done."""


class TableLoad(BaseModel):
    game: str
    sent_hz: float
    """Pictures a second in the stream."""
    judged_hz: float
    """Pictures a second that were judged; the others were superseded by the next one."""
    age_s: Figure
    """Seconds from taking a picture until the daemon took it up."""
    oldest_s: float
    judged_age_s: Figure
    """Seconds until it was judged and all consequences were published."""
    oldest_judged_s: float
    cpu_percent: float
    """Percent of one core, child processes included."""
    memory_mb: float
    """PSS of the table's processes."""
    hands: int
    """Hands that made or took back a move."""
    verdicts: int
    """Moves and takebacks announced meanwhile."""


class TablesReport(BaseModel):
    machine: Machine
    seconds: float
    rate_hz: float
    size_px: tuple[int, int]
    tables: list[TableLoad]
    bench_cpu_percent: float
    """Percent of one core for serving the streams."""
    targets: list[Target]


def measure_tables(
    recordings: Sequence[Recording], folder: Path, seconds: float, step: Callable[[str], None]
) -> tuple[list[TableLoad], float]:
    """Runs a table for each recording for so long; also returns the bench's own percent of a core.

    Raises ResidentError, OSError.
    """
    live = LiveTables(recordings, folder)
    try:
        step("the tables start")
        with live.running():
            time.sleep(CALM_S)
            step(f"measuring {seconds:.0f} s")
            ids = live.process_ids()
            families = [(one, *descendants(one)) for one in ids]
            before = [sum(map(cpu_s, family)) for family in families]
            own_s, verdicts, begun_s = time.process_time(), list(live.verdicts), time.monotonic()
            time.sleep(seconds)
            ended_s = time.monotonic()
            own = 100 * (time.process_time() - own_s) / (ended_s - begun_s)
            used = [sum(map(cpu_s, family)) - was for family, was in zip(families, before, strict=True)]
            megabytes = [sum(memory(one).pss_mb for one in family) for family in families]
            announced = [now - was for now, was in zip(live.verdicts, verdicts, strict=True)]
            loads = []
            for number, recording in enumerate(live.recordings):
                judged = [one for one in read_log(live.configs[number]) if begun_s <= one.begun_s < ended_s]
                loads.append(
                    load_of(
                        recording, judged, ended_s - begun_s,
                        cpu_percent=100 * used[number] / (ended_s - begun_s), memory_mb=megabytes[number],
                        hands=len(live.streams[number].gone(begun_s, ended_s)), verdicts=announced[number],
                    )
                )  # fmt: skip
            return loads, round(own, 1)
    finally:
        live.close()


def load_of(
    recording: Recording, judged: Sequence[Judged], seconds: float, *,
    cpu_percent: float, memory_mb: float, hands: int, verdicts: int,
) -> TableLoad:  # fmt: skip
    """The figures of one table from its log of judged pictures. Raises ValueError if it judged nothing."""
    if not judged:
        raise ValueError(f"the table of {recording.game} has judged no picture within {seconds:.0f} s")
    ages = [one.begun_s - one.taken_s for one in judged]
    after = [one.ended_s - one.taken_s for one in judged]
    return TableLoad(
        game=recording.game,
        sent_hz=recording.rate_hz,
        judged_hz=round(len(judged) / seconds, 2),
        age_s=figure(ages),
        oldest_s=round(max(ages), 3),
        judged_age_s=figure(after),
        oldest_judged_s=round(max(after), 3),
        cpu_percent=round(cpu_percent, 1),
        memory_mb=round(memory_mb, 1),
        hands=hands,
        verdicts=verdicts,
    )


def targets_of(loads: Sequence[TableLoad]) -> list[Target]:
    promised = (
        ("oldest picture that was taken up to be judged, s", max(one.oldest_s for one in loads)),
        ("oldest picture when it was judged, s", max(one.oldest_judged_s for one in loads)),
    )
    return [at_most(what, value, OLDEST_S) for what, value in promised]


def lines_of(report: TablesReport) -> list[str]:
    lines = [
        str(report.machine),
        f"{len(report.tables)} tables, {report.size_px[0]}x{report.size_px[1]} at {report.rate_hz:g} Hz, "
        f"{report.seconds:.0f} s; serving the recorded streams took {report.bench_cpu_percent:g} % of a core",
        "",
        "table              judged/s   age when taken up, ms     age when judged, ms     CPU %   MB   verdicts",
        "                              median   95 %  oldest     median   95 %  oldest",
    ]
    for one in report.tables:
        up, done = one.age_s, one.judged_age_s
        lines.append(
            f"{one.game:<18} {one.judged_hz:8.1f}   {1000 * up.median:6.0f} {1000 * up.p95:6.0f} "
            f"{1000 * one.oldest_s:7.0f}     {1000 * done.median:6.0f} {1000 * done.p95:6.0f} "
            f"{1000 * one.oldest_judged_s:7.0f}    {one.cpu_percent:6.1f} {one.memory_mb:5.0f}   "
            f"{one.verdicts} of {one.hands}"
        )
    lines += ["", f"CPU of all tables: {sum(one.cpu_percent for one in report.tables):.0f} % of a core"]
    return [*lines, *map(target_line, report.targets)]

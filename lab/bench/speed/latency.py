"""Measures the time from a hand's leaving the board to the verdict and to the first sound, with the whole daemon."""

from __future__ import annotations

import abc
import bisect
import json
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import zmq
from pydantic import BaseModel

from lab.bench.daemons import state_address
from lab.bench.speed.figures import Figure, figure
from lab.bench.speed.frame_log import Judged, LiveTables, read_log
from lab.bench.speed.recording import Recording
from lab.bench.speed.report import Machine, Target, at_most, target_line
from lab.bench.speed.streams import Gone

MEDIAN_S, P95_S, SOUND_S = 0.6, 1.0, 0.3
"""Seconds promised: from hand to verdict (median and 95 %), and from verdict to sound."""
PATIENCE_S = 5.0
"""Seconds after which a verdict belongs to another hand."""
SOUND_PATIENCE_S = 3.0
LOOK_S = 0.002
APART_S = 0.1
"""Seconds of pause between two sounds; a single sound is written without such a pause."""
CALM_S = 3.0
ALSA = """pcm.silent { type null }
pcm.capture { type file slave.pcm "silent" file "%s" format "wav" }
"""
"""ALSA settings of a sound device that writes the sound into a file at once."""


class LatencyReport(BaseModel):
    machine: Machine
    game: str
    rate_hz: float
    settle_s: float
    hands: int
    """Hands that made or took back a move."""
    missed: int
    """Hands without a verdict within five seconds."""
    verdict_s: Figure
    """From the hand gone from the board and its margin to the state published on the bus, settling included."""
    from_view_s: Figure
    """The same from when no part of the hand was in the camera's view any more."""
    settling_s: Figure
    """First part of verdict_s: until the settling picture was taken."""
    way_s: Figure
    """Second part: until the daemon took that picture up (sent, received, waited)."""
    judging_s: Figure
    """Third part: until it was read, explained, recorded and published."""
    sound_s: Figure | None
    """From the published verdict to the first sound at the device; None if this computer has no voice."""
    silent: int
    """Verdicts without a sound within three seconds: something else was being said."""
    targets: list[Target]


class Noted(abc.ABC):
    """What a thread notes until it is closed."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._serve, name=type(self).__name__.lower(), daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        self._thread.join(PATIENCE_S)

    @abc.abstractmethod
    def _serve(self) -> None:
        """Runs in the thread until `_stop` is set."""


class Published(Noted):
    def __init__(self, address: str) -> None:
        self.boards: list[tuple[float, str]] = []
        self._address = address
        super().__init__()

    def _serve(self) -> None:
        socket: zmq.Socket[bytes] = zmq.Context.instance().socket(zmq.SUB)
        try:
            socket.setsockopt(zmq.LINGER, 0)
            socket.connect(self._address)
            socket.subscribe("state/")
            while not self._stop.is_set():
                if socket.poll(100):
                    arrived_s = time.monotonic()
                    self.boards.append((arrived_s, str(json.loads(socket.recv_multipart()[1])["board"])))
        finally:
            socket.close()


class Sounds(Noted):
    """Times at which sounds begin in the sound device's file; each phrase starts the file anew."""

    def __init__(self, path: Path) -> None:
        self.begun_s: list[float] = []
        self._path = path
        super().__init__()

    def _serve(self) -> None:
        written, at_s = self._stamp(), float("-inf")
        while not self._stop.wait(LOOK_S):
            stamp, now_s = self._stamp(), time.monotonic()
            if stamp != written:
                if now_s - at_s > APART_S:
                    self.begun_s.append(now_s)
                written, at_s = stamp, now_s

    def _stamp(self) -> int:
        """When the file was last written; 0 before it exists."""
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return 0


def measure_latency(
    recording: Recording, folder: Path, hands: int, *, speech: bool, settle_s: float, step: Callable[[str], None]
) -> LatencyReport:
    """Watches so many hands. Raises ResidentError, OSError."""
    (folder / "asound.conf").write_text(ALSA % (folder / "heard.wav"), encoding="utf-8")
    spoken = {"enabled": True, "device": "capture"} if speech else {}
    live = LiveTables([recording], folder, speech=spoken, eyes={"settle_s": settle_s})
    try:
        step("the daemon starts")
        with live.running({"ALSA_CONFIG_PATH": f"{folder}/asound.conf"} if speech else None):
            published, sounds = Published(state_address(live.configs[0])), Sounds(folder / "heard.wav")
            begun_s = time.monotonic()
            gone: list[Gone] = []
            while len(gone) < hands:
                step(f"{len(gone)} of {hands} hands")
                time.sleep(0.5)
                gone = live.streams[0].gone(begun_s + CALM_S, time.monotonic() - PATIENCE_S)
            published.close()
            sounds.close()
        return report_of(
            recording,
            settle_s,
            gone[:hands],
            published.boards,
            read_log(live.configs[0]),
            sounds.begun_s if speech else None,
        )
    finally:
        live.close()


def report_of(
    recording: Recording,
    settle_s: float,
    gone: Sequence[Gone],
    published: Sequence[tuple[float, str]],
    judged: Sequence[Judged],
    sounds_s: Sequence[float] | None,
) -> LatencyReport:
    """The figures, from monotonic times in seconds; `published` holds each board with its time. Raises ValueError."""
    verdicts = [(one, at_s) for one in gone if (at_s := _first(published, one.off_s, one.board)) is not None]
    if not verdicts:
        raise ValueError(f"no verdict came to any of {len(gone)} hands")
    settling, way, judging = [], [], []
    for one, at_s in verdicts:
        begun = [look for look in judged if look.begun_s <= at_s]
        if begun:
            settling.append(begun[-1].taken_s - one.off_s)
            way.append(begun[-1].begun_s - begun[-1].taken_s)
            judging.append(at_s - begun[-1].begun_s)
    sounds = [_after(sounds_s, at_s) for _, at_s in verdicts] if sounds_s is not None else []
    heard = [one for one in sounds if one is not None]
    verdict_s, sound_s = figure([at_s - one.off_s for one, at_s in verdicts]), figure(heard) if heard else None
    return LatencyReport(
        machine=Machine(date="", processor="", cores=0, python="", load=(0, 0)),
        game=recording.game, rate_hz=recording.rate_hz, settle_s=settle_s,
        hands=len(gone), missed=len(gone) - len(verdicts), verdict_s=verdict_s,
        from_view_s=figure([at_s - one.gone_s for one, at_s in verdicts]),
        settling_s=figure(settling), way_s=figure(way), judging_s=figure(judging),
        sound_s=sound_s, silent=len(sounds) - len(heard),
        targets=targets_of(verdict_s, sound_s, len(gone) - len(verdicts)),
    )  # fmt: skip


def targets_of(verdict_s: Figure, sound_s: Figure | None, missed: int) -> list[Target]:
    promised = [
        ("hand gone to verdict, median, s", verdict_s.median, MEDIAN_S),
        ("hand gone to verdict, 95 %, s", verdict_s.p95, P95_S),
        ("hands without a verdict", float(missed), 0.0),
    ]
    if sound_s is not None:
        promised.append(("verdict to first sound, 95 %, s", sound_s.p95, SOUND_S))
    return [at_most(what, value, limit) for what, value, limit in promised]


def lines_of(report: LatencyReport) -> list[str]:
    lines = [
        str(report.machine),
        f"{report.game}, {report.hands} hands at {report.rate_hz:g} Hz, settle_s {report.settle_s:g}",
        "",
        "ms                                                    median    95 %",
    ]
    for name, one in (
        ("hand gone from the board to verdict published", report.verdict_s),
        ("  until the picture was taken that settled it", report.settling_s),
        ("  until that picture was taken up", report.way_s),
        ("  until it was judged and published", report.judging_s),
        ("hand gone from view to verdict published", report.from_view_s),
        ("verdict to first sound", report.sound_s),
    ):
        if one is not None:
            lines.append(f"{name:<52} {1000 * one.median:7.0f} {1000 * one.p95:7.0f}")
    lines += [""] + ([f"no sound within 3 s after {report.silent} verdicts"] if report.silent else [])
    return [*lines, *map(target_line, report.targets)]


def _first(published: Sequence[tuple[float, str]], gone_s: float, board: str) -> float | None:
    """When that board was first published after a hand was gone; None if not in time."""
    return next((at_s for at_s, shown in published if gone_s < at_s < gone_s + PATIENCE_S and shown == board), None)


def _after(sounds_s: Sequence[float], at_s: float) -> float | None:
    """Seconds from a moment to the next sound; None if none came in time."""
    index = bisect.bisect_left(sounds_s, at_s)
    late_s = sounds_s[index] - at_s if index < len(sounds_s) else SOUND_PATIENCE_S
    return late_s if late_s < SOUND_PATIENCE_S else None

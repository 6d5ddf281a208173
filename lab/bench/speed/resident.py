"""Measures the daemon `kibitzer run` on a live stream without moves: start, processor share, memory.

Finally the camera is held in a hand: the same table sways as with a phone.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE

import cv2
import numpy as np
from pydantic import BaseModel

from daemon.config.settings import ROOT
from lab.bench.daemons import write_settings
from lab.bench.processes import Memory, cpu_s, descendants, memory
from lab.bench.speed.figures import Figure, figure
from lab.bench.speed.scenes import Scene
from lab.simulated.mjpeg_server import MjpegServer
from lab.simulated.phone import RandomWay
from system.processes import Process
from vision.frame import Frame, Image
from vision.reading.looks import FIRST_READING

COMMAND = (sys.executable, "-m", "daemon.cli", "run")
RATE_HZ = 15.0
START_S, END_S = 60.0, 10.0
CALM_S = 12.0
"""Seconds from the first reading until everything has come to rest, and memory freed since was returned."""
BLOCK = 65536
WINDOW_S = 2.5
"""Seconds of one window; the processor share is measured window by window, to show the machine's own unrest."""


class Resident(BaseModel):
    first_reading_s: Figure
    """From the process's start to the first reading of the board; files were in the system's cache."""
    first_reading_cpu_s: Figure
    """Processor time used until then: less than the wall time if other programs are busy."""
    idle_cpu_percent: Figure
    """Percent of one core, decoding included."""
    viewed_cpu_percent: Figure
    """The same while a browser shows the page's picture."""
    sway_cpu_percent: Figure
    """The same while the camera sways, with no viewer."""
    idle_s: float
    """Seconds over which each share was measured."""
    processes: list[Memory]
    """The daemon first, then its children."""
    memory_mb: float
    """PSS of all processes."""
    peak_memory_mb: float
    """Greatest RSS of the daemon so far."""


class ResidentError(RuntimeError):
    """The daemon does not start, or does not find the board; the message quotes its output."""


class Loop:
    """A camera over a still table: the same few pictures again and again, each with its own noise."""

    live = False

    def __init__(self, pictures: Sequence[Image]) -> None:
        self._pictures = itertools.cycle(pictures)
        self._index = itertools.count()
        self._way = RandomWay(seed=1)
        self.sways = False
        """Whether the camera is held in a hand."""

    def read(self, timeout_s: float) -> Frame:
        index, picture = next(self._index), next(self._pictures)
        if self.sways:
            size = picture.shape[1], picture.shape[0]
            way = self._way.picture_from_rest(index / RATE_HZ, size)
            picture = np.asarray(cv2.warpPerspective(picture, way, size, borderMode=cv2.BORDER_REFLECT), dtype=np.uint8)
        return Frame(picture, index / RATE_HZ, index)

    def close(self) -> None:
        """Does nothing: there is nothing to close."""


def measure(scene: Scene, folder: Path, seconds: float, starts: int) -> Resident:
    """Starts the daemon `starts` times, and watches the last one for `seconds`. Raises ResidentError."""
    camera = Loop(scene.start)
    server = MjpegServer(camera, 0, rate_hz=RATE_HZ)
    try:
        config = write_settings(folder / f"{scene.game.name}.toml", scene.game.name, camera={"source": server.url})
        first: list[tuple[float, float]] = []
        for number in range(starts):
            with started(config) as (process, log):
                first.append((log.read_s, log.read_cpu_s))
                if number == starts - 1:
                    return _watch(process, log, camera, first, seconds)
    finally:
        server.stop()
    raise ValueError(f"the daemon is started at least once, not {starts} times")


@contextlib.contextmanager
def started(config: Path) -> Iterator[tuple[Process, Log]]:
    """Yields the daemon, once it has read the board, and its log. Raises ResidentError."""
    began_s = time.monotonic()
    command = [*COMMAND, "--new-game", "--config", str(config)]
    # An installed program has compiled its modules; here the first start does, whatever the shell asks of Python.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = Process(command, env=environment, cwd=ROOT, text=True, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE)
    log = Log(process, began_s)
    try:
        # A daemon that ends closes its log a moment before it is gone: only a reading counts.
        if not (log.read.wait(START_S) and log.read_s):
            raise ResidentError("kibitzer run has not read the board: " + " / ".join(log.lines[-5:]))
        yield process, log
    finally:
        process.end(END_S)
        log.close()


class Log:
    """The daemon's output, read by a thread so that the daemon never blocks on it."""

    def __init__(self, process: Process, began_s: float) -> None:
        self.lines: list[str] = []
        self.read = threading.Event()
        """Set once the board was read, or the daemon has ended."""
        self.read_s = self.read_cpu_s = 0.0
        """Seconds from the start until then, in wall time and in processor time."""
        self._process, self._began_s = process, began_s
        self._thread = threading.Thread(target=self._follow, name="daemon's log", daemon=True)
        self._thread.start()

    @property
    def page(self) -> str:
        """The page's address; empty until the daemon has named it."""
        found = [line.partition("page: ")[2] for line in self.lines if "page: http" in line]
        return found[-1] if found else ""

    def close(self) -> None:
        self._thread.join(END_S)
        if self._process.stderr is not None:
            self._process.stderr.close()

    def _follow(self) -> None:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.lines.append(line.strip())
            if FIRST_READING in line and not self.read.is_set():
                self.read_s, self.read_cpu_s = time.monotonic() - self._began_s, cpu_s(self._process.pid)
                self.read.set()
        self.read.set()


def _watch(process: Process, log: Log, camera: Loop, first: Sequence[tuple[float, float]], seconds: float) -> Resident:
    time.sleep(CALM_S)
    idle = _shares(process.pid, seconds)
    processes = [memory(one) for one in (process.pid, *descendants(process.pid))]
    with viewer(log.page):
        viewed = _shares(process.pid, seconds)
    camera.sways = True
    time.sleep(CALM_S)
    sway = _shares(process.pid, seconds)
    return Resident(
        first_reading_s=figure([time_s for time_s, _ in first]),
        first_reading_cpu_s=figure([used_s for _, used_s in first]),
        idle_cpu_percent=figure(idle),
        viewed_cpu_percent=figure(viewed),
        sway_cpu_percent=figure(sway),
        idle_s=seconds,
        processes=processes,
        memory_mb=round(sum(one.pss_mb for one in processes), 1),
        peak_memory_mb=processes[0].peak_rss_mb,
    )


@contextlib.contextmanager
def viewer(page: str) -> Iterator[None]:
    """Watches the page's moving picture like a browser. Raises ResidentError."""
    try:
        answer = urllib.request.urlopen(page + "video", timeout=END_S)
    except OSError as error:
        raise ResidentError(f"the page {page} does not answer: {error}") from error
    closing = threading.Event()

    def look() -> None:
        with contextlib.suppress(OSError, ValueError), answer:
            while not closing.is_set() and answer.read1(BLOCK):
                pass

    thread = threading.Thread(target=look, name="viewer", daemon=True)
    thread.start()
    try:
        yield
    finally:
        closing.set()
        thread.join(END_S)


def _shares(process: int, seconds: float) -> list[float]:
    shares: list[float] = []
    began_s = time.monotonic()
    while not shares or time.monotonic() - began_s < seconds:
        shares.append(_share(process, min(WINDOW_S, seconds)))
    return shares


def _share(process: int, seconds: float) -> float:
    family = (process, *descendants(process))
    before_s, began_s = sum(map(cpu_s, family)), time.monotonic()
    time.sleep(seconds)
    return 100 * (sum(map(cpu_s, family)) - before_s) / (time.monotonic() - began_s)

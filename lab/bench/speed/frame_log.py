"""Tables under one parent that note every picture they judge: its number, when it was taken, taken up and judged.

The daemon and its parent are the usual ones; a wrapper around the board tracker writes the times into a file beside the
settings: one line a picture."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import logging
import os
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE
from typing import IO

from daemon.cli.main import run as run_table
from daemon.config.settings import ROOT
from daemon.perception.board_tracker import BoardTracker
from daemon.perception.pipeline import Observation
from daemon.supervision.tables import run_tables
from lab.bench.daemons import write_settings
from lab.bench.speed.recording import Recording
from lab.bench.speed.resident import ResidentError
from lab.bench.speed.streams import StreamServer, stamp_of
from system.processes import Process
from vision.frame import Frame

COMMAND = (sys.executable, "-m", "lab.bench.speed.frame_log", "--table")


@dataclasses.dataclass(frozen=True)
class Judged:
    """One judged picture; times in monotonic seconds."""

    number: int
    taken_s: float
    begun_s: float
    """When the daemon took it up."""
    ended_s: float
    """When the daemon was done with it, with all consequences published."""


def log_of(config: Path) -> Path:
    return config.with_suffix(".frames")


def read_log(config: Path) -> list[Judged]:
    """The pictures a table has noted so far, without an incomplete last line."""
    try:
        text = log_of(config).read_text(encoding="ascii")
    except FileNotFoundError:
        return []
    fields = [line.split() for line in text[: text.rfind("\n") + 1].splitlines()]
    return [Judged(int(number), float(taken), float(begun), float(ended)) for number, taken, begun, ended in fields]


def note_frames(log: IO[str]) -> None:
    """Makes every board tracker write a line for each stamped picture that it has judged."""
    feed = BoardTracker.feed

    def timed(eyes: BoardTracker, frame: Frame) -> Observation:
        begun_s = time.monotonic()
        observation = feed(eyes, frame)
        stamp = stamp_of(getattr(frame, "jpeg", b""))
        if stamp is not None:
            log.write(f"{stamp[0]} {stamp[1]:.6f} {begun_s:.6f} {time.monotonic():.6f}\n")
        return observation

    setattr(BoardTracker, "feed", timed)  # noqa: B010 - mypy minds an assignment


def main() -> None:
    if sys.argv[1] != "--table":
        logging.basicConfig(level=logging.INFO, stream=sys.stderr)
        sys.exit(run_tables([Path(word) for word in sys.argv[2:]], ["--new-game"], COMMAND, Path(sys.argv[1])))
    del sys.argv[1]
    config = Path(sys.argv[sys.argv.index("--config") + 1])
    with log_of(config).open("a", encoding="ascii", buffering=1) as log:
        note_frames(log)
        run_table()


START_S, END_S = 120.0, 25.0


class LiveTables:
    def __init__(self, recordings: Sequence[Recording], folder: Path, **sections: Mapping[str, object]) -> None:
        """Serves the streams and writes settings and profiles into `folder`, which only its user may access."""
        self.recordings = list(recordings)
        self.lines: list[str] = []
        """The last lines of all logs."""
        self.verdicts = [0] * len(recordings)
        """Moves and takebacks announced by each table."""
        self.streams = [StreamServer(one) for one in recordings]
        self.configs = [folder / f"table{number}.toml" for number in range(len(recordings))]
        self._summary = folder / "tables.json"
        self._process: Process | None = None
        for number, (recording, config) in enumerate(zip(self.recordings, self.configs, strict=True)):
            profile = config.with_suffix(".npz")
            profile.write_bytes(recording.profile)
            write_settings(
                config,
                recording.game,
                camera={"source": self.streams[number].url, "rate_hz": recording.rate_hz},
                board={"profile": str(profile)},
                **sections,
            )

    def process_ids(self) -> list[int]:
        """The process of each table. Raises ResidentError if one is not running."""
        try:
            tables = json.loads(self._summary.read_text(encoding="utf-8"))["tables"]
            return [int(one["pid"]) for one in tables]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ResidentError(f"a table does not run: {' / '.join(self.lines[-5:])}") from error

    @contextlib.contextmanager
    def running(self, environment: dict[str, str] | None = None) -> Iterator[None]:
        """Runs the daemons; entered once each has judged a picture. Raises ResidentError."""
        self._process = Process(
            [sys.executable, "-m", "lab.bench.speed.frame_log", str(self._summary), *map(str, self.configs)],
            cwd=ROOT, text=True, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT), **(environment or {})},
        )  # fmt: skip
        reader = threading.Thread(target=self._follow, args=(self._process,), daemon=True)
        reader.start()
        try:
            self._await_pictures(self._process)
            yield
        finally:
            self._process.end(END_S)
            reader.join(END_S)

    def close(self) -> None:
        for stream in self.streams:
            stream.stop()

    def _await_pictures(self, process: Process) -> None:
        deadline_s = time.monotonic() + START_S
        while not all(read_log(config) for config in self.configs):
            if process.poll() is not None or time.monotonic() > deadline_s:
                raise ResidentError("the tables do not start: " + " / ".join(self.lines[-5:]))
            time.sleep(0.2)

    def _follow(self, process: Process) -> None:
        assert process.stderr is not None
        with process.stderr:
            for line in process.stderr:
                self.lines = [*self.lines[-50:], line.strip()]
                table, _, rest = line.partition(": ")
                if table.removeprefix("table").isdecimal() and ("match: move" in rest or "match: takeback" in rest):
                    self.verdicts[int(table.removeprefix("table"))] += 1


if __name__ == "__main__":
    main()

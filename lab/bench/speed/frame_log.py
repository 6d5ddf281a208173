"""Tables that note every picture they judge: its number, and when it was taken, taken up and judged.

    kibitzer bench speed.frame_log SUMMARY CONFIG [CONFIG...]

The daemon and its parent are the usual ones; a wrapper around the board tracker writes the times into a file beside the
settings: one line a picture.
"""

from __future__ import annotations

import dataclasses
import logging
import sys
import time
from pathlib import Path
from typing import IO, Any

from daemon.cli.main import run as run_table
from daemon.perception.board_tracker import BoardTracker
from daemon.supervision.tables.parent import run_tables
from lab.bench.speed.streams import stamp_of

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

    def timed(eyes: BoardTracker, frame: Any) -> Any:
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


if __name__ == "__main__":
    main()

"""What is counted of the dialogues with one program: games, plies, faults by their kind, and processor time."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import logging
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence

from agents.engines.known import FOLDERS
from lab.bench import processes

KINDS = {
    "illegal": r"which is refused|illegal",
    "late": r"no answer in time|[Tt]imeout|forfeits|flag",
    "ended": r"ended with status|exited|terminated|cannot be started",
    "unknown": r"announces no option|unknown command|does not understand|unexpected",
    "refused": r"refused|cannot|no move",
}
"""Kinds of fault by what their texts say, the first that fits; a difference of opinion has a kind of its own."""
OPINION, OTHER = "opinion", "other"


@dataclasses.dataclass
class Tally:
    name: str
    games: int = 0
    plies: int = 0
    faults: list[tuple[str, str]] = dataclasses.field(default_factory=list)
    """Kind, and what happened."""
    ours_s: float = 0.0
    """Seconds of processor time on our side of the dialogue."""
    theirs_s: float = 0.0
    missing: str = ""
    """What is not installed, and how to install it; then nothing is played."""

    def fault(self, text: str, kind: str = "") -> None:
        found = (name for name, pattern in KINDS.items() if re.search(pattern, text))
        self.faults.append((kind or next(found, OTHER), f"game {self.games + 1}: {text}"))

    def lines(self) -> list[str]:
        if self.missing:
            return [f"{self.name:12} not played: {self.missing}"]
        kinds = collections.Counter(kind for kind, _ in self.faults)
        told = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()) or "no fault"
        ratio = f"{self.ours_s / self.theirs_s:.3g}" if self.theirs_s else "-"
        line = f"{self.name:12} {self.games:4} games {self.plies:6} plies  processor {ratio} of theirs  {told}"
        return [line, *(f"    {kind}: {text}" for kind, text in self.faults)]


class _Noting(logging.Handler):
    def __init__(self, tally: Tally) -> None:
        super().__init__(logging.WARNING)
        self._tally = tally

    def emit(self, record: logging.LogRecord) -> None:
        self._tally.fault(record.getMessage())


@contextlib.contextmanager
def noted(tally: Tally, *loggers: str) -> Iterator[None]:
    """Counts the warnings of these loggers as faults, instead of showing them."""
    handler = _Noting(tally)
    found = [logging.getLogger(name) for name in loggers]
    for one in found:
        one.addHandler(handler)
        one.propagate = False
    try:
        yield
    finally:
        for one in found:
            one.removeHandler(handler)
            one.propagate = True


def program(name: str) -> str | None:
    """Where a program is installed, also in the folders of Debian's games."""
    return shutil.which(name, path=os.pathsep.join((os.environ.get("PATH", os.defpath), *FOLDERS)))


def our_engine(game: str, protocol: str, player: str) -> list[str]:
    """The command of `kibitzer engine`."""
    words = ["--game", game, "--protocol", protocol, "--player", player]
    return [sys.executable, "-m", "daemon.cli", "engine", *words]


def spent_s(command: Sequence[str]) -> float:
    """Seconds of processor time of the processes of that command that this one has started and that still run."""
    ours = processes.family(os.getpid())
    return sum(processes.cpu_s(one.pid) for one in ours if one.words[-len(command) :] == tuple(command))

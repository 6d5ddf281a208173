"""A fuzz entry, that is, one reader of input: its check, its good inputs, and what counts as a fault."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import signal
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

ROOT = Path(__file__).resolve().parents[2]
HANG_S = 10.0
"""Processor seconds that one input may take: enough that a slow or busy machine causes no false hang."""
STUCK_S = 60.0
"""Seconds that one input may take in all, including waiting."""
TARGETS = ("bus", "http", "config", "journal", "files", "games", "protocols", "table", "records")

Kind = Literal["crash", "hang", "illegal"]


class IllegalState(AssertionError):
    """An input was wrongly accepted, or led to a state that the rules do not allow."""


class Hang(BaseException):
    """An input took too long. A BaseException, so that no `except Exception` swallows it."""


@dataclasses.dataclass(frozen=True)
class Entry:
    name: str
    target: str
    """One of TARGETS."""
    check: Callable[[bytes], bool]
    """Reads one input: True if it was accepted, False if it was refused by its declared error.

    Any other exception is a fault; IllegalState means that a bad input was accepted.
    """
    seeds: tuple[bytes, ...]
    """Good inputs, from which bad ones are derived."""
    words: tuple[bytes, ...] = ()
    """Tokens to put into inputs."""
    weight: float = 1.0
    """Relative share of its target's inputs; slow readers get fewer."""
    guided: bool = True
    """Whether a coverage-guided fuzzer may drive it: its check must be fast and stay in one process."""
    longest: int = 4096
    """Bytes at most of an input."""


@dataclasses.dataclass(frozen=True)
class Found:
    """A fault; the same fault found again compares equal."""

    entry: str
    kind: Kind
    where: str
    """Our own file and function in which it was raised."""
    error: str
    """Name of the exception's class."""
    what: str = dataclasses.field(compare=False)
    example: bytes = dataclasses.field(compare=False)


def met(entry: Entry, data: bytes) -> bool | Found:
    """Feeds one input; returns whether it was accepted, or the fault it caused."""
    try:
        with _deadline():
            return entry.check(data)
    except IllegalState as error:
        return Found(entry.name, "illegal", _where(error), "IllegalState", str(error)[:200], data)
    except Hang as error:
        return Found(entry.name, "hang", _where(error), "Hang", "no end within the time for one input", data)
    except Exception as error:  # noqa: BLE001 - any exception is a fault
        return Found(entry.name, "crash", _where(error), type(error).__name__, str(error)[:200], data)


@contextlib.contextmanager
def _deadline() -> Iterator[None]:
    """Raises Hang in the body if that takes too long. In the main thread only."""
    signal.setitimer(signal.ITIMER_VIRTUAL, HANG_S, HANG_S)  # repeats, in case Python drops the first one
    signal.setitimer(signal.ITIMER_REAL, STUCK_S, STUCK_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _too_long(_number: int, _frame: object) -> None:
    raise Hang


def arm() -> None:
    """Installs the signal handlers for deadlines; once per process."""
    signal.signal(signal.SIGVTALRM, _too_long)
    signal.signal(signal.SIGALRM, _too_long)


def quiet() -> None:
    """Silences the log, to which refusals are written, too."""
    for name in ("daemon", "agents", "calibration"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _where(error: BaseException) -> str:
    """The innermost function of our own in an error's traceback."""
    ours = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith(str(ROOT)) and ".venv" not in frame.filename and "tests/fuzz" not in frame.filename
    ]
    if not ours:
        return "outside"
    return f"{Path(ours[-1].filename).relative_to(ROOT)}: {ours[-1].name}"


@dataclasses.dataclass
class Tally:
    inputs: int = 0
    accepted: int = 0
    found: dict[Found, int] = dataclasses.field(default_factory=dict)
    size: int = 0
    """Bytes of all inputs whose time was taken."""
    spent_s: float = 0.0
    """Processor seconds that they took."""
    slowest_s: float = 0.0
    slowest: bytes = b""
    """The input that took longest, and its processor seconds."""

    def took(self, data: bytes, spent_s: float) -> None:
        self.size += len(data)
        self.spent_s += spent_s
        if spent_s > self.slowest_s:
            self.slowest_s, self.slowest = spent_s, data

    def slowness(self) -> float:
        """How many times longer a byte of the slowest input took than one of all."""
        return self.slowest_s / max(1, len(self.slowest)) * self.size / self.spent_s if self.spent_s else 0.0

    def count(self, outcome: bool | Found) -> None:
        self.inputs += 1
        if isinstance(outcome, Found):
            self.note(outcome)
        else:
            self.accepted += outcome

    def note(self, found: Found, times: int = 1) -> None:
        self.found[found] = self.found.get(found, 0) + times

    def add(self, other: Tally) -> None:
        self.inputs += other.inputs
        self.accepted += other.accepted
        for found, times in other.found.items():
            self.note(found, times)

    def as_object(self) -> dict[str, Any]:
        faults = [
            dataclasses.asdict(one) | {"example": one.example[:4096].hex(), "count": times}
            for one, times in self.found.items()
        ]
        return {"inputs": self.inputs, "accepted": self.accepted, "found": faults}

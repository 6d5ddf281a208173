"""A place where input comes in: what is read there, good inputs to begin with, and what counts as a fault."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import signal
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parents[2]
HANG_S = 10.0
"""Processor seconds that one input may take: neither a slow machine nor a busy one makes a hang of it."""
STUCK_S = 60.0
"""Seconds that one input may take in all, waiting included."""
TARGETS = ("bus", "http", "config", "journal", "files", "games", "protocols", "table")

Kind = Literal["crash", "hang", "illegal"]


class IllegalState(AssertionError):
    """An input was accepted that must not be, or what came of it is no state the rules allow."""


class Hang(BaseException):
    """An input took too long; no `except Exception` swallows it."""


@dataclasses.dataclass(frozen=True)
class Entry:
    """One reader of input."""

    name: str
    target: str
    """One of TARGETS."""
    check: Callable[[bytes], bool]
    """Reads one input: True where it was accepted, False where it was refused by its declared error.

    Anything else that it raises is a fault; IllegalState says that too much was accepted.
    """
    seeds: tuple[bytes, ...]
    """Good inputs, from which bad ones are made."""
    words: tuple[bytes, ...] = ()
    """What inputs are made of here."""
    weight: float = 1.0
    """Share of the inputs of its target: slow readers get fewer."""
    guided: bool = True
    """Whether a coverage-guided fuzzer may drive it: its check is fast, and keeps to one process."""
    longest: int = 4096
    """Bytes of the inputs made."""


@dataclasses.dataclass(frozen=True)
class Found:
    """One fault, however often it was met."""

    entry: str
    kind: Kind
    where: str
    """File and function of ours in which it rose."""
    error: str
    """Name of the exception's class."""
    what: str = dataclasses.field(compare=False)
    example: bytes = dataclasses.field(compare=False)


def met(entry: Entry, data: bytes) -> bool | Found:
    """Feeds one input: whether it was accepted, or the fault that it met."""
    try:
        with _deadline():
            return entry.check(data)
    except IllegalState as error:
        return Found(entry.name, "illegal", _where(error), "IllegalState", str(error)[:200], data)
    except Hang as error:
        return Found(entry.name, "hang", _where(error), "Hang", "no end within the time for one input", data)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what we look for
        return Found(entry.name, "crash", _where(error), type(error).__name__, str(error)[:200], data)


@contextlib.contextmanager
def _deadline() -> Iterator[None]:
    """Raises Hang in the body where it takes too long. In the main thread only."""
    signal.setitimer(signal.ITIMER_VIRTUAL, HANG_S, HANG_S)  # again, should it rise where Python drops it
    signal.setitimer(signal.ITIMER_REAL, STUCK_S, STUCK_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def _too_long(_number: int, _frame: object) -> None:
    raise Hang


def arm() -> None:
    """Lets deadlines raise; once a process."""
    signal.signal(signal.SIGVTALRM, _too_long)
    signal.signal(signal.SIGALRM, _too_long)


def quiet() -> None:
    """Keeps the log still: what is refused is written there, too."""
    for name in ("daemon", "agents", "calibration"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def _where(error: BaseException) -> str:
    """The innermost function of ours on the way to an error."""
    ours = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith(str(ROOT)) and ".venv" not in frame.filename and "tests/fuzz" not in frame.filename
    ]
    if not ours:
        return "outside"
    return f"{Path(ours[-1].filename).relative_to(ROOT)}: {ours[-1].name}"

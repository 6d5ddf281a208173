"""What a worker does with a job, and sends back."""

from __future__ import annotations

import dataclasses
import platform
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from agents.jobs.version import version

J = TypeVar("J")
R = TypeVar("R")
Work = Callable[[J, threading.Event | None], R]
"""Does a job. The event, if there is one, is set when its result is no longer wanted."""


@dataclasses.dataclass(frozen=True)
class Answer(Generic[R]):
    """A result or an error, and who worked."""

    host: str
    version: str
    result: R | None
    error: Exception | None = None
    """Sent as a value, because every kind of cluster wraps raised errors differently."""


def answer(work: Work[J, R], job: J, wanted: str, stop: threading.Event | None = None) -> Answer[R]:
    """Does the job, unless this process runs another version than the wanted one."""
    here, own = platform.node(), version()
    if own != wanted:
        return Answer(here, own, None)
    try:
        return Answer(here, own, work(job, stop))
    except Exception as error:  # noqa: BLE001 - the top of the worker; raised again where the results are gathered
        return Answer(here, own, None, error)

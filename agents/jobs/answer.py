"""What a worker does with a job and sends back; jobs are done only by workers with the same code."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import platform
import re
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

import places

J = TypeVar("J")
R = TypeVar("R")
Work = Callable[[J, threading.Event | None], R]
"""Does a job. The event, if there is one, is set when its result is no longer wanted."""


@dataclasses.dataclass(frozen=True)
class Answer(Generic[R]):
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


PACKAGES = ("agents", "games", "lab/train", "models", "rules", "wording")
"""Packages that decide the result of a job; `models` lists the checksums of the weights in its manifest."""


@functools.cache
def version() -> str:
    """The release and a digest of its code, such as `0.2.0-3fa29c01`."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for path in sorted((places.PROGRAM / package).rglob("*")):
            if path.suffix in (".py", ".toml"):
                content = path.read_bytes()
                digest.update(f"{path.relative_to(places.PROGRAM)} {len(content)}\n".encode() + content)
    source = (places.PROGRAM / "daemon" / "__init__.py").read_text(encoding="utf-8")
    release = re.search(r'__version__ = "(.+)"', source)
    return f"{release[1] if release else 'unknown'}-{digest.hexdigest()[:8]}"

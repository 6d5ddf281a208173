"""Independent jobs, such as games to play or positions to label: in threads, in processes, or on other computers.

`run_jobs` of `agents.jobs.running` runs them on a `Backend`. Jobs are done only by workers with the same code.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import importlib.util
import platform
import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from system import paths
from system.release import release

CLUSTER = "dask"
BACKENDS = ("threading", "loky", "multiprocessing", CLUSTER)


class JobsError(ValueError):
    """A backend that is none, is not installed, or whose workers cannot do the jobs."""


@dataclasses.dataclass(frozen=True)
class Backend:
    """Where jobs run. Raises JobsError if it does not exist, is not installed, or has no addresses."""

    name: str = "threading"
    at_once: int | None = 1
    """Jobs at a time; None for all that a cluster can take."""
    cluster: str | None = None
    """Address of the cluster; None for the backend's own environment variable, else a cluster on this computer."""

    def __post_init__(self) -> None:
        if self.name not in BACKENDS:
            raise JobsError(f"there is no backend {self.name!r}; the backends are {', '.join(BACKENDS)}")
        if self.name == CLUSTER and importlib.util.find_spec("distributed") is None:
            raise JobsError(
                "the backend dask needs the package distributed, which is not installed: `pip install "
                "'kibitzer[cluster]'`, in a checkout `./kibitzer COMMAND --backend dask`, here and on every computer "
                "of the cluster"
            )
        if self.name != CLUSTER and self.cluster is not None:
            raise JobsError(f"--cluster {self.cluster} is for --backend {CLUSTER}, not {self.name}")

    @classmethod
    def chosen(cls, name: str | None, cluster: str | None, jobs: int | None, most: int = 1) -> Backend:
        """The backend that the options ask for.

        Without a number of jobs there are `most` at a time, or all that a cluster can take. Without a name several
        run in processes, and one in a thread, which stops at once. Raises JobsError.
        """
        if name != CLUSTER:
            jobs = jobs or most
        return cls(name or ("loky" if jobs and jobs > 1 else "threading"), jobs, cluster)


ALONE = Backend()


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
        for path in sorted((paths.PROGRAM / package).rglob("*")):
            if path.suffix in (".py", ".toml"):
                content = path.read_bytes()
                digest.update(f"{path.relative_to(paths.PROGRAM)} {len(content)}\n".encode() + content)
    return f"{release()}-{digest.hexdigest()[:8]}"

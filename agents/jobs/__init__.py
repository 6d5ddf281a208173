"""Independent jobs, such as games to play or positions to label: in threads, in processes, or on other computers.

`run_jobs` of `agents.jobs.running` runs them on a `Backend`.
"""

from __future__ import annotations

import dataclasses
import importlib.util

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
        if self.name == CLUSTER:
            _check_installed()
        elif self.cluster is not None:
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


def _check_installed() -> None:
    if importlib.util.find_spec("distributed") is None:
        raise JobsError(
            "the backend dask needs the package distributed, which is not installed: `pip install "
            "'kibitzer[cluster]'`, in a checkout `./kibitzer COMMAND --backend dask`, here and on every computer of "
            "the cluster"
        )

"""Independent jobs, such as games to play or positions to label: in threads, in processes, or on other computers.

`run_jobs` of `agents.jobs.running` runs them on a `Backend`.
"""

from __future__ import annotations

import dataclasses
import importlib.util
import platform

CLUSTERS = {"ray": "ray", "dask": "distributed"}
"""Backends that reach other computers, and the packages that they need."""
BACKENDS = ("threading", "loky", "multiprocessing", *CLUSTERS)
RAY_MACHINES = ("x86_64", "aarch64")
"""Processors that ray has packages for, as in pyproject.toml."""


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
        if self.name in CLUSTERS:
            _check_installed(self.name)
        elif self.cluster is not None:
            raise JobsError(f"--cluster {self.cluster} is for --backend {' or '.join(CLUSTERS)}, not {self.name}")

    @classmethod
    def chosen(cls, name: str | None, cluster: str | None, jobs: int | None, most: int = 1) -> Backend:
        """The backend that the options ask for.

        Without a number of jobs there are `most` at a time, or all that a cluster can take. Without a name several
        run in processes, and one in a thread, which stops at once. Raises JobsError.
        """
        if name not in CLUSTERS:
            jobs = jobs or most
        return cls(name or ("loky" if jobs and jobs > 1 else "threading"), jobs, cluster)


ALONE = Backend()
"""One job at a time, in a thread of this process."""


def _check_installed(name: str) -> None:
    package = CLUSTERS[name]
    if importlib.util.find_spec(package) is not None:
        return
    if name == "ray" and platform.machine() not in RAY_MACHINES:
        raise JobsError(f"ray has no package for this processor, {platform.machine()}: take --backend dask")
    raise JobsError(
        f"the backend {name} needs the package {package}, which is not installed: `pip install 'kibitzer[cluster]'`, "
        f"in a checkout `./kibitzer COMMAND --backend {name}`, here and on every computer of the cluster"
    )

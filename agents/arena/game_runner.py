"""Plays a tournament's unfinished games: in this process, on all cores, or on a cluster."""

from __future__ import annotations

import contextlib
import importlib.util
import queue
import signal
import threading
import warnings
from collections.abc import Callable, Generator, Iterator, Sequence

from agents.arena.play import Abandoned, Job, Played, play, prepare
from agents.arena.record import Record

CLUSTERS = {"ray": "ray", "dask": "distributed"}
"""joblib backends from other packages, and those packages."""
BACKENDS = ("loky", "multiprocessing", "threading", *CLUSTERS)


class RunnerError(ValueError):
    """A backend that does not exist, is not installed, or has no reachable cluster."""


class GameRunner:
    """Plays games with a number of processes and a backend, and keeps them in a record."""

    def __init__(
        self,
        record: Record,
        *,
        jobs: int = 1,
        backend: str | None = None,
        cluster: str | None = None,
        watch: Callable[[Job, Played], None] = lambda _job, _played: None,
    ) -> None:
        """`watch` is called with every game finished here. Raises RunnerError."""
        self.record, self._jobs, self._watch = record, jobs, watch
        self._backend, self._cluster = backend, cluster
        if backend is not None:
            check_backend(backend)

    def play(self, jobs: Sequence[Job], enough: Callable[[], bool] = lambda: False) -> None:
        """Plays the games missing from the record; stops early once `enough` is true, losing games in progress."""
        left = [job for job in jobs if job.id not in self.record.played]
        if not left or enough():
            return
        with warnings.catch_warnings(), contextlib.closing(self._finished(left)) as finished:
            # Stopping early is intended, so joblib's advice about the cancelled games is ignored.
            warnings.filterwarnings("ignore", message="(?s).*could benefit from adjusting the input task iterator")
            for job, played in finished:
                self.record.add(played)
                self._watch(job, played)
                if enough():
                    return

    def _finished(self, jobs: Sequence[Job]) -> Generator[tuple[Job, Played], None, None]:
        if self._jobs == 1 and self._backend is None:
            return _one_by_one(jobs)
        return self._in_parallel(jobs)

    def _in_parallel(self, jobs: Sequence[Job]) -> Generator[tuple[Job, Played], None, None]:
        import joblib  # imported late: not needed for `--help` or matches in one process

        by_id = {job.id: job for job in jobs}
        backend = self._backend or "loky"
        if backend not in CLUSTERS:
            for job in {job.players: job for job in jobs}.values():
                prepare(job)  # compiled here, then loaded from the disk cache by the other processes
        with connected(backend, self._cluster), joblib.parallel_config(backend=backend):
            parallel = joblib.Parallel(
                n_jobs=self._jobs, return_as="generator_unordered", batch_size=1, pre_dispatch="2*n_jobs"
            )
            with contextlib.closing(parallel(joblib.delayed(_play_elsewhere)(job) for job in jobs)) as results:
                for played in results:
                    yield by_id[played.id], played


def _play_elsewhere(job: Job) -> Played:
    """Plays a job in a joblib process and ignores Ctrl-C, which the collecting process handles."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    return play(job)


def _one_by_one(jobs: Sequence[Job]) -> Generator[tuple[Job, Played], None, None]:
    """Plays games in a thread of this process, so that Ctrl-C takes effect at once and stops the search."""
    stop = threading.Event()
    results: queue.Queue[tuple[Job, Played] | BaseException | None] = queue.Queue()

    def serve() -> None:
        try:
            for job in jobs:
                results.put((job, play(job, stop)))
            results.put(None)
        except Abandoned:
            results.put(None)
        except BaseException as error:  # noqa: BLE001 - the top of the thread; raised again in the other one
            results.put(error)

    thread = threading.Thread(target=serve, name="arena", daemon=True)
    thread.start()
    try:
        while (found := results.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            yield found
    finally:
        stop.set()
        thread.join(timeout=2.0)


def check_backend(name: str) -> None:
    """Raises RunnerError if joblib's backend does not exist or is not installed."""
    if name not in BACKENDS:
        raise RunnerError(f"there is no backend {name!r}; the backends are {', '.join(BACKENDS)}")
    package = CLUSTERS.get(name)
    if package is not None and importlib.util.find_spec(package) is None:
        raise RunnerError(
            f"the backend {name} needs the package {package}, which is not installed: "
            f"`.venv/bin/python -m pip install {package}`, here and on every machine of the cluster"
        )


@contextlib.contextmanager
def connected(backend: str, cluster: str | None) -> Iterator[None]:
    """A connection to the cluster of `backend` at the address `cluster`; None starts a cluster on this machine.

    Raises RunnerError if it cannot be reached.
    """
    if backend not in CLUSTERS:
        yield
        return
    client = None
    try:
        if backend == "ray":
            import ray  # type: ignore[import-not-found,unused-ignore]
            from ray.util.joblib import register_ray  # type: ignore[import-not-found,unused-ignore]

            ray.init(address=cluster, ignore_reinit_error=True)
            register_ray()
        else:
            import distributed  # type: ignore[import-not-found,unused-ignore]

            client = distributed.Client(cluster)
    except (OSError, ConnectionError, ValueError) as error:
        raise RunnerError(f"the {backend} cluster {cluster or 'on this machine'} cannot be reached: {error}") from None
    try:
        yield
    finally:
        if client is not None:
            client.close()

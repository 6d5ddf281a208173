"""Runs jobs on a backend: each is counted once, whatever happens to the workers."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import logging
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import Any

from agents.jobs import CLUSTER, Answer, Backend, J, JobsError, R, Work, answer, version
from agents.jobs.pools import Dask, Pool, Processes, Threads

MAX_TRIES = 3
"""Workers that may die over one job."""
MAX_SILENCE_S = 60.0
"""Seconds without any worker until the work is given up; workers that restart take less."""
LOOK_S = 1.0
AHEAD = 2
"""Jobs handed out for each slot, so that no worker waits for its next one."""
log = logging.getLogger(__name__)


@dataclasses.dataclass(eq=False)
class _Task:
    job: Any
    tries: int = 0
    answer: Answer[Any] | None = None


def run_jobs(
    work: Work[J, R], jobs: Iterable[J], backend: Backend, *, in_order: bool = False
) -> Generator[tuple[J, R], None, None]:
    """Yields each job with its result, as they come or in order; closing it, as Ctrl-C does, drops the rest.

    A job whose worker dies is done again, `MAX_TRIES` times at most. `work` and the jobs must be picklable, unless the
    backend is threads; `jobs` may be endless, and are taken as workers need them.

    Raises JobsError if the cluster cannot be reached, no worker answers for `MAX_SILENCE_S`, or workers have another
    version of Kibitzer; and the first error of `work`.
    """
    with contextlib.closing(_pool(backend)) as pool:
        if not isinstance(pool, Processes):  # their first call is to be a job, and its answer tells the version too
            check_versions(pool)
        limit = backend.at_once if backend.name == CLUSTER else None
        yield from _results(work, iter(jobs), _Presence(pool, limit), in_order)


def _pool(backend: Backend) -> Pool:
    if backend.name == CLUSTER:
        return Dask(backend.cluster, backend.at_once)
    if backend.name == "threading":
        return Threads(backend.at_once or 1)
    return Processes(backend.at_once or 1, "loky" if backend.name == "loky" else "spawn")


class _Presence:
    """The workers that are there, asked for once in `LOOK_S`."""

    def __init__(self, pool: Pool, limit: int | None = None) -> None:
        self.pool, self._limit = pool, limit
        self._looked_s = self._seen_s = time.monotonic()
        self.workers = pool.workers()

    def look(self) -> dict[str, int]:
        """Raises JobsError if there has been none for too long."""
        now_s = time.monotonic()
        if now_s - self._looked_s >= LOOK_S:
            self._looked_s, self.workers = now_s, self.pool.workers()
        if any(self.workers.values()):
            self._seen_s = now_s
        elif now_s - self._seen_s >= MAX_SILENCE_S:
            raise JobsError(f"no worker of {self.pool} has answered for {MAX_SILENCE_S:g} s")
        return self.workers

    def room(self) -> int:
        ahead = AHEAD * sum(self.look().values())
        return ahead if self._limit is None else min(ahead, self._limit)


def check_versions(pool: Pool) -> None:
    """Asks every worker for its version. Raises JobsError, also if one does not answer or there is none."""
    present = _Presence(pool)
    while not any(present.look().values()):
        time.sleep(LOOK_S / 10)
    asked = {pool.submit(version, worker=worker): worker for worker in present.workers}
    late = wait(asked, timeout=MAX_SILENCE_S).not_done
    for future, worker in asked.items():
        if future in late:
            raise JobsError(f"the worker {worker} of {pool} has not answered for {MAX_SILENCE_S:g} s")
        if isinstance(future.exception(), pool.lost):
            continue  # it died; the answers to the jobs are checked too
        _compare(pool, worker, _none(future.exception()) if future.exception() else future.result())


def _none(error: BaseException | None) -> str:
    """Instead of a version, from a worker that lacks the code or has one from before versions were asked for."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"none ({lines[-1] if lines else repr(error)})"


def _compare(pool: Pool, worker: str, its: str) -> None:
    if its != version():
        raise JobsError(
            f"{pool}: the version on worker {worker} is {its}, here it is {version()}; install the same on both"
        )


def _results(
    work: Work[J, R], jobs: Iterator[J], present: _Presence, in_order: bool
) -> Generator[tuple[J, R], None, None]:
    pool, tasks = present.pool, list[_Task]()
    running: dict[Future[Answer[R]], _Task] = {}
    while True:
        room = present.room()
        for job in itertools.islice(jobs, max(0, room - len(tasks))):
            tasks.append(_Task(job))
            running[_hand_out(pool, work, job)] = tasks[-1]
        if room and not tasks:
            return
        if not running:
            time.sleep(LOOK_S)  # there are no workers
        ended = [(running.pop(future), future) for future in wait(running, LOOK_S, FIRST_COMPLETED).done]
        for task, future in ended:
            task.answer = _answer_of(future, task, pool)
        lost = [task for task, _ in ended if task.answer is None]
        if lost:
            log.warning("a worker of %s died; jobs that start again: %d", pool, len(lost))
        running |= {_hand_out(pool, work, task.job): task for task in lost}
        for task in list(tasks):
            if task.answer is not None:
                tasks.remove(task)
                result: Any = task.answer.result
                yield task.job, result
            elif in_order:
                break


def _hand_out(pool: Pool, work: Work[J, R], job: J) -> Future[Answer[R]]:
    return pool.submit(answer, work, job, version(), pool.stop)


def _answer_of(future: Future[Answer[R]], task: _Task, pool: Pool) -> Answer[R] | None:
    """The answer; None if the worker died and the job is to be done again."""
    try:
        found = future.result()
    except pool.lost:
        task.tries += 1
        if task.tries == MAX_TRIES:
            raise JobsError(f"{MAX_TRIES} workers of {pool} died over one job: {task.job!r:.200}") from None
        return None
    except (ImportError, AttributeError) as error:
        raise JobsError(f"a worker of {pool} lacks this version of Kibitzer: {error}") from None
    _compare(pool, found.host, found.version)
    if found.error is not None:
        raise found.error
    return found

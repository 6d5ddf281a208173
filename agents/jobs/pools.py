"""Workers for jobs: threads and processes of this computer, and a cluster of dask on others."""

from __future__ import annotations

import abc
import contextlib
import logging
import os
import pickle
import queue
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from subprocess import TimeoutExpired
from typing import Any

from agents.jobs import JobsError
from system import processes

CLOSING_S = 2.0
"""Seconds for threads to notice that they are stopped."""
LOOK_S = 0.001
HERE = "this computer"


class Pool(abc.ABC):
    stop: threading.Event | None = None
    """What calls in this process check; None for other processes."""
    lost: tuple[type[BaseException], ...] = ()
    """Errors of a call whose worker died."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __str__(self) -> str:
        return HERE

    def workers(self) -> dict[str, int]:
        """Address of each worker, and the calls that it takes at a time."""
        return {HERE: self._count}

    @abc.abstractmethod
    def submit(self, call: Callable[..., Any], *given: Any, worker: str | None = None) -> Future[Any]: ...

    @abc.abstractmethod
    def close(self) -> None: ...


class Threads(Pool):
    """Threads of this process, which stop when they are told to, and never keep it from ending."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.stop = threading.Event()
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._serve, name="jobs", daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def submit(self, call: Callable[..., Any], *given: Any, worker: str | None = None) -> Future[Any]:
        future: Future[Any] = Future()
        self._calls.put(lambda: _fulfil(future, call, *given))
        return future

    def _serve(self) -> None:
        assert self.stop is not None
        while (call := self._calls.get()) is not None and not self.stop.is_set():
            call()

    def close(self) -> None:
        assert self.stop is not None
        self.stop.set()
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            thread.join(CLOSING_S)


def _fulfil(future: Future[Any], call: Callable[..., Any], *given: Any) -> None:
    try:
        future.set_result(call(*given))
    except BaseException as error:  # noqa: BLE001 - raised where the result is read
        future.set_exception(error)


class Processes(Pool):
    """Processes of this computer.

    Loky starts a process anew that has grown by 300 MB since its first call, as what a job imports may do (torch and
    the rest of `lab.train.gomoku` take 500 MB). So the first call is to be a job.
    """

    lost = (BrokenProcessPool,)

    def __init__(self, count: int, start_method: str) -> None:
        super().__init__(count)
        self._start_method = start_method
        self._executor = self._started()

    def _started(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor  # late: not needed for `--help` or for threads
        from joblib.externals.loky.backend import get_context

        return ProcessPoolExecutor(self._count, context=get_context(self._start_method), initializer=dask_setup)

    def submit(self, call: Callable[..., Any], *given: Any, worker: str | None = None) -> Future[Any]:
        with contextlib.suppress(BrokenProcessPool):
            return self._executor.submit(call, *given)  # type: ignore[no-any-return]
        self._executor.shutdown(wait=True, kill_workers=True)
        self._executor = self._started()
        return self._executor.submit(call, *given)  # type: ignore[no-any-return]

    def close(self) -> None:
        """Kills the processes.

        Loky's thread dies with a KeyError over a call that it has not handed on when it is shut down. Calls are handed
        on in order, so it has handed on all of them once it has done so with the last.
        """
        with contextlib.suppress(BrokenProcessPool):
            last = self._executor.submit(int)
            until_s = time.monotonic() + CLOSING_S
            while not (last.running() or last.done()) and time.monotonic() < until_s:
                time.sleep(LOOK_S)
        self._executor.shutdown(wait=True, kill_workers=True)


def dask_setup(_worker: object = None) -> None:
    """In the workers of this computer, where dask calls it by its name: Ctrl-C is for who gathers the results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


MAX_CONNECTING_S = 30.0
CONNECT = """
import sys
try:
    import distributed; distributed.Client(sys.argv[1])
except Exception as error:
    sys.exit(str(error))
"""
"""A program that ends with the error where no cluster answers at its argument."""
LOOPBACK = "127.0.0.1"
"""A cluster on this computer is open to nobody else."""


class _Call:
    """A call that is made where its bytes are unpickled.

    As bytes it passes schedulers that lack our code, and workers that lack it say so; dask's would end.
    """

    def __init__(self, call: Callable[..., Any], given: tuple[Any, ...]) -> None:
        self._call, self._given = call, given

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._call, self._given


def _check_reachable(address: str | None) -> None:
    """Raises OSError, ValueError if no cluster answers at HOST:PORT.

    Tried by a process that can be killed: dask itself goes on for minutes where something else answers.
    """
    if address is None:
        return
    host, _, port = address.rpartition("://")[2].rpartition(":")
    if not host or not port.isdecimal():
        raise ValueError("the address is to be HOST:PORT")
    socket.create_connection((host.strip("[]"), int(port)), MAX_CONNECTING_S).close()
    try:
        command = [sys.executable, "-c", CONNECT, address]
        tried = processes.run(command, MAX_CONNECTING_S, capture_output=True, text=True)
    except TimeoutExpired:
        raise OSError(f"no answer in {MAX_CONNECTING_S:g} s") from None
    if tried.returncode:
        raise OSError("; ".join(tried.stderr.splitlines()[-2:]))  # before the error, dask logs its cause


class Dask(Pool):
    def __init__(self, address: str | None, slots: int | None) -> None:
        import dask
        import distributed

        self._address = address or dask.config.get("scheduler-address", None)
        given: dict[str, Any] = {"address": self._address}
        if self._address is None:
            given = {
                "host": LOOPBACK, "n_workers": slots or os.cpu_count(), "threads_per_worker": 1,
                "dashboard_address": f"{LOOPBACK}:0", "silence_logs": logging.CRITICAL, "preload": [__name__],
            }  # fmt: skip
        try:
            _check_reachable(self._address)
            self._client = distributed.Client(**given, timeout=MAX_CONNECTING_S, set_as_default=False)
        except (OSError, ValueError, RuntimeError) as error:
            raise JobsError(f"{self} cannot be reached: {' '.join(str(error).split())}") from None
        self.lost = (distributed.KilledWorker, CancelledError)

    def __str__(self) -> str:
        return f"the dask cluster {self._address or 'on this computer'}"

    def workers(self) -> dict[str, int]:
        """None while the scheduler does not answer."""
        self._check_open()
        with contextlib.suppress(OSError):
            found = self._client.scheduler_info(n_workers=-1).get("workers", {})
            return {address: worker["nthreads"] for address, worker in found.items()}
        return {}

    def submit(self, call: Callable[..., Any], *given: Any, worker: str | None = None) -> Future[Any]:
        self._check_open()
        call_there = pickle.dumps(_Call(call, given))
        task = self._client.submit(pickle.loads, call_there, pure=False, workers=worker and [worker])
        future: Future[Any] = Future()
        task.add_done_callback(lambda done: _fulfil(future, done.result))
        return future

    def _check_open(self) -> None:
        """A client that has lost its scheduler tries to find it again for `MAX_CONNECTING_S`, then closes itself."""
        if self._client.status not in ("running", "connecting"):
            raise JobsError(f"{self} has not answered for {MAX_CONNECTING_S:g} s")

    def close(self) -> None:
        self._client.close(timeout=MAX_CONNECTING_S)

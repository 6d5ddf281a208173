"""Workers on other computers: a cluster of dask."""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import signal
import socket
import sys
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from subprocess import TimeoutExpired
from typing import Any

import processes
from agents.jobs import JobsError

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


class Dask:
    stop = None

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
        self.lost: tuple[type[BaseException], ...] = (distributed.KilledWorker, CancelledError)

    def __str__(self) -> str:
        return f"the dask cluster {self._address or 'on this computer'}"

    def workers(self) -> dict[str, int]:
        """Address of each worker, and its threads; none while the scheduler does not answer."""
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
        task.add_done_callback(lambda done: _pass_on(done, future))
        return future

    def _check_open(self) -> None:
        """A client that has lost its scheduler tries to find it again for `MAX_CONNECTING_S`, then closes itself."""
        if self._client.status not in ("running", "connecting"):
            raise JobsError(f"{self} has not answered for {MAX_CONNECTING_S:g} s")

    def close(self) -> None:
        self._client.close(timeout=MAX_CONNECTING_S)


def _pass_on(task: Any, future: Future[Any]) -> None:
    """Gives a finished task's answer to a future; dask's own executor fails if the worker dies in between."""
    try:
        future.set_result(task.result())
    except BaseException as error:  # noqa: BLE001 - raised again by whoever asks the future
        future.set_exception(error)


def dask_setup(_worker: object) -> None:
    """Called by dask in the workers of this computer: Ctrl-C is for the process that gathers the results."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

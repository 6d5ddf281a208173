"""Workers on this computer: threads and processes."""

from __future__ import annotations

import contextlib
import queue
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

CLOSING_S = 2.0
"""Seconds for threads to notice that they are stopped."""
LOOK_S = 0.001
HERE = "this computer"


class Threads:
    """Threads of this process, which stop when they are told to, and never keep it from ending."""

    lost: tuple[type[BaseException], ...] = ()

    def __init__(self, count: int) -> None:
        self.stop: threading.Event | None = threading.Event()
        self._calls: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._threads = [threading.Thread(target=self._serve, name="jobs", daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def __str__(self) -> str:
        return HERE

    def workers(self) -> dict[str, int]:
        return {HERE: len(self._threads)}

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
    except BaseException as error:  # noqa: BLE001 - the top of the thread; raised where the result is read
        future.set_exception(error)


class Processes:
    stop = None
    lost: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __init__(self, count: int, start_method: str) -> None:
        self._count, self._start_method = count, start_method
        self._executor = self._started()

    def __str__(self) -> str:
        return HERE

    def workers(self) -> dict[str, int]:
        return {HERE: self._count}

    def _started(self) -> Any:
        from joblib.externals.loky import ProcessPoolExecutor  # late: not needed for `--help` or for threads
        from joblib.externals.loky.backend import get_context

        return ProcessPoolExecutor(
            self._count, context=get_context(self._start_method), initializer=_leave_ctrl_c_to_the_parent
        )

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


def _leave_ctrl_c_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)

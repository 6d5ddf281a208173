"""Opens a source from a thread of its own: a driver may hang within the opening, and whoever waits must not."""

from __future__ import annotations

import threading
from collections.abc import Callable

from vision.frame import FrameSource, SourceError


class Attempt:
    """One attempt at opening a source. A source that comes after `abandon` is closed again."""

    def __init__(self, opener: Callable[[], FrameSource]) -> None:
        self._opener = opener
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._source: FrameSource | None = None
        self._fault: Exception | None = None
        self._abandoned = False
        threading.Thread(target=self._run, name="opening a camera", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        """Whether the attempt is over, waited for so long at most."""
        return self._over.wait(timeout_s)

    def result(self) -> FrameSource:
        """The source, once the attempt is over. Raises SourceError where there is none, or it is not over."""
        with self._lock:
            source, self._source = self._source, None
        if source is not None:
            return source
        if isinstance(self._fault, SourceError) or self._fault is None:
            raise self._fault or SourceError("it is not open yet")
        raise SourceError(f"{type(self._fault).__name__}: {self._fault}") from self._fault

    def abandon(self) -> None:
        """Nobody wants the source any more."""
        with self._lock:
            self._abandoned = True
            source, self._source = self._source, None
        if source is not None:
            source.close()

    def _run(self) -> None:
        """The thread."""
        source = None
        try:
            source = self._opener()
        except Exception as error:  # noqa: BLE001 - it belongs to whoever asked
            self._fault = error
        with self._lock:
            unwanted = self._abandoned
            if not unwanted:
                self._source = source
        if unwanted and source is not None:
            source.close()
        self._over.set()

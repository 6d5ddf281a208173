"""Opens a source in its own thread: a driver may hang while opening, and must not block the caller."""

from __future__ import annotations

import threading
from collections.abc import Callable

from vision.frame import FrameSource, SourceError
from wording.outside import clean, without_secrets


class Attempt:
    """One attempt at opening a source. A source that opens after `abandon` is closed again."""

    def __init__(self, opener: Callable[[], FrameSource]) -> None:
        self._opener = opener
        self._over = threading.Event()
        self._lock = threading.Lock()
        self._source: FrameSource | None = None
        self._fault: Exception | None = None
        self._abandoned = False
        threading.Thread(target=self._run, name="opening a camera", daemon=True).start()

    def wait(self, timeout_s: float) -> bool:
        """Waits up to `timeout_s` for the attempt to end; returns whether it has."""
        return self._over.wait(timeout_s)

    def result(self) -> FrameSource:
        """The source, once the attempt is over. Raises SourceError where there is none, or it is not over."""
        with self._lock:
            source, self._source = self._source, None
        if source is not None:
            return source
        if isinstance(self._fault, SourceError) or self._fault is None:
            raise self._fault or SourceError("it is not open yet")
        why = clean(without_secrets(f"{type(self._fault).__name__}: {self._fault}"))
        raise SourceError(why) from self._fault

    def abandon(self) -> None:
        """Gives up the attempt and closes its source, now or as soon as it opens."""
        with self._lock:
            self._abandoned = True
            source, self._source = self._source, None
        if source is not None:
            source.close()

    def _run(self) -> None:
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

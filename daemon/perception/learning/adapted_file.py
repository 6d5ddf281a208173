"""The file of a table's adapted heads during a game: written in the background, and watched for changes by others."""

from __future__ import annotations

import logging
from concurrent.futures import Executor, Future
from pathlib import Path

from daemon.perception.learning.generations import Adapted, AdaptedError, digest_of, load_adapted, save_adapted
from vision.reading.heads import Head

LOGGER = logging.getLogger(__name__)


class AdaptedFile:
    """One file, or none: what is learnt then ends with the session."""

    def __init__(self, path: Path | None, first: Head | None, executor: Executor) -> None:
        """Takes the head of the profile that the file belongs to (`first`), and the executor that writes."""
        self.path = path if first is not None else None
        self._first = "" if first is None else digest_of(first)
        self._executor = executor
        self._stamp = _stamp(path)
        self._writing: Future[int] | None = None

    def load(self) -> Adapted:
        """Loads the stored heads; logs a warning and returns nothing stored if the file cannot be used."""
        try:
            return Adapted() if self.path is None else load_adapted(self.path, self._first)
        except AdaptedError as error:
            LOGGER.warning("%s; it is not used, and replaced when something new is learnt", error)
            return Adapted()

    def save(self, adapted: Adapted) -> None:
        """Writes in the background; if that fails, the heads are kept for this session only."""
        if self.path is not None:
            self._writing = self._executor.submit(_write, self.path, self._first, adapted)

    def changed_by_hand(self) -> bool:
        """Whether somebody else has since written or deleted the file; False while it is being written."""
        if self._writing is not None:
            if not self._writing.done():
                return False
            self._stamp, self._writing = self._writing.result(), None
        return self.path is not None and _stamp(self.path) != self._stamp


def _write(path: Path, first: str, adapted: Adapted) -> int:
    """Writes the file and returns its modification time."""
    try:
        save_adapted(path, first, adapted)
    except OSError as error:
        LOGGER.warning("%s: cannot be written: %s", path, error.strerror or error)
    return _stamp(path)


def _stamp(path: Path | None) -> int:
    """Modification time of the file in nanoseconds; 0 if there is none."""
    try:
        return 0 if path is None else path.stat().st_mtime_ns
    except OSError:
        return 0

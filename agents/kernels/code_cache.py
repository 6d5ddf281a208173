"""Machine code on disk, one file per function and signature, checked before it is loaded.

Takes the place of numba's own files, which are unpickled unchecked: a flipped bit in them is a traceback or the end of
the process, and a full disk an error. Here a file that is damaged or cannot be read is as good as none, and what cannot
be written is not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, dispatcher
from numba.core.serialize import dumps

_log = logging.getLogger(__name__)
DIGEST_BYTES = hashlib.sha256().digest_size
_told: set[str] = set()
"""What was logged already: one line is enough for a folder of damaged files."""


class CodeFiles:
    """The files of one function: each begins with the SHA-256 of the rest, and is written whole or not at all."""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: object) -> None:
        self._folder, self._base = Path(cache_path), filename_base
        self._versions = numba.__version__, source_stamp

    def load(self, key: object) -> Any:
        """What was saved under a key; None if it is absent or damaged."""
        path = self._path(key)
        try:
            content = path.read_bytes()
        except OSError as error:
            if not isinstance(error, FileNotFoundError):
                _tell("compiled searches in %s cannot be read and are compiled anew: %s", path.parent, error.strerror)
            return None
        digest, data = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
        if hashlib.sha256(data).digest() != digest:
            _tell("compiled searches in %s are damaged and are compiled anew", path.parent)
            return None
        return pickle.loads(data)

    def save(self, key: object, data: object) -> None:
        """Keeps it for other processes. Raises OSError."""
        path, content = self._path(key), dumps(data)  # type: ignore[no-untyped-call]
        unfinished = path.with_suffix(f".{os.getpid()}")
        try:
            unfinished.write_bytes(hashlib.sha256(content).digest() + content)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)

    def _path(self, key: object) -> Path:
        """Named after all that decides the code, so that neither another version nor another processor loads it."""
        name = hashlib.sha256(repr((self._versions, key)).encode()).hexdigest()[:32]
        return self._folder / f"{self._base}.{name}"


class CheckedCache(caching.FunctionCache):
    """numba's cache of one function, on checked files."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)  # type: ignore[no-untyped-call]
        locator = self._impl.locator
        files: Any = CodeFiles(self._cache_path, self._impl.filename_base, locator.get_source_stamp())
        self._cache_file = files

    @contextlib.contextmanager
    def _guard_against_spurious_io_errors(self) -> Iterator[None]:
        """Around every use of the files: what cannot be written is compiled anew next time."""
        try:
            yield
        except OSError as error:
            _tell("compiled searches cannot be kept in %s: %s", Path(self._cache_path).parent, error.strerror)


def _cache_of(function: Callable[..., Any]) -> Any:
    try:
        return CheckedCache(function)
    except RuntimeError:  # numba found no place that it can write
        _tell("compiled searches cannot be kept in %s", getattr(numba.config, "CACHE_DIR"))  # noqa: B009 - made from the environment
        return caching.NullCache()


def _tell(text: str, *values: object) -> None:
    if text not in _told:
        _told.add(text)
        _log.warning(text, *values)


def use() -> None:
    """Makes numba keep all machine code in checked files from now on."""
    setattr(dispatcher, "FunctionCache", _cache_of)  # noqa: B010 - a name that numba imports there

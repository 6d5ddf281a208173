"""Atomic file writes, and files that only their owner may read."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from system.named_files import open_regular


def write_atomically(path: Path, content: bytes | Callable[[BinaryIO], object], *, private: bool = False) -> None:
    """Writes through a temporary file in the same folder, so no reader or power cut leaves half. Raises OSError.

    Only its owner may read a `private` file. A content too large for memory writes itself. Replaced are only files of
    this user: no link, device or pipe, and nothing of somebody else's.
    """
    _refuse_others(path)
    descriptor, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # made 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            content(file) if callable(content) else file.write(content)
            file.flush()
            os.fsync(file.fileno())
        if not private:
            Path(beside).chmod(0o644)
        Path(beside).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(beside).unlink()
        raise


def _refuse_others(path: Path) -> None:
    """Raises OSError for what must not be replaced by a file."""
    try:
        found = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISLNK(found.st_mode):
        raise OSError(errno.EINVAL, "it is a link: name the file itself", str(path))
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is no file, but a folder, a device or a pipe", str(path))
    if found.st_uid != os.geteuid():
        raise OSError(errno.EPERM, "it is another user's", str(path))


def write_private(path: Path, content: bytes) -> None:
    """Writes a private file, and makes its folder. Raises OSError."""
    path.parent.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
    write_atomically(path, content, private=True)


def read_private(path: Path, most_bytes: int) -> tuple[bytes, bool]:
    """The file's content, and whether others may read it, too. Raises OSError."""
    with open_regular(path, most_bytes) as file:
        mode = os.fstat(file.fileno()).st_mode
        return bytes(file.read()), bool(mode & (stat.S_IRWXG | stat.S_IRWXO))


def make_private(path: Path) -> None:
    """Creates an empty file that only its owner may read, or makes one so that everybody may. Raises OSError.

    A file that its owner has opened to a group alone stays so. It is not opened: closing it would end SQLite's locks.
    """
    try:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    except FileExistsError:
        with contextlib.suppress(PermissionError, FileNotFoundError):  # another user's; a link to nothing
            found = path.stat()
            if stat.S_ISREG(found.st_mode) and found.st_mode & stat.S_IRWXO:
                path.chmod(0o600)

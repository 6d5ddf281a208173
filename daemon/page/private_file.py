"""Small files with secrets, which only their owner may read."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from calibration.atomic_file import write_atomically
from places.named_files import open_regular


def read_private(path: Path, most_bytes: int) -> tuple[bytes, bool]:
    """The file's content, and whether others may read it, too. Raises OSError."""
    with open_regular(path, most_bytes) as file:
        mode = os.fstat(file.fileno()).st_mode
        return bytes(file.read()), bool(mode & (stat.S_IRWXG | stat.S_IRWXO))


def write_private(path: Path, content: bytes) -> None:
    """Writes the file, whole or not at all, and makes its folder. Raises OSError."""
    path.parent.mkdir(mode=stat.S_IRWXU, parents=True, exist_ok=True)
    write_atomically(path, content, private=True)

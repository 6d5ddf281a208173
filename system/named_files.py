"""Reads files that people name: regular ones only, because a pipe blocks and a device never ends."""

from __future__ import annotations

import errno
import os
import stat
import tomllib
from pathlib import Path
from typing import Any, BinaryIO

MAX_TOML_BYTES = 64 << 10
"""Bytes, seven times the shipped settings; tomllib takes time by the square of a dotted key's length."""


def open_regular(path: Path, most: int) -> BinaryIO:
    """The open file. Raises OSError, also for what is no regular file, and for more than `most` bytes."""
    try:
        file = os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")
    except ValueError as error:
        raise OSError(errno.EINVAL, str(error)) from None  # a zero byte in the name
    found = os.fstat(file.fileno())
    if stat.S_ISREG(found.st_mode) and found.st_size <= most:
        return file
    file.close()
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")
    raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes")


def read_bytes(path: Path, most: int) -> bytes:
    """The content of a regular file. Raises OSError, also for anything else, and for more than `most` bytes."""
    with open_regular(path, most) as file:
        return file.read(most)


def read_text(path: Path, most: int) -> str:
    """The content of a regular file of UTF-8, without a byte order mark. Raises OSError, UnicodeDecodeError."""
    return read_bytes(path, most).decode("utf-8-sig")


def read_toml(path: Path) -> dict[str, Any]:
    """The tables of a TOML file. Raises OSError; ValueError, which says where it is not TOML."""
    return parse_toml(read_text(path, MAX_TOML_BYTES))


def parse_toml(text: str) -> dict[str, Any]:
    """The tables of a TOML text. Raises ValueError."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None

"""Safely reads array files that may be damaged or untrusted: limits their size and runs no code from them."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from system.named_files import read_bytes

MAX_BYTES = 32 << 20
"""Bytes allowed for a file, and for its unpacked content."""
DAMAGED = (
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    EOFError,
    RuntimeError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    MemoryError,
)
"""Exceptions raised on reading a file that is not an archive, is cut off or was tampered with.

MemoryError: an array claims a size that no computer has.
"""


def read_arrays(path: Path) -> dict[str, NDArray[np.generic]]:
    """The arrays of an npz file by name. Raises OSError, also if the file is too large, or one of DAMAGED."""
    return arrays_of(read_bytes(path, MAX_BYTES))


def arrays_of(content: bytes) -> dict[str, NDArray[np.generic]]:
    """The arrays of an npz file's content by name. Raises one of DAMAGED, also if it is too large."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > MAX_BYTES:
            raise ValueError(f"unpacks to more than {MAX_BYTES >> 20} MiB")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}

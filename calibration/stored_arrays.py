"""Files of arrays that somebody else may have written or damaged: read within bounds, and without running anything."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LARGEST_BYTES = 32 << 20
"""Of a file, and of what it unpacks to."""
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
)
"""What reading an archive raises that is none, or was cut off or tampered with."""


def read_arrays(path: Path) -> dict[str, NDArray[np.generic]]:
    """The arrays of an npz file by name. Raises OSError, and what DAMAGED names, also where it is too large."""
    if path.stat().st_size > LARGEST_BYTES:
        raise ValueError(f"larger than {LARGEST_BYTES >> 20} MiB")
    return arrays_of(path.read_bytes())


def arrays_of(content: bytes) -> dict[str, NDArray[np.generic]]:
    """The arrays of an npz file's content by name. Raises what DAMAGED names, also where it is too large."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        if sum(entry.file_size for entry in archive.infolist()) > LARGEST_BYTES:
            raise ValueError(f"unpacks to more than {LARGEST_BYTES >> 20} MiB")
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}

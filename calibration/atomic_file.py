"""Atomic file writes."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Writes through a temporary file in the same folder, so no reader or power cut leaves half. Raises OSError."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as beside:
        try:
            beside.write(content)
            beside.flush()
            os.fsync(beside.fileno())
            Path(beside.name).chmod(0o644)
            Path(beside.name).replace(path)
        except OSError:
            with contextlib.suppress(OSError):
                Path(beside.name).unlink(missing_ok=True)
            raise

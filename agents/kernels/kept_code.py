"""Where compiled code is kept on the disk. Imports no compiler, so that asking what is there costs nothing."""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import tempfile
from pathlib import Path

from system import paths

_log = logging.getLogger(__name__)

KERNELS = Path(__file__).resolve().parent
OUTSIDE = KERNELS.parent / "search.py", KERNELS.parent / "tables" / "slots.py"
"""Files elsewhere that compiled code is made of."""
WHOLE = "whole"
"""File in a game's folder that says that its whole kernel was compiled."""


@functools.cache
def _sources_digest(package: Path) -> str:
    """Twelve letters that change with any file that a kernel is made of; numba itself checks only the calling file."""
    digest = hashlib.sha256()
    for path in (*OUTSIDE, *sorted({*KERNELS.glob("*.py"), *package.rglob("*.py")})):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@functools.cache
def cache_folder() -> Path:
    """Folder of compiled code: NUMBA_CACHE_DIR, the cache folder or a temporary one, the first that is usable.

    Others may not write it: what lies there is loaded as code.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    kept = Path(given) if given else paths.cache_folder(".numba_cache")
    private = Path(tempfile.gettempdir()) / f"kibitzer-numba-{os.getuid()}"
    for folder in (kept, private):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if not paths.is_private(folder):
            _log.warning("%s is another user's, or others may write it: no compiled search is loaded from it", folder)
        elif os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="kibitzer-numba-"))


def folder_of(package: Path) -> Path:
    """Folder for the code of a game's package, whose name changes with the kernel's sources."""
    return cache_folder() / f"{package.name}-{_sources_digest(package)}"

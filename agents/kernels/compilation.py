"""Compiles search kernels and caches the code on disk, so that only the first start is slow.

Kernels keep their state in scalars and one flat uint64 array, index with unsigned numbers and declare their signatures:
calls then never compile again, and a recursive function is loaded whole from the disk.
"""

from __future__ import annotations

import functools
import hashlib
import logging
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numba
import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.extending import intrinsic as _numba_intrinsic

import places
from agents.kernels import code_cache

_log = logging.getLogger(__name__)
code_cache.use()

P = ParamSpec("P")
R = TypeVar("R")
KERNELS = Path(__file__).resolve().parent
listeners: list[Callable[[], None]] = []
"""Called after each function that was compiled, or loaded from the disk."""


@functools.cache
def _sources_digest(package: str) -> str:
    """Twelve letters that change with any file of a kernel; numba itself checks only the calling file."""
    digest = hashlib.sha256()
    for path in (
        KERNELS.parent / "search.py",
        *sorted(KERNELS.glob("*.py")),
        *sorted((KERNELS / package).rglob("*.py")),
    ):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


@functools.cache
def cache_folder() -> Path:
    """Folder of compiled code: NUMBA_CACHE_DIR, the cache folder or a temporary one, the first that is usable.

    Others may not write it: what lies there is loaded as code.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    kept = Path(given) if given else places.cache_folder(".numba_cache")
    private = Path(tempfile.gettempdir()) / f"kibitzer-numba-{os.getuid()}"
    for folder in (kept, private):
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            continue
        if not places.is_private(folder):
            _log.warning("%s is another user's, or others may write it: no compiled search is loaded from it", folder)
        elif os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="kibitzer-numba-"))


def _keep_beside(module: str) -> None:
    """Directs numba's cache to a folder for this kernel, whose name changes with its sources."""
    package = module.removeprefix("agents.kernels").strip(".").partition(".")[0] if "kernels" in module else ""
    folder = package if (KERNELS / package).is_dir() and package else "shared"
    digest = _sources_digest(package if folder == package else "")
    setattr(numba.config, "CACHE_DIR", str(cache_folder() / f"{folder}-{digest}"))  # noqa: B010 - made from the environment


def compiled(signature: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Compiles a function at once for one signature; it runs without the interpreter's lock."""

    def compile_it(function: Callable[P, R]) -> Callable[P, R]:
        _keep_beside(function.__module__)
        # Without numba's reference counts: kernels allocate nothing, and their arrays are their callers'.
        options: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}
        machine_code: Callable[P, R] = numba.njit(signature, **options)(function)
        for told in listeners:
            told()
        return machine_code

    return compile_it


def _intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    made: Callable[..., Any] = _numba_intrinsic(function)
    return made


@compiled("int64(uint64)")
def signed(bits: np.uint64) -> int:
    """The same 64 bits as a signed number."""
    return np.int64(bits)  # type: ignore[return-value]


@_intrinsic
def bit_count(_typing: Any, _bits: Any) -> Any:
    """Number of set bits of a uint64."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return numba.uint64(numba.uint64), build


@_intrinsic
def lowest_bit(_typing: Any, _bits: Any) -> Any:
    """Index of the lowest set bit of a nonzero uint64."""

    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return numba.uint64(numba.uint64), build

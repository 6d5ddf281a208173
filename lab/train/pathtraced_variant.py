"""Loads the renderer, Mitsuba 3 on LLVM, or says what is missing."""

from __future__ import annotations

import functools
import importlib
from typing import Any

VARIANT = "llvm_ad_rgb"
OLDEST_LLVM = 17
"""Version; LLVM 15 aborts the process ("Cannot select") on processors with AVX-512 that are newer than itself."""


class RendererError(ValueError):
    """The renderer or a library of it is missing; the message says how to get it."""


@functools.cache
def load_mitsuba(threads: int = 1) -> Any:
    """The module `mitsuba` on so many processor cores. Raises RendererError."""
    try:
        mitsuba, drjit = importlib.import_module("mitsuba"), importlib.import_module("drjit")
    except ImportError as error:
        raise RendererError(f"{error.name} is not installed; ./kibitzer train installs it") from None
    try:
        mitsuba.set_variant(VARIANT)
        drjit.set_thread_count(threads)
        # The first array triggers the search for LLVM.
        drjit.eval(mitsuba.Float([0.0, 1.0]) + 1.0)
    except (ImportError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[-1]
        raise RendererError(
            f"Mitsuba finds no LLVM ({reason}); on Debian: sudo apt-get install libllvm19, "
            "or name the library in DRJIT_LIBLLVM_PATH"
        ) from None
    version = drjit.detail.llvm_version()
    if version[0] < OLDEST_LLVM:
        raise RendererError(
            f"LLVM {version[0]} is too old for Mitsuba, which needs {OLDEST_LLVM} or newer; "
            "on Debian: sudo apt-get install libllvm19"
        )
    return mitsuba

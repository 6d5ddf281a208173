"""Memory that is free goes back to the system."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from daemon.supervision.resources import process_figures, return_free_memory

PICTURES, KILOBYTES = 500, 100


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this C library has no heap with holes")
def test_freed_pictures_do_not_stay_with_the_process() -> None:
    pictures = [np.ones(KILOBYTES * 1000, np.uint8) for _ in range(PICTURES)]
    kept = pictures[-1]  # the heap cannot shrink below it
    del pictures[:-1]
    before = process_figures()["memory_bytes"]
    return_free_memory()
    assert before - process_figures()["memory_bytes"] > 0.6 * PICTURES * KILOBYTES * 1000
    assert kept.all()

"""Keeps the daemon's memory small between peaks, such as a search for the board, by the C library's own means.

Pictures are freed in another order than they are made, often by another thread, and leave holes that glibc keeps: a
third of the daemon's memory half a minute after its start.
"""

from __future__ import annotations

import contextlib
import ctypes

M_ARENA_MAX = -8
"""`mallopt(3)`: the greatest number of heaps."""
EVERY_S = 10.0
"""Seconds between two returns of free memory: each takes 1 to 5 ms, and the next pictures take some of it again."""


def share_one_heap() -> None:
    """Lets all threads take memory from one heap; call it before the first of them begins.

    By default each has a heap of its own, and cannot use what the others have freed in theirs.
    """
    with contextlib.suppress(OSError, AttributeError):  # other C libraries than glibc have neither heaps nor holes
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)


def return_free_memory() -> None:
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)

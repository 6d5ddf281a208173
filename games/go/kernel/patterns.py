"""Good shape by rules of thumb, as neighbourhoods of three by three points around the stone that is laid.

`X` is an own stone, `O` an enemy's, `.` empty, `#` the border; small `x` is any but an own stone, `o` any but an
enemy's, `?` anything. A pattern holds turned and mirrored, too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HANE = ("XOX .*. ???", "XO. .*. ?.?", "XO? X*. o.?", ".O. X*. ...")
"""Around the head of an enemy stone, from an own one beside or behind it."""
CUT = ("XO? O*o ?o?", "?O? X*X ?.?", "?X? O*O x.x", "OX? o*O ???")
"""Between two enemy stones that are joined by this point only; and through a gap."""
JOIN = ("OX? X*? ?.?", "OX? .*X ?.?")
"""Own stones that the enemy would cut here."""
EDGE = ("X.? O*? ###", "?X? O*o ###", "?XO o*o ###", "?OX X*O ###", "XO? ?*? ###", ".OX .*? ###")
"""On the first line: along it, below a stone, and from below."""
MEANT = {"X": (1,), "O": (2,), ".": (0,), "#": (3,), "x": (0, 2, 3), "o": (0, 1, 3), "?": (0, 1, 2, 3)}


def _turned(pattern: str) -> list[str]:
    """The eight ways to see a pattern, each as its eight points."""
    grid, seen = np.array([list(row) for row in pattern.split()]), list[str]()
    for turns in range(4):
        for one in (np.rot90(grid, turns), np.rot90(grid, turns).T):
            text = "".join(one.ravel())
            seen.append(text[:4] + text[5:])
    return seen


def table() -> NDArray[np.int64]:
    """2 x 1024 words: a bit for each code, first as black sees it, then as white does.

    A code has two bits for each point around the middle, row by row, the first lowest.
    """
    codes = np.arange(4**8)
    parts = [codes >> 2 * place & 3 for place in range(8)]
    matched = np.zeros(4**8, dtype=bool)
    by_point = matched.reshape((4,) * 8)  # the last point first
    for pattern in (*HANE, *CUT, *JOIN, *EDGE):
        for points in set(_turned(pattern)):
            by_point[np.ix_(*(MEANT[sign] for sign in reversed(points)))] = True
    exchanged = sum(np.array([0, 2, 1, 3])[part] << 2 * place for place, part in enumerate(parts))
    both = np.concatenate((matched, matched[exchanged]))
    return np.packbits(both, bitorder="little").view(np.int64)

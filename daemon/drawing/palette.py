"""Colours of marks on a board: one colour has one meaning, in the camera's picture and in the drawn board alike."""

from __future__ import annotations

from typing import Final

Bgr = tuple[int, int, int]

LAST: Final = "#b45309"
"""The last move, and what it took."""
WANTED: Final = "#15803d"
"""Please do this: an agent's move to be carried out, and what it takes."""
WRONG: Final = "#dc2626"
"""Wrong: cells that must be put right."""
HINT: Final = "#7c3aed"
UNKNOWN: Final = "#64748b"
WON: Final = "#f5c518"
EDGE: Final = "#ffffff"
"""The light edge of a mark: it stands out on any wood."""


def bgr(colour: str) -> Bgr:
    """Blue, green, red of a colour written as `#rrggbb`."""
    red, green, blue = bytes.fromhex(colour[1:])
    return blue, green, red

"""A board found in a picture: its place, the method that found it, and how sure it is."""

from __future__ import annotations

import dataclasses
from typing import Literal

from calibration.sheet import SheetLayout
from calibration.template import BoardTemplate
from vision.pose import BoardPose

FoundBy = Literal["markers", "print", "squares", "lattice", "outline", "reference", "hand"]
"""By a printed board's markers, the board's print, squares, lattice or outline, a profile's picture, or a person."""


@dataclasses.dataclass(frozen=True, eq=False)
class Found:
    pose: BoardPose
    template: BoardTemplate
    """The template with the shape measured on this board."""
    sheet: SheetLayout | None = None
    """The layout of a printed board that was found by its markers; None for others."""
    found_by: FoundBy = "outline"
    sure: float = 1.0
    """Probability, 0 to 1, that the board is there and correctly placed."""

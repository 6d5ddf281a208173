"""Measures whether a board is found again with its profile: cells read right are worth nothing on a board not found."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from calibration.profile import TableProfile
from calibration.template import BoardTemplate
from vision.calibrating.conditions import Condition
from vision.calibrating.survey import Shown
from vision.finding.markers import OtherSheetError
from vision.finding.viewpoint import viewpoint
from vision.pose import project
from vision.reading.locate import PhotoReader
from wording import sentence

NEAR = 0.5
"""Share of a cell that a board found again may be off."""


def found_again(shown: Sequence[Shown], template: BoardTemplate, profile: TableProfile) -> Condition:
    """In how many of the pictures the board is not found where it is known to be. Takes 0.2 to 1.5 s a picture."""
    reader = PhotoReader(template, profile)
    found = sum(_is_found(one, template, reader) for one in shown)
    said = sentence(
        "With what was learnt, the board is found again in only {found} of its {count} pictures, as its lines are "
        "hardly seen: more light, a sharper picture, or a camera nearer to the board and higher above it shows them.",
        found=found,
        count=len(shown),
    )
    return Condition("found", 100 * (1 - found / len(shown)), said)


def _is_found(one: Shown, template: BoardTemplate, reader: PhotoReader) -> bool:
    try:
        placed = reader.place(one.image)
    except OtherSheetError:
        return False
    if placed is None:
        return False
    height, width = one.image.shape[:2]
    cells = np.array(template.cells_mm)
    off_px = project(placed.pose.image_from_board, cells) - project(one.pose.image_from_board, cells)
    return bool((np.linalg.norm(off_px, axis=1) < NEAR * viewpoint(one.pose, template, (width, height)).cell_px).all())

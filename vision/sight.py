"""Why no board is seen in a picture: a few codes, and sentences that a person can act on.

Each reason is told from what the picture shows: light and sharpness, another game's printed board. Where nothing tells
it, no board is seen, and that is all that is said.
"""

from __future__ import annotations

import dataclasses
from typing import Literal

import cv2
import numpy as np

import games
from calibration.template import BoardTemplate
from vision.frame import Image
from vision.markers import OtherSheetError, find_sheet

Code = Literal["other_board", "dark", "washed_out", "blurred", "no_board", "no_picture"]

DARK, BRIGHT = 45.0, 250.0
"""Mean grey value below which a picture is too dark, and grey value of a pixel that is burnt out."""
BURNT = 0.12
"""Share of burnt-out pixels that hides a board."""
BLURRED = 15.0
"""Variance of the Laplacian of a picture 640 pixels wide, below which nothing in it is sharp."""
WIDTH_PX = 640


@dataclasses.dataclass(frozen=True)
class Unseen:
    """Why a board is not seen, and what to do."""

    code: Code
    reason: str
    """What is the matter: one sentence."""
    advice: str
    """What to do about it: one sentence."""

    @property
    def text(self) -> str:
        """Both sentences."""
        return f"{self.reason} {self.advice}"


NO_BOARD = Unseen(
    "no_board",
    "I see no board.",
    "The whole of it must be in the picture, with nothing lying on its lines, seen rather from above.",
)


def why_unseen(image: Image, template: BoardTemplate) -> Unseen:
    """Why the board was not found in the picture."""
    return other_board(image, template) or exposure_fault(image) or NO_BOARD


def other_board(image: Image, template: BoardTemplate) -> Unseen | None:
    """What is said where the printed board of another game is in the picture; None where none is."""
    try:
        find_sheet(image, template)
    except OtherSheetError as error:
        wanted = games.find(template.game).title
        return Unseen("other_board", f"{str(error).capitalize()}.", f"Lay out a board for {wanted}.")
    return None


def exposure_fault(image: Image) -> Unseen | None:
    """What is said of a picture in which no board could be seen; None where light and sharpness would do."""
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY) if image.ndim == 3 else image
    size = WIDTH_PX, max(1, round(WIDTH_PX * grey.shape[0] / grey.shape[1]))
    small = np.asarray(cv2.resize(grey, size, interpolation=cv2.INTER_AREA))
    if small.mean() < DARK:
        return Unseen("dark", "The picture is very dark.", "Switch on a light.")
    if (small > BRIGHT).mean() > BURNT:
        advice = "Turn the lamp or the camera, so that nothing glares."
        return Unseen("washed_out", "Much of the picture is burnt out.", advice)
    if cv2.Laplacian(small, cv2.CV_64F).var() < BLURRED:
        return Unseen("blurred", "The picture is not sharp.", "Focus the camera, and wipe its lens.")
    return None

"""What a watcher says of boards of which a test tells only whether they rest."""

from __future__ import annotations

import numpy as np

from calibration.template import load_template
from vision.pose import BoardPose, Rectified
from vision.reading.board_reading import BoardReading
from vision.watching.watcher import Phase, Sight

FROM_ABOVE = Rectified(
    np.zeros((4, 4, 3), np.uint8), BoardPose(np.eye(3), error_px=0.0, quality=1.0), load_template("nine_mens_morris")
)
STILL_S = 10.0
MOST_CELLS = 400
"""No board has more."""


class NoLooks:
    """Replaces the looks of a pipeline: nothing more will be known of any cell."""

    def __init__(self) -> None:
        self.growing = np.zeros(MOST_CELLS, dtype=np.bool_)
        self.asked = 0
        self.told: BoardReading | None = None

    def ask_again(self) -> bool:
        self.asked += 1
        return False


def sight(phase: Phase, *, fresh: bool = False, motion: float = 0.0, cells: int = 24) -> Sight:
    """Every cell as it looks when nothing lies over it; still for long, unless something moves."""
    still_s = np.full(cells, 0.0 if phase == "moving" else STILL_S)
    every = np.ones(cells, dtype=np.bool_)
    return Sight(
        changed_s=np.zeros(cells),
        own_s=still_s,
        still_s=still_s,
        known=every,
        alike=every,
        things=np.zeros((1, 1), np.bool_),
        hidden=~every,
        phase=phase,
        fresh=fresh,
        blocked=False,
        blurred=False,
        motion=motion,
    )

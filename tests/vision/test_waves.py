"""Rows of men show the board's directions where no line is visible."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from vision.primitives.waves import find_waves


def men_at(gap_px: float, turn_deg: float) -> NDArray[np.uint8]:
    """A picture full of black and white men side by side, in rows turned by that angle."""
    rng = np.random.default_rng(2)
    picture = np.full((480, 480), 120, np.uint8)
    turn = np.deg2rad(turn_deg)
    along = gap_px * np.array([np.cos(turn), np.sin(turn)])
    across = gap_px * np.array([-np.sin(turn), np.cos(turn)])
    for row in range(-20, 21):
        for column in range(-20, 21):
            x, y = 240 + row * across + column * along
            cv2.circle(picture, (round(x), round(y)), round(0.48 * gap_px), (int(rng.choice([25, 235])),), -1)
    return picture


@pytest.mark.parametrize(("gap_px", "turn_deg"), [(18.0, 0.0), (26.0, 20.0)])
def test_rows_of_men_are_found_in_their_direction(gap_px: float, turn_deg: float) -> None:
    straight, diagonal = (directions_deg(segments.ends) for segments in find_waves(men_at(gap_px, turn_deg)))
    off = np.abs((np.concatenate([straight, diagonal]) - turn_deg + 45) % 90 - 45)
    assert len(straight) > 20
    # Either set may be the rows; the other set is at 45 degrees to them.
    assert np.median(np.minimum(off, 45 - off)) < 1.5
    assert min(np.median(off[: len(straight)]), np.median(off[len(straight) :])) < 1.5


def directions_deg(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    along = ends[:, 1] - ends[:, 0]
    return np.asarray(np.rad2deg(np.arctan2(along[:, 1], along[:, 0])))


def test_bare_picture_shows_no_rows() -> None:
    assert len(find_waves(np.full((480, 480), 128, np.uint8))[0].ends) == 0

"""Four points that are no corners of a board are refused with what is wrong with them."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.labels import corners_fault
from vision.cli import parse_corners


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("1,1 1,1 100,100 1,100", "top left and top right are the same point"),
        ("0,0 100,0 100,100 0,0", "top left and bottom left are the same point"),
        ("0,0 50,0 100,0 0,100", "top right lies on a line with the corners beside it"),
        ("0,0 100,0 0,100 100,100", "two sides cross"),
        ("0,0 100,100 100,0 0,100", "two sides cross"),
        ("0,0 0,100 100,100 100,0", "they go anticlockwise"),
        ("0,0 100,0 30,30 0,100", "bottom right lies between the three others"),
        ("60,60 100,0 100,100 0,90", "top left lies between the three others"),
        ("0,0 0,90 20,20 90,0", "bottom right lies between the three others"),
        ("nan,0 1,0 1,1 0,1", "in pixels, not"),
        ("inf,0 1,0 1,1 0,1", "in pixels, not"),
        ("0,0 1e300,0 1e300,1e300 0,1e300", "in pixels, not"),
        ("0,0 1,0 1,1", "in pixels, not"),
        ("", "in pixels, not"),
    ],
)
def test_degenerate_corners_are_refused_with_what_is_wrong(text: str, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        parse_corners(text)


def test_corners_of_a_board_seen_at_an_angle_are_taken() -> None:
    for corners in ([[0, 0], [100, 0], [100, 100], [0, 100]], [[400, 30], [700, 90], [610, 420], [20, 240]]):
        assert corners_fault(np.array(corners, dtype=np.float64)) == ""

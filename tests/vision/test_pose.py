"""Places of cells in a picture, by the board's pose."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import load_template
from vision.pose import cells_in_picture, pose_from_corners

TEMPLATE = load_template("nine_mens_morris")
PICTURE = np.zeros((480, 640, 3), dtype=np.uint8)


def shares(left: float, top: float, side: float) -> dict[str, float]:
    corners = np.array([[left, top], [left + side, top], [left + side, top + side], [left, top + side]])
    seen = cells_in_picture(pose_from_corners(corners, TEMPLATE), TEMPLATE, PICTURE)
    return dict(zip(TEMPLATE.cell_names, seen.tolist(), strict=True))


def test_all_of_a_board_within_the_picture_is_seen() -> None:
    assert set(shares(100, 60, 380).values()) == {1.0}


def test_a_man_whose_middle_is_at_the_edge_is_half_seen_and_one_beyond_it_not_at_all() -> None:
    seen = shares(0, 60, 380)
    assert seen["a4"] == pytest.approx(0.5, abs=0.1)
    assert seen["d7"] == seen["g1"] == 1.0
    below = shares(100, 130, 380)
    assert below["a1"] == below["g1"] == 0.0
    assert below["a4"] == 1.0

"""Lines that continue outside a board's frame, which is then a part of a larger board."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import load_template
from tests.vision.drawn import draw
from vision.finding.lines_beyond import lines_beyond
from vision.pose import pose_from_corners, project

ALL = (True, True, True, True)


@pytest.mark.parametrize("game", ["nine_mens_morris", "co_ganh", "gomoku", "reversi"])
def test_nothing_goes_on_outside_a_whole_board(game: str) -> None:
    template = load_template(game)
    image, pose = draw(template)
    sides = lines_beyond(image, pose, template)
    assert not any(side.goes_on for side in sides)


def test_the_lines_of_a_larger_board_go_on_at_every_side() -> None:
    large, small = load_template("gomoku", frozenset({"size=19"})), load_template("gomoku")
    image, pose = draw(large)
    piece = project(pose.image_from_board, small.corners_mm + 44.0)
    assert tuple(side.goes_on for side in lines_beyond(image, pose_from_corners(piece, small), small)) == ALL
    corner = project(pose.image_from_board, small.corners_mm)
    sides = lines_beyond(image, pose_from_corners(corner, small), small)
    assert tuple(side.goes_on for side in sides) == (False, False, True, True)


def test_a_picture_that_ends_at_the_frame_tells_nothing() -> None:
    template = load_template("gomoku")
    corners = np.array([[2, 60], [400, 60], [400, 420], [2, 420]], dtype=np.float64)
    image, pose = draw(template, corners)
    left, top, right, bottom = lines_beyond(image, pose, template)
    assert left.in_picture == 0
    assert not left.goes_on
    assert min(top.in_picture, right.in_picture, bottom.in_picture) == 1

"""What speaks against a supposed outline: lines that are missing, not hidden, and lines that continue outside it."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import load_template
from tests.vision.drawn import CORNERS, Look, draw
from vision.finding.outline import Outline
from vision.pose import pose_from_corners, project

TEMPLATE = load_template("nine_mens_morris")

ALL = (True, True, True, True)


def test_the_right_pose_leaves_no_line_out() -> None:
    image, truth = draw(TEMPLATE)
    assert Outline(image, truth, TEMPLATE).bare_share() == 0.0


def test_men_hide_lines_but_leave_no_board_bare() -> None:
    image, truth = draw(TEMPLATE, cells="W" * 9 + "." * 6 + "B" * 9)
    assert Outline(image, truth, TEMPLATE).bare_share() == 0.0


@pytest.mark.parametrize(("polarity", "contrast"), [(1, 120), (-1, 120), (1, 30)])
def test_a_frame_too_far_outside_leaves_the_joints_bare(polarity: int, contrast: int) -> None:
    """The board's outermost square is taken for the middle one, so a quarter of the expected joints do not exist."""
    drawn = TEMPLATE.with_shape({"middle": 0.65, "inner": 0.3})
    grey = 130 + polarity * contrast // 2
    look = Look(board=(grey, grey, grey), lines=(grey - polarity * contrast,) * 3, border_mm=32)
    image, truth = draw(drawn, CORNERS, look=look)
    beyond = np.array([[-31, -31], [311, -31], [311, 311], [-31, 311]], dtype=np.float64)
    taken = TEMPLATE.with_shape({"middle": 140 / 171, "inner": 0.65 * 140 / 171})
    wrong = pose_from_corners(project(truth.image_from_board, beyond), TEMPLATE)
    assert Outline(image, wrong, taken).bare_share() >= 4 / 32


@pytest.mark.parametrize("game", ["nine_mens_morris", "co_ganh", "gomoku", "reversi"])
def test_nothing_goes_on_outside_a_whole_board(game: str) -> None:
    template = load_template(game)
    image, pose = draw(template)
    sides = Outline(image, pose, template).beyond()
    assert not any(side.goes_on for side in sides)


def test_the_lines_of_a_larger_board_go_on_at_every_side() -> None:
    large, small = load_template("gomoku", frozenset({"size=19"})), load_template("gomoku")
    image, pose = draw(large)
    piece = project(pose.image_from_board, small.corners_mm + 44.0)
    assert tuple(side.goes_on for side in Outline(image, pose_from_corners(piece, small), small).beyond()) == ALL
    corner = project(pose.image_from_board, small.corners_mm)
    sides = Outline(image, pose_from_corners(corner, small), small).beyond()
    assert tuple(side.goes_on for side in sides) == (False, False, True, True)


def test_a_picture_that_ends_at_the_frame_tells_nothing() -> None:
    template = load_template("gomoku")
    corners = np.array([[2, 60], [400, 60], [400, 420], [2, 420]], dtype=np.float64)
    image, pose = draw(template, corners)
    left, top, right, bottom = Outline(image, pose, template).beyond()
    assert left.in_picture == 0
    assert not left.goes_on
    assert min(top.in_picture, right.in_picture, bottom.in_picture) == 1

"""Boards whose lines differ from the ground in colour only, not in brightness."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from tests.vision.drawn import CORNERS, Look, cell_error, draw, random_cells
from vision.finding.finder import find_board
from vision.frame import Frame
from vision.pose import pose_from_corners
from vision.primitives.channels import BoardView, telling_channel, with_contrast
from vision.primitives.lines import line_quality, refine_pose
from vision.watching.align import Aligner

TEMPLATE = load_template("nine_mens_morris")

BROWN_ON_RED = Look(board=(27, 22, 166), lines=(60, 62, 64))
BROWN_ON_BLUE = Look(board=(150, 70, 40), lines=(40, 74, 68))
LOOKS = [pytest.param(BROWN_ON_RED, id="brown on red"), pytest.param(BROWN_ON_BLUE, id="brown on blue")]


@pytest.mark.parametrize("look", LOOKS)
def test_lines_as_bright_as_their_board_are_found_by_their_colour(look: Look) -> None:
    drawn = TEMPLATE.with_shape({"middle": 0.64, "inner": 0.35})
    image, truth = draw(drawn, cells=random_cells(np.random.default_rng(3), drawn), look=look)
    found = find_board(image, TEMPLATE)
    assert found is not None
    assert cell_error(found.pose, found.template, truth, drawn) < 0.01


@pytest.mark.parametrize("look", LOOKS)
def test_a_pose_is_refined_on_lines_of_another_colour(look: Look) -> None:
    image, truth = draw(TEMPLATE, look=look)
    guess = pose_from_corners(CORNERS + np.array([[4, -3], [-3, 4], [4, 3], [-4, -3]]), TEMPLATE)
    refined = refine_pose(image, guess, TEMPLATE)
    assert refined.quality > 0.9
    assert cell_error(refined, TEMPLATE, truth, TEMPLATE) < 0.005
    assert line_quality(image, truth, TEMPLATE) > 0.9


@pytest.mark.parametrize("look", LOOKS)
def test_the_alignment_locks_on_lines_of_another_colour_and_holds_them(look: Look) -> None:
    aligner = Aligner(TEMPLATE)
    image, _ = draw(TEMPLATE, look=look)
    times_s = (0.0, 0.5, 2.0, 4.0, 8.0)
    states = [aligner.update(Frame(image, time_s, index)).state for index, time_s in enumerate(times_s)]
    assert states == ["locked"] * len(times_s)


def test_where_grey_tells_enough_no_other_channel_is_looked_at() -> None:
    image, truth = draw(TEMPLATE)
    assert telling_channel(image) is None
    small = BoardView.clearest(image, truth, TEMPLATE).small
    assert np.array_equal(small, cv2.cvtColor(image, cv2.COLOR_BGR2GRAY))


def test_a_grey_picture_has_no_other_channels() -> None:
    image, truth = draw(TEMPLATE)
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    assert telling_channel(grey) is None
    assert np.array_equal(BoardView.clearest(grey, truth, TEMPLATE).small, grey)


def test_dim_picture_gets_contrast_and_a_bright_one_is_left_alone() -> None:
    bright = np.tile(np.arange(0, 256, dtype=np.uint8), (256, 1))
    assert with_contrast(bright) is bright
    assert np.ptp(with_contrast((bright // 8).astype(np.uint8))) > 100

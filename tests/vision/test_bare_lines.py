"""Lines that are missing, and lines that are only hidden."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import BoardTemplate, load_template
from tests.vision.drawn import CORNERS, Look, draw
from vision.finding.bare_lines import bare_share
from vision.pose import pose_from_corners, project


@pytest.fixture(scope="module")
def template() -> BoardTemplate:
    return load_template("nine_mens_morris")


def test_the_right_pose_leaves_no_line_out(template: BoardTemplate) -> None:
    image, truth = draw(template)
    assert bare_share(image, truth, template) == 0.0


def test_men_hide_lines_but_leave_no_board_bare(template: BoardTemplate) -> None:
    image, truth = draw(template, cells="W" * 9 + "." * 6 + "B" * 9)
    assert bare_share(image, truth, template) == 0.0


@pytest.mark.parametrize(("polarity", "contrast"), [(1, 120), (-1, 120), (1, 30)])
def test_a_frame_too_far_outside_leaves_the_joints_bare(template: BoardTemplate, polarity: int, contrast: int) -> None:
    """The board's outermost square is taken for the middle one, so a quarter of the expected joints do not exist."""
    drawn = template.with_shape({"middle": 0.65, "inner": 0.3})
    grey = 130 + polarity * contrast // 2
    look = Look(board=(grey, grey, grey), lines=(grey - polarity * contrast,) * 3, border_mm=32)
    image, truth = draw(drawn, CORNERS, look=look)
    beyond = np.array([[-31, -31], [311, -31], [311, 311], [-31, 311]], dtype=np.float64)
    taken = template.with_shape({"middle": 140 / 171, "inner": 0.65 * 140 / 171})
    wrong = pose_from_corners(project(truth.image_from_board, beyond), template)
    assert bare_share(image, wrong, taken) >= 4 / 32

"""Poses snapped to drawn lines, and board shapes measured by them."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import load_template
from tests.vision.drawn import CORNERS, Look, cell_error, draw, random_cells
from vision.pose import pose_from_corners, project
from vision.primitives.lines import line_quality, measure_shape, refine_pose

TEMPLATE = load_template("nine_mens_morris")

FULL = "WBWBWBWBWBWBWBWBWB......"


@pytest.mark.parametrize("cells", ["", FULL])
@pytest.mark.parametrize("look", [Look(), Look(board=(50, 40, 45), lines=(200, 220, 225), line_mm=4.0)])
def test_a_pose_two_percent_off_snaps_to_the_lines(cells: str, look: Look) -> None:
    image, truth = draw(TEMPLATE, cells=cells, look=look)
    rough = pose_from_corners(CORNERS + np.array([[5, -4], [-4, -5], [3, 5], [5, 4]]), TEMPLATE)
    refined = refine_pose(image, rough, TEMPLATE)
    assert cell_error(rough, TEMPLATE, truth, TEMPLATE) > 0.015
    assert cell_error(refined, TEMPLATE, truth, TEMPLATE) < 0.004
    assert refined.quality > 0.6 and refined.error_px < 1.5


def test_quality_tells_a_board_from_a_table_and_from_a_wrong_place() -> None:
    image, truth = draw(TEMPLATE, cells=FULL)
    bare, _ = draw(TEMPLATE, look=Look(lines=Look().board))
    aside = pose_from_corners(CORNERS * 0.8 + [30, 20], TEMPLATE)
    assert line_quality(image, truth, TEMPLATE) > 0.6
    assert line_quality(bare, truth, TEMPLATE) < 0.2
    assert line_quality(image, aside, TEMPLATE) < 0.3
    assert refine_pose(image, aside, TEMPLATE).quality < 0.5


def test_the_rim_of_a_sheet_is_no_drawn_line() -> None:
    image, _ = draw(TEMPLATE, look=Look(border_mm=20))
    rim = TEMPLATE.corners_mm + 20 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    _, truth = draw(TEMPLATE)
    outside = pose_from_corners(project(truth.image_from_board, rim), TEMPLATE)
    assert refine_pose(image, outside, measure_shape(image, outside, TEMPLATE)).quality < 0.55


@pytest.mark.parametrize(("middle", "inner"), [(0.58, 0.27), (0.7, 0.4), (0.78, 0.5)])
def test_the_rings_of_a_strangers_board_are_measured(middle: float, inner: float) -> None:
    drawn = TEMPLATE.with_shape({"middle": middle, "inner": inner})
    image, truth = draw(drawn, cells=random_cells(np.random.default_rng(3), drawn))
    measured = measure_shape(image, truth, TEMPLATE)
    assert measured.shape["middle"] == pytest.approx(middle, abs=0.012)
    assert measured.shape["inner"] == pytest.approx(inner, abs=0.012)

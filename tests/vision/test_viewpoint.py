"""Where on the board a point above it is seen."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import load_template
from vision.finding.viewpoint import FOCAL, behind_mm
from vision.pose import BoardPose, project

SIZE_PX = (800, 600)


@pytest.mark.parametrize("height_mm", [0.0, 25.0, 60.0])
def test_point_above_a_cell_hides_the_point_of_the_board_on_the_same_ray(height_mm: float) -> None:
    template = load_template("chess")
    focal_px = FOCAL * max(SIZE_PX)
    lens = np.array([[focal_px, 0, 399.5], [0, focal_px, 299.5], [0, 0, 1]])
    tilt = np.radians(40.0)
    across, down = np.array([1.0, 0, 0]), np.array([0, np.cos(tilt), -np.sin(tilt)])
    up = np.cross(down, across)
    corner = np.array([-200.0, -150.0, 900.0])
    pose = BoardPose(lens @ np.column_stack([across, down, corner]), error_px=0.0, quality=1.0)
    points = corner + template.cells_mm @ np.stack([across, down]) + height_mm * up
    seen = points @ lens.T
    behind = behind_mm(pose, template, SIZE_PX, height_mm)
    assert project(pose.image_from_board, behind) == pytest.approx(seen[:, :2] / seen[:, 2:], abs=1e-6)
    assert (np.linalg.norm(points, axis=1) < np.linalg.norm(points - height_mm * up, axis=1) + 1e-9).all(), "upwards"

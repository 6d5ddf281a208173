"""Tile faces above the board: their places in the picture, and the height at which a board of tiles is read."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.template import load_template
from vision.pose import BoardPose, project
from vision.reading.board_reading import BoardReading
from vision.reading.raised_faces import FOCAL, aside_mm, raised_pose, read_faces, total_log_probability
from vision.reading.reader import Reader

TEMPLATE = load_template("double_double_dominoes")
SIZE_PX = (1280, 960)
INNER = np.array([[FOCAL * 1280, 0, 639.5], [0, FOCAL * 1280, 479.5], [0, 0, 1]])
LETTERS = TEMPLATE.letters


def camera(tilt_deg: float, distance_mm: float = 800.0) -> np.ndarray:
    """(3, 4) camera matrix; the camera looks at the board's middle, tilted from straight above."""
    tilt, middle = np.radians(tilt_deg), np.array([150.0, 150.0, 0.0])
    place = middle + distance_mm * np.array([0, np.sin(tilt), np.cos(tilt)])  # millimetres: right, down, up
    turn = np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, -np.sin(tilt), -np.cos(tilt)]])
    return INNER @ np.column_stack([turn, -turn @ place])


def seen(matrix: np.ndarray, points: np.ndarray, height_mm: float) -> np.ndarray:
    above = np.column_stack([points, np.full(len(points), height_mm), np.ones(len(points))]) @ matrix.T
    return np.asarray(above[:, :2] / above[:, 2:])


def pose_of(matrix: np.ndarray, scale: float = 1.0) -> BoardPose:
    return BoardPose(scale * matrix[:, [0, 1, 3]], error_px=0.3, quality=0.9)


@pytest.mark.parametrize("tilt_deg", [0.0, 35.0, 55.0])
@pytest.mark.parametrize("scale", [1.0, -0.001])
def test_the_raised_plane_is_where_a_camera_sees_it(tilt_deg: float, scale: float) -> None:
    matrix = camera(tilt_deg)
    raised = raised_pose(pose_of(matrix, scale), 9.0, SIZE_PX)
    apart = project(raised.image_from_board, TEMPLATE.cells_mm) - seen(matrix, TEMPLATE.cells_mm, 9.0)
    assert np.abs(apart).max() < 1e-6
    assert (raised.error_px, raised.quality) == (0.3, 0.9)


def test_no_height_is_the_pose_itself() -> None:
    pose = pose_of(camera(35.0))
    again = raised_pose(pose, 0.0, SIZE_PX).image_from_board
    assert np.allclose(again, pose.image_from_board / pose.image_from_board[2, 2])


def test_faces_are_seen_farther_aside_the_lower_the_camera_stands() -> None:
    poses = [pose_of(camera(tilt_deg)) for tilt_deg in (0.0, 25.0, 50.0)]
    aside = [aside_mm(pose, raised_pose(pose, 9.0, SIZE_PX), TEMPLATE) for pose in poses]
    assert aside[0] < 3 < aside[1] < 9 < aside[2]


class Teller:
    """A fake reader whose readings have the given total log-probabilities, in this order."""

    def __init__(self, *sure: float) -> None:
        self.left = [reading(one) for one in sure]

    def read(self, rectified: np.ndarray, time_s: float) -> BoardReading:
        assert rectified.shape == (720, 720, 3)
        return self.left.pop(0)


def reading(sure: float) -> BoardReading:
    logs = np.full((225, len(LETTERS)), np.log((1 - sure) / (len(LETTERS) - 1)))
    logs[:, 0] = np.log(sure)
    return BoardReading(logs, LETTERS, 0.0)


def read(tilt_deg: float, on_board: BoardReading, teller: Teller) -> BoardReading:
    picture = np.zeros((SIZE_PX[1], SIZE_PX[0], 3), dtype=np.uint8)
    reader: Reader = teller  # type: ignore[assignment]
    return read_faces(reader, picture, pose_of(camera(tilt_deg)), TEMPLATE, on_board)


def test_a_board_is_read_at_the_height_where_it_is_surest() -> None:
    lower, higher = Teller(0.99, 0.95), Teller(0.95, 0.99)
    best = lower.left[0], higher.left[1]
    assert (read(50.0, reading(0.9), lower), read(50.0, reading(0.9), higher)) == best


def test_a_board_that_is_hardly_surer_higher_up_is_read_where_it_lies() -> None:
    on_board = reading(0.99)
    assert read(50.0, on_board, Teller(0.9901, 0.98)) is on_board


def test_from_above_nothing_is_read_twice() -> None:
    on_board, teller = reading(0.5), Teller(0.99, 0.99)
    assert read(5.0, on_board, teller) is on_board and len(teller.left) == 2


def test_sureness_is_that_of_all_cells_together() -> None:
    assert total_log_probability(reading(0.9)) == pytest.approx(225 * np.log(0.9))

"""A chequered board is found by its squares, men on it or not, and never a square off."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from lab.simulated.style import BoardStyle, Style
from lab.simulated.table import SimulatedTable
from tests.vision.chequered_tables import START, chequered, laid
from vision.finding.finder import find_board
from vision.finding.landmarks import pose_quality, right_way_round, snap_pose
from vision.frame import Image
from vision.pose import pose_from_corners, project, turned_pose
from vision.primitives.chequer_edges import sides_going_on
from vision.watching.locating import LOCK_QUALITY

TEMPLATE = chequered()
INNER_MM = np.array([[40.0, 40], [360, 40], [360, 360], [40, 360]])


@pytest.mark.parametrize("turns", range(4))
def test_board_with_men_is_found_from_every_side_with_a_first_square_of_the_right_colour(turns: int) -> None:
    table = laid(START)
    image = np.ascontiguousarray(np.rot90(table.render(), turns))
    found = find_board(image, TEMPLATE)
    assert found is not None and found.found_by == "squares" and found.sure > 0.9
    corners, (width, height) = table.corners_px(), (640, 480)
    for _ in range(turns):
        corners, width, height = np.stack([corners[:, 1], width - 1 - corners[:, 0]], axis=1), height, width
    seen = found.pose.corners_px(found.template)
    fits = [np.abs(np.roll(corners, -turn, axis=0) - seen).max() < 3 for turn in (0, 2)]
    assert any(fits), "a dark corner is not taken for a light one"
    assert pose_quality(image, found.pose, TEMPLATE) > LOCK_QUALITY + 0.1


def test_a_pose_one_square_off_or_turned_by_a_quarter_shows_too_few_edges() -> None:
    image = laid(START).render()
    found = find_board(image, TEMPLATE)
    assert found is not None
    step = np.eye(3)
    step[0, 2] = TEMPLATE.pitch_mm
    aside = snap_pose(image, pose_from_corners(found.pose.corners_px(TEMPLATE), TEMPLATE), TEMPLATE)
    assert aside.quality > LOCK_QUALITY + 0.1
    shifted = type(aside)(aside.image_from_board @ step, 0.0, 0.0)
    assert pose_quality(image, shifted, TEMPLATE) < LOCK_QUALITY - 0.1
    assert pose_quality(image, turned_pose(aside, TEMPLATE, 1), TEMPLATE) < LOCK_QUALITY - 0.1
    assert (
        pose_quality(image, right_way_round(image, turned_pose(aside, TEMPLATE, 1), TEMPLATE), TEMPLATE)
        > LOCK_QUALITY + 0.1
    )


RED, GREEN = (30, 40, 190), (40, 115, 45)
"""Blue, green, red of squares that are as bright as each other."""


@pytest.mark.parametrize(("light", "dark"), [(RED, GREEN), (GREEN, RED)])
def test_squares_that_differ_in_colour_only_are_found_with_men_and_without(
    light: tuple[int, int, int], dark: tuple[int, int, int]
) -> None:
    assert np.ptp(cv2.cvtColor(np.array([[RED, GREEN]], dtype=np.uint8), cv2.COLOR_BGR2GRAY)) < 5
    for cells in (START, "." * 64):
        style = Style(board=BoardStyle(kind="plain", colour=light, dark=dark, line_mm=0.3))
        table = SimulatedTable(TEMPLATE, cells, style, 3, (640, 480))
        found = find_board(table.render(), TEMPLATE)
        assert found is not None and found.sure > 0.9
        seen, truth = found.pose.corners_px(TEMPLATE), table.corners_px()
        assert min(np.abs(np.roll(truth, -turn, axis=0) - seen).max() for turn in range(4)) < 3
        assert pose_quality(table.render(), found.pose, TEMPLATE) > LOCK_QUALITY


def _ruled() -> Image:
    return SimulatedTable(load_template("reversi"), "." * 64, seed=1, size_px=(640, 480)).render()


def _tiled_floor() -> Image:
    floor = np.indices((480, 640)).sum(axis=0) * 0 + (np.indices((480, 640)) // 40).sum(axis=0) % 2 * 120 + 60
    return np.asarray(cv2.cvtColor(floor.astype(np.uint8), cv2.COLOR_GRAY2BGR), dtype=np.uint8)


@pytest.mark.parametrize("other", [_ruled, _tiled_floor])
def test_neither_a_ruled_board_nor_a_tiled_floor_is_taken_for_one(other: object) -> None:
    assert callable(other)
    assert find_board(other(), TEMPLATE) is None


def test_the_inner_squares_of_a_larger_board_are_no_board() -> None:
    large = load_template("draughts", frozenset({"size=10"}))
    table = SimulatedTable(large, "B" * 20 + "." * 10 + "W" * 20, seed=2, size_px=(960, 720))
    assert find_board(table.render(), large) is not None
    assert find_board(table.render(), load_template("draughts")) is None
    inner = pose_from_corners(
        project(pose_from_corners(table.corners_px(), large).image_from_board, INNER_MM), TEMPLATE
    )
    assert sides_going_on(table.render(), inner, TEMPLATE) > 1
    whole = pose_from_corners(table.corners_px(), large)
    assert sides_going_on(table.render(), whole, large) == 0


@pytest.mark.parametrize("game", ["go", "reversi"])
def test_light_and_dark_squares_are_no_ruled_board(game: str) -> None:
    template = load_template(game)
    chess = SimulatedTable(load_template("chess"), START, seed=4, size_px=(960, 720)).render()
    assert find_board(chess, template) is None
    own = SimulatedTable(template, "." * len(template.cell_names), seed=4, size_px=(960, 720)).render()
    assert find_board(own, template) is not None

"""Ruled boards are found by their lattice, whether bare or covered with men, and never shifted by a line."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.template import BoardTemplate, load_template
from lab.simulated.style import CameraStyle, Style
from lab.simulated.table import SimulatedTable
from vision.finding.finder import find_board
from vision.finding.lattice_evidence import ON_POINTS, in_levels, look_at
from vision.finding.lattice_window import best_window
from vision.frame import Image
from vision.pose import pose_from_corners, project
from vision.primitives.combs import find_combs, frame_aspect
from vision.primitives.round_men import find_round_men
from vision.primitives.segments import Weave

FloatArray = NDArray[np.float64]
SIZE_PX = (960, 720)
LIGHTS = {"red": (0.03, 0.05, 1.0), "dark": (0.05, 0.05, 0.05)}
"""Share that the light leaves of blue, green and red."""


@functools.cache
def table(game: str, option: str, men: float, tilt_deg: float, azimuth_deg: float) -> tuple[Image, FloatArray]:
    """A picture of a board with that share of cells occupied, and its (4, 2) corners."""
    template = template_of(game, option)
    rng = np.random.default_rng(5)
    board = "".join(rng.choice([".", "W", "B"], len(template.cell_names), p=[1 - men, men / 2, men / 2]))
    style = Style(camera=CameraStyle(tilt_deg=tilt_deg, azimuth_deg=azimuth_deg, fill=0.9))
    scene = SimulatedTable(template, board, style, 3, SIZE_PX)
    return scene.render(), scene.corners_px()


def template_of(game: str, option: str) -> BoardTemplate:
    return load_template(game, frozenset({option} - {""}))


def error_cells(corners_px: FloatArray, truth_px: FloatArray, template: BoardTemplate) -> float:
    """Distance of the worst corner, in cells, whichever corner is called the first."""
    side_px = float(np.linalg.norm(truth_px - np.roll(truth_px, 1, axis=0), axis=1).mean())
    turns = (np.roll(corners_px, turn, axis=0) for turn in range(4))
    worst_px = min(float(np.linalg.norm(corners - truth_px, axis=1).max()) for corners in turns)
    return worst_px / side_px * template.size_mm[0] / template.pitch_mm


def lit(image: Image, light: str) -> Image:
    """The picture as a camera sees it in other light, with the noise of dim light."""
    linear = (image.astype(np.float32) / 255) ** 2.2 * np.array(LIGHTS[light], dtype=np.float32)
    linear += np.random.default_rng(1).normal(0, 0.002, linear.shape).astype(np.float32)
    return np.asarray(np.rint(255 * np.clip(linear, 0, 1) ** (1 / 2.2)), dtype=np.uint8)


@pytest.mark.parametrize(
    ("game", "option", "men", "tilt_deg", "azimuth_deg"),
    [
        ("gomoku", "", 0.0, 20.0, 0.0),
        ("gomoku", "", 0.5, 40.0, 25.0),
        ("gomoku", "size=19", 0.3, 30.0, -20.0),
        ("gomoku", "size=19", 0.75, 10.0, 10.0),
        ("reversi", "", 0.0, 35.0, 10.0),
        ("reversi", "", 0.9, 15.0, -30.0),
    ],
)
def test_board_is_found_bare_and_covered_with_men(
    game: str, option: str, men: float, tilt_deg: float, azimuth_deg: float
) -> None:
    template = template_of(game, option)
    image, corners = table(game, option, men, tilt_deg, azimuth_deg)
    found = find_board(image, template)
    assert found is not None
    assert error_cells(found.pose.corners_px(template), corners, template) < 0.3


def test_board_without_an_empty_point_is_found_by_its_men() -> None:
    template = template_of("gomoku", "")
    image, corners = table("gomoku", "", 1.0, 25.0, 15.0)
    found = find_board(image, template)
    assert found is not None
    # The tops of men appear slightly beside their points, and no visible line corrects that.
    assert error_cells(found.pose.corners_px(template), corners, template) < 0.4


@pytest.mark.parametrize("light", LIGHTS)
def test_board_is_found_in_light_that_leaves_little_of_the_colours(light: str) -> None:
    template = template_of("gomoku", "size=19")
    image, corners = table("gomoku", "size=19", 0.3, 30.0, -20.0)
    found = find_board(lit(image, light), template)
    assert found is not None
    assert error_cells(found.pose.corners_px(template), corners, template) < 0.3


def test_board_of_nineteen_lines_is_not_taken_for_one_of_fifteen() -> None:
    image, _ = table("gomoku", "size=19", 0.3, 30.0, -20.0)
    assert find_board(image, template_of("gomoku", "")) is None


def test_board_of_fifteen_lines_is_not_taken_for_one_of_nineteen() -> None:
    image, _ = table("gomoku", "", 0.5, 40.0, 25.0)
    assert find_board(image, template_of("gomoku", "size=19")) is None


def test_board_that_the_picture_cuts_is_not_found() -> None:
    image, corners = table("gomoku", "", 0.5, 40.0, 25.0)
    left = int(np.sort(corners[:, 0])[1]) + 40
    assert find_board(np.ascontiguousarray(image[:, left:]), template_of("gomoku", "")) is None


def test_picture_without_a_board_shows_none() -> None:
    grain = np.random.default_rng(1).integers(60, 190, (480, 640, 3)).astype(np.uint8)
    assert find_board(grain, template_of("gomoku", "")) is None
    assert find_board(np.full((480, 640, 3), 128, np.uint8), template_of("gomoku", "")) is None


def test_window_leaves_out_a_rim_that_looks_like_a_line() -> None:
    """There are ten lines each way, and a dark rim one cell beyond the rightmost line, which no line reaches."""
    canvas = np.full((400, 400, 3), 200, np.uint8)
    for line in range(10):
        canvas[60 + 24 * line : 62 + 24 * line, 60 : 60 + 24 * 9 + 2] = 40
        canvas[60 : 60 + 24 * 9 + 2, 60 + 24 * line : 62 + 24 * line] = 40
    canvas[40:300, 60 + 24 * 10 : 62 + 24 * 10] = 40
    picture_from_lattice = np.array([[24.0, 0, 60.5], [0, 24.0, 60.5], [0, 0, 1]])
    evidence = look_at(
        in_levels(canvas), in_levels(canvas[..., 0].copy()), picture_from_lattice, np.array([5.0, 5.0]), ON_POINTS, 13
    )
    windows = [window for one in evidence if (window := best_window(one, 10, 10)) is not None]
    best = max(windows, key=lambda one: one.score)
    assert (best.left, best.top) == (0, 0)
    assert best.lead > 1
    assert best.beyond < 0


def test_spacing_of_lines_is_told_to_a_hundredth() -> None:
    rows, columns = np.arange(40.0, 400, 24), np.arange(50.0, 420, 20)
    across = np.array([[[50.0, y], [410, y]] for y in rows])
    upright = np.array([[[x, 40.0], [x, 390]] for x in columns])
    weave = Weave(np.array([[1, 0, 0], [0, 1.2, 0], [0, 0, 1.0]]), across, upright)
    best = find_combs(weave, np.full((512, 512), 128, np.uint8), men_on_points=True, cells=(14, 14))[0]
    assert best.gaps_px == pytest.approx((20, 24), rel=0.01)
    assert (50 - best.starts_px[0]) % 20 == pytest.approx(0, abs=1) or (50 - best.starts_px[0]) % 20 > 19


def test_aspect_of_a_tilted_board_is_told_by_its_vanishing_points() -> None:
    template = template_of("gomoku", "")
    _, corners = table("gomoku", "", 0.5, 40.0, 25.0)
    cells_from_picture = np.linalg.inv(pose_from_corners(corners, template).image_from_board)
    # A millimetre has half as many frame pixels along y as along x.
    weave = Weave(np.diag([1.0, 0.5, 1.0]) @ cells_from_picture, np.zeros((0, 2, 2)), np.zeros((0, 2, 2)))
    assert frame_aspect(weave, SIZE_PX) == pytest.approx(0.5, rel=0.1)


def test_men_are_found_by_their_round_edges_and_crossings_are_no_men() -> None:
    grey = np.full((340, 340), 190, np.uint8)
    for line in range(20, 340, 30):
        grey[line - 1 : line + 1, 20:321] = grey[20:321, line - 1 : line + 1] = 60
    rows, columns = np.indices(grey.shape)
    for x, y, level in ((80, 80, 20), (110, 80, 245), (200, 230, 30)):
        grey[np.hypot(columns - x + 0.5, rows - y + 0.5) < 13] = level
    cells_from_picture = np.array([[1 / 30, 0, -19.5 / 30], [0, 1 / 30, -19.5 / 30], [0, 0, 1]])
    men = find_round_men(grey, cells_from_picture, np.array([-0.5, -0.5]), np.array([10.5, 10.5]))
    expected = project(cells_from_picture, np.array([[79.5, 79.5], [109.5, 79.5], [199.5, 229.5]]))
    assert len(men) == 3
    assert all(np.linalg.norm(men - place, axis=1).min() < 0.1 for place in expected)

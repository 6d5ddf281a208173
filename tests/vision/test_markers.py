"""Printed boards are found by their markers: from any side, with markers hidden, false, or of other sheets."""

from __future__ import annotations

import functools

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.sheet import layout_of
from calibration.template import load_template
from vision.finding.finder import find_board
from vision.finding.markers import OtherSheetError, find_markers, find_sheet, name_sheet
from vision.frame import Image
from vision.pose import project
from vision.sheet.drawing import Sheet, draw_sheet
from vision.sheet.files import picture_of
from vision.sheet.ink import PAPERS_MM

SCALE = 3.0
BOARDS = (
    ("reversi", ""),
    ("nine_mens_morris", ""),
    ("nine_mens_morris", "diagonals"),
    ("nine_mens_morris", "board=six"),
    ("nine_mens_morris", "board=three"),
    ("co_ganh", ""),
    ("gomoku", ""),
    ("gomoku", "size=19"),
    ("double_double_dominoes", ""),
)
PLACE = np.array([[250, 70], [690, 60], [800, 560], [130, 590]], dtype=np.float32)


@functools.cache
def sheet(game: str, option: str = "", landscape: bool = True) -> Sheet:
    paper = "a2" if game == "double_double_dominoes" else "a4"
    return draw_sheet(layout_of(load_template(game, frozenset({option} - {""})), landscape), paper)


@functools.cache
def picture(page: Sheet) -> Image:
    return picture_of(page.page, SCALE * 210 / min(page.page.size_mm))


def photo(page: Sheet, turn: int = 0, hide: tuple[int, ...] = ()) -> tuple[Image, NDArray[np.float64]]:
    """The page on a brown table, and the (4, 2) corners of the frame; markers in `hide` are covered."""
    drawn = picture(page).copy()
    scale = drawn.shape[1] / page.page.size_mm[0]
    for marker in hide:
        corners = project(picture_from_board(page, scale), page.layout.markers_mm[marker])
        cv2.fillPoly(drawn, [np.int32(corners)], (120, 150, 200))
    height, width = drawn.shape[:2]
    edges = np.array([[0, 0], [width, 0], [width, height], [0, height]], dtype=np.float32) - 0.5
    matrix = cv2.getPerspectiveTransform(edges, np.roll(PLACE, -turn, axis=0))
    image = cv2.warpPerspective(cv2.GaussianBlur(drawn, (0, 0), 0.7), matrix, (960, 640), borderValue=(60, 90, 130))
    corners = page.layout.template.corners_mm
    return np.asarray(image, dtype=np.uint8), project(matrix @ picture_from_board(page, scale), corners)


def picture_from_board(page: Sheet, scale: float) -> NDArray[np.float64]:
    matrix = np.vstack([page.page_from_board * scale, [0, 0, 1]])
    matrix[:2, 2] -= 0.5
    return matrix


def error(page: Sheet, found: NDArray[np.float64], truth: NDArray[np.float64]) -> float:
    """Greatest error of a corner, as a share of the side."""
    return float(np.linalg.norm(found - truth, axis=1).max() / np.linalg.norm(truth[0] - truth[1]))


@pytest.mark.parametrize(("game", "option"), BOARDS)
@pytest.mark.parametrize("landscape", [False, True])
def test_a_sheet_is_found_whichever_way_it_lies(game: str, option: str, landscape: bool) -> None:
    page = sheet(game, option, landscape)
    image, truth = photo(page, turn=2 * landscape)
    found = find_board(image, load_template(game, frozenset({option} - {""})))
    assert found is not None
    assert error(page, found.pose.corners_px(found.template), truth) < 0.006
    name = name_sheet(image)
    assert name is not None and (name.game, name.options, name.landscape) == (game, {option} - {""}, landscape)


@pytest.mark.parametrize("hidden", range(4))
def test_three_markers_do(hidden: int) -> None:
    page = sheet("co_ganh")
    image, truth = photo(page, hide=(hidden,))
    found = find_sheet(image, load_template("co_ganh"))
    assert found is not None
    assert error(page, found[0].corners_px(found[1].template), truth) < 0.006


@pytest.mark.parametrize("hidden", [(0, 1), (0, 2), (1, 2), (1, 3)])
def test_two_markers_are_believed_where_the_lines_agree(hidden: tuple[int, int]) -> None:
    page = sheet("reversi")
    image, truth = photo(page, hide=hidden)
    found = find_sheet(image, load_template("reversi"))
    assert found is not None
    assert error(page, found[0].corners_px(found[1].template), truth) < 0.006


@pytest.mark.parametrize("hidden", [(0, 1), (0, 2)])
def test_two_markers_are_not_believed_without_lines(hidden: tuple[int, int]) -> None:
    image, truth = photo(sheet("reversi"), hide=hidden)
    cv2.fillPoly(image, [np.int32(truth.mean(axis=0) + 1.05 * (truth - truth.mean(axis=0)))], (200, 220, 230))
    assert find_sheet(image, load_template("reversi")) is None


def test_one_marker_says_nothing() -> None:
    image, _ = photo(sheet("reversi"), hide=(0, 1, 2))
    assert len(find_markers(image)) == 1
    assert find_sheet(image, load_template("reversi")) is None
    assert name_sheet(image) is None


def test_a_marker_in_a_wrong_place_does_not_mislead_the_others() -> None:
    page = sheet("nine_mens_morris")
    image, truth = photo(page, hide=(1,))
    marker = cv2.aruco.generateImageMarker(
        cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_5X5_250), page.layout.marker_ids[1], 49
    )
    image[5:75, 855:925] = 255
    image[15:64, 865:914] = marker[..., None]
    assert len(find_markers(image)) == 4
    found = find_sheet(image, load_template("nine_mens_morris"))
    assert found is not None
    assert error(page, found[0].corners_px(found[1].template), truth) < 0.006


def test_a_marker_that_is_seen_twice_is_left_out() -> None:
    page = sheet("nine_mens_morris")
    image, _ = photo(page)
    double = np.hstack([image, image])
    assert not find_markers(double)
    assert find_sheet(double, load_template("nine_mens_morris")) is None


def test_another_games_sheet_is_named() -> None:
    image, _ = photo(sheet("reversi"))
    with pytest.raises(OtherSheetError, match="this sheet is for reversi, not for nine men's morris"):
        find_board(image, load_template("nine_mens_morris"))


def test_a_sheet_of_other_rules_is_named() -> None:
    image, _ = photo(sheet("gomoku", "size=19"))
    with pytest.raises(OtherSheetError, match=r"this sheet is for gomoku \(size=19\), not for gomoku"):
        find_board(image, load_template("gomoku"))


def test_a_board_without_markers_is_left_to_its_lines() -> None:
    image, _ = photo(sheet("co_ganh"), hide=(0, 1, 2, 3))
    assert find_sheet(image, load_template("co_ganh")) is None
    assert find_sheet(np.zeros((40, 60, 3), dtype=np.uint8), load_template("co_ganh")) is None


def test_a_mirrored_sheet_is_none() -> None:
    image, _ = photo(sheet("co_ganh"))
    assert find_sheet(np.ascontiguousarray(image[:, ::-1]), load_template("co_ganh")) is None


def test_every_paper_is_known_by_width_and_height() -> None:
    assert all(width < height for width, height in PAPERS_MM.values())

"""Unseen boards are found by their drawing; pictures without a board yield none."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.template import load_template
from system.weights import Weights, WeightsError
from tests.vision.drawn import CORNERS, Look, cell_error, draw, random_cells, random_corners, random_look
from vision.finding import proposals
from vision.finding.finder import find_board
from vision.finding.proposals import board_network
from vision.pose import project
from vision.reading.locate import PhotoReader
from vision.watching.locating import Locator

TEMPLATE = load_template("nine_mens_morris")

DATA = Path(__file__).parents[2] / ".." / "shared" / "data" / "morris"


@pytest.mark.parametrize("seed", range(6))
def test_a_strangers_board_is_found_in_a_hand_held_picture(seed: int) -> None:
    rng = np.random.default_rng(1000 + seed)
    inner = float(rng.uniform(0.27, 0.42))
    drawn = TEMPLATE.with_shape({"inner": inner, "middle": (1 + inner) / 2 + float(rng.uniform(-0.05, 0.05))})
    corners, cells, look = random_corners(rng), random_cells(rng, drawn), random_look(rng)
    image, truth = draw(drawn, corners, cells, look, seed)
    found = find_board(image, TEMPLATE)
    assert found is not None
    assert cell_error(found.pose, found.template, truth, drawn) < 0.02
    assert found.pose.quality > 0.55


def test_a_board_turned_upside_down_is_named_from_the_pictures_top() -> None:
    image, _ = draw(TEMPLATE, np.roll(CORNERS, 2, axis=0), cells="W" + "." * 23)
    found = find_board(image, TEMPLATE)
    assert found is not None
    corners = found.pose.corners_px(found.template)
    assert np.linalg.norm(corners - CORNERS, axis=1).max() < 5


def test_a_rim_around_the_lines_is_not_taken_for_the_outermost() -> None:
    drawn = TEMPLATE.with_shape({"middle": 0.64, "inner": 0.35})
    image, truth = draw(drawn, look=Look(border_mm=22))
    rim = np.array([[-20, -20], [300, -20], [300, 300], [-20, 300]], dtype=np.float64)
    outline = np.rint(project(truth.image_from_board, rim)).astype(np.int32)
    cv2.polylines(image, [outline], True, (40, 45, 50), 2, cv2.LINE_AA)
    found = find_board(image, TEMPLATE)
    assert found is not None
    assert cell_error(found.pose, found.template, truth, drawn) < 0.02


def test_a_boards_edge_is_not_taken_for_the_outermost_line() -> None:
    """The board's edge and the two outer squares look like its three squares while men hide the innermost one."""
    cells = "......WBWBBWB..BWW......"
    drawn = TEMPLATE.with_shape({"middle": 0.66, "inner": 0.3})
    image, truth = draw(drawn, cells=cells, look=Look(table=(200, 205, 210), border_mm=32))
    edge = np.array([[-31, -31], [311, -31], [311, 311], [-31, 311]], dtype=np.float64)
    outline = np.rint(project(truth.image_from_board, edge)).astype(np.int32)
    cv2.polylines(image, [outline], True, (40, 45, 50), 2, cv2.LINE_AA)
    found = find_board(image, TEMPLATE)
    assert found is not None
    assert cell_error(found.pose, found.template, truth, drawn) < 0.02


def test_a_table_without_lines_holds_no_board() -> None:
    for seed in range(3):
        image, _ = draw(TEMPLATE, look=Look(lines=Look().board), seed=seed)
        assert find_board(image, TEMPLATE) is None


def test_a_chessboard_is_no_morris_board() -> None:
    rows, columns = np.indices((480, 640))
    squares = (((rows // 40) + (columns // 40)) % 2 * 120 + 60).astype(np.uint8)
    assert find_board(np.dstack([squares] * 3), TEMPLATE) is None


def test_noise_and_an_even_grey_hold_no_board() -> None:
    noise = np.random.default_rng(0).integers(0, 255, (240, 320, 3), dtype=np.uint8)
    assert find_board(noise, TEMPLATE) is None
    assert find_board(np.full((240, 320, 3), 90, dtype=np.uint8), TEMPLATE) is None


def test_real_photos_of_a_strangers_board_are_found_within_four_percent() -> None:
    if not DATA.is_dir():
        pytest.skip("shared/data is not here")
    labels = json.loads((DATA / "labels.json").read_text())["images"]
    for name in ("1_1.jpg", "1_11.jpg", "1_22.jpg", "1_36.jpg"):
        image = cv2.imread(str(DATA / name))
        assert image is not None
        found = find_board(np.asarray(image, dtype=np.uint8), TEMPLATE)
        assert found is not None, name
        corners = np.array(labels[name]["corners_px"])
        side = np.sqrt(cv2.contourArea(corners.astype(np.float32)))
        seen = project(found.pose.image_from_board, found.template.cells_mm)
        order = [int(np.argmin(np.linalg.norm(seen - point, axis=1))) for point in labels[name]["points_px"]]
        assert order == list(range(24)), name
        assert np.linalg.norm(seen - labels[name]["points_px"], axis=1).max() < 0.04 * side, name


def test_damaged_weights_are_told_before_a_board_is_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def damaged(name: str) -> Weights:
        raise WeightsError(f"{name}.onnx: its sha256 is wrong")

    monkeypatch.setattr(proposals, "find_weights", damaged)
    board_network.cache_clear()
    for made in (Locator, PhotoReader):
        with pytest.raises(WeightsError, match="its sha256 is wrong"):
            made(load_template("reversi"))

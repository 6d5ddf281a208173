"""Which chess man stands where: how cells are cut, and what the shipped networks tell of path-traced boards."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import games
from calibration.labels import Label, read_labels
from calibration.template import load_template
from lab.bench.read_pathtraced import as_placed
from lab.train.figures import may_be
from rules import EMPTY, figures_of
from vision.pose import pose_from_corners, project
from vision.reading.figures import FOOT_PX, WIDTH_PX, cut_standing, figure_reader, letters_of
from vision.reading.heads import OTHER
from vision.reading.locate import PhotoReader
from vision.sources.files import read_photo

CHESS = games.load("chess")
TEMPLATE = load_template("chess")
START = figures_of(CHESS, CHESS.initial())


def test_cells_are_cut_upright_wherever_the_camera_is() -> None:
    """The man's foot is where it should be, and what is one square aside is so in the cut."""
    corners = np.array([[200.0, 120.0], [460.0, 140.0], [560.0, 420.0], [90.0, 400.0]])
    image = np.zeros((480, 640, 3), dtype=np.uint8)
    pose = pose_from_corners(corners, TEMPLATE)
    for cell in (0, 27, 63):
        marked = image.copy()
        x, y = (round(value) for value in project(pose.image_from_board, TEMPLATE.cells_mm)[cell])
        marked[y - 2 : y + 3, x - 2 : x + 3] = 255
        cells = cut_standing(marked, pose, TEMPLATE)
        rows, columns = np.nonzero(cells.patches[cell].max(axis=2) > 100)
        assert rows.mean() == pytest.approx(FOOT_PX, abs=1.5)
        assert columns.mean() == pytest.approx((WIDTH_PX - 1) / 2, abs=1.5)
    assert (cells.rise > 0.3).all()
    assert (cells.rise <= 1).all()


def test_straight_above_men_are_not_seen_to_rise() -> None:
    corners = np.array([[120.0, 40.0], [520.0, 40.0], [520.0, 440.0], [120.0, 440.0]])
    cells = cut_standing(np.zeros((480, 640, 3), dtype=np.uint8), pose_from_corners(corners, TEMPLATE), TEMPLATE)
    assert np.hypot(*(TEMPLATE.cells_mm[cells.rise.argmin()] - 200)) < 60
    assert cells.rise.min() < 0.1


def test_only_boards_of_tall_shaped_men_have_a_reader() -> None:
    assert figure_reader(load_template("draughts")) is None
    assert figure_reader(load_template("nine_mens_morris")) is None
    reader = figure_reader(TEMPLATE)
    assert reader is not None
    assert reader.letters == EMPTY + "".join(TEMPLATE.figures) + OTHER


def test_labels_of_a_start_tell_its_figures_but_for_king_and_queen() -> None:
    letters = letters_of(TEMPLATE)
    turned = "".join(START[8 * column + 7 - row] for row in range(8) for column in range(8))
    for board in (START, START[::-1], turned):
        allowed = may_be(Label("a", TEMPLATE.seen(board), None), TEMPLATE)
        assert allowed[[number for number, letter in enumerate(board) if letter in "♖♜♘♞♙♟."]].sum(axis=1).max() == 1
        assert all(allowed[number, letters.index(letter)] for number, letter in enumerate(board))
    other = "W" + "." * 63
    assert may_be(Label("a", other, None), TEMPLATE)[0].sum() == 6
    assert may_be(Label("a", other, None, "♘" + "." * 63), TEMPLATE)[0].sum() == 1


@pytest.mark.parametrize(
    "name", ["wf_001", "wf_002", "wf_004", "wf_004b", "wf_008", "wf_009", "wf_010", "wf_011", "wf_013"]
)
def test_men_are_told_from_their_squares_on_photographs(real_data: Path, name: str) -> None:
    """Empty boards, two of which were full of men, and a start whose men looked like those on squares of a colour."""
    (label,) = read_labels(real_data / "chess" / "labels.json", TEMPLATE, [f"{name}.jpg"])
    photo = PhotoReader(TEMPLATE).read(read_photo(real_data / "chess" / label.name), label.corners_px)
    assert photo is not None and photo.reading.figures is not None
    assert photo.reading.board == as_placed(label, photo, label.cells)
    assert TEMPLATE.seen(photo.reading.figures.board) == photo.reading.board

"""Things and lamps on a board are no men."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.arrays import FloatArray, Indices, Patches
from calibration.labels import read_labels
from calibration.template import load_template
from lab.bench.things import with_things
from rules import EMPTY
from vision.frame import Image
from vision.pose import project
from vision.reading.board_reading import UNKNOWN, BoardReading
from vision.reading.cells import PATCH_PX
from vision.reading.foreign import foreign_shares
from vision.reading.locate import PhotoReader


def picture(path: Path) -> Image:
    return np.asarray(cv2.imread(str(path)), dtype=np.uint8)


@pytest.mark.parametrize("name", ["lamp_1.jpg", "lamp_2.jpg", "lamp_3.jpg", "lamp_4.jpg"])
def test_a_mirrored_lamp_is_never_surely_a_disc(real_data: Path, name: str) -> None:
    folder, template = real_data / "reversi" / "lamp", load_template("reversi")
    (label,) = read_labels(folder / "labels.json", template, [name])
    photo = PhotoReader(template).read(picture(folder / name), label.corners_px)
    assert photo is not None
    reading = photo.reading
    wrong = {cell for cell, (read, true) in enumerate(zip(reading.board, label.cells, strict=True)) if read != true}
    assert wrong <= set(reading.doubtful)
    assert all(reading.probabilities[cell].max() < 0.85 for cell in wrong)
    men = [cell for cell, letter in enumerate(label.cells) if letter != EMPTY]
    assert men
    assert not reading.foreign[men].any()


def board(covered: int | None) -> tuple[Patches, FloatArray, Indices]:
    """A reversi board with four discs, one of them a card that covers its whole cell."""
    patches = np.random.default_rng(3).integers(95, 105, (64, PATCH_PX, PATCH_PX, 3)).astype(np.uint8)
    sides, projected = np.zeros(64, dtype=np.intp), np.zeros((64, 4))
    for cell in (10, 20, 33, 50):
        sides[cell] = 1
        cv2.circle(patches[cell], (PATCH_PX // 2, PATCH_PX // 2), PATCH_PX * 3 // 8, (20, 20, 20), -1)
    if covered is not None:
        patches[covered] = (40, 60, 200)
        projected[covered] = 30.0
    return patches, projected, sides


def test_what_covers_the_whole_cell_is_rather_no_man_and_men_are() -> None:
    template, unknown = load_template("reversi"), np.full(64, 0.1)
    patches, projected, sides = board(None)
    alone = foreign_shares(patches, projected, unknown, sides, template)
    assert (alone < 0.02).all()
    patches, projected, sides = board(20)
    shares = foreign_shares(patches, projected, unknown, sides, template)
    assert shares[20] > 0.5
    assert (np.delete(shares, 20) < 0.1).all()
    assert (shares[sides == 0] == 0).all()


def test_a_thing_over_several_cells_is_foreign_where_it_covers_a_part_of_one() -> None:
    """As a bowl does whose rim ends on a cell: alone, that part would look like a man laid askew."""
    template, unknown = load_template("reversi"), np.full(64, 0.7)
    shares = []
    for others in ([], [9, 17, 25]):
        patches, projected, sides = board(None)
        for cell in others:
            patches[cell] = (40, 60, 200)
        patches[18, :, : PATCH_PX * 3 // 4] = (40, 60, 200)
        sides[18], projected[18] = 1, 8.0
        shares.append(foreign_shares(patches, projected, unknown, sides, template)[18])
    assert shares[0] < 0.2
    assert shares[1] > 0.5


def test_cells_of_which_nothing_is_told_because_something_lies_there_are_foreign() -> None:
    logs = np.log(np.array([[0.2, 0.4, 0.4], [1 / 3] * 3, [1 / 3] * 3]))
    reading = BoardReading(logs, ".WB", 0.0, unknown=np.array([0.6, 0.6, 0.4]))
    assert reading.foreign.tolist() == [False, True, False]
    assert not BoardReading(logs, ".WB", 0.0).foreign.any()


def test_a_card_on_a_chess_board_is_told_from_the_men_who_are_none_of_them_called_foreign(real_data: Path) -> None:
    template = load_template("chess")
    (label,) = read_labels(real_data / "chess" / "labels.json", template, ["cheehaw_3.jpg"])
    image = picture(real_data / "chess" / label.name)
    free = PhotoReader(template).read(image, label.corners_px)
    assert free is not None and free.reading.unknown is not None
    assert not free.reading.foreign.any() and not (free.reading.unknown > UNKNOWN).any()
    middles = project(free.pose.image_from_board, template.cells_mm)
    under = [27, 28, 35, 36]
    card = 2.2 * middles[under] - 1.2 * middles[under].mean(axis=0)
    cv2.fillConvexPoly(image, cv2.convexHull(np.rint(card).astype(np.int32)), (70, 90, 60))
    hidden = PhotoReader(template).read(image, label.corners_px)
    assert hidden is not None
    assert hidden.reading.foreign[under].sum() >= 3
    apart = np.hypot(*(template.cells_mm - template.cells_mm[under].mean(axis=0)).T) > 3 * template.pitch_mm
    assert not hidden.reading.foreign[apart].any()


@pytest.mark.parametrize("name", ["bowl_2.jpg", "bowl_7.jpg"])
def test_what_lies_on_the_rim_is_read_as_no_man(real_data: Path, name: str) -> None:
    folder, template = real_data / "gomoku" / "bowl", load_template("gomoku")
    (label,) = read_labels(folder / "labels.json", template, [name])
    photo = PhotoReader(template).read(picture(folder / name), label.corners_px)
    assert photo is not None
    assert photo.reading.board == label.cells
    assert [template.cell_names[cell] for cell in np.flatnonzero(photo.reading.foreign)] == ["b1"]


def test_the_same_seed_lays_the_same_things(real_data: Path) -> None:
    folder, template = real_data / "reversi" / "lamp", load_template("reversi")
    (label,) = read_labels(folder / "labels.json", template, ["lamp_1.jpg"])
    image = picture(folder / "lamp_1.jpg")
    first, again, other = (with_things(image, label, template, np.random.default_rng(seed)) for seed in (4, 4, 5))
    assert (first == again).all()
    assert (first != other).any()
